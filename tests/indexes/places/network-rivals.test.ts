// Compares a search in many networks and in addresses with a search in each network by itself. Fails if a stop is
// missing because addresses have better scores, although some positions in the list of hits are reserved for stops.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import {
  AddressSearch,
  type PlaceHit,
  type PlaceRequest,
  type StopHit,
  StopSearch,
} from '../../../indexes/places/place-search.ts'
import type { StopPlaces } from '../../../indexes/places/stop-places.ts'
import { buildWordBounds } from '../../../indexes/places/word-bounds.ts'
import { indexOf } from '../../feeds/address-file.ts'
import { bySize, SEED } from '../../size.ts'
import { searchPlaces } from './all-steps.ts'
import { network, placesOf, requested, WORDS } from './random-networks.ts'

const RUNS = bySize({ quick: 300, ci: 600, full: 20_000 })
const MILLIS = 600_000
/** Of every four positions in the list of hits, at least one is for stops, and at least one is for addresses. */
const FLOOR_SHARE = 4
const NAMED = 0.7
const GOOD = 0.36

const streets = fc.array(
  fc.record({
    name: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
    houses: fc.integer({ min: 1, max: 3 }),
  }),
  { minLength: 4, maxLength: 25 },
)

/** A name without its last letters. */
function unfinished(name: string, missing: number): string {
  return name.slice(0, Math.max(1, name.length - missing))
}

type Search = (request: PlaceRequest, addresses: AddressSearch) => readonly PlaceHit[]

/** Searches each network in full, then chooses from all hits. */
const chooseFromAll =
  (places: readonly StopPlaces[]): Search =>
  (request, addresses) => {
    const searches = places.map((each) => new StopSearch(each))
    const unlimited = { ...request, limit: 1_000 }
    const typed = searches.map((search, at) => search.search(unlimited, at, 'as_typed'))
    const typedAddresses = addresses.search(request, 'as_typed')
    const stages = addresses.isNamed || searches.some(({ isNamed }) => isNamed) ? 'with_extra' : 'all'
    const stops = searches.flatMap((search, at) => (search.isNamed ? typed[at] : search.searchFurther(at, stages)))
    return choose(stops, addresses.isNamed ? typedAddresses : addresses.searchFurther(stages), request.limit)
  }

/** The best hits. Stops come first on ties; stops and addresses each get at least their share of positions. */
function choose(stops: readonly StopHit[], addresses: readonly PlaceHit[], limit: number): PlaceHit[] {
  const byScore = (a: PlaceHit, b: PlaceHit) => b.score - a.score
  const best = Math.max(0, ...[...stops, ...addresses].map(({ score }) => score))
  const isShown = ({ isGuess, score }: PlaceHit) => best < NAMED || !isGuess || score >= GOOD
  const [ones, others] = [stops.toSorted(byScore).filter(isShown), addresses.filter(isShown)]
  if (others.length === 0) return ones.slice(0, limit)
  const floorOf = (hits: readonly PlaceHit[]) =>
    Math.min(Math.floor(limit / FLOOR_SHARE), hits.filter(({ isGuess }) => !isGuess).length)
  const listed = [...ones, ...others].sort(byScore).slice(0, limit)
  let oneCount = listed.filter(({ kind }) => kind === 'stop').length
  let otherCount = listed.length - oneCount
  if (oneCount < floorOf(ones)) {
    oneCount = floorOf(ones)
    otherCount = Math.min(otherCount, limit - oneCount)
  } else if (otherCount < floorOf(others)) {
    otherCount = floorOf(others)
    oneCount = Math.min(oneCount, limit - otherCount)
  }
  return [...ones.slice(0, oneCount), ...others.slice(0, otherCount)].sort(byScore)
}

test(
  `${RUNS} searches of networks and addresses match choosing from all hits (seed ${SEED})`,
  async () => {
    let [named, shown] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.array(network, { minLength: 2, maxLength: 12 }),
        streets,
        requested,
        fc.option(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 3 })), { nil: undefined }),
        async (sketches, made, { text: words, near, isFarLast, limit }, typed) => {
          const text = typed === undefined ? words : unfinished(made[typed[0] % made.length].name, typed[1])
          const [lat = 0, lon = 0] = near ?? []
          const point = near === undefined ? undefined : { lat, lon }
          const request = { query: parseQuery(text), near: point, isFarLast, limit: limit + 3 }
          fc.pre(request.query.words.length > 0)
          const places = sketches.map(placesOf)
          const rows = made.flatMap(({ name, houses }, street) =>
            Array.from({ length: houses }, (_, house) => ({
              streetId: `69001_${street}`,
              number: house + 1,
              street: name,
              postcode: '69001',
              communeCode: '69381',
              commune: 'Ville',
              lat: 48 + street / 1_000,
              lon: 2,
            })),
          )
          const addresses = new AddressSearch(await indexOf(rows))
          const stops = places.map((each) => ({ bounds: buildWordBounds(each), open: () => new StopSearch(each) }))
          const hits = searchPlaces(request, { stops, addresses })
          if (addresses.isNamed) named++
          shown += hits.filter(({ kind }) => kind === 'stop').length
          expect(hits).toEqual([...chooseFromAll(places)(request, addresses)])
        },
      ),
      { numRuns: RUNS, seed: SEED },
    )
    expect(named).toBeGreaterThan(RUNS / 4)
    expect(shown).toBeGreaterThan(RUNS / 2)
  },
  MILLIS,
)
