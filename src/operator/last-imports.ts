// Reads the import reports stored with a network's snapshots: the report of the served snapshot, and the report of the
// last import if that import refused the feed or held the snapshot back.
import type { FeedProblem } from '../../loaders/feed-problems.ts'
import { effectOf, isRule, meaningOf } from '../../loaders/rules.ts'
import type { ImportReport } from '../imports/import-report.ts'
import { lastImportPath, reportPath } from '../networks/snapshot-store.ts'
import { readJsonFile } from '../system/whole-file.ts'
import type { OperatorSources } from './operator-sources.ts'

/** A notice of an import and its explanation. */
export interface ExplainedNotice extends FeedProblem {
  readonly means: string
  readonly effect: string
}

/** A report with explained notices. */
export interface ExplainedReport extends Omit<ImportReport, 'problems'> {
  readonly notices: readonly ExplainedNotice[]
}

/** The stored import reports of a network. */
export interface LastImports {
  readonly network: string
  readonly name: string
  /** The import that made the served snapshot; null if unknown. */
  readonly serving: ExplainedReport | null
  /** The last import, if it did not make the served snapshot. */
  readonly later: ExplainedReport | null
}

/** Reads the reports of a network; undefined if it is not configured. */
export function readLastImports(sources: OperatorSources, network: string): LastImports | undefined {
  const config = sources.configured().find(({ id }) => id === network)
  if (config === undefined) return undefined
  const served = sources.networks.find(network)?.served
  // A report may not be written yet, or be missing next to a copied snapshot.
  const serving: ImportReport | undefined = served === undefined ? undefined : readJsonFile(reportPath(served.path))
  const last: ImportReport | undefined = readJsonFile(lastImportPath(sources.dataDir, network))
  const isOther = last !== undefined && (serving === undefined || last.snapshotPath !== serving.snapshotPath)
  const name = config.name || network
  return { network, name, serving: explained(serving) ?? null, later: explained(isOther ? last : undefined) ?? null }
}

function explained(report: ImportReport | undefined): ExplainedReport | undefined {
  if (report === undefined) return undefined
  const { problems, ...rest } = report
  return { ...rest, notices: problems.map(explainNotice) }
}

/** Adds the explanation of a notice; empty if its rule is unknown, since the report may come from another version. */
function explainNotice(problem: FeedProblem): ExplainedNotice {
  const isKnown = isRule(problem.rule)
  return { ...problem, means: isKnown ? meaningOf(problem.rule) : '', effect: isKnown ? effectOf(problem) : '' }
}
