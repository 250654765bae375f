// Measures how often riders find the place that they mean: searches the addresses in Paris and the stops in three
// cities, with the inputs from rider-inputs.ts. `QUAI_FEEDS=folder bun tests/real-riders.ts` prints a line for each way
// of typing, and some inputs whose place was not found first. `QUAI_RIDERS=held` uses only the inputs that are not used
// for tuning.
import { addressPlace } from '../indexes/places/address-places.ts'
import { parseQuery } from '../indexes/places/place-query.ts'
import { type PlaceHit, StopSearch } from '../indexes/places/place-search.ts'
import { buildStopPlaces } from '../indexes/places/stop-places.ts'
import { townPlace } from '../indexes/places/town-places.ts'
import type { AreaIndex, StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { type HouseIndex, streetOfHouse } from '../loaders/ban/addresses.ts'
import { textOf } from '../loaders/strings.ts'
import { searchPlaces } from './indexes/places/all-steps.ts'
import { loadRealPlaces, loadTimetable, REAL_ADDRESSES, type RealPlaces } from './real-places.ts'
import { isSameName, KINDS, type Kind, type KnownPlace, type RiderInput, riderInputs } from './rider-inputs.ts'
import { seededDice } from './typed-addresses.ts'

/** The cities whose stops are searched. */
const CITIES = [
  { feed: 'strasbourg-cts-2026.zip', city: 'Strasbourg' },
  { feed: 'perigueux-perimouv-2025.zip', city: 'Périgueux' },
  { feed: 'vilnius-2015.zip', city: 'Vilnius' },
]
const PER_KIND = 300
const LIMIT = 10
const FIRST = 5
const SEED = 7
/** The number of stops, and also of addresses, from which the inputs are drawn. */
const DRAWN = 4000

interface RealPlace extends KnownPlace {
  /** Index of its network; −1 for addresses. */
  readonly network: number
}

/** Everything that is searched, and the places that riders look for. */
export interface RiderWorld {
  readonly places: RealPlaces
  readonly timetables: readonly Timetable[]
  readonly known: readonly RealPlace[]
}

/** Loads the addresses and the three networks. */
export async function loadRiderWorld(addressFile: string): Promise<RiderWorld> {
  const timetables = await Promise.all(CITIES.map(({ feed }) => loadTimetable(feed)))
  const searched = timetables.map(
    (timetable, at) => new StopSearch(buildStopPlaces({ timetable, networkWords: CITIES[at].city, townAt: () => '' })),
  )
  const places = { ...(await loadRealPlaces(addressFile)), stops: searched }
  const dice = seededDice(SEED)
  const stops = timetables.flatMap((timetable, network) => listStops(timetable, network))
  const drawn = Array.from({ length: DRAWN }, () => stops[dice(stops.length)])
  const { addresses } = places.index
  const houses = Array.from({ length: DRAWN }, (): RealPlace => {
    const house = dice(addresses.houses.count) as HouseIndex
    return { ...addressPlace(addresses, streetOfHouse(addresses, house), house), network: -1 }
  })
  return { places, timetables, known: drawn.flatMap((stop, at) => [stop, houses[at]]) }
}

function listStops({ stops, areas, strings }: Timetable, network: number): RealPlace[] {
  const { city } = CITIES[network]
  const place = (name: string, lat: number, lon: number): RealPlace => ({
    name,
    town: city,
    postcode: '',
    lat,
    lon,
    network,
  })
  return [
    ...Array.from(stops.name as ArrayLike<never>, (name, stop) =>
      place(textOf(strings, name), stops.lat[stop as StopIndex], stops.lon[stop as StopIndex]),
    ),
    ...Array.from(areas.name as ArrayLike<never>, (name, area) =>
      place(textOf(strings, name), areas.lat[area as AreaIndex], areas.lon[area as AreaIndex]),
    ),
  ]
}

/** How often the inputs of one way of typing found their place. */
export interface Found {
  requested: number
  first: number
  amongFive: number
  readonly missed: string[]
}

/**
 * Runs the searches: if `isHeldOut`, with the inputs that are held out from tuning, otherwise with the other inputs.
 * Returns the results by way of typing.
 */
export function askRiders({ places, timetables, known }: RiderWorld, isHeldOut: boolean): Map<Kind, Found> {
  const found = new Map<Kind, Found>(KINDS.map((kind) => [kind, { requested: 0, first: 0, amongFive: 0, missed: [] }]))
  for (const input of riderInputs(known, PER_KIND)) {
    if (input.isHeldOut !== isHeldOut) continue
    const hits = searchPlaces({ query: parseQuery(input.text), near: input.near, limit: LIMIT }, places)
    const names = hits.map((hit) => nameOf({ places, timetables }, hit))
    const row = found.get(input.kind)
    if (row === undefined) throw new Error('each kind is counted')
    row.requested++
    const isMeant = (name: RealPlace | undefined) => name !== undefined && means(input, name)
    if (isMeant(names[0])) row.first++
    else row.missed.push(`${input.text} (${input.place.name}) → ${names[0]?.name ?? 'nothing'}`)
    if (names.slice(0, FIRST).some(isMeant)) row.amongFive++
  }
  return found
}

/**
 * Whether a found place is the one that the rider looks for: it has the same name in the same network. If the input
 * contains the place's postcode, the found place must have the same postcode.
 */
function means({ kind, text, place }: RiderInput<RealPlace>, found: RealPlace): boolean {
  if (!isSameName(found.name, place.name) || found.network !== place.network) return false
  return (
    kind !== 'town_or_postcode' ||
    place.postcode === '' ||
    !text.includes(place.postcode) ||
    found.postcode === place.postcode
  )
}

function nameOf({ places, timetables }: Pick<RiderWorld, 'places' | 'timetables'>, hit: PlaceHit): RealPlace {
  if (hit.kind === 'address') return { ...addressPlace(places.index.addresses, hit.street, hit.house), network: -1 }
  if (hit.kind === 'town') return { ...townPlace(places.index.towns, hit.town), network: -1 }
  const { stops, areas, strings } = timetables[hit.network]
  const stopCount = stops.name.length
  const name =
    hit.number < stopCount ? stops.name[hit.number as StopIndex] : areas.name[(hit.number - stopCount) as AreaIndex]
  return { name: textOf(strings, name), town: '', postcode: '', lat: 0, lon: 0, network: hit.network }
}

if (import.meta.main) {
  if (REAL_ADDRESSES === undefined) throw new Error('QUAI_FEEDS must name the folder of real data')
  const world = await loadRiderWorld(REAL_ADDRESSES)
  const total = { requested: 0, first: 0, amongFive: 0 }
  for (const [kind, { requested, first, amongFive, missed }] of askRiders(
    world,
    process.env['QUAI_RIDERS'] === 'held',
  )) {
    console.log(
      `${kind.padEnd(18)} first ${((100 * first) / requested).toFixed(1)}%  in five ${((100 * amongFive) / requested).toFixed(1)}%`,
    )
    for (const one of missed.slice(0, Number(process.env['QUAI_MISSED'] ?? 5))) console.log(`    ${one}`)
    total.requested += requested
    total.first += first
    total.amongFive += amongFive
  }
  const share = (count: number) => `${((100 * count) / total.requested).toFixed(2)}%`
  console.log(`of ${total.requested}: first ${share(total.first)}, in five ${share(total.amongFive)}`)
}
