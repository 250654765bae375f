// Sorts streets by name, commune, postcode and id, and communes by code; finds a point on each street.
import { type GrowingColumn, sealColumn } from '../columns.ts'
import type { StringIndex, StringPoolBuilder } from '../strings.ts'
import type { CommuneIndex, Communes, HouseIndex, Houses, StreetIndex, Streets } from './addresses.ts'

/** Streets in the order first seen. Texts as pool numbers. */
export interface RawStreets {
  readonly id: GrowingColumn<Uint32Array>
  readonly name: GrowingColumn<Uint32Array>
  readonly postcode: GrowingColumn<Uint32Array>
  readonly communeCode: GrowingColumn<Uint32Array>
  readonly commune: GrowingColumn<Uint32Array>
  readonly formerCommune: GrowingColumn<Uint32Array>
  /** Of lieux-dits only. */
  readonly ownLat: GrowingColumn<Int32Array>
  readonly ownLon: GrowingColumn<Int32Array>
  readonly hasOwnPlace: GrowingColumn<Uint8Array>
}

interface SortedStreets {
  readonly communes: Communes
  readonly streets: Omit<Streets, 'lat' | 'lon' | 'houseOffset'>
  /** Street in the order first seen → its number. */
  readonly placeOf: Uint32Array
  readonly placesOf: (houses: Houses, houseOffset: Uint32Array) => Pick<Streets, 'lat' | 'lon'>
}

/** Sorts the streets. */
export function sortStreets(strings: StringPoolBuilder, raw: RawStreets): SortedStreets {
  const count = raw.id.length
  const nameRank = rankTexts(strings, raw.name)
  const codeRank = rankTexts(strings, raw.communeCode)
  const postcodeRank = rankTexts(strings, raw.postcode)
  const idRank = rankTexts(strings, raw.id)
  const formerRank = rankTexts(strings, raw.formerCommune)
  const rank = (ranks: ReadonlyMap<number, number>, column: GrowingColumn<Uint32Array>, street: number) =>
    ranks.get(column.at(street)) as number
  const byPlace = Uint32Array.from({ length: count }, (_, street) => street).sort(
    (a, b) =>
      rank(nameRank, raw.name, a) - rank(nameRank, raw.name, b) ||
      rank(codeRank, raw.communeCode, a) - rank(codeRank, raw.communeCode, b) ||
      rank(postcodeRank, raw.postcode, a) - rank(postcodeRank, raw.postcode, b) ||
      rank(idRank, raw.id, a) - rank(idRank, raw.id, b) ||
      rank(formerRank, raw.formerCommune, a) - rank(formerRank, raw.formerCommune, b),
  )
  const placeOf = new Uint32Array(count)
  for (let place = 0; place < count; place++) placeOf[byPlace[place]] = place
  const texts = (column: GrowingColumn<Uint32Array>) =>
    sealColumn<StreetIndex, StringIndex>(byPlace.map((street) => column.at(street)))
  const commune = byPlace.map((street) => rank(codeRank, raw.communeCode, street))
  return {
    communes: communesOf(raw, codeRank),
    streets: {
      count,
      id: texts(raw.id),
      name: texts(raw.name),
      commune: sealColumn<StreetIndex, CommuneIndex>(commune),
      formerCommune: texts(raw.formerCommune),
      postcode: texts(raw.postcode),
    },
    placeOf,
    placesOf: (houses, houseOffset) => pointsOf(raw, byPlace, { houses, houseOffset }),
  }
}

function communesOf(raw: RawStreets, codeRank: ReadonlyMap<number, number>): Communes {
  const code = new Uint32Array(codeRank.size)
  const name = new Uint32Array(codeRank.size)
  // Backwards, so that the first name seen is kept.
  for (let street = raw.id.length - 1; street >= 0; street--) {
    const at = codeRank.get(raw.communeCode.at(street)) as number
    code[at] = raw.communeCode.at(street)
    name[at] = raw.commune.at(street)
  }
  return { count: codeRank.size, code: sealColumn(code), name: sealColumn(name) }
}

/** The distinct texts of a column with their ranks, compared by UTF-16 code units. */
function rankTexts(strings: StringPoolBuilder, column: GrowingColumn<Uint32Array>): ReadonlyMap<number, number> {
  const distinct = [...new Set(column.view())].map((text) => ({
    text,
    key: strings.textOf(text as StringIndex),
  }))
  distinct.sort((a, b) => (a.key < b.key ? -1 : 1))
  return new Map(distinct.map(({ text }, rank) => [text, rank]))
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

/** The house nearest to the center of all houses, on a flat map: the result must be a point on the street. */
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
