// Reads the tables of a feed: the needed columns of a file, and its rows as typed values. Also decides what happens to
// invalid data: a feed without a required column is refused, and a row without a required value is dropped.
import { CsvRow, scanCsv } from '../csv.ts'
import { type FeedProblems, FeedRefused } from '../feed-problems.ts'
import { parseDecimal, parseInteger } from '../numbers.ts'
import type { Rule } from '../rules.ts'
import type { StringIndex, StringPoolBuilder } from '../strings.ts'
import type { FeedSource } from './feed.ts'
import { parseServiceDate } from './service-date.ts'

/** The objects that the loaders of all tables use while a feed is loaded. */
export interface FeedReading {
  readonly source: FeedSource
  readonly strings: StringPoolBuilder
  readonly problems: FeedProblems
  readonly onProgress: (file: string, rows: number) => void
  /** Time zone to use for all agencies; undefined to use the time zones in the feed. */
  readonly timezone: string | undefined
}

/** The file and the columns of a table. */
export interface TableShape<Name extends string> {
  readonly file: string
  /** The columns to read. `TableRow.column` returns an index in this list. */
  readonly columns: readonly Name[]
  /** If one of these columns is missing, the feed is refused. */
  readonly required: readonly NoInfer<Name>[]
  /** Maximum number of rows; a larger file is refused. MAX_TABLE_ROWS if absent. */
  readonly maxRows?: number
}

/** Maximum number of rows in most tables. stop_times.txt and shapes.txt may have more. */
export const MAX_TABLE_ROWS = 20_000_000

/** Number of rows between two progress reports. */
const PROGRESS_ROWS = 250_000

/**
 * Reads a table row by row. Returns false if the feed does not have the file.
 * @param onHeader called before the first row, with a function that tells whether the file has a column
 */
export async function readTable<Name extends string>(
  reading: FeedReading,
  shape: TableShape<Name>,
  onRow: (row: TableRow<Name>) => void,
  onHeader?: (has: (column: Name) => boolean) => void,
): Promise<boolean> {
  const chunks = reading.source.open(shape.file)
  if (chunks === undefined) return false
  const row = new TableRow(reading, shape)
  let rows = 0
  await scanCsv(chunks, {
    file: shape.file,
    problems: reading.problems,
    columns: shape.columns,
    maxRows: shape.maxRows ?? MAX_TABLE_ROWS,
    onHeader: (names) => {
      const missing = shape.required.find((column) => !names.includes(column))
      if (missing !== undefined) refuse(shape.file, { rule: 'missing_required_column', example: missing })
      onHeader?.((column) => names.includes(column))
    },
    onRow: (csv) => {
      row.csv = csv
      onRow(row)
      if (++rows % PROGRESS_ROWS === 0) reading.onProgress(shape.file, rows)
    },
  })
  reading.onProgress(shape.file, rows)
  return true
}

/** Refuses the feed because of one of its files. */
export function refuse(file: string, why: { rule: Rule; example: string; line?: number }): never {
  throw new FeedRefused({ file, line: why.line ?? 0, rule: why.rule, example: why.example, action: 'refused_feed' })
}

/**
 * Reads an optional file. If it is not valid CSV or lacks a required column, reports this and returns undefined. Errors
 * that concern the whole feed, such as a damaged archive, are thrown.
 */
export async function readUnlessBroken<T>(
  reading: FeedReading,
  from: { readonly file: string; readonly read: () => Promise<T> },
): Promise<T | undefined> {
  try {
    return await from.read()
  } catch (error) {
    if (!(error instanceof FeedRefused) || error.problem.file !== from.file) throw error
    const example = `${error.problem.example ?? ''}; the file is ignored`
    reading.problems.report({ ...error.problem, example, action: 'reported', severity: 'error' })
    return undefined
  }
}

/** Length of a yyyymmdd date. */
const DATE_BYTES = 8

/** A row of a table, as typed values. */
export class TableRow<Name extends string> {
  csv = new CsvRow()
  private readonly reading: FeedReading
  private readonly file: string
  private readonly place: Readonly<Record<string, number>>

  constructor(reading: FeedReading, shape: TableShape<Name>) {
    this.reading = reading
    this.file = shape.file
    this.place = Object.fromEntries(shape.columns.map((column, index) => [column, index]))
  }

  get line(): number {
    return this.csv.line
  }

  column(name: Name): number {
    return this.place[name]
  }

  isEmpty(name: Name): boolean {
    return this.csv.isEmpty(this.column(name))
  }

  text(name: Name): string {
    return this.csv.text(this.column(name))
  }

