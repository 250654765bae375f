// What was wrong in a feed: each problem by rule, file and line, counted, with the first ones kept as examples.
import type { Rule } from './rules.ts'

/** Longest example kept of a feed's text, in UTF-16 units: one field may hold 64 KiB. */
export const MAX_EXAMPLE_LENGTH = 200
/** What would move a terminal's cursor, or turn a line around: control characters and marks of direction. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** A feed's text as it may stand in a report: not too long, and with nothing that a terminal obeys. */
function toExample(text: string): string {
  const short = text.length <= MAX_EXAMPLE_LENGTH ? text : `${text.slice(0, MAX_EXAMPLE_LENGTH - 1).toWellFormed()}…`
  return short.replace(UNPRINTABLE, '\ufffd')
}

/** What the loader did about a problem. */
export type ProblemAction = 'refused_feed' | 'dropped_row' | 'repaired' | 'reported'

/** One rule broken in one file, however often. */
export interface FeedProblem {
  /** The canonical GTFS validator's notice code, such as `foreign_key_violation`. */
  readonly rule: Rule
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
  readonly rule: Rule
  readonly file: string
  readonly line: number
  readonly field?: string
  readonly example?: string
  readonly action: ProblemAction
  readonly severity?: 'error' | 'warning'
  /** What would help, in words of the configuration that can be pasted. */
  readonly suggestion?: string
}

/** Thrown when nothing of a feed can be used; carries the problem that decided it. */
export class FeedRefused extends Error {
  readonly problem: ProblemReport
  /** What was found before that, of the feeds read so far. */
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

  /** Takes over the problems and counts of one feed of several, whose files get the names they have among all. */
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
