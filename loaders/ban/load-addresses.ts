// Reads address files row by row into columns. Problems are reported by rule, file and line.
import { type CsvRow, scanCsv } from '../csv.ts'
import { FeedProblems, FeedRefused } from '../feed-problems.ts'
import { parseDecimal, parseInteger } from '../numbers.ts'
import type { Rule } from '../rules.ts'
import { AddressColumns } from './address-columns.ts'
import { type Addresses, DEGREES_PER_UNIT, MAX_HOUSE_NUMBER } from './addresses.ts'
import { findLayout, type Layout } from './layouts.ts'
import { readSeparator, unpackedChunks } from './unpacked-chunks.ts'

/** An address file, plain or gzipped. */
export interface AddressFile {
  /** File name, used in problems. */
  readonly name: string
  /** The file's bytes, in order, in chunks of any size. */
  open(): AsyncIterable<Uint8Array>
}

/** Loaded addresses and the problems found. */
export interface LoadedAddresses {
  readonly addresses: Addresses
  readonly problems: FeedProblems
}

/** Number of rows between two progress reports. */
const PROGRESS_ROWS = 250_000
/** Maximum length of a suffix. A longer value counts as no suffix. */
const MAX_SUFFIX_BYTES = 16
/** In communes' own files, this house number means that a place has no number. */
const NO_NUMBER = 99_999
const UNITS_PER_DEGREE = 1 / DEGREES_PER_UNIT

/** Loads all address files into one set of addresses. Throws FeedRefused if one of them is not an address file. */
export async function loadAddresses(
  files: readonly AddressFile[],
  onProgress: (file: string, rows: number) => void = () => {},
): Promise<LoadedAddresses> {
  const problems = new FeedProblems()
  const columns = new AddressColumns(problems)
  try {
    for (const file of files) await readFile(file, columns, { problems, onProgress })
  } catch (error) {
    if (error instanceof FeedRefused) error.found = problems.list()
    throw error
  }
  return { addresses: columns.seal(), problems }
}

interface Reading {
  readonly problems: FeedProblems
  readonly onProgress: (file: string, rows: number) => void
}

async function readFile(file: AddressFile, columns: AddressColumns, reading: Reading): Promise<void> {
  const { separator, all } = await readSeparator(unpackedChunks(file.open(), file.name))
  let rows = 0
  let rowReader: RowReader | undefined
  columns.beginFile(file.name)
  await scanCsv(all, {
    file: file.name,
    problems: reading.problems,
    columns: undefined,
    separator,
    onHeader: (names) => {
      const layout = findLayout(names)
      if ('missing' in layout) refuse(file.name, 'missing_required_column', layout.missing)
      rowReader = new RowReader(layout, columns, { file: file.name, problems: reading.problems })
    },
    onRow: (row) => {
      rowReader?.read(row)
      if (++rows % PROGRESS_ROWS === 0) reading.onProgress(file.name, rows)
    },
  })
  reading.onProgress(file.name, rows)
}

function refuse(file: string, rule: Rule, example: string): never {
  throw new FeedRefused({ rule, file, line: 1, example, action: 'refused_feed' })
}

/** Reads the rows of one file. */
class RowReader {
  private readonly layout: Layout
  private readonly columns: AddressColumns
  private readonly reporting: { readonly file: string; readonly problems: FeedProblems }

  constructor(
    layout: Layout,
    columns: AddressColumns,
    reporting: { readonly file: string; readonly problems: FeedProblems },
  ) {
    this.layout = layout
    this.columns = columns
    this.reporting = reporting
  }

  read(row: CsvRow): void {
    const { layout, columns } = this
    const name = layout.lieuDit >= 0 && row.isEmpty(layout.name) ? layout.lieuDit : layout.name
    if (row.isEmpty(name)) return this.drop(row, 'missing_required_field', { field: 'nom_voie', column: name })
    if (row.isEmpty(layout.id)) return this.drop(row, 'missing_required_field', { field: 'id', column: layout.id })
    const lat = this.degrees(row, { field: 'lat', column: layout.lat, limit: 90 })
    if (lat === undefined) return
    const lon = this.degrees(row, { field: 'lon', column: layout.lon, limit: 180 })
    if (lon === undefined) return
    if (Math.abs(lat) < 1 && Math.abs(lon) < 1) {
      return this.drop(row, 'point_near_origin', { field: 'lat', column: layout.lat })
    }
    const number = this.houseNumber(row)
    if (number === undefined) return
    const place = {
      name,
      lat: Math.round(lat * UNITS_PER_DEGREE),
      lon: Math.round(lon * UNITS_PER_DEGREE),
    }
    if (number < 0) columns.addLieuDit(row, layout, place)
    else columns.addHouse(row, layout, { ...place, number, hasSuffix: this.hasSuffix(row) })
  }

  /** The house number of a row; −1 if the place has none. Undefined if the row was dropped. */
  private houseNumber(row: CsvRow): number | undefined {
    const { number: column } = this.layout
    if (column < 0 || row.isEmpty(column)) return -1
    const number = parseInteger(row.bytes, row.start(column), row.end(column))
    if (number === NO_NUMBER) return -1
    if (number >= 0 && number <= MAX_HOUSE_NUMBER) return number
    this.drop(row, Number.isNaN(number) ? 'invalid_integer' : 'number_out_of_range', { field: 'numero', column })
    return undefined
  }

  private hasSuffix(row: CsvRow): boolean {
    const { suffix: column } = this.layout
    if (column < 0 || row.isEmpty(column)) return false
    if (row.end(column) - row.start(column) <= MAX_SUFFIX_BYTES) return true
    const { file, problems } = this.reporting
    const example = row.text(column)
    problems.report({ rule: 'number_out_of_range', file, line: row.line, field: 'rep', example, action: 'repaired' })
    return false
  }

  private degrees(row: CsvRow, of: { field: string; column: number; limit: number }): number | undefined {
    const value = parseDecimal(row.bytes, row.start(of.column), row.end(of.column))
    if (value >= -of.limit && value <= of.limit) return value
    const isEmpty = row.isEmpty(of.column)
    const rule = isEmpty ? 'stop_without_location' : Number.isNaN(value) ? 'invalid_float' : 'number_out_of_range'
    this.drop(row, rule, of)
    return undefined
  }

  private drop(row: CsvRow, rule: Rule, of: { readonly field: string; readonly column: number }): void {
    const { file, problems } = this.reporting
    problems.report({
      rule,
      file,
      line: row.line,
      field: of.field,
      example: row.text(of.column),
      action: 'dropped_row',
    })
  }
}
