// Runs each import in a child process of this program: if the child crashes, the old snapshot is still served.
import { runChildJob } from '../system/child-job.ts'
import type { ImportOrder } from './import-network.ts'
import type { ImportReport } from './import-report.ts'

/** Outcome of an import in a child process. */
export type ImportOutcome =
  | { readonly kind: 'imported'; readonly report: ImportReport }
  /** `report` is absent if the stamp of the feeds already showed that nothing has changed. */
  | { readonly kind: 'up_to_date'; readonly report?: ImportReport }
  /** `report` is absent if the child did not write one. */
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string; readonly report?: ImportReport }

/** Default reason of a failed import. */
export const IMPORT_FAILED = 'static_import_failed'

/** Runs an import in a child process; never throws if it fails. */
export async function importInChild(order: ImportOrder): Promise<ImportOutcome> {
  const result = await runChildJob('import-child', order)
  if (result.kind === 'failed') return { kind: 'failed', reason: IMPORT_FAILED, message: result.message }
  const report = JSON.parse(result.line) as ImportReport
  if (report.outcome === 'imported' || report.outcome === 'up_to_date') return { kind: report.outcome, report }
  const { refusal, reason, outcome } = report
  return { kind: 'failed', reason: reason ?? IMPORT_FAILED, message: refusal ?? `the feed was ${outcome}`, report }
}
