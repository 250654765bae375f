// Collects address rows in columns. The rows can come in any order. When all rows have been added, streets are sorted
// by name and houses by number.
import { ChunkedColumn, GrowingColumn, sealColumn } from '../columns.ts'
import type { CsvRow } from '../csv.ts'
import type { FeedProblems } from '../feed-problems.ts'
import { EMPTY_STRING, type StringIndex, StringPoolBuilder } from '../strings.ts'
import { type Addresses, idTail } from './addresses.ts'
import type { Layout } from './layouts.ts'
import { SUFFIX_LIMIT, sortHouses } from './sorted-houses.ts'
import { type RawStreets, sortStreets } from './sorted-streets.ts'
import { StreetTable } from './street-table.ts'

/** The values that load-addresses.ts has already read from a row. */
interface RowPlace {
  /** Field index of the column with the street name. */
  readonly name: number
  /** Coordinates in units of 1e-7 degrees. */
  readonly lat: number
  readonly lon: number
}

interface RowHouse extends RowPlace {
  readonly number: number
  readonly hasSuffix: boolean
}

/** Houses in file order. */
export interface RawHouses {
  /** The street of each house. Streets are numbered in the order in which they were first seen. */
  readonly street: ChunkedColumn<Uint32Array>
  readonly number: ChunkedColumn<Uint16Array>
  /** The suffix of each house. Suffixes are numbered in the order in which they were first seen. */
  readonly suffix: ChunkedColumn<Uint16Array>
  readonly lat: ChunkedColumn<Int32Array>
  readonly lon: ChunkedColumn<Int32Array>
  readonly line: ChunkedColumn<Uint32Array>
  /** The suffix strings by suffix number; the first is empty. */
  readonly suffixes: StringIndex[]
  /** The files, each with the number of its first row. */
  readonly files: { readonly name: string; readonly firstRow: number }[]
  /** Rows whose id cannot be derived from street, number and suffix, ascending. */
  readonly ownIdRow: GrowingColumn<Uint32Array>
  /** The ids of the rows in `ownIdRow`, in UTF-8, concatenated. */
  readonly ownIdBytes: GrowingColumn<Uint8Array>
  /** Index in `ownIdRow` → start of its id in `ownIdBytes`; has one extra entry. */
  readonly ownIdOffset: GrowingColumn<Uint32Array>
}

/** Collects addresses in columns. */
export class AddressColumns {
  private readonly problems: FeedProblems
  private readonly strings = new StringPoolBuilder()
  private readonly streetTable: StreetTable
  private readonly streets: RawStreets = {
    id: new GrowingColumn(Uint32Array),
    name: new GrowingColumn(Uint32Array),
    postcode: new GrowingColumn(Uint32Array),
    communeCode: new GrowingColumn(Uint32Array),
    commune: new GrowingColumn(Uint32Array),
    formerCommune: new GrowingColumn(Uint32Array),
    ownLat: new GrowingColumn(Int32Array),
    ownLon: new GrowingColumn(Int32Array),
    hasOwnPlace: new GrowingColumn(Uint8Array),
  }
  private readonly houses: RawHouses = {
    street: new ChunkedColumn(Uint32Array),
    number: new ChunkedColumn(Uint16Array),
    suffix: new ChunkedColumn(Uint16Array),
    lat: new ChunkedColumn(Int32Array),
    lon: new ChunkedColumn(Int32Array),
    line: new ChunkedColumn(Uint32Array),
    suffixes: [EMPTY_STRING],
    files: [],
    ownIdRow: new GrowingColumn(Uint32Array),
    ownIdBytes: new GrowingColumn(Uint8Array),
    ownIdOffset: new GrowingColumn(Uint32Array),
  }
  private readonly numberOfSuffix = new Map<StringIndex, number>([[EMPTY_STRING, 0]])
  /**
   * The street of the previous row, and the values that identify this street. Most rows belong to the same street as
   * the row before.
   */
  private readonly last = {
    street: -1,
    id: EMPTY_STRING,
    name: EMPTY_STRING,
    postcode: EMPTY_STRING,
    communeCode: EMPTY_STRING,
    formerCommune: EMPTY_STRING,
  }

  constructor(problems: FeedProblems) {
    this.problems = problems
    this.houses.ownIdOffset.push(0)
    this.streetTable = new StreetTable(this.streets)
  }

  beginFile(name: string): void {
    this.houses.files.push({ name, firstRow: this.houses.street.length })
  }

  addHouse(row: CsvRow, layout: Layout, house: RowHouse): void {
    const { houses } = this
    const suffix = house.hasSuffix ? this.lowerCase(row, layout.suffix) : EMPTY_STRING
    const suffixText = suffix === EMPTY_STRING ? '' : this.strings.textOf(suffix)
    const idEnd = streetIdEnd(row, layout.id, idTail(house.number, suffixText))
    const streetId =
      idEnd < 0
        ? this.otherStreetId(row, layout, house.name)
        : this.range(row, layout.id, { end: idEnd, likely: this.last.id })
    if (idEnd < 0) this.keepOwnId(row, layout.id)
    houses.street.push(this.streetOf(row, layout, { name: house.name, id: streetId }))
    houses.number.push(house.number)
    houses.suffix.push(this.suffixNumber(suffix))
    houses.lat.push(house.lat)
    houses.lon.push(house.lon)
    houses.line.push(row.line)
  }

