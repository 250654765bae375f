// Runs the journey planners on npm as their documentation says: minotor, and raptor-journey-planner with the trips of
// one day. Both planners allow a walk only between two stops that have a rule in transfers.txt. Parts of a feed that
// the planners cannot read are converted first.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Query, Router, Time } from 'minotor'
import { GtfsParser } from 'minotor/parser'
import {
  DepartAfterQuery,
  JourneyFactory,
  RaptorAlgorithmFactory,
  Service,
  type StopTime,
  type Transfer,
  type Trip,
} from 'raptor-journey-planner'
import { stopsNamed } from '../indexes/journeys/change-points.ts'
import { MAX_VEHICLES } from '../indexes/journeys/search-state.ts'
import {
  type AreaIndex,
  callCount,
  isActive,
  type PatternStopIndex,
  type StopIndex,
  stopTimeAt,
  type Timetable,
  type TransferIndex,
  type TripIndex,
} from '../indexes/timetable/timetable.ts'
import { columnArray, NONE } from '../loaders/columns.ts'
import { textOf } from '../loaders/strings.ts'
import { writeZip, type ZipFileEntry } from '../tests/feeds/zip-writer.ts'
import { openFeedText } from '../tests/oracles/feed-text.ts'
import type { JourneyFeed } from './journey-feeds.ts'

/** Another planner, with a loaded feed. */
export interface PeerPlanner {
  readonly name: string
  readonly importMillis: number
  /** The journey with the earliest arrival; undefined if the planner finds no journey. */
  plan(from: string, to: string): PeerAnswer | undefined
  /**
   * The stops that the planner uses as origin or destination for a requested stop id: the stop itself and, with
   * minotor, the other stops in its station.
   */
  stopsOf(id: string): readonly string[]
}

/** A journey found by another planner. */
export interface PeerAnswer {
  /** Arrival, in seconds after the service day's zero. */
  readonly arrives: number
  /** Whether the journey has no walks, and no more vehicles than Quai's planner allows. */
  readonly isComparable: boolean
}

const LEAVE_SECONDS = 8 * 3600

/** Noon on a date, in this process's time zone. Both planners derive the date from this instant. */
function noonOf(date: string): Date {
  return new Date(Number(date.slice(0, 4)), Number(date.slice(4, 6)) - 1, Number(date.slice(6)), 12)
}

/**
 * Loads a feed into minotor. The feed is packed again, because minotor does not support a folder inside a zip file.
 * Warnings from minotor are hidden.
 */
