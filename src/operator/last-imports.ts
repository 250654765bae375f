// Reads the import reports stored with a network's snapshots: the report on the served snapshot, and the report on the
// last import if that import refused the feed or held the new timetable back.
import type { FeedProblem } from '../../loaders/feed-problems.ts'
import { effectOf, isRule, meaningOf } from '../../loaders/rules.ts'
import type { ImportReport } from '../imports/import-report.ts'
import { lastImportPath, reportPath } from '../networks/snapshot-store.ts'
import { readJsonFile } from '../system/whole-file.ts'
import type { OperatorSources } from './operator-sources.ts'

/** A notice from an import, with an explanation. */
export interface ExplainedNotice extends FeedProblem {
  readonly means: string
  readonly effect: string
}

/** An import report whose notices are explained. */
export interface ExplainedReport extends Omit<ImportReport, 'problems'> {
  readonly notices: readonly ExplainedNotice[]
}

/** The stored import reports of a network. */
export interface LastImports {
  readonly network: string
  readonly name: string
  /** The report on the import that made the served snapshot; null if there is no such report. */
  readonly serving: ExplainedReport | null
  /** The report on the last import; null if that import made the served snapshot, or if there is no report. */
  readonly later: ExplainedReport | null
}

/** Reads a network's import reports; undefined if the network is not configured. */
export function readLastImports(sources: OperatorSources, network: string): LastImports | undefined {
  const config = sources.configured().find(({ id }) => id === network)
  if (config === undefined) return undefined
  const served = sources.networks.find(network)?.served
  // The report may not have been written yet, or it may be missing because only the snapshot was copied here.
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

/**
 * Adds an explanation to a notice. The explanation is empty if the rule is unknown, because the report may come from
 * another version.
 */
function explainNotice(problem: FeedProblem): ExplainedNotice {
  const isKnown = isRule(problem.rule)
  return { ...problem, means: isKnown ? meaningOf(problem.rule) : '', effect: isKnown ? effectOf(problem) : '' }
}
