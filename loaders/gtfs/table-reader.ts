// What every table of a feed is read with: the file by its wanted columns, rows as typed values, and the policies for
// bad ones. A column that must be there refuses the feed; a value that must be there drops its row.
import { CsvRow, scanCsv } from '../csv.ts'
import { type FeedProblems, FeedRefused } from '../feed-problems.ts'
import { parseDecimal, parseInteger } from '../numbers.ts'
import type { Rule } from '../rules.ts'
import type { StringIndex, StringPoolBuilder } from '../strings.ts'
import type { FeedSource } from './feed.ts'
import { parseServiceDate } from './service-date.ts'

/** What the tables of one feed share while it is loaded. */
export interface FeedReading {
  readonly source: FeedSource
  readonly strings: StringPoolBuilder
  readonly problems: FeedProblems
  readonly onProgress: (file: string, rows: number) => void
  /** The zone of all agencies, whatever the feed says; undefined where the feed is believed. */
  readonly timezone: string | undefined
}

/** A table's file and columns. */
export interface TableShape<Name extends string> {
  readonly file: string
  /** In the order by which rows are asked for values. */
  readonly columns: readonly Name[]
  /** Without one of these the feed is refused. */
  readonly required: readonly NoInfer<Name>[]
  /** More rows refuse the file: MAX_TABLE_ROWS where it is not given. */
  readonly maxRows?: number
}

/** Most rows of a table other than the two that grow with calls and shape points. */
export const MAX_TABLE_ROWS = 20_000_000

/** Rows between two words of progress. */
const PROGRESS_ROWS = 250_000

/**
 * Reads a table row by row. False where the feed has no such file.
 * `onHeader` is told which of the columns the file has.
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

/** Refuses the feed for one of its files. */
export function refuse(file: string, why: { rule: Rule; example: string; line?: number }): never {
  throw new FeedRefused({ file, line: why.line ?? 0, rule: why.rule, example: why.example, action: 'refused_feed' })
}

/**
 * Reads a file on which no departure depends: where it is no CSV, or lacks a column, it is left out and reported.
 * What stops the whole feed, such as a damaged archive, goes on.
 */
export async function readUnlessBroken<T>(
  reading: FeedReading,
  from: { readonly file: string; readonly read: () => Promise<T> },
): Promise<T | undefined> {
  try {
    return await from.read()
  } catch (error) {
    if (!(error instanceof FeedRefused) || error.problem.file !== from.file) throw error
    const example = `${error.problem.example ?? ''}; the file is left out`
    reading.problems.report({ ...error.problem, example, action: 'reported', severity: 'error' })
    return undefined
  }
}

/** Bytes of a yyyymmdd date. */
const DATE_BYTES = 8

/** One row of a table, typed: columns by their place in the shape. */
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

  /** The value's number in the string pool; the empty text where it is empty or absent. */
  string(name: Name): StringIndex {
    const { csv } = this
    const column = this.column(name)
    return this.reading.strings.internBytes(csv.bytes, csv.start(column), csv.end(column))
  }

  /** NaN where it is empty or no integer. */
  integer(name: Name): number {
    const { csv } = this
    const column = this.column(name)
    return parseInteger(csv.bytes, csv.start(column), csv.end(column))
  }

  /** NaN where it is empty or no number. */
  decimal(name: Name): number {
    const { csv } = this
    const column = this.column(name)
    return parseDecimal(csv.bytes, csv.start(column), csv.end(column))
  }

  /** A yyyymmdd date as a day counted from 1970-01-01; NaN where it is empty or no date. */
  date(name: Name): number {
    const { csv } = this
    const column = this.column(name)
    const start = csv.start(column)
    const end = csv.end(column)
    return end - start === DATE_BYTES ? parseServiceDate(parseInteger(csv.bytes, start, end)) : Number.NaN
  }

  /** A number that a table can do without: NaN where it is empty, or, reported, where it is negative or no number. */
  distance(name: Name): number {
    const value = this.decimal(name)
    if (value >= 0 || this.isEmpty(name)) return value
    this.repair(Number.isNaN(value) ? 'invalid_float' : 'number_out_of_range', name)
    return Number.NaN
  }

  /** A web address; empty where it is empty or, reported, anything else, such as one that would run a script. */
  webAddress(name: Name): string {
    const text = this.text(name)
    const protocol = URL.parse(text)?.protocol
    if (text === '' || protocol === 'https:' || protocol === 'http:') return text
    this.repair('invalid_url', name)
    return ''
  }

  /** A language tag: with hyphens where the feed has underscores, empty where it is none; both reported. */
  language(name: Name): string {
    const text = this.text(name)
    if (text === '' || isLanguage(text)) return text
    this.repair('invalid_language_code', name)
    const hyphened = text.replaceAll('_', '-')
    return isLanguage(hyphened) ? hyphened : ''
  }

  /** An integer of a short range: `fallback` where it is empty, or, reported, where it is anything else. */
  choice(name: Name, range: { min: number; max: number; fallback: number }): number {
    if (this.isEmpty(name)) return range.fallback
    const value = this.integer(name)
    if (value >= range.min && value <= range.max) return value
    this.repair(Number.isNaN(value) ? 'invalid_integer' : 'number_out_of_range', name)
    return range.fallback
  }

  /** Drops the row. */
  drop(rule: Rule, field: Name | '' = '', example = field === '' ? '' : this.text(field)): void {
    this.reading.problems.report({ rule, file: this.file, line: this.line, field, example, action: 'dropped_row' })
  }

  /** Says that a value was mended or left out. */
  repair(rule: Rule, field: Name | '' = '', example = field === '' ? '' : this.text(field)): void {
    this.reading.problems.report({ rule, file: this.file, line: this.line, field, example, action: 'repaired' })
  }

  /** Says what is wrong with a value that is not used, or that the row can do with. */
  tell(rule: Rule, field: Name, severity: 'error' | 'warning'): void {
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

  /** Drops the row, true, where one of these columns is empty. */
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

/** Row numbers by the text of an id: the first of duplicates wins. */
export class RowsById {
  private rows = new Uint32Array(1024)

  /** Enters a row; false where the id is taken. */
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

  /** −1 where there is none. */
  find(id: StringIndex): number {
    return id < this.rows.length ? this.rows[id] - 1 : -1
  }
}
