// Sorts streets by name, commune, postcode and id, and communes by code. Finds a point on each street.
import { type GrowingColumn, sealColumn } from '../columns.ts'
import type { StringIndex, StringPoolBuilder } from '../strings.ts'
import type { CommuneIndex, Communes, HouseIndex, Houses, StreetIndex, Streets } from './addresses.ts'

/** Streets in the order in which they were first seen. Strings are stored as indexes into the string pool. */
export interface RawStreets {
  readonly id: GrowingColumn<Uint32Array>
  readonly name: GrowingColumn<Uint32Array>
  readonly postcode: GrowingColumn<Uint32Array>
  readonly communeCode: GrowingColumn<Uint32Array>
  readonly commune: GrowingColumn<Uint32Array>
  readonly formerCommune: GrowingColumn<Uint32Array>
  /** The point of a lieu-dit. For other streets, `hasOwnPlace` is 0. */
  readonly ownLat: GrowingColumn<Int32Array>
  readonly ownLon: GrowingColumn<Int32Array>
  readonly hasOwnPlace: GrowingColumn<Uint8Array>
}

interface SortedStreets {
  readonly communes: Communes
  readonly streets: Omit<Streets, 'lat' | 'lon' | 'houseOffset'>
  /** Number of a street in the order of first appearance → its number after sorting. */
  readonly placeOf: Uint32Array
  /** Finds a point on each street. Must be called after the houses have been sorted. */
  readonly placesOf: (houses: Houses, houseOffset: Uint32Array) => Pick<Streets, 'lat' | 'lon'>
}

/** Sorts the streets. */
export function sortStreets(strings: StringPoolBuilder, raw: RawStreets): SortedStreets {
  const count = raw.id.length
  const codes = rankTexts(strings, raw.communeCode)
  const byPlace = sortPlaces(strings, raw, codes.rankOf)
  const placeOf = new Uint32Array(count)
  for (let place = 0; place < count; place++) placeOf[byPlace[place]] = place
  const texts = (column: GrowingColumn<Uint32Array>) =>
    sealColumn<StreetIndex, StringIndex>(byPlace.map((street) => column.at(street)))
  return {
    communes: communesOf(raw, codes),
    streets: {
      count,
      id: texts(raw.id),
      name: texts(raw.name),
      commune: sealColumn<StreetIndex, CommuneIndex>(byPlace.map((street) => codes.rankOf[raw.communeCode.at(street)])),
      formerCommune: texts(raw.formerCommune),
      postcode: texts(raw.postcode),
    },
    placeOf,
    placesOf: (houses, houseOffset) => pointsOf(raw, byPlace, { houses, houseOffset }),
  }
}

/**
 * Sorts the streets by name, commune, postcode, id and former commune, with one stable counting sort for each of the
 * first three keys.
 */
