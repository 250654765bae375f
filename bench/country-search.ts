// `bun bench/country-search.ts DATA_DIR` searches the addresses of a generated country, and prints the figures as one
// line of JSON. It runs as a separate process, so that its first search and its memory are those of a data thread that
// has just started. With a second argument `warmed`, it only runs the warm-up of a data thread (src/places/warm-up.ts)
// and then times a single search.
import { readFileSync } from 'node:fs'
import { parseQuery } from '../indexes/places/place-query.ts'
import type { HouseIndex } from '../loaders/ban/addresses.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { addressSnapshotPath, openAddresses } from '../src/places/address-store.ts'
import { NEAREST_ADDRESS_METERS, ServedAddresses } from '../src/places/served-addresses.ts'
import { warmUpSearches } from '../src/places/warm-up.ts'
import { beginnings, type DrawnAddress, drawAddresses, withoutALetter } from './country-questions.ts'
import { spreadOf } from './measure.ts'

const QUERIED = Number(process.env['QUAI_COUNTRY_ASKED'] ?? 150)
const LIMIT = 10
const FIRST = '12 rue de la paix'
const TURNS = 3
const SEED = 5
const POINTS = 10_000
/**
 * Maximum distance between a house and the point chosen near it, in degrees of latitude and in degrees of longitude:
 * about forty meters.
 */
const AWAY_DEGREES = 0.0004

const [dataDir = '', isWarmed] = process.argv.slice(2)
const memoryBefore = anonymousMegabytes()
const started = performance.now()
const opened = openAddresses(addressSnapshotPath(dataDir))
if (opened === undefined) throw new Error('the country has not been imported')
const served = new ServedAddresses(opened, [])
if (isWarmed !== undefined) {
  for (const _ of warmUpSearches(served.search));
  const searched = performance.now()
  search(FIRST)
  console.log(performance.now() - searched)
  process.exit()
}
search(FIRST)
const firstMillis = performance.now() - started
const firstMegabytes = anonymousMegabytes() - memoryBefore

const { addresses } = opened.index
const drawn = drawAddresses(addresses, QUERIED, seededRandom(SEED, 'asked'))
const random = seededRandom(SEED, 'letters')
const typed = drawn.flatMap(beginnings)
const missing = drawn.map((each) => withoutALetter(each, random))
const whole = drawn.map(({ label }) => label)
// These searches are not timed. They warm up the process, as the first seconds of a data thread do.
for (const text of [...whole, ...missing]) search(text)
const figures = {
  firstMillis,
  firstMegabytes,
  letterByLetter: timed(typed),
  whole: timed(whole),
  missing: timed(missing),
  reverse: timedPoints(POINTS),
  wholeFound: drawn.filter((each) => finds(each, each.label)).length / drawn.length,
  missingFound: drawn.filter((each, at) => finds(each, missing[at] ?? '')).length / drawn.length,
  drawn: drawn.length,
  streets: addresses.streets.count,
  names: opened.index.set.names.nameOffset.length - 1,
  words: opened.index.set.names.tokenOffset.length - 1,
}
console.log(JSON.stringify(figures))

function search(text: string) {
  return served.search.search({ query: parseQuery(text), near: undefined, limit: LIMIT })
}

/**
 * The spread of the wall-clock and processor times of the searches, in milliseconds. For each search, the shortest time
 * in three rounds counts.
 */
function timed(texts: readonly string[]) {
  const best = new Float64Array(texts.length).fill(Infinity)
  const processor = new Float64Array(texts.length).fill(Infinity)
  const slowest = { millis: 0, text: '' }
  for (const [at, text] of texts.entries()) {
    for (let turn = 0; turn < TURNS; turn++) {
      const usedBefore = process.cpuUsage()
      const before = performance.now()
      search(text)
      best[at] = Math.min(best[at], performance.now() - before)
      const { user, system } = process.cpuUsage(usedBefore)
      processor[at] = Math.min(processor[at], (user + system) / 1000)
    }
    if (best[at] > slowest.millis) Object.assign(slowest, { millis: best[at], text })
  }
  return { ...spreadOf(best), slowest, processor: spreadOf(processor) }
}

/**
 * Searches for the nearest address once from each of `count` points near random houses. Returns the spread of the
 * times, in milliseconds.
 */
function timedPoints(count: number) {
  const dice = seededRandom(SEED, 'points')
  const { houses } = addresses
  const millis = new Float64Array(count)
  for (let at = 0; at < count; at++) {
    const house = below(dice, houses.count) as HouseIndex
    const away = () => (2 * dice() - 1) * AWAY_DEGREES
    const point = { lat: houses.lat[house] / 1e7 + away(), lon: houses.lon[house] / 1e7 + away() }
    const before = performance.now()
    if (served.findNearest(point, NEAREST_ADDRESS_METERS) === undefined) throw new Error('no address is nearby')
    millis[at] = performance.now() - before
  }
  return spreadOf(millis)
}

/** Whether a search finds the address or, if the query has no house number, the street of the address. */
function finds({ house, hasNumber }: DrawnAddress, text: string): boolean {
  const { houseOffset } = addresses.streets
  return search(text).some(
    (hit) =>
      hit.kind === 'address' &&
      (hit.house === house || (!hasNumber && houseOffset[hit.street] <= house && house < endOf(hit.street))),
  )
}

function endOf(street: number): number {
  const offsets: ArrayLike<number> = addresses.streets.houseOffset
  return offsets[street + 1]
}

/** Memory of this process in megabytes, without mapped files. */
function anonymousMegabytes(): number {
  const text = readFileSync('/proc/self/smaps_rollup', 'utf8')
  return Number(/^Anonymous:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024
}
