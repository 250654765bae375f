// Problems found in a feed, by rule, file and line: counted, with the first ones kept as examples.
import type { Rule } from './rules.ts'

/** Longest example kept, in UTF-16 units: one field may contain 64 KiB. */
export const MAX_EXAMPLE_LENGTH = 200
/** Control characters and bidirectional marks, which could move a terminal's cursor or reverse a line. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A feed's text, safe to print in a report: shortened and without control characters. */
function toExample(text: string): string {
  const short = text.length <= MAX_EXAMPLE_LENGTH ? text : `${text.slice(0, MAX_EXAMPLE_LENGTH - 1).toWellFormed()}…`
  return short.replace(UNPRINTABLE, '\ufffd')
}

/** What the loader did about a problem. */
export type ProblemAction = 'refused_feed' | 'dropped_row' | 'repaired' | 'reported'

/** All occurrences of one rule in one file. */
export interface FeedProblem {
  /** The canonical GTFS validator's notice code, such as `foreign_key_violation`. */
  readonly rule: Rule
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly action: ProblemAction
  count: number
  /** The first line where it occurs (the header is line 1); 0 if the problem concerns the whole file. */
  line: number
  readonly field: string
  /** The offending value there, or a sentence about it. */
  example: string
}

/** How many rows of a file were read, and how many were dropped. */
export interface FileCounts {
  rows: number
  dropped: number
}

/** One occurrence, as a loader reports it. */
export interface ProblemReport {
  readonly rule: Rule
  readonly file: string
  readonly line: number
  readonly field?: string
  readonly example?: string
  readonly action: ProblemAction
  readonly severity?: 'error' | 'warning'
  /** A configuration snippet that would fix it, ready to paste. */
  readonly suggestion?: string
}

/** Thrown if a feed cannot be used at all; contains the decisive problem. */
export class FeedRefused extends Error {
  readonly problem: ProblemReport
  /** Problems found before that one, in all feeds read so far. */
  found: readonly FeedProblem[] = []

  constructor(problem: ProblemReport) {
    const example = toExample(problem.example ?? '')
    const hint = problem.suggestion === undefined ? '' : `; ${problem.suggestion}`
    super(`${problem.file}${problem.line > 0 ? `:${problem.line}` : ''}: ${problem.rule}: ${example}${hint}`)
    this.name = 'FeedRefused'
    this.problem = { ...problem, example }
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
      // Rows are not always checked in the file's order.
      if (problem.line >= known.line) return
      known.line = problem.line
      known.example = toExample(problem.example ?? '')
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
      example: toExample(problem.example ?? ''),
    })
  }

  /** Adds the problems and counts of one feed of a network; `nameOf` makes its file names unique in the network. */
  add(other: FeedProblems, nameOf: (file: string) => string): void {
    for (const [key, problem] of other.byKey) {
      this.byKey.set(nameOf(key), { ...problem, file: nameOf(problem.file) })
    }
    for (const [file, counts] of other.files) this.files.set(nameOf(file), { ...counts })
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