export async function loadMinotor({ path, date }: JourneyFeed): Promise<PeerPlanner> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-bench-minotor-'))
  try {
    const zip = join(folder, 'feed.zip')
    writeFileSync(zip, writeZip(await readFiles(path)))
    return await openMinotor(zip, noonOf(date))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Reads the files that minotor needs: all text files of the feed except shapes.txt. */
async function readFiles(path: string): Promise<ZipFileEntry[]> {
  const feed = await openFeedText(path)
  const entries: ZipFileEntry[] = []
  for (const [name, open] of feed) {
    if (!name.endsWith('.txt') || name === 'shapes.txt') continue
    let content = ''
    for await (const piece of open()) content += piece
    entries.push({ name, content })
  }
  return entries
}

async function openMinotor(zip: string, noon: Date): Promise<PeerPlanner> {
  const started = performance.now()
  const { warn, info } = console
  console.warn = () => undefined
  console.info = () => undefined
  const { timetable, stopsIndex } = await new GtfsParser(zip).parse(noon).finally(() => {
    console.warn = warn
    console.info = info
  })
  const router = new Router(timetable, stopsIndex)
  const importMillis = performance.now() - started
  // minotor's reader turns ids that look like numbers into numbers, so such an id is looked up as a number.
  const idOf = (id: string): string => {
    const isKnown = stopsIndex.findStopById(id) !== undefined || Number.isNaN(Number(id))
    return isKnown ? id : JSON.parse(String(Number(id)))
  }
  return {
    name: 'minotor',
    importMillis,
    stopsOf: (id) => stopsIndex.equivalentStops(idOf(id)).map(String),
    plan(from, to) {
      const query = new Query.Builder()
        .from(idOf(from))
        .to(idOf(to))
        .departureTime(Time.fromSeconds(LEAVE_SECONDS))
        .maxTransfers(MAX_VEHICLES - 1)
        .build()
      const result = router.route(query)
      const route = result.bestRoute()
      const arrival = result.arrivalAt(idOf(to))
      if (route === undefined || arrival === undefined) return undefined
      return { arrives: arrival.time.toSeconds(), isComparable: route.legs.every((leg) => 'route' in leg) }
    },
  }
}

/**
 * Loads raptor-journey-planner with the trips of the day. Quai's reader reads the feed, because the planner's own
 * reader never ends.
 * @param areStationsSpread whether rules for a station are copied to its stops; the planner ignores rules for stations
 */
export function loadRaptorJourneyPlanner(
  { timetable, day, date }: JourneyFeed,
  areStationsSpread: boolean,
): PeerPlanner {
  const started = performance.now()
  const noon = noonOf(date)
  const { transfers, interchange } = listTransfers(timetable, areStationsSpread)
  const raptor = RaptorAlgorithmFactory.create(listTrips(timetable, day), transfers, interchange, noon)
  const known = new Set(Object.keys(interchange))
  // Searches one day, because only the trips of that day are loaded.
  const query = new DepartAfterQuery(raptor, new JourneyFactory(), 1)
  return {
    name: areStationsSpread ? 'raptor-journey-planner, stations spread' : 'raptor-journey-planner',
    importMillis: performance.now() - started,
    stopsOf: (id) => [id],
    plan(from, to) {
      // The planner throws if a stop has no trip. It also changes the date that it receives, so it gets a copy of
      // `noon`.
      if (!known.has(from) || !known.has(to)) return undefined
      const journeys = query.plan(from, to, new Date(noon), LEAVE_SECONDS)
      // The planner does not limit the number of vehicles, so journeys within Quai's limit are preferred here.
      const few = journeys.filter(({ legs }) => legs.length <= MAX_VEHICLES)
      const [best] = (few.length > 0 ? few : journeys).sort((a, b) => a.arrivalTime - b.arrivalTime)
      if (best === undefined) return undefined
      const isComparable = few.length > 0 && best.legs.every((leg) => 'stopTimes' in leg)
      return { arrives: best.arrivalTime, isComparable }
    },
  }
}

function listTrips(timetable: Timetable, day: number): Trip[] {
  const { trips, strings, patterns, stops, stopTimes } = timetable
  const always = { 0: true, 1: true, 2: true, 3: true, 4: true, 5: true, 6: true }
  const service = new Service(0, 99_999_999, always, {})
  const idOf = Array.from({ length: stops.id.length }, (_, stop) => textOf(strings, stops.id[stop as StopIndex]))
  const list: Trip[] = []
  for (let trip = 0 as TripIndex; trip < trips.id.length; trip++) {
    if (!isActive(timetable, trips.service[trip], day)) continue
    const pattern = trips.pattern[trip]
    const first = patterns.stopOffset[pattern]
    const calls = Array.from({ length: callCount(timetable, pattern) }, (_, call): StopTime => {
      const at = (first + call) as PatternStopIndex
      const time = stopTimeAt(timetable, trip, call)
      return {
        stop: idOf[patterns.stopAt[at]] ?? '',
        arrivalTime: stopTimes.arrivalSeconds[time],
        departureTime: stopTimes.departureSeconds[time],
        pickUp: patterns.pickupType[at] === 0,
        dropOff: patterns.dropOffType[at] === 0,
      }
    })
    list.push({ tripId: textOf(strings, trips.id[trip]), stopTimes: calls, serviceId: 'day', service })
  }
  return list
}

/** Reads transfers.txt as the planner's own reader does: as pairs of stops, with zero for a missing time. */
function listTransfers(
  timetable: Timetable,
  areStationsSpread: boolean,
): { transfers: Record<string, Transfer[]>; interchange: Record<string, number> } {
  const { transfers: table, strings, stops } = timetable
  const transfers: Record<string, Transfer[]> = {}
  const interchange: Record<string, number> = {}
  const idsOf = (stop: StopIndex, area: AreaIndex): readonly string[] => {
    const named = areStationsSpread || stop !== NONE ? stopsNamed(timetable, stop, area) : []
    return named.map((each) => textOf(strings, stops.id[each]))
  }
  for (let row = 0 as TransferIndex; row < table.type.length; row++) {
    const duration = table.minSeconds[row] === NONE ? 0 : table.minSeconds[row]
    const ends = idsOf(table.toStop[row], table.toArea[row])
    for (const origin of idsOf(table.fromStop[row], table.fromArea[row])) {
      for (const destination of ends) {
        if (origin === destination) interchange[origin] = duration
        else {
          transfers[origin] ??= []
          transfers[origin]?.push({ origin, destination, duration, startTime: 0, endTime: Number.MAX_SAFE_INTEGER })
        }
      }
    }
  }
  return { transfers, interchange }
}

/** Whether transfers.txt has rules for stations. */
export function hasStationRules({ transfers }: Timetable): boolean {
  return [transfers.fromArea, transfers.toArea].some((areas) =>
    Array.from(columnArray(areas)).some((area) => area !== NONE),
  )
}
