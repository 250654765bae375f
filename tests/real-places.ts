// Measures place search on real data: how often an address is found for each way of typing, whether it stays listed
// while letters are added, whether stops are found by their names, how long each search takes, and the size per
// address. Run it with `QUAI_FEEDS=folder bun tests/real-places.ts`. Settings: QUAI_SEED, QUAI_ADDRESSES (1 000).
import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { type AddressIndex, addressIndexColumns, buildAddressIndex } from '../indexes/places/address-index.ts'
import { addressPlace } from '../indexes/places/address-places.ts'
import { houseNumberText } from '../indexes/places/house-numbers.ts'
import { parseQuery } from '../indexes/places/place-query.ts'
import { AddressSearch, type PlaceHit, StopSearch } from '../indexes/places/place-search.ts'
import { buildStopPlaces } from '../indexes/places/stop-places.ts'
import { townPlace } from '../indexes/places/town-places.ts'
import { normalizeWords } from '../indexes/text/normalize.ts'
import { buildTimetable } from '../indexes/timetable/build-timetable.ts'
import type { AreaIndex, StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { type HouseIndex, houseSuffix, streetOfHouse } from '../loaders/ban/addresses.ts'
import { loadAddresses } from '../loaders/ban/load-addresses.ts'
import { loadFeed } from '../loaders/gtfs/load-feed.ts'
import { encodeSnapshot } from '../loaders/snapshot-file.ts'
import { textOf } from '../loaders/strings.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'
import { searchPlaces } from './indexes/places/all-steps.ts'
import { REAL_FEEDS, SEED } from './size.ts'
import { type Dice, fold, seededDice, typeAddress, WAYS, type Way } from './typed-addresses.ts'

const ADDRESSES = 'adresses-75.csv.gz'
/** The network whose stops are searched together with the addresses. */
const NETWORK_BESIDE = 'strasbourg-cts-2026.zip'
/** The networks whose stops are searched by name. */
export const NAMED_NETWORKS = ['strasbourg-cts-2026.zip', 'perigueux-perimouv-2025.zip', 'vilnius-2015.zip']
const LIMIT = 10
const FIRST = 5
const FIRST_LETTERS = 4

/**
 * The path of the file with real addresses, which is next to the folder of feeds; undefined if the file does not exist.
 */
export const REAL_ADDRESSES: string | undefined = findAddresses()

function findAddresses(): string | undefined {
  if (REAL_FEEDS === undefined) return undefined
  const path = join(REAL_FEEDS, '..', 'ban', ADDRESSES)
  return existsSync(path) ? path : undefined
}

/** How many queries there were, and how many found their place first and among the first five. */
export interface Recall {
  readonly requested: number
  first: number
  amongFive: number
  /**
   * Queries whose place was not found first, each with what was found instead. For searches by the first letters, only
   * those whose place was not among the first five.
   */
  readonly missed: string[]
  readonly millis: number[]
}

/** The addresses and stops that are searched, and measurements of loading them. */
export interface RealPlaces {
  readonly index: AddressIndex
  readonly addresses: AddressSearch
  readonly stops: readonly StopSearch[]
  /** Milliseconds to load the file, and to build its index. */
  readonly loadMillis: number
  readonly buildMillis: number
  readonly bytesPerAddress: number
}

/** Loads the addresses, and one network's stops. */
export async function loadRealPlaces(path: string): Promise<RealPlaces> {
  const started = performance.now()
  const { addresses, problems } = await loadAddresses([{ name: ADDRESSES, open: () => createReadStream(path) }])
  const loaded = performance.now()
  const index = buildAddressIndex(addresses)
  const built = performance.now()
  for (const problem of problems.list()) console.log(`${problem.rule} ${problem.count}: ${problem.example}`)
  const pieces = encodeSnapshot({}, addressIndexColumns(index))
  return {
    index,
    addresses: new AddressSearch(index),
    stops: [stopSearchOf(await loadTimetable(NETWORK_BESIDE))],
    loadMillis: loaded - started,
    buildMillis: built - loaded,
    bytesPerAddress: pieces.reduce((sum, piece) => sum + piece.byteLength, 0) / addresses.houses.count,
  }
}

/** Opens the search for a network's stops. */
function stopSearchOf(timetable: Timetable): StopSearch {
  return new StopSearch(buildStopPlaces({ timetable, networkWords: '', townAt: () => '' }))
}

/** Loads the timetable of a real feed. */
export async function loadTimetable(name: string): Promise<Timetable> {
  const source = await openFeedSource(join(REAL_FEEDS ?? '', name))
  try {
    return buildTimetable((await loadFeed(source)).feed)
  } finally {
    await source.close()
  }
}

/** A house's place, with its number and its street name as separate strings. */
function placeOf({ index: { addresses } }: RealPlaces, house: HouseIndex) {
  const street = streetOfHouse(addresses, house)
  const number = houseNumberText(addresses.houses.number[house], houseSuffix(addresses, house))
  const streetName = textOf(addresses.strings, addresses.streets.name[street])
  return { ...addressPlace(addresses, street, house), number, street: streetName }
}

function labelOf({ index: { addresses, towns } }: RealPlaces, hit: PlaceHit): string {
  if (hit.kind === 'stop') return `stop ${hit.number}`
  return hit.kind === 'town' ? townPlace(towns, hit.town).label : addressPlace(addresses, hit.street, hit.house).label
}

function search(places: RealPlaces, text: string, millis: number[]): PlaceHit[] {
  const started = performance.now()
  const hits = searchPlaces({ query: parseQuery(text), near: undefined, limit: LIMIT }, places)
  millis.push(performance.now() - started)
  return hits
}

/** Picks random houses. */
export function pickHouses({ index }: RealPlaces, count: number, dice: Dice): HouseIndex[] {
  return Array.from({ length: count }, () => dice(index.addresses.houses.count) as HouseIndex)
}

/**
 * Searches for houses, typed in the given way. For the ways `no_town` and `town_first`, any house with the same street
 * name and number counts as found.
 */
export function askHouses(
  places: RealPlaces,
  requested: { houses: readonly HouseIndex[]; way: Way; dice: Dice },
): Recall {
  const { houses, way, dice } = requested
  const recall: Recall = { requested: houses.length, first: 0, amongFive: 0, missed: [], millis: [] }
  for (const house of houses) {
    const place = placeOf(places, house)
    const text = typeAddress(place, way, dice)
    const labels = search(places, text, recall.millis).map((hit) => labelOf(places, hit))
    const isWanted = (label: string | undefined) =>
      label === place.label ||
      ((way === 'no_town' || way === 'town_first') && label?.startsWith(`${place.name} `) === true)
    if (isWanted(labels[0])) recall.first++
    else recall.missed.push(`${text} → ${labels[0] ?? 'nothing'}`)
    if (labels.slice(0, FIRST).some(isWanted)) recall.amongFive++
  }
  return recall
}

/** The results of typing addresses letter by letter. */
export interface Typing {
  /**
   * Number of queries that must list their house, because the house was first for this query, or for a shorter query
   * that has the full street name.
   */
  kept: number
  readonly lost: string[]
  readonly millis: number[]
}

/** Types the label of each house letter by letter, and searches after each letter. */
export function typeHouses(places: RealPlaces, houses: readonly HouseIndex[]): Typing {
  const typing: Typing = { kept: 0, lost: [], millis: [] }
  for (const house of houses) {
    const place = placeOf(places, house)
    const text = fold(place.label)
    const nameLength = fold(place.name).length
    let wasFirst = false
    for (let length = 1; length <= text.length; length++) {
      const hits = search(places, text.slice(0, length), typing.millis)
      const isWanted = (hit: PlaceHit | undefined) => hit?.kind === 'address' && hit.house === house
      if (length >= nameLength && isWanted(hits[0])) wasFirst = true
      if (!wasFirst) continue
      typing.kept++
      if (!hits.some(isWanted)) typing.lost.push(text.slice(0, length))
    }
  }
  return typing
}

/** Searches for each stop in a network: by its full name, and by the first letters of its name near its position. */
export async function askStopNames(name: string): Promise<{ readonly byName: Recall; readonly byLetters: Recall }> {
  const timetable = await loadTimetable(name)
  const { stops, areas, strings } = timetable
  const stopCount = stops.name.length
  const sources = [stopSearchOf(timetable)]
  const nameOf = (number: number) =>
    textOf(
      strings,
      number < stopCount ? stops.name[number as StopIndex] : areas.name[(number - stopCount) as AreaIndex],
    )
  const plainName = (number: number) => normalizeWords(nameOf(number)).join(' ')
  const recall = (): Recall => ({ requested: stopCount, first: 0, amongFive: 0, missed: [], millis: [] })
  const result = { byName: recall(), byLetters: recall() }
  const ask = (to: Recall, stop: StopIndex, near: { lat: number; lon: number } | undefined) => {
    const text = near === undefined ? nameOf(stop) : nameOf(stop).slice(0, FIRST_LETTERS)
    const started = performance.now()
    const hits = searchPlaces({ query: parseQuery(text), near, limit: LIMIT }, { stops: sources, addresses: undefined })
    to.millis.push(performance.now() - started)
    const found = hits.map((hit) => (hit.kind === 'stop' ? plainName(hit.number) : ''))
    if (found[0] === plainName(stop)) to.first++
    if (found.slice(0, FIRST).includes(plainName(stop))) to.amongFive++
    else to.missed.push(`${text} (${nameOf(stop)}) → ${found.slice(0, FIRST).join(', ')}`)
    if (near === undefined && found[0] !== plainName(stop)) to.missed.push(`${text} → ${found[0] ?? 'nothing'}`)
  }
  for (let stop = 0 as StopIndex; stop < stopCount; stop++) {
    ask(result.byName, stop, undefined)
    ask(result.byLetters, stop, { lat: stops.lat[stop], lon: stops.lon[stop] })
  }
  return result
}

/** The median, 99th percentile and maximum, in microseconds. */
export function latency(millis: readonly number[]): { p50: number; p99: number; max: number } {
  const sorted = [...millis].sort((a, b) => a - b)
  const at = (share: number) => Math.round(1000 * (sorted[Math.floor(share * (sorted.length - 1))] ?? 0))
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

function printRecall(title: string, recall: Recall): void {
  const share = (count: number) => `${((100 * count) / recall.requested).toFixed(1)}%`
  const { p50, p99, max } = latency(recall.millis)
  console.log(
    `${title.padEnd(32)} @1 ${share(recall.first)}  @5 ${share(recall.amongFive)}  p50 ${p50} µs  p99 ${p99} µs  max ${max} µs`,
  )
  for (const missed of recall.missed.slice(0, 5)) console.log(`    ${missed}`)
}

async function measure(path: string): Promise<void> {
  const places = await loadRealPlaces(path)
  const count = places.index.addresses.houses.count
  const millis = places.loadMillis + places.buildMillis
  console.log(`seed ${SEED}; ${count} addresses, ${places.index.addresses.streets.count} streets`)
  console.log(
    `loaded in ${Math.round(places.loadMillis)} ms, indexed in ${Math.round(places.buildMillis)} ms: ` +
      `${Math.round((count / millis) * 1000)} a second; ${places.bytesPerAddress.toFixed(1)} bytes each`,
  )
  const dice = seededDice(SEED)
  const houses = pickHouses(places, Number(process.env['QUAI_ADDRESSES'] ?? 1000), dice)
  for (const way of WAYS) printRecall(way, askHouses(places, { houses, way, dice }))
  const typing = typeHouses(places, houses)
  const { p50, p99, max } = latency(typing.millis)
  console.log(`letter by letter: ${typing.millis.length} searches, p50 ${p50} µs, p99 ${p99} µs, max ${max} µs`)
  console.log(`stayed while typing: ${typing.kept - typing.lost.length} of ${typing.kept}`, typing.lost.slice(0, 5))
  for (const network of NAMED_NETWORKS) {
    const { byName, byLetters } = await askStopNames(network)
    printRecall(`${network} by name`, byName)
    printRecall(`${network} by ${FIRST_LETTERS} letters`, byLetters)
  }
}

if (import.meta.main) {
  if (REAL_ADDRESSES === undefined) throw new Error('QUAI_FEEDS must name the folder of real data')
  await measure(REAL_ADDRESSES)
}