  /** The value as a string in the pool; the empty string if the value is empty or absent. */
  string(name: Name): StringIndex {
    const { csv } = this
    const column = this.column(name)
    return this.reading.strings.internBytes(csv.bytes, csv.start(column), csv.end(column))
  }

  /** The value as an integer; NaN if it is empty or not an integer. */
  integer(name: Name): number {
    const { csv } = this
    const column = this.column(name)
    return parseInteger(csv.bytes, csv.start(column), csv.end(column))
  }

  /** The value as a number; NaN if it is empty or not a number. */
  decimal(name: Name): number {
    const { csv } = this
    const column = this.column(name)
    return parseDecimal(csv.bytes, csv.start(column), csv.end(column))
  }

  /** The value, a yyyymmdd date, as days after 1970-01-01; NaN if it is empty or invalid. */
  date(name: Name): number {
    const { csv } = this
    const column = this.column(name)
    const start = csv.start(column)
    const end = csv.end(column)
    return end - start === DATE_BYTES ? parseServiceDate(parseInteger(csv.bytes, start, end)) : Number.NaN
  }

  /** An optional number that must not be negative. NaN if it is empty or invalid; an invalid number is reported. */
  distance(name: Name): number {
    const value = this.decimal(name)
    if (value >= 0 || this.isEmpty(name)) return value
    this.repair(Number.isNaN(value) ? 'invalid_float' : 'number_out_of_range', name)
    return Number.NaN
  }

  /**
   * An http or https URL; empty if the value is missing. Any other value, such as a `javascript:` URL, becomes empty and
   * is reported.
   */
  webAddress(name: Name): string {
    const text = this.text(name)
    const protocol = URL.parse(text)?.protocol
    if (text === '' || protocol === 'https:' || protocol === 'http:') return text
    this.repair('invalid_url', name)
    return ''
  }

  /** A language tag. Underscores become hyphens, and an invalid tag becomes empty; both are reported. */
  language(name: Name): string {
    const text = this.text(name)
    if (text === '' || isLanguage(text)) return text
    this.repair('invalid_language_code', name)
    const hyphened = text.replaceAll('_', '-')
    return isLanguage(hyphened) ? hyphened : ''
  }

  /** An integer in a range; `fallback` if it is empty or invalid. An invalid value is reported. */
  choice(name: Name, range: { min: number; max: number; fallback: number }): number {
    if (this.isEmpty(name)) return range.fallback
    const value = this.integer(name)
    if (value >= range.min && value <= range.max) return value
    this.repair(Number.isNaN(value) ? 'invalid_integer' : 'number_out_of_range', name)
    return range.fallback
  }

  /** Reports that the row is dropped. The caller must then not use it. */
  drop(rule: Rule, field: Name | '' = '', example = field === '' ? '' : this.text(field)): void {
    this.reading.problems.report({ rule, file: this.file, line: this.line, field, example, action: 'dropped_row' })
  }

  /** Reports that a value was repaired or ignored. */
  repair(rule: Rule, field: Name | '' = '', example = field === '' ? '' : this.text(field)): void {
    this.reading.problems.report({ rule, file: this.file, line: this.line, field, example, action: 'repaired' })
  }

  /** Reports a wrong or missing value that needs no repair, because it is not used or not required. */
  reportValue(rule: Rule, field: Name, severity: 'error' | 'warning'): void {
    const example = this.text(field)
    this.reading.problems.report({
      rule,
      file: this.file,
      line: this.line,
      field,
      example,
      action: 'reported',
      severity,
    })
  }

  /**
   * Whether one of these columns is empty. If so, reports that the row is dropped, and the caller must then not use it.
   */
  lacks(...names: readonly Name[]): boolean {
    for (const name of names) {
      if (!this.isEmpty(name)) continue
      this.drop('missing_required_field', name)
      return true
    }
    return false
  }
}

function isLanguage(tag: string): boolean {
  try {
    Intl.getCanonicalLocales(tag)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** Row numbers by id. If an id occurs several times, the first row is used. */
export class RowsById {
  /** Id → its row, plus 1; 0 if no row has the id. */
  private rows = new Uint32Array(1024)

  /** Adds a row. Returns false if another row already has the id. */
  add(id: StringIndex, row: number): boolean {
    if (id >= this.rows.length) {
      const wider = new Uint32Array(Math.max(id + 1, this.rows.length * 2))
      wider.set(this.rows)
      this.rows = wider
    }
    if (this.rows[id] !== 0) return false
    this.rows[id] = row + 1
    return true
  }

  /** The row with this id; −1 if there is none. */
  find(id: StringIndex): number {
    return id < this.rows.length ? this.rows[id] - 1 : -1
  }
}
