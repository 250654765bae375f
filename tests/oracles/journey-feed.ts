// Prepares a feed's text for the journey oracle: stops and trips have numbers, and days are computed on demand.
import { eachRow, type FeedText, openFeedText } from './feed-text.ts'
import { type DayRuns, type DayTrips, layDay, listRuns, mirrorDay, mirrorRuns } from './journey-days.ts'
import { type JourneyPlaces, readPlaces } from './journey-places.ts'
import { type ChangeTimes, readChanges } from './journey-rules.ts'
import { calendarOf, type TextCalendar } from './text-calendar.ts'
import { dateOf, datesBetween, zeroSeconds } from './text-dates.ts'
import { readRoutes } from './text-lines.ts'
import { readStops } from './text-stops.ts'
import { type CleanTrip, readTrips } from './text-trips.ts'

const DAY_SECONDS = 86_400
/**
 * How many days are kept in memory for each direction of search: KEPT_DAYS days with hops, and KEPT_RUN_DAYS days
 * without.
 */
const KEPT_DAYS = 5
const KEPT_RUN_DAYS = 10

/** The first route_type, last route_type and mode of each range. All other types have the mode `other`. */
const MODES: readonly (readonly [number, number, string])[] = [
  [0, 0, 'tram'],
  [1, 1, 'metro'],
  [2, 2, 'rail'],
  [3, 3, 'bus'],
  [4, 4, 'ferry'],
  [5, 5, 'cable_tram'],
  [6, 6, 'aerial_lift'],
  [7, 7, 'funicular'],
  [11, 11, 'trolleybus'],
  [12, 12, 'monorail'],
  [100, 117, 'rail'],
  [200, 209, 'coach'],
  [400, 404, 'metro'],
  [405, 405, 'monorail'],
  [700, 716, 'bus'],
  [800, 800, 'trolleybus'],
  [900, 906, 'tram'],
  [1000, 1099, 'ferry'],
  [1100, 1114, 'air'],
  [1200, 1200, 'ferry'],
  [1300, 1307, 'aerial_lift'],
  [1400, 1402, 'funicular'],
  [1500, 1507, 'taxi'],
]

/** How live runs change the timetable. */
export interface LiveChanges {
  /** Whether live feeds report a scheduled run. Such a run is canceled, or a separate live trip replaces it. */
  isReplaced(trip: number, date: string, shift: number): boolean
  /**
   * Run → the runs on which riders may continue without alighting.
   * @param runOfTrip trip number → its run on that day
   */
  seatsOn(date: string, runOfTrip: ReadonlyMap<number, number>): ReadonlyMap<number, readonly number[]>
}

/** A feed that the oracle can search for journeys. */
export interface JourneyFeed {
  readonly zone: string
  readonly trips: readonly CleanTrip[]
  /** Trip id → trip number. The ids of live runs include their date. */
  readonly numberOfTrip: ReadonlyMap<string, number>
  /** Trip number → stop numbers by call. */
  readonly stopsOfTrip: readonly (readonly number[])[]
  /** Trip number → whether the rider may use the trip; absent if all trips may be used. */
  readonly mayRide?: readonly boolean[]
  /** Trip number → mode. */
  readonly modeOfTrip: readonly string[]
  readonly places: JourneyPlaces
  readonly changes: ChangeTimes
  readonly calendar: TextCalendar
  /** The changes by live runs; absent if there are none. */
  readonly live?: LiveChanges
  /** The days on which any trip runs, in order. */
  readonly dates: readonly string[]
  /** The zero of a service day (noon minus 12 hours), in seconds after 1970. */
  zeroOf(date: string): number
  /** Whether one vehicle can run all trips in a trip's block on a day, because the trips do not overlap. */
  hasSoundBlock(trip: number, date: string): boolean
  /**
   * All service days that can have runs in a time range (seconds after 1970). If `isMirrored`, time is reversed in
   * them.
   */
  daysWithin(fromSeconds: number, toSeconds: number, isMirrored: boolean): DayRuns[]
  /** Like `daysWithin`, but without hops. */
  runsWithin(fromSeconds: number, toSeconds: number, isMirrored: boolean): DayTrips[]
}

