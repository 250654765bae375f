// Adds live data to a feed. Reported trips are removed from the timetable and added as separate trips with their
// current calls and times. All rules of the oracle then apply to them. Part of the journey oracle.
import { type DayRuns, type DayTrips, layDay, listRuns, mirrorDay, mirrorRuns } from './journey-days.ts'
import type { JourneyFeed } from './journey-feed.ts'
import { straightMeters } from './journey-places.ts'
import type { CleanTrip } from './text-trips.ts'

const SEATED_METERS = 100
const DAY_SECONDS = 86_400
/** The prefix of all service ids of live runs. No real feed has service ids with this prefix. */
const LIVE_SERVICE = 'runs now: '

/**
 * A call with its current times, in seconds after 1970. A call without a prediction has its scheduled times, moved to
 * fit between the predictions before and after it.
 */
export interface LiveCall {
  readonly stopId: string
  readonly arrival: number
  readonly departure: number
  readonly isSkipped: boolean
  readonly canBoard: boolean
  readonly canAlight: boolean
}

/** A run that live feeds report. */
export interface LiveRun {
  /** The run's name in journeys: `<yyyymmdd>:<id>`. */
  readonly ref: string
  readonly date: string
  /** Undefined for an added run, which is not in the timetable. */
  readonly tripId: string | undefined
  readonly routeId: string
  /** Whether the run is canceled, or deleted and therefore hidden. */
  readonly isGone: boolean
  readonly calls: readonly LiveCall[]
}

interface LaidRun extends LiveRun {
  /** The number of the run's trip in the feed with live runs; undefined if nobody can ride the trip. */
  readonly number: number | undefined
}

/** Whether a service is that of a live run. */
export function isLiveService(serviceId: string): boolean {
  return serviceId.startsWith(LIVE_SERVICE)
}

/** Adds live runs to a feed. Frequency trips are not supported. */
export function liveFeedOf(feed: JourneyFeed, runs: readonly LiveRun[]): JourneyFeed {
  const trips = [...feed.trips]
  const laid = runs.map((run): LaidRun => {
    const trip = toTrip(feed, run, trips.length)
    if (trip === undefined) return { ...run, number: undefined }
    trips.push(trip)
    return { ...run, number: trips.length - 1 }
  })
  const liveOf = new Map(laid.flatMap((run) => (run.tripId === undefined ? [] : [[`${run.date}:${run.tripId}`, run]])))
  const dateOfService = new Map(laid.map(({ number, date }) => [trips[number ?? -1]?.serviceId, date]))
  const modeOfRoute = new Map(feed.trips.map(({ route }, number) => [route.id, feed.modeOfTrip[number]]))
  const added = trips.slice(feed.trips.length)
  /** Live trip → the id of its scheduled trip. Rules in transfers.txt name trips by their scheduled ids. */
  const planned = new Map(laid.map((run) => [trips[run.number ?? -1], run.tripId ?? '']))
  const named = <End extends { readonly trip: Pick<CleanTrip, 'id' | 'route'> }>(end: End): End => {
    const id = planned.get(end.trip as CleanTrip)
    return id === undefined ? end : { ...end, trip: { id, route: end.trip.route } }
  }
  const live: JourneyFeed = {
    ...feed,
    trips,
    numberOfTrip: new Map([...feed.numberOfTrip, ...laid.flatMap(nameOf)]),
    stopsOfTrip: trips.map(
      ({ stopIds }, number) => feed.stopsOfTrip[number] ?? stopIds.map((id) => feed.places.numberOf.get(id) ?? -1),
    ),
    modeOfTrip: [...feed.modeOfTrip, ...added.map(({ route }) => modeOfRoute.get(route.id) ?? '')],
    changes: { ...feed.changes, between: (alight, board) => feed.changes.between(named(alight), named(board)) },
    calendar: {
      ...feed.calendar,
      runs: (serviceId, date) =>
        dateOfService.has(serviceId) ? dateOfService.get(serviceId) === date : feed.calendar.runs(serviceId, date),
    },
    live: {
      isReplaced: (trip, date) => liveOf.has(`${date}:${feed.trips[trip]?.id}`),
      seatsOn: (date, runOfTrip) => seatsOn({ feed, live, date, liveOf }, runOfTrip),
    },
    ...daysOf(feed, laid, () => live),
  }
  return live
}

/**
 * The key and trip number of a live run in `numberOfTrip`. The key is the run's reference, because the plain trip id
 * belongs to the scheduled trip.
 */
function nameOf({ number, ref }: LaidRun): [string, number][] {
  return number === undefined ? [] : [[ref, number]]
}

