// Sorts houses by street, number and suffix. Drops a house if an earlier house has the same street, number and suffix.
import { type ChunkedColumn, KeySorter, sealColumn } from '../columns.ts'
import type { FeedProblems } from '../feed-problems.ts'
import type { StringIndex, StringPoolBuilder } from '../strings.ts'
import type { RawHouses } from './address-columns.ts'
import type { Addresses, Houses, OwnIds, SuffixIndex } from './addresses.ts'

interface SortedHouses extends Pick<Addresses, 'houses' | 'suffixes' | 'ownIds'> {
  /** Street → its first house; has one extra entry. */
  readonly houseOffset: Uint32Array
}

interface HouseRows {
  readonly strings: StringPoolBuilder
  readonly houses: RawHouses
  readonly problems: FeedProblems
}

/** Maximum number of rows per street, so that a sort key made of number, suffix and row is an exact integer. */
const MAX_STREET_ROWS = 2 ** 20
/** Maximum number of different suffixes. */
export const SUFFIX_LIMIT = 2 ** 16

/**
 * Sorts the houses and frees the rows.
 * @param placeOf street number in order of first appearance → street number after sorting
 */
export function sortHouses(rows: HouseRows, placeOf: Uint32Array): SortedHouses {
  const { strings, houses: raw } = rows
  const { suffixes, rankOf } = sortSuffixes(strings, raw.suffixes)
  const { rowAt, offset } = groupByStreet(raw.street, placeOf)
  raw.street.free()
  const houseOffset = new Uint32Array(offset.length)
  const sorter = new KeySorter()
  let own = new Uint32Array(1024)
  let count = 0
  for (let street = 0; street + 1 < offset.length; street++) {
    houseOffset[street] = count
    const first = offset[street]
    const size = offset[street + 1] - first
    if (size > MAX_STREET_ROWS) throw new Error(`a street has more than ${MAX_STREET_ROWS} houses`)
    sorter.open(size)
    const { keys } = sorter
    if (size > own.length) own = new Uint32Array(keys.length)
    for (let at = 0; at < size; at++) {
      own[at] = rowAt[first + at]
      keys[at] = (raw.number.at(own[at]) * SUFFIX_LIMIT + rankOf[raw.suffix.at(own[at])]) * MAX_STREET_ROWS + at
    }
    sorter.sort(size)
    let before = -1
    for (let at = 0; at < size; at++) {
      const key = keys[at]
      const house = Math.floor(key / MAX_STREET_ROWS)
      const row = own[key - house * MAX_STREET_ROWS]
      // The result is written into `rowAt`, over rows that have already been read.
      if (house === before) reportDouble(rows, row)
      else rowAt[count++] = row
      before = house
    }
  }
  houseOffset[offset.length - 1] = count
  raw.line.free()
  const kept = rowAt.subarray(0, count)
  const ownIds = takeOwnIds(raw, kept)
  return { houses: takeHouses(raw, kept, rankOf), suffixes, ownIds, houseOffset }
}

/** Copies one column after another, so that each is freed before the next is copied. */
function takeHouses(raw: RawHouses, rows: Uint32Array, rankOf: Uint16Array): Houses {
  const number = raw.number.take(rows)
  const suffix = raw.suffix.take(rows)
  for (let house = 0; house < suffix.length; house++) suffix[house] = rankOf[suffix[house]]
  const lat = raw.lat.take(rows)
  const lon = raw.lon.take(rows)
  return {
    count: rows.length,
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

/** Sorts the suffix strings, the empty suffix first. Also returns the position of each suffix in this order. */
function sortSuffixes(strings: StringPoolBuilder, used: readonly StringIndex[]) {
  const sorted = used.map((text, seen) => ({ text, seen, key: strings.textOf(text) }))
  sorted.sort((a, b) => (a.key < b.key ? -1 : 1))
  const rankOf = new Uint16Array(used.length)
  for (const [rank, { seen }] of sorted.entries()) rankOf[seen] = rank
  return { suffixes: sealColumn<SuffixIndex, StringIndex>(Uint32Array.from(sorted, ({ text }) => text)), rankOf }
}

/** The rows of each street, in file order. */
function groupByStreet(streetOf: ChunkedColumn<Uint32Array>, placeOf: Uint32Array) {
  const offset = new Uint32Array(placeOf.length + 1)
  for (let row = 0; row < streetOf.length; row++) {
    const street = placeOf[streetOf.at(row)]
    offset[street + 1] = offset[street + 1] + 1
  }
  for (let street = 0; street < placeOf.length; street++) {
    offset[street + 1] = offset[street + 1] + offset[street]
  }
  const next = offset.slice()
  const rowAt = new Uint32Array(streetOf.length)
  for (let row = 0; row < streetOf.length; row++) {
    const street = placeOf[streetOf.at(row)]
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
