// What was wrong in a feed: each problem by rule, file and line, counted, with the first ones kept as examples.

/** What the loader did about a problem. */
export type ProblemAction = 'refused_feed' | 'dropped_row' | 'repaired' | 'reported'

/** One rule broken in one file, however often. */
export interface FeedProblem {
  /** The canonical GTFS validator's notice code, such as `foreign_key_violation`. */
  readonly rule: string
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly action: ProblemAction
  count: number
  /** Line of the first occurrence, from 1 (the header); 0 where the whole file is meant. */
  readonly line: number
  readonly field: string
  /** The first offending value, or a sentence. */
  readonly example: string
}

/** How many rows of one file were read, and how many of them were dropped. */
export interface FileCounts {
  rows: number
  dropped: number
}

/** One occurrence, as a loader reports it. */
export interface ProblemReport {
  readonly rule: string
  readonly file: string
  readonly line: number
  readonly field?: string
  readonly example?: string
  readonly action: ProblemAction
  readonly severity?: 'error' | 'warning'
}

/** Thrown when nothing of a feed can be used; carries the problem that decided it. */
export class FeedRefused extends Error {
  readonly problem: ProblemReport

  constructor(problem: ProblemReport) {
    super(`${problem.file}${problem.line > 0 ? `:${problem.line}` : ''}: ${problem.rule}: ${problem.example ?? ''}`)
    this.name = 'FeedRefused'
    this.problem = problem
  }
}

/** Collects the problems of one feed while it is loaded. */
export class FeedProblems {
  private readonly byKey = new Map<string, FeedProblem>()
  readonly files = new Map<string, FileCounts>()

  report(problem: ProblemReport): void {
    if (problem.action === 'dropped_row') this.countsOf(problem.file).dropped++
    const key = `${problem.rule}|${problem.file}|${problem.field ?? ''}|${problem.action}`
    const known = this.byKey.get(key)
    if (known !== undefined) {
      known.count++
      return
    }
    this.byKey.set(key, {
      rule: problem.rule,
      severity: problem.severity ?? (problem.action === 'reported' ? 'warning' : 'error'),
      file: problem.file,
      action: problem.action,
      count: 1,
      line: problem.line,
      field: problem.field ?? '',
      example: problem.example ?? '',
    })
  }

  countsOf(file: string): FileCounts {
    let counts = this.files.get(file)
    if (counts === undefined) {
      counts = { rows: 0, dropped: 0 }
      this.files.set(file, counts)
    }
    return counts
  }

  /** All problems, errors first, then by file and line. */
  list(): FeedProblem[] {
    return [...this.byKey.values()].sort(
      (a, b) =>
        Number(a.severity === 'warning') - Number(b.severity === 'warning') ||
        (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
        a.line - b.line,
    )
  }
}
