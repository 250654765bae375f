// Tests small feeds for which a careless import would compare all pairs of rows: all stops have the same name, all
// trips overtake each other, frequency windows are in the worst order, or ids have the same hash. Fails if loading a
// feed and building its timetable takes longer than `MOST_MILLIS`, or if ids with the same hash take at least three
// times as long as other ids.
import { describe, expect, test } from 'bun:test'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { bySize } from '../../size.ts'
import { findFeedFaults, findTimetableFaults } from './invariants.ts'
import { memorySource } from './whole-feed.ts'

const COUNT = bySize({ quick: 4_000, ci: 8_000, full: 16_000 })
/**
 * Maximum time to load and build a feed: far more than it normally takes, and far less than comparing all pairs of rows
 * would take.
 */
const MOST_MILLIS = bySize({ quick: 3_000, ci: 6_000, full: 15_000 })

const encoder = new TextEncoder()

function lines<T>(header: string, items: readonly T[], line: (item: T) => string): string {
  return `${[header, ...items.map(line)].join('\n')}\n`
}

const clock = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')

interface Sketch {
  /** Rows of stops.txt with the columns id, name, lat, lon. */
  readonly stops: readonly string[]
  /** The calls in order of stop_sequence. The time is in seconds of the service day. */
  readonly calls: readonly (readonly [trip: string, seconds: number, stop: string])[]
  readonly frequencies?: readonly (readonly [trip: string, start: number, end: number])[]
}

async function millisToBuild({ stops, calls, frequencies = [] }: Sketch): Promise<number> {
  const trips = [...new Set(calls.map(([trip]) => trip))]
  const texts: Record<string, string> = {
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,V,https://v.example,Europe/Paris\n',
    'routes.txt': 'route_id,route_short_name,route_type\nL,L,3\n',
    'calendar_dates.txt': 'service_id,date,exception_type\nd,20260601,1\n',
    'stops.txt': lines('stop_id,stop_name,stop_lat,stop_lon', stops, (stop) => stop),
    'trips.txt': lines('route_id,service_id,trip_id', trips, (trip) => `L,d,${trip}`),
    'stop_times.txt': lines(
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
      [...calls.entries()],
      ([i, call]) => {
        const [trip, seconds, stop] = call
        return `${trip},${clock(seconds)},${clock(seconds)},${stop},${i}`
      },
    ),
    'frequencies.txt': lines('trip_id,start_time,end_time,headway_secs', frequencies, ([trip, start, end]) => {
      return `${trip},${clock(start)},${clock(end)},1`
    }),
  }
  const files = new Map(Object.entries(texts).map(([name, text]) => [name, encoder.encode(text)]))
  const started = performance.now()
  const { feed } = await loadFeed(memorySource(files, () => 0.1))
  const timetable = buildTimetable(feed)
  const millis = performance.now() - started
  expect([...findFeedFaults(feed), ...findTimetableFaults(timetable)]).toEqual([])
  return millis
}

const numbers = Array.from({ length: COUNT }, (_, i) => i)
const TWO_STOPS = ['s0,Gare,48.5,7.7', 's1,Port,48.6,7.7']
const ONE_TRIP: Sketch['calls'] = [
  ['t', 28_800, 's0'],
  ['t', 29_400, 's1'],
]

/**
 * Pairs of strings. If an id consists of one string from each pair, in this order, its FNV-1a hash is always the same,
 * because both strings in a pair lead to the same hash state. The pairs were found by brute force.
 */
const COLLIDING_PIECES =
  '105zx/1bpcd 23pvu/2e3ea 36pwu/3d5fa 44uzx/4f2ad 54wzx/5b6cd 61vl8/6ipd6 71uzx/7c2ad ' +
  '89rnw/8apba a4rnw/alpba b52vu/bguea c4pf8/clrj6 d0wzx/df6cd e82vu/ejuea f5pvu/fc3ea'

/** At most 2¹⁴ different strings that have the same FNV-1a hash. Each consists of one string from every pair. */
function collidingTexts(count: number): string[] {
  const pairs = COLLIDING_PIECES.split(' ').map((pair) => pair.split('/'))
  return Array.from({ length: Math.min(count, 2 ** pairs.length) }, (_, i) =>
    pairs.map((pair, level) => pair[(i >> level) & 1]).join(''),
  )
}

describe(`a feed of ${COUNT} is built in time`, () => {
  const feeds: Record<string, () => Sketch> = {
    'stops with one name in one place': () => ({
      stops: numbers.map((i) => `s${i},Stop,48.5,7.7`),
      calls: ONE_TRIP,
    }),
    'pairs of stops with one name, all over a country': () => ({
      stops: numbers.map((i) => `s${i},Stop,${45 + (i >> 1) / 4_000},7.7`),
      calls: ONE_TRIP,
    }),
    'trips that all overtake each other': () => ({
      stops: TWO_STOPS,
      calls: numbers.flatMap((i) => [[`t${i}`, i, 's0'] as const, [`t${i}`, 200_000 - i, 's1'] as const]),
    }),
    'trips that each have their own pattern': () => ({
      stops: numbers.map((i) => `s${i},S${i},48.${100_000 + i},7.7`),
      calls: numbers.flatMap((i) => [
        [`t${i}`, 0, `s${i}`] as const,
        [`t${i}`, 600, `s${(i * 7_919 + 1) % COUNT}`] as const,
        [`t${i}`, 900, `s${(i * 104_729 + 3) % COUNT}`] as const,
      ]),
    }),
    'a trip with very many calls': () => ({
      stops: numbers.map((i) => `s${i},S${i},48.${100_000 + i},7.7`),
      calls: numbers.map((i) => ['t', i, `s${i}`] as const),
    }),
    'a trip back and forth between two stops': () => ({
      stops: TWO_STOPS,
      calls: numbers.map((i) => ['t', i, `s${i % 2}`] as const),
    }),
    'windows of one trip in reverse order': () => ({
      stops: TWO_STOPS,
      calls: ONE_TRIP,
      frequencies: numbers.map((i) => ['t', 2 * (COUNT - i), 2 * (COUNT - i) + 1] as const),
    }),
  }
  for (const [what, make] of Object.entries(feeds)) {
    test(what, async () => expect(await millisToBuild(make())).toBeLessThan(MOST_MILLIS), 120_000)
  }
})

/**
 * The number of colliding strings that exist. The test uses all of them: with fewer strings, a hash table with every
 * string in one slot would still be fast enough.
 */
const HASHED = 2 ** 14

test('ids with equal hashes take no longer than others', async () => {
  const stopsOf = (ids: readonly string[]) => [...TWO_STOPS, ...ids.map((id) => `${id},${id},48.5,7.7`)]
  const others = Array.from({ length: HASHED }, (_, i) => String(i).padStart(70, 'x'))
  const usual = { stops: stopsOf(others), calls: ONE_TRIP }
  const colliding = { stops: stopsOf(collidingTexts(HASHED)), calls: ONE_TRIP }
  const times: [number, number][] = []
  for (let round = 0; round < 3; round++) times.push([await millisToBuild(usual), await millisToBuild(colliding)])
  // Only the shortest of three runs counts, because other processes may delay a run.
  const [leastUsual, leastColliding] = [0, 1].map((side) => Math.min(...times.map((pair) => pair[side])))
  expect(leastColliding).toBeLessThan(3 * leastUsual)
}, 120_000)
