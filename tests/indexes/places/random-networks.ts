// Random networks of a few stops each. The names of the stops share words, and the queries are made of these words.
import fc from 'fast-check'
import { buildPlaceSet } from '../../../indexes/places/place-set.ts'
import type { StopPlaces } from '../../../indexes/places/stop-places.ts'
import { buildNameIndex } from '../../../indexes/text/name-index.ts'
import { NONE, sealColumn } from '../../../loaders/columns.ts'

/** Words of which names and queries are made. */
export const WORDS = [
  ...['gare', 'station', 'rue', 'place', 'pl', 'de', 'la', 'st', 'saint', 'bd', '8', '11', 'huit', 'mai', '75002'],
  ...['lyon', 'lyons', 'paix', 'paixhans', 'parc', 'parcs', 'broadway', 'broad', 'north', 'n', 'Éco', 'école'],
]
const TOWNS = ['Lyon', 'Saint Parc', 'La Paix', 'Nord Broadway', '']
const CODES = ['8', 'bdw', 'lyon', 'a1']

const word = fc.constantFrom(...WORDS)
const place = fc.record({
  name: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
  importance: fc.constantFrom(0, 10, 10, 90, 200, 255),
  town: fc.nat({ max: TOWNS.length - 1 }),
  lat: fc.double({ min: -0.02, max: 0.02, noNaN: true }),
  lon: fc.double({ min: -0.02, max: 0.02, noNaN: true }),
})
const middle = fc.constantFrom([48, 2], [48.01, 2.01], [49.5, 3], [0, 179.99], [0, -179.99], [-33, 151])
export const network = fc.record({
  places: fc.array(place, { maxLength: 8 }),
  codes: fc.array(fc.constantFrom(...CODES), { maxLength: 2 }),
  middle,
})
const typedWord = fc.oneof(
  word,
  fc.tuple(word, fc.integer({ min: 1, max: 7 })).map(([text, length]) => text.slice(0, length)),
  fc.constantFrom(
    'lyno',
    'brodway',
    'xyz',
    'gares',
    'bis',
    'gareparc',
    'delyon',
    'saintpaix',
    'broad',
    'way',
    'par',
    ...CODES,
  ),
)
export const requested = fc.record({
  text: fc.array(typedWord, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
  near: fc.option(middle, { nil: undefined }),
  isFarLast: fc.boolean(),
  limit: fc.constantFrom(1, 3, 10),
})

/** The places and codes of a network. */
export interface Sketch {
  readonly places: readonly {
    readonly name: string
    readonly importance: number
    readonly town: number
    readonly lat: number
    readonly lon: number
  }[]
  readonly codes: readonly string[]
  readonly middle: readonly number[]
}

/** The stops of a sketched network. */
export function placesOf({ places, codes, middle: [lat = 0, lon = 0] }: Sketch): StopPlaces {
  const sorted = places.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const names = [...new Set(sorted.map(({ name }) => name))]
  const units = (of: readonly number[]) =>
    sealColumn<number>(Int32Array.from(of, (degrees) => Math.round(degrees * 1e7)))
  const set = buildPlaceSet({
    names,
    entryOffset: [...names.map((name) => sorted.findIndex((each) => each.name === name)), sorted.length],
    towns: TOWNS,
    town: sealColumn(Uint32Array.from(sorted, ({ town }) => town)),
    postcode: sealColumn(new Uint32Array(sorted.length).fill(NONE)),
    importance: sealColumn(Uint8Array.from(sorted, ({ importance }) => importance)),
    lat: units(sorted.map((each) => lat + each.lat)),
    lon: units(sorted.map((each) => lon + each.lon)),
  })
  const none = sealColumn<number>(new Float64Array(0))
  return {
    set,
    numberOf: sealColumn(Uint32Array.from(sorted, (_, at) => at)),
    codes: buildNameIndex(sorted.length === 0 ? [] : codes),
    hullLat: none,
    hullLon: none,
  }
}