function sortPlaces(strings: StringPoolBuilder, raw: RawStreets, rankOfCode: Uint32Array): Uint32Array {
  const postcodes = rankTexts(strings, raw.postcode)
  const names = rankTexts(strings, raw.name)
  let byPlace: Uint32Array = Uint32Array.from({ length: raw.id.length }, (_, street) => street)
  for (const [column, rankOf] of [
    [raw.postcode, postcodes.rankOf],
    [raw.communeCode, rankOfCode],
    [raw.name, names.rankOf],
  ] as const) {
    byPlace = sortByRank(byPlace, (street) => rankOf[column.at(street)], strings.count)
  }
  const isSame = (a: number, b: number) =>
    raw.name.at(a) === raw.name.at(b) &&
    raw.communeCode.at(a) === raw.communeCode.at(b) &&
    raw.postcode.at(a) === raw.postcode.at(b)
  const text = (column: GrowingColumn<Uint32Array>, street: number) => strings.textOf(column.at(street) as StringIndex)
  for (let first = 0; first < byPlace.length; ) {
    let end = first + 1
    while (end < byPlace.length && isSame(byPlace[first], byPlace[end])) end++
    if (end > first + 1) {
      byPlace
        .subarray(first, end)
        .sort(
          (a, b) =>
            compareTexts(text(raw.id, a), text(raw.id, b)) ||
            compareTexts(text(raw.formerCommune, a), text(raw.formerCommune, b)),
        )
    }
    first = end
  }
  return byPlace
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/** Sorts streets by rank, with a stable counting sort. */
function sortByRank(streets: Uint32Array, rankOf: (street: number) => number, rankCount: number): Uint32Array {
  const next = new Uint32Array(rankCount + 1)
  for (const street of streets) next[rankOf(street) + 1] += 1
  for (let rank = 0; rank < rankCount; rank++) next[rank + 1] += next[rank]
  const sorted = new Uint32Array(streets.length)
  for (const street of streets) sorted[next[rankOf(street)]++] = street
  return sorted
}

function communesOf(raw: RawStreets, { rankOf, count }: RankedTexts): Communes {
  const code = new Uint32Array(count)
  const name = new Uint32Array(count)
  // Runs from the last street to the first, so that each commune ends up with the name that comes first in the files.
  for (let street = raw.id.length - 1; street >= 0; street--) {
    const at = rankOf[raw.communeCode.at(street)]
    code[at] = raw.communeCode.at(street)
    name[at] = raw.commune.at(street)
  }
  return { count, code: sealColumn(code), name: sealColumn(name) }
}

interface RankedTexts {
  /** String index → the string's rank in the column, compared by UTF-16 code units. */
  readonly rankOf: Uint32Array
  /** Number of different strings. */
  readonly count: number
}

function rankTexts(strings: StringPoolBuilder, column: GrowingColumn<Uint32Array>): RankedTexts {
  const distinct = [...new Set(column.view())].map((text) => ({ text, key: strings.textOf(text as StringIndex) }))
  distinct.sort((a, b) => compareTexts(a.key, b.key))
  const rankOf = new Uint32Array(strings.count)
  for (const [rank, { text }] of distinct.entries()) rankOf[text] = rank
  return { rankOf, count: distinct.length }
}

interface PlacedHouses {
  readonly houses: Houses
  readonly houseOffset: Uint32Array
}

function pointsOf(
  raw: RawStreets,
  byPlace: Uint32Array,
  { houses, houseOffset }: PlacedHouses,
): Pick<Streets, 'lat' | 'lon'> {
  const lat = new Int32Array(byPlace.length)
  const lon = new Int32Array(byPlace.length)
  for (let place = 0; place < byPlace.length; place++) {
    const street = byPlace[place]
    const first = houseOffset[place]
    const end = houseOffset[place + 1]
    if (raw.hasOwnPlace.at(street) === 1 || first === end) {
      lat[place] = raw.ownLat.at(street)
      lon[place] = raw.ownLon.at(street)
    } else {
      const middle = middleHouse(houses, first, end)
      lat[place] = houses.lat[middle]
      lon[place] = houses.lon[middle]
    }
  }
  return { lat: sealColumn(lat), lon: sealColumn(lon) }
}

/**
 * The house nearest to the center of the street's houses, because the center itself can be off the street. Computed on
 * a flat map.
 */
function middleHouse(houses: Houses, first: number, end: number): HouseIndex {
  let latSum = 0
  let lonSum = 0
  for (let house = first as HouseIndex; house < end; house++) {
    latSum += houses.lat[house]
    lonSum += houses.lon[house]
  }
  const lat = latSum / (end - first)
  const lon = lonSum / (end - first)
  let nearest = first as HouseIndex
  let least = Infinity
  for (let house = first as HouseIndex; house < end; house++) {
    const north = houses.lat[house] - lat
    const east = houses.lon[house] - lon
    const square = north * north + east * east
    if (square >= least) continue
    least = square
    nearest = house
  }
  return nearest
}
