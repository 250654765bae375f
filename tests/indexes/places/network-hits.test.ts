// Compares a search in many networks with a separate search in each network. The hits must be the same, in the same
// order. Fails if the bounds exclude a network that has one of the best hits, or the only place with all words of the
// query.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { BoundQuery } from '../../../indexes/places/bound-query.ts'
import { boxDistance } from '../../../indexes/places/map-distance.ts'
import { NetworkFilter } from '../../../indexes/places/network-filter.ts'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { type PlaceRequest, type StopHit, StopSearch } from '../../../indexes/places/place-search.ts'
import type { StopPlaces } from '../../../indexes/places/stop-places.ts'
import { buildWordBounds, type WordBounds } from '../../../indexes/places/word-bounds.ts'
import { sealColumn } from '../../../loaders/columns.ts'
import { bySize, SEED } from '../../size.ts'
import { searchPlaces } from './all-steps.ts'
import { network, placesOf, requested } from './random-networks.ts'

const RUNS = bySize({ quick: 400, ci: 1_000, full: 40_000 })
const MILLIS = 300_000

/**
 * A filter with these networks. Each network is first given the words of another network, which must have no effect.
 */
function filterOf(stops: readonly { readonly bounds: WordBounds }[]): NetworkFilter {
  const filter = new NetworkFilter(stops.length)
  for (const [at] of stops.entries()) filter.set(at, stops[stops.length - 1 - at].bounds)
  for (const [at, { bounds }] of stops.entries()) filter.set(at, bounds)
  return filter
}

/** Searches each network by itself and sorts all hits. If scores are equal, hits from earlier networks come first. */
function askEach(request: PlaceRequest, places: readonly StopPlaces[]): StopHit[] {
  const searches = places.map((each) => new StopSearch(each))
  const typed = searches.map((search, at) => search.search(request, at, 'as_typed'))
  const stages = searches.some(({ isNamed }) => isNamed) ? 'with_extra' : 'all'
  const hits = searches.flatMap((search, at) => (search.isNamed ? typed[at] : search.searchFurther(at, stages)))
  const sorted = hits.sort((a, b) => b.score - a.score)
  const best = sorted[0]?.score ?? 0
  return sorted.filter(({ isGuess, score }) => !isGuess || best < 0.7 || score >= 0.36).slice(0, request.limit)
}

test(
  `${RUNS} searches across networks match searches of each network (seed ${SEED})`,
  () => {
    let [skipped, found] = [0, 0]
    fc.assert(
      fc.property(
        fc.array(network, { minLength: 1, maxLength: 12 }),
        requested,
        (sketches, { text, near, ...more }) => {
          const places = sketches.map(placesOf)
          const [lat = 0, lon = 0] = near ?? []
          const request = { query: parseQuery(text), near: near === undefined ? undefined : { lat, lon }, ...more }
          fc.pre(request.query.words.length > 0)
          const opened = new Set<number>()
          const stops = places.map((each, at) => ({
            bounds: buildWordBounds(each),
            open() {
              opened.add(at)
              return new StopSearch(each)
            },
          }))
          const hits = searchPlaces(request, { stops, addresses: undefined })
          expect(hits).toEqual(askEach(request, places))
          skipped += places.length - opened.size
          expect(searchPlaces(request, { stops, filter: filterOf(stops), addresses: undefined })).toEqual(hits)
          found += hits.length
        },
      ),
      { numRuns: RUNS, seed: SEED },
    )
    expect(found).toBeGreaterThan(RUNS)
    expect(skipped).toBeGreaterThan(RUNS / 4)
  },
  MILLIS,
)

test(
  'no hit scores above the bound of its network',
  () => {
    fc.assert(
      fc.property(network, requested, (sketch, { text, near, isFarLast }) => {
        const places = placesOf(sketch)
        const [lat = 0, lon = 0] = near ?? []
        const point = near === undefined ? undefined : { lat, lon }
        const request = { query: parseQuery(text), near: point, isFarLast, limit: 10 }
        const query = new BoundQuery(request.query, request)
        const table = buildWordBounds(places)
        for (const [stages, { score }] of [
          ['as_typed', query.asTyped(table)],
          ['with_extra', query.withExtra(table)],
          ['all', query.guessed(table)],
        ] as const) {
          for (const hit of new StopSearch(places).search(request, 0, stages))
            expect(hit.score).toBeLessThanOrEqual(score)
        }
      }),
      { numRuns: RUNS, seed: SEED },
    )
  },
  MILLIS,
)

test('only networks that may have one of the best hits are opened', () => {
  const many = Array.from({ length: 40 }, (_, at) =>
    placesOf({
      places: [{ name: `broadway ${'abcdefgh'[at % 8]}`, importance: 5 * at, town: 4, lat: 0, lon: 0 }],
      codes: [],
      middle: [48, 2],
    }),
  )
  let opened = 0
  const stops = many.map((each) => ({
    bounds: buildWordBounds(each),
    open() {
      opened++
      return new StopSearch(each)
    },
  }))
  const hits = searchPlaces({ query: parseQuery('broa'), near: undefined, limit: 3 }, { stops, addresses: undefined })
  expect(hits.map((hit) => hit.kind === 'stop' && hit.network)).toEqual([39, 38, 37])
  expect(opened).toBe(3)
})

test('a filter selects the networks that have every word, and forgets the words of a replaced network', () => {
  const boundsOf = (name: string) =>
    buildWordBounds(
      placesOf({ places: [{ name, importance: 9, town: 4, lat: 0, lon: 0 }], codes: [], middle: [48, 2] }),
    )
  const find = (filter: NetworkFilter, text: string) => {
    const query = new BoundQuery(parseQuery(text), { near: undefined })
    return filter.find(query.needed(false), query.codeHash)
  }
  const filter = new NetworkFilter(70)
  for (let at = 0; at < 70; at++) filter.set(at, boundsOf(at % 35 === 3 ? 'college north' : 'rue de la paix'))
  expect(find(filter, 'north college')).toEqual([3, 38])
  expect(find(filter, 'college weir')).toEqual([])
  filter.set(38, boundsOf('weir'))
  filter.set(64, boundsOf('north of college'))
  expect(find(filter, 'north college')).toEqual([3, 64])
  expect(find(filter, 'wei')).toEqual([38])
})

test('the distance to a box is that to its nearest edge, also across the antimeridian', () => {
  const metersTo = boxDistance({ lat: 0, lon: 179.9 })
  const box = sealColumn<number>(Int32Array.of(-1e7, -179.9e7, 1e7, -179e7))
  expect(metersTo(box, 0)).toBeCloseTo(0.2 * 111_195, -2)
  expect(boxDistance({ lat: 0, lon: -179.5 })(box, 0)).toBe(0)
})
