// The reports of a network's imports that lie beside its snapshots: of the one that serves, and of the last one, where that
// was refused or held.
import type { FeedProblem } from '../../loaders/feed-problems.ts'
import { effectOf, isRule, meaningOf } from '../../loaders/rules.ts'
import type { ImportReport } from '../imports/import-report.ts'
import { lastImportPath, reportPath } from '../networks/snapshot-store.ts'
import { readJsonFile } from '../system/whole-file.ts'
import type { OperatorSources } from './operator-sources.ts'

/** A notice of an import with what it means. */
export interface ExplainedNotice extends FeedProblem {
  readonly means: string
  readonly effect: string
}

/** A report whose notices are explained. */
export interface ExplainedReport extends Omit<ImportReport, 'problems'> {
  readonly notices: readonly ExplainedNotice[]
}

/** What lies beside the snapshots of a network. */
export interface LastImports {
  readonly network: string
  /** Of the import that made what serves; null where there is none. */
  readonly serving: ExplainedReport | null
  /** Of the last import, where that did not make what serves. */
  readonly later: ExplainedReport | null
}

/** Reads the reports of a network; undefined where it is not configured. */
export function readLastImports(sources: OperatorSources, network: string): LastImports | undefined {
  if (!sources.configured().some(({ id }) => id === network)) return undefined
  const served = sources.networks.find(network)?.served
  // One may not have been written yet, or not be beside a copy of a snapshot.
  const serving: ImportReport | undefined = served === undefined ? undefined : readJsonFile(reportPath(served.path))
  const last: ImportReport | undefined = readJsonFile(lastImportPath(sources.dataDir, network))
  const isOther = last !== undefined && (serving === undefined || last.snapshotPath !== serving.snapshotPath)
  return { network, serving: explained(serving) ?? null, later: explained(isOther ? last : undefined) ?? null }
}

function explained(report: ImportReport | undefined): ExplainedReport | undefined {
  if (report === undefined) return undefined
  const { problems, ...rest } = report
  return { ...rest, notices: problems.map(explainNotice) }
}

/** An older program may have known other rules. */
function explainNotice(problem: FeedProblem): ExplainedNotice {
  const isKnown = isRule(problem.rule)
  return { ...problem, means: isKnown ? meaningOf(problem.rule) : '', effect: isKnown ? effectOf(problem) : '' }
}
