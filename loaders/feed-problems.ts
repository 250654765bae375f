// The problems found in a feed. Problems with the same rule, file, field and action are counted together. The one with
// the lowest line number is shown as an example.
import type { Rule } from './rules.ts'

/** Maximum length of an example, in UTF-16 code units. A field itself may be 64 KiB long. */
export const MAX_EXAMPLE_LENGTH = 200
/** Control characters and bidirectional marks, which could move a terminal's cursor or reverse a line. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Makes a string from a feed safe to print in a report: shortens it and replaces control characters. */
function toExample(text: string): string {
  const short = text.length <= MAX_EXAMPLE_LENGTH ? text : `${text.slice(0, MAX_EXAMPLE_LENGTH - 1).toWellFormed()}…`
  return short.replace(UNPRINTABLE, '\ufffd')
}

/** What the loader did about a problem. */
export type ProblemAction = 'refused_feed' | 'dropped_row' | 'repaired' | 'reported'

/** All violations of one rule in one file, with the same field and action. */
export interface FeedProblem {
  /** Name of the rule, such as `foreign_key_violation`; rules.ts lists all rules. */
  readonly rule: Rule
  readonly severity: 'error' | 'warning'
  readonly file: string
  readonly action: ProblemAction
  count: number
  /** The first line with the problem (the header is line 1); 0 if the problem concerns the whole file. */
  line: number
  readonly field: string
  /** The wrong value in that line, or a sentence about it. */
  example: string
}

/** Number of rows that were read from a file, and how many of these rows were dropped. */
export interface FileCounts {
  rows: number
  dropped: number
}

/** One occurrence of a problem, as a loader reports it. */
export interface ProblemReport {
  readonly rule: Rule
  readonly file: string
  readonly line: number
  readonly field?: string
  readonly example?: string
  readonly action: ProblemAction
  readonly severity?: 'error' | 'warning'
  /** A configuration snippet that solves the problem, ready to paste. */
  readonly suggestion?: string
}

/** Thrown if a feed cannot be used. `problem` is the reason. */
export class FeedRefused extends Error {
  readonly problem: ProblemReport
  /** The problems found before `problem`, in all feeds read so far. */
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
      // Rows are not always checked in file order, so the new problem may be on an earlier line.
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

  /**
   * Adds the problems and counts of one feed of a network.
   * @param nameOf makes a file's name unique in the network
   */
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