  private suffixNumber(text: StringIndex): number {
    const { suffixes } = this.houses
    const known = this.numberOfSuffix.get(text)
    if (known !== undefined) return known
    if (suffixes.length === SUFFIX_LIMIT)
      throw new Error(`the addresses have more than ${SUFFIX_LIMIT} different house-number suffixes`)
    this.numberOfSuffix.set(text, suffixes.length)
    return suffixes.push(text) - 1
  }

  addLieuDit(row: CsvRow, layout: Layout, place: RowPlace): void {
    const street = this.streetOf(row, layout, { name: place.name, id: this.text(row, layout.id) })
    const { hasOwnPlace, ownLat, ownLon } = this.streets
    if (hasOwnPlace.at(street) === 1) {
      const file = this.houses.files.at(-1)?.name ?? ''
      const example = row.text(layout.id)
      this.problems.report({
        rule: 'duplicate_key',
        file,
        line: row.line,
        field: 'id',
        example,
        action: 'dropped_row',
      })
      return
    }
    hasOwnPlace.set(street, 1)
    ownLat.set(street, place.lat)
    ownLon.set(street, place.lon)
  }

  seal(): Addresses {
    const { strings, streets, houses, problems } = this
    const sortedStreets = sortStreets(strings, streets)
    this.streetTable.free()
    const sorted = sortHouses({ strings, houses, problems }, sortedStreets.placeOf)
    const pool = strings.seal()
    return {
      strings: pool,
      communes: sortedStreets.communes,
      streets: {
        ...sortedStreets.streets,
        ...sortedStreets.placesOf(sorted.houses, sorted.houseOffset),
        houseOffset: sealColumn(sorted.houseOffset),
      },
      houses: sorted.houses,
      suffixes: sorted.suffixes,
      ownIds: sorted.ownIds,
    }
  }

  private streetOf(row: CsvRow, layout: Layout, of: { readonly name: number; readonly id: StringIndex }): number {
    const { last, streets } = this
    const { id } = of
    const name = this.text(row, of.name, last.name)
    const postcode = this.text(row, layout.postcode, last.postcode)
    const communeColumn = layout.communeCode < 0 ? layout.commune : layout.communeCode
    const communeCode = this.text(row, communeColumn, last.communeCode)
    const formerCommune = this.text(row, layout.formerCommune, last.formerCommune)
    if (
      last.street >= 0 &&
      id === last.id &&
      name === last.name &&
      postcode === last.postcode &&
      communeCode === last.communeCode &&
      formerCommune === last.formerCommune
    ) {
      return last.street
    }
    const key = { id, name, postcode, communeCode, formerCommune }
    let street = this.streetTable.find(key)
    if (street === undefined) {
      street = this.streetTable.add(key)
      streets.commune.push(this.text(row, layout.commune))
      streets.ownLat.push(0)
      streets.ownLon.push(0)
      streets.hasOwnPlace.push(0)
    }
    Object.assign(last, { street, id, name, postcode, communeCode, formerCommune })
    return street
  }

  /**
   * The street id for a house whose own id does not contain one: the tax office's id for the street (FANTOIR), or
   * commune and name if there is no such id.
   */
  private otherStreetId(row: CsvRow, layout: Layout, name: number): StringIndex {
    const fantoir = this.text(row, layout.fantoir)
    if (fantoir !== EMPTY_STRING) return fantoir
    const commune = row.text(layout.communeCode < 0 ? layout.commune : layout.communeCode)
    return this.strings.internText(`${commune}_${row.text(name)}`)
  }

  private keepOwnId(row: CsvRow, column: number): void {
    const { houses } = this
    houses.ownIdRow.push(houses.street.length)
    for (let at = row.start(column); at < row.end(column); at++) houses.ownIdBytes.push(row.bytes[at])
    houses.ownIdOffset.push(houses.ownIdBytes.length)
  }

  private lowerCase(row: CsvRow, column: number): StringIndex {
    const { bytes } = row
    const end = row.end(column)
    for (let at = row.start(column); at < end; at++) {
      const byte = bytes[at]
      if (byte < LOWER_A || byte > LOWER_Z) return this.strings.internText(row.text(column).toLowerCase())
    }
    return this.strings.internBytes(bytes, row.start(column), end)
  }

  /**
   * The string-pool index of a value in a row.
   * @param likely the index of the value in the previous row, which is tried first
   */
  private text(row: CsvRow, column: number, likely = EMPTY_STRING): StringIndex {
    return column < 0 ? EMPTY_STRING : this.range(row, column, { end: row.end(column), likely })
  }

  private range(row: CsvRow, column: number, of: { readonly end: number; readonly likely: StringIndex }): StringIndex {
    const start = row.start(column)
    if (this.strings.matches(of.likely, row.bytes, { start, end: of.end })) return of.likely
    return this.strings.internBytes(row.bytes, start, of.end)
  }
}

const LOWER_A = 0x61
const LOWER_Z = 0x7a

/** The index in `row.bytes` at which `tail` starts; −1 if the id is only `tail` or does not end with it. */
function streetIdEnd(row: CsvRow, column: number, tail: string): number {
  const start = row.end(column) - tail.length
  if (start <= row.start(column)) return -1
  for (let at = 0; at < tail.length; at++) {
    if (row.bytes[start + at] !== tail.charCodeAt(at)) return -1
  }
  return start
}