/** Reads a feed from a zip, a folder, or strings by file name. */
export async function readJourneyFeed(
  source: string | Readonly<Record<string, string>>,
  { isWheelchair = false } = {},
): Promise<JourneyFeed> {
  const text = await openFeedText(source)
  const { zone, routes } = await readRoutes(text)
  const calendar = await calendarOf(text)
  const stops = await readStops(text)
  const places = await readPlaces(text, stops, isWheelchair)
  const all = await readTrips(text, { stops, routes, hasService: (id) => calendar.has(id) })
  const trips = all.map((trip): CleanTrip => {
    const isClosed = (call: number) => places.isClosed(trip.stopIds[call] ?? '')
    const without = (flags: readonly boolean[]) => trip.stopIds.map((_, call) => flags[call] || isClosed(call))
    return isWheelchair ? { ...trip, noPickup: without(trip.noPickup), noDropOff: without(trip.noDropOff) } : trip
  })
  const leftOut = isWheelchair ? await readLeftOut(text) : new Set<string>()
  const modes = await readModes(text)
  const longest = Math.max(0, ...trips.map(lastSecond))
  const zeros = new Map<string, number>()
  const zeroOf = (date: string) => zeros.getOrInsertComputed(date, () => zeroSeconds(zone, date))
  const runsOf: RunsOf = keptDays(KEPT_RUN_DAYS, (date, isMirrored) =>
    isMirrored ? mirrorRuns(runsOf(date, false)) : listRuns(feed, date),
  )
  const dayOf: DayOf = keptDays(KEPT_DAYS, (date, isMirrored) =>
    isMirrored ? mirrorDay(dayOf(date, false)) : layDay(feed, runsOf(date, false)),
  )
  const datesWithin = (from: number, to: number) =>
    datesBetween(dateOf(from - longest - 2 * DAY_SECONDS), dateOf(to + 2 * DAY_SECONDS)).filter(
      (date) => zeroOf(date) <= to && zeroOf(date) + longest >= from,
    )
  const feed: JourneyFeed = {
    zone,
    trips,
    numberOfTrip: new Map(trips.map(({ id }, number) => [id, number])),
    stopsOfTrip: trips.map(({ stopIds }) => stopIds.map((id) => places.numberOf.get(id) ?? -1)),
    mayRide: trips.map(({ id }) => !leftOut.has(id)),
    modeOfTrip: trips.map(({ route }) => modes.get(route.id) ?? ''),
    places,
    changes: await readChanges(text, places),
    calendar,
    dates: calendar.days(new Set(trips.map(({ serviceId }) => serviceId))),
    zeroOf,
    hasSoundBlock: soundBlocks(trips, calendar),
    daysWithin: (from, to, isMirrored) => datesWithin(from, to).map((date) => dayOf(date, isMirrored)),
    runsWithin: (from, to, isMirrored) => datesWithin(from, to).map((date) => runsOf(date, isMirrored)),
  }
  return feed
}

type DayOf = (date: string, isMirrored: boolean) => DayRuns
type RunsOf = (date: string, isMirrored: boolean) => DayTrips

/** Creates each day at its first use. Only keeps the `count` most recently used days. */
function keptDays<Day>(count: number, make: (date: string, isMirrored: boolean) => Day): typeof make {
  const kept = [new Map<string, Day>(), new Map<string, Day>()]
  return (date, isMirrored) => {
    const days = kept[Number(isMirrored)]
    const day = days.get(date) ?? make(date, isMirrored)
    days.delete(date)
    days.set(date, day)
    for (const oldest of days.keys()) if (days.size > count) days.delete(oldest)
    return day
  }
}

/** The ids of the trips that riders in wheelchairs cannot use. */
async function readLeftOut(text: FeedText): Promise<Set<string>> {
  const leftOut = new Set<string>()
  await eachRow(text, 'trips.txt', ['trip_id', 'wheelchair_accessible'], ([id = '', access = '']) => {
    if (access === '2') leftOut.add(id)
  })
  return leftOut
}

async function readModes(text: FeedText): Promise<Map<string, string>> {
  const modes = new Map<string, string>()
  await eachRow(text, 'routes.txt', ['route_id', 'route_type'], ([id = '', type = '']) => {
    if (modes.has(id) || !/^\d+$/.test(type)) return
    const known = MODES.find(([first, last]) => Number(type) >= first && Number(type) <= last)
    modes.set(id, known?.[2] ?? 'other')
  })
  return modes
}

/** When a trip's last run of the day ends, in seconds after the service day's zero. */
function lastSecond({ departures, arrivals, starts }: CleanTrip): number {
  const own = arrivals.at(-1) ?? 0
  return Math.max(own, ...starts.map((start) => start - departures[0] + own))
}

/**
 * Returns a function that tells whether the trips in a trip's block do not overlap on a day. Checks each block when it
 * is first used.
 */
function soundBlocks(trips: readonly CleanTrip[], calendar: TextCalendar): (trip: number, date: string) => boolean {
  const blocks = Map.groupBy(trips, ({ blockId }) => blockId)
  const clashDates = new Map<string, readonly string[]>()
  const clashesOf = (blockId: string) =>
    clashDates.getOrInsertComputed(blockId, () => {
      const members = (blocks.get(blockId) ?? []).toSorted(
        (a, b) => a.departures[0] - b.departures[0] || endOf(a) - endOf(b),
      )
      if (members.length < 2 || !overlaps(members)) return []
      const dates = calendar.days(new Set(members.map(({ serviceId }) => serviceId)))
      return dates.filter((date) => overlaps(members.filter(({ serviceId }) => calendar.runs(serviceId, date))))
    })
  return (trip, date) => !clashesOf(trips[trip].blockId).includes(date)
}

function endOf({ arrivals }: CleanTrip): number {
  return arrivals.at(-1) ?? 0
}

/**
 * Whether any of the trips overlap.
 * @param trips sorted by start
 */
function overlaps(trips: readonly CleanTrip[]): boolean {
  let busyUntil = Number.NEGATIVE_INFINITY
  for (const trip of trips) {
    if (busyUntil > trip.departures[0]) return true
    busyUntil = Math.max(busyUntil, endOf(trip))
  }
  return false
}
