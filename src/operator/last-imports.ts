// The reports of a network's imports that lie beside its snapshots: of the one that serves, and of the last one, where that
// was refused or held.
import { readFileSync } from 'node:fs'
import type { FeedProblem } from '../../loaders/feed-problems.ts'
import { effectOf, isRule, meaningOf } from '../../loaders/rules.ts'
import type { ImportReport } from '../imports/import-report.ts'
import { lastImportPath, reportPath } from '../networks/snapshot-store.ts'
import { isErrno } from '../system/errno.ts'
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
  const serving = served === undefined ? undefined : readReport(reportPath(served.path))
  const last = readReport(lastImportPath(sources.dataDir, network))
  const isOther = last !== undefined && (serving === undefined || last.snapshotPath !== serving.snapshotPath)
  return { network, serving: explained(serving) ?? null, later: explained(isOther ? last : undefined) ?? null }
}

function readReport(path: string): ImportReport | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ImportReport
  } catch (error) {
    // None was written yet, or it is of a copy that was made without it. One that is broken tells nothing either.
    if (isErrno(error, 'ENOENT') || error instanceof SyntaxError) return undefined
    throw error
  }
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
