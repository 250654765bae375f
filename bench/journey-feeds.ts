// The feeds and queries for the journey benchmarks. The queries are for random pairs of stops, at 8:00 on the Tuesday
// with the most trips. All planners get the same queries.
import { basename, join } from 'node:path'
import { buildTimetable } from '../indexes/timetable/build-timetable.ts'
import { serviceDate } from '../indexes/timetable/service-dates.ts'
import { STOP_HAS_CALLS, type StopIndex, type Timetable } from '../indexes/timetable/timetable.ts'
import { columnArray } from '../loaders/columns.ts'
import { loadFeed } from '../loaders/gtfs/load-feed.ts'
import { textOf } from '../loaders/strings.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { FIRST_PAGE } from '../src/journeys/journey-pages.ts'
import type { EndMessage, JourneyQuestion } from '../src/journeys/planner-messages.ts'
import { USUAL_WALK_METERS } from '../src/journeys/walk-reach.ts'
import type { JourneyEnd } from '../src/rendering/journey.ts'
import { endAt } from '../src/rendering/journey.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'
import { REAL_FEEDS } from '../tests/size.ts'

/** A feed with its queries. */
export interface JourneyFeed {
  readonly name: string
  readonly path: string
  readonly timetable: Timetable
  /** The service day, counted from `meta.firstDay`. */
  readonly day: number
  /** The same day as `yyyymmdd`. */
  readonly date: string
  /** The departure time of all queries, in seconds after 1970. */
  readonly seconds: number
  readonly questions: readonly JourneyPair[]
  readonly usedStops: number
  /** Number of stop times in the whole timetable. */
  readonly stopTimes: number
  /** Number of trips on the requested day. */
  readonly tripsThatDay: number
}

/** A query from one stop to another. */
export interface JourneyPair {
  readonly from: StopPlace
  readonly to: StopPlace
}

/** A stop, in the forms that Quai's planner and other planners accept. */
export interface StopPlace {
  readonly stop: StopIndex
  readonly id: string
  readonly end: JourneyEnd
}

/** Feeds on which other planners were also measured, on the same kind of machine. */
const FEEDS = ['strasbourg-cts-2026', 'exo-laurentides-2025', 'mta-subway-2026', 'mta-bus-brooklyn-2026']
const SEED = 1
const LEAVE_SECONDS = 8 * 3600
const TUESDAY = 2

/** The names and files of the feeds. If QUAI_ONLY is set, only feeds whose name contains its value. */
export function listJourneyFeeds(): { readonly name: string; readonly path: string }[] {
  const folder = REAL_FEEDS
  if (folder === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips')
  const only = process.env['QUAI_ONLY'] ?? ''
  return FEEDS.filter((name) => name.includes(only)).map((name) => ({ name, path: join(folder, `${name}.zip`) }))
}

/** Loads a feed, and chooses its queries at random. */
export async function loadJourneyFeed(path: string, count: number): Promise<JourneyFeed> {
  const source = await openFeedSource(path)
  try {
    const timetable = buildTimetable((await loadFeed(source)).feed)
    const day = findBusiestTuesday(timetable)
    const places = listUsedStops(timetable)
    return {
      name: basename(path, '.zip'),
      path,
      timetable,
      day,
      date: serviceDate(timetable, day),
      seconds: timetable.serviceDays.zeroSeconds[day] + LEAVE_SECONDS,
      questions: drawPairs(places, count),
      usedStops: places.length,
      stopTimes: timetable.stopTimes.departureSeconds.length,
      tripsThatDay: timetable.serviceDays.tripCount[day],
    }
  } finally {
    await source.close()
  }
}

/** The id of the network that serves a feed. */
export const NETWORK = 'net'

/** The query that a data thread sends to its planner for a request that specifies only the stops and the time. */
export function questionOf({ from, to }: JourneyPair, seconds: number): JourneyQuestion {
  return {
    from: messageOf(from),
    to: messageOf(to),
    network: NETWORK,
    seconds,
    isArriveBy: false,
    page: FIRST_PAGE,
    modes: undefined,
    maxWalkMeters: USUAL_WALK_METERS,
    mayWalkFarther: true,
    maxTransfers: 6,
    include: undefined,
    nowSeconds: seconds,
    changeSeconds: undefined,
    isWheelchair: false,
    limit: 3,
  }
}

function messageOf({ id, end: { lat, lon } }: StopPlace): EndMessage {
  return { lat, lon, place: { kind: 'stop', id }, label: undefined }
}

function findBusiestTuesday({ meta, serviceDays }: Timetable): number {
  let busiest: number | undefined
  for (let day = 0; day < meta.dayCount; day++) {
    const weekday = new Date((meta.firstDay + day) * 86_400_000).getUTCDay()
    if (weekday !== TUESDAY) continue
    if (busiest === undefined || serviceDays.tripCount[day] > serviceDays.tripCount[busiest]) busiest = day
  }
  if (busiest === undefined) throw new Error('the calendar has no Tuesday')
  return busiest
}

function listUsedStops(timetable: Timetable): StopPlace[] {
  const { stops, strings } = timetable
  const places: StopPlace[] = []
  const kinds = columnArray(stops.callKinds)
  for (let stop = 0 as StopIndex; stop < kinds.length; stop++) {
    if (((kinds[stop] as number) & STOP_HAS_CALLS) === 0) continue
    places.push({ stop, id: textOf(strings, stops.id[stop]), end: endAt(timetable, { kind: 'stop', stop }) })
  }
  return places.sort((a, b) => (a.id < b.id ? -1 : 1))
}

function drawPairs(places: readonly StopPlace[], count: number): JourneyPair[] {
  // With an empty name, `seededRandom` returns the numbers of mulberry32 with the seed `SEED`.
  const random = seededRandom(SEED, '')
  const pairs: JourneyPair[] = []
  while (pairs.length < count) {
    const [from, to] = [places[below(random, places.length)], places[below(random, places.length)]]
    if (from !== undefined && to !== undefined && from !== to) pairs.push({ from, to })
  }
  return pairs
}
