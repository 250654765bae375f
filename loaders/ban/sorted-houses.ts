// Sorts houses by street, number and suffix; of duplicates the first is kept.
import { sealColumn } from '../columns.ts'
import type { FeedProblems } from '../feed-problems.ts'
import { EMPTY_STRING, type StringIndex, type StringPoolBuilder } from '../strings.ts'
import type { RawHouses } from './address-columns.ts'
import type { Addresses, Houses, OwnIds, SuffixIndex } from './addresses.ts'

interface SortedHouses extends Pick<Addresses, 'houses' | 'suffixes' | 'ownIds'> {
  /** Street → its first house; one longer. */
  readonly houseOffset: Uint32Array
}

interface HouseRows {
  readonly strings: StringPoolBuilder
  readonly houses: RawHouses
  readonly problems: FeedProblems
}

/** Most rows of one street: this many fit, with number and suffix, in an exact integer. */
const MAX_STREET_ROWS = 2 ** 20
const SUFFIX_LIMIT = 2 ** 16

/** Sorts the houses. `placeOf` maps a street, in the order first seen, to its number. */
export function sortHouses(rows: HouseRows, placeOf: Uint32Array): SortedHouses {
  const { strings, houses: raw } = rows
  const { suffixes, rankOf } = sortSuffixes(strings, raw.suffix.view())
  const { rowAt, offset } = groupByStreet(raw.street.view(), placeOf)
  const suffixOf = (row: number) => rankOf.get(raw.suffix.at(row)) as number
  const kept = new Uint32Array(rowAt.length)
  const houseOffset = new Uint32Array(offset.length)
  let count = 0
  for (let street = 0; street + 1 < offset.length; street++) {
    houseOffset[street] = count
    const first = offset[street]
    const size = offset[street + 1] - first
    if (size > MAX_STREET_ROWS) throw new Error(`a street has more than ${MAX_STREET_ROWS} houses`)
    const keys = new Float64Array(size)
    for (let at = 0; at < size; at++) {
      const row = rowAt[first + at]
      keys[at] = (raw.number.at(row) * SUFFIX_LIMIT + suffixOf(row)) * MAX_STREET_ROWS + at
    }
    keys.sort()
    let before = -1
    for (const key of keys) {
      const house = Math.floor(key / MAX_STREET_ROWS)
      const row = rowAt[first + (key - house * MAX_STREET_ROWS)]
      if (house === before) reportDouble(rows, row)
      else kept[count++] = row
      before = house
    }
  }
  houseOffset[offset.length - 1] = count
  const keptRows = kept.subarray(0, count)
  return { houses: takeHouses(raw, keptRows, suffixOf), suffixes, ownIds: takeOwnIds(raw, keptRows), houseOffset }
}

function takeHouses(raw: RawHouses, rows: Uint32Array, suffixOf: (row: number) => number): Houses {
  const count = rows.length
  const number = new Uint16Array(count)
  const suffix = new Uint16Array(count)
  const lat = new Int32Array(count)
  const lon = new Int32Array(count)
  for (let house = 0; house < count; house++) {
    const row = rows[house]
    number[house] = raw.number.at(row)
    suffix[house] = suffixOf(row)
    lat[house] = raw.lat.at(row)
    lon[house] = raw.lon.at(row)
  }
  return {
    count,
    number: sealColumn(number),
    suffix: sealColumn(suffix),
    lat: sealColumn(lat),
    lon: sealColumn(lon),
  }
}

function takeOwnIds(raw: RawHouses, rows: Uint32Array): OwnIds {
  const placeOfRow = new Map<number, number>()
  const rowsWithId = raw.ownIdRow.view()
  for (let place = 0; place < rowsWithId.length; place++) placeOfRow.set(rowsWithId[place], place)
  const house: number[] = []
  const offset = [0]
  const bytes = new Uint8Array(raw.ownIdBytes.length)
  let length = 0
  for (let at = 0; at < rows.length && placeOfRow.size > 0; at++) {
    const place = placeOfRow.get(rows[at])
    if (place === undefined) continue
    const text = raw.ownIdBytes.view().subarray(raw.ownIdOffset.at(place), raw.ownIdOffset.at(place + 1))
    bytes.set(text, length)
    length += text.length
    house.push(at)
    offset.push(length)
  }
  return {
    house: sealColumn(Uint32Array.from(house)),
    bytes: sealColumn(bytes.slice(0, length)),
    offset: sealColumn(Uint32Array.from(offset)),
  }
}

/** The suffixes sorted by text; none comes first. */
function sortSuffixes(strings: StringPoolBuilder, used: Uint32Array) {
  const distinct = [...new Set(used).add(EMPTY_STRING)].map((text) => ({
    text,
    key: strings.textOf(text as StringIndex),
  }))
  if (distinct.length > SUFFIX_LIMIT) throw new Error(`more than ${SUFFIX_LIMIT} different suffixes`)
  distinct.sort((a, b) => (a.key < b.key ? -1 : 1))
  return {
    suffixes: sealColumn<SuffixIndex, StringIndex>(Uint32Array.from(distinct, ({ text }) => text)),
    rankOf: new Map(distinct.map(({ text }, rank) => [text, rank])),
  }
}

/** The rows of each street, in file order. */
function groupByStreet(streetOf: Uint32Array, placeOf: Uint32Array) {
  const offset = new Uint32Array(placeOf.length + 1)
  for (let row = 0; row < streetOf.length; row++) {
    const street = placeOf[streetOf[row]]
    offset[street + 1] = offset[street + 1] + 1
  }
  for (let street = 0; street < placeOf.length; street++) {
    offset[street + 1] = offset[street + 1] + offset[street]
  }
  const next = offset.slice()
  const rowAt = new Uint32Array(streetOf.length)
  for (let row = 0; row < streetOf.length; row++) {
    const street = placeOf[streetOf[row]]
    const at = next[street]
    rowAt[at] = row
    next[street] = at + 1
  }
  return { rowAt, offset }
}

function reportDouble({ houses: raw, problems }: HouseRows, row: number): void {
  const file = raw.files.findLast(({ firstRow }) => firstRow <= row)?.name ?? ''
  const example = `number ${raw.number.at(row)} appears twice in one street`
  problems.report({ rule: 'duplicate_key', file, line: raw.line.at(row), field: 'id', example, action: 'dropped_row' })
}