/** Converts a live run to a trip that runs on one day; undefined if nobody can ride it. */
function toTrip(feed: JourneyFeed, run: LiveRun, number: number): CleanTrip | undefined {
  const calls = run.calls.filter(({ isSkipped }) => !isSkipped)
  if (run.isGone || calls.length < 2) return undefined
  const zero = feed.zeroOf(run.date)
  const route = feed.trips.find((trip) => trip.route.id === run.routeId)?.route ?? { id: run.routeId, order: 0 }
  return {
    id: run.ref.slice(run.date.length + 1),
    serviceId: `${LIVE_SERVICE}${number}`,
    route,
    directionId: '',
    blockId: '',
    pathId: '',
    stopIds: calls.map(({ stopId }) => stopId),
    departures: calls.map(({ departure }) => departure - zero),
    arrivals: calls.map(({ arrival }) => arrival - zero),
    sequences: calls.map((_, at) => at),
    noPickup: calls.map(({ canBoard }) => !canBoard),
    noDropOff: calls.map(({ canAlight }) => !canAlight),
    headsigns: calls.map(() => ''),
    isFilled: calls.map(() => false),
    hasFrequencies: false,
    starts: [],
  }
}

/**
 * Lists the days of a time range. These are the service days of the timetable and all days with live runs. They include
 * the day before the range, because its runs may be late.
 */
function daysOf(
  feed: JourneyFeed,
  runs: readonly LaidRun[],
  liveFeed: () => JourneyFeed,
): Pick<JourneyFeed, 'daysWithin' | 'runsWithin'> {
  const kept = new Map<string, DayRuns>()
  const keptRuns = new Map<string, DayTrips>()
  const runsOf = (date: string, isMirrored: boolean): DayTrips =>
    keptRuns.getOrInsertComputed(`${date} ${isMirrored}`, () =>
      isMirrored ? mirrorRuns(runsOf(date, false)) : listRuns(liveFeed(), date),
    )
  const dayOf = (date: string, isMirrored: boolean): DayRuns =>
    kept.getOrInsertComputed(`${date} ${isMirrored}`, () =>
      isMirrored ? mirrorDay(dayOf(date, false)) : layDay(liveFeed(), runsOf(date, false)),
    )
  const datesWithin = (from: number, to: number) => {
    const planned = feed.runsWithin(from - DAY_SECONDS, to, false).map(({ date }) => date)
    return [...new Set([...planned, ...runs.map(({ date }) => date)])].sort()
  }
  return {
    daysWithin: (from, to, isMirrored) => datesWithin(from, to).map((date) => dayOf(date, isMirrored)),
    runsWithin: (from, to, isMirrored) => datesWithin(from, to).map((date) => runsOf(date, isMirrored)),
  }
}

/**
 * Run → the runs on which riders may continue without alighting. Omits a scheduled next run that now departs before the
 * first run arrives, or departs from a stop that is too far away.
 */
function seatsOn(
  of: {
    readonly feed: JourneyFeed
    readonly live: JourneyFeed
    readonly date: string
    readonly liveOf: ReadonlyMap<string, LaidRun>
  },
  runOfTrip: ReadonlyMap<number, number>,
): Map<number, readonly number[]> {
  const { feed, live, date, liveOf } = of
  const zero = feed.zeroOf(date)
  const [plan] = feed.runsWithin(zero, zero, false).filter((day) => day.date === date)
  const now = (number: number) => {
    const run = liveOf.get(`${date}:${feed.trips[number].id}`)
    return run === undefined ? number : run.number
  }
  const seats = new Map<number, number[]>()
  for (const [run, others] of plan?.next ?? []) {
    for (const other of others) {
      const [one, two] = [plan?.tripOf[run] ?? -1, plan?.tripOf[other] ?? -1]
      const [from, to] = [now(one), now(two)]
      if (from === undefined || to === undefined) continue
      const waits = live.trips[to].departures[0] - (live.trips[from].arrivals.at(-1) ?? 0)
      const isNear = metersBetween(live, from, to) <= Math.max(SEATED_METERS, metersBetween(feed, one, two))
      const [start, end] = [runOfTrip.get(from), runOfTrip.get(to)]
      if (waits < 0 || !isNear || start === undefined || end === undefined) continue
      seats.set(start, [...(seats.get(start) ?? []), end])
    }
  }
  return seats
}

/** The distance in meters from the last stop of one trip to the first stop of another. */
function metersBetween({ stopsOfTrip, places }: JourneyFeed, from: number, to: number): number {
  return straightMeters(places.points[stopsOfTrip[from].at(-1) ?? -1], places.points[stopsOfTrip[to][0]])
}
