// Applies realtime messages to a feed's trips, call by call. Matches reports to calls, carries delays to later calls,
// and puts times in order. Part of the realtime oracle; shares no code with indexes/live.
import { carryAlongBlocks } from './realtime-blocks.ts'
import type { ReportedCall, ReportedMessage, ReportedMoment, ReportedTrip } from './realtime-bytes.ts'
import { areNeighbors, choicesOf, type FoundTrip, placeCalls, TextMatcher } from './realtime-matching.ts'
import { type ReadCalls, TextMemory } from './realtime-memory.ts'
import type { TextBoards } from './text-boards.ts'
import type { CleanTrip } from './text-trips.ts'

/**
 * If only a late arrival is reported, the vehicle leaves after its scheduled dwell, or after this number of seconds if
 * the dwell is longer.
 */
const LATE_DWELL_SECONDS = 30

/** A message and the id of its feed. */
export interface FeedMessage {
  readonly feed: string
  readonly message: ReportedMessage
}

/** One call of a trip in the results. Instants are seconds after 1970. */
export interface LiveCall {
  readonly stopId: string
  readonly scheduledArrival: number
  readonly scheduledDeparture: number
  /** `arrival` and `departure` are undefined without a prediction. */
  readonly arrival: number | undefined
  readonly departure: number | undefined
  readonly isSkipped: boolean
  /** Whether the message reports this call itself. */
  readonly isReported: boolean
  /**
   * The reported departure time, or the reported arrival time if there is no departure time. Undefined if there is
   * neither.
   */
  readonly reportedSeconds: number | undefined
  /**
   * Whether the reported or carried times were too early and were raised so that they are not before the previous call.
   */
  readonly isRaised: boolean
  /**
   * For a call without a prediction: the time by which the vehicle has left it. This is the earliest of the scheduled
   * departure, the predicted arrivals at later calls, and the departures that are known from earlier messages.
   */
  readonly overSeconds: number
}

/**
 * A trip on a day, with live data: a message reports the trip, a delay is carried to the trip, or the trip has left a
 * call ahead of schedule.
 */
export interface LiveTrip {
  readonly trip: CleanTrip
  readonly date: string
  readonly state: 'runs' | 'canceled' | 'deleted'
  readonly feed: string
  readonly reportedAtSeconds: number
  readonly vehicleId: string
  /** Whether the trip's delay comes from the previous trip of its block. */
  readonly isCarried: boolean
  readonly calls: readonly LiveCall[]
}

/**
 * Counts of one feed's trip updates: all updates, matched updates by how their trip was found, and unmatched updates by
 * reason.
 */
export interface FeedTally {
  updates: number
  readonly matched: Record<string, number>
  readonly unmatched: Record<string, number>
  /** Reason → the number of reported calls that could not be used. */
  readonly leftCalls: Record<string, number>
}

/** The trips in the results by `date:trip id`, and the counts by feed. */
export interface LiveTrips {
  readonly trips: ReadonlyMap<string, LiveTrip>
  readonly tallies: ReadonlyMap<string, FeedTally>
}

/**
 * Applies the newest message of each feed to the trips.
 * @param memory what earlier messages reported
 */
export function readLiveTrips(
  boards: TextBoards,
  messages: readonly FeedMessage[],
  nowSeconds: number,
  memory = new TextMemory(),
): LiveTrips {
  const matcher = new TextMatcher(boards)
  const trips = new Map<string, LiveTrip>()
  const reached = findReached(boards, matcher, messages, nowSeconds)
  const tallies = new Map<string, FeedTally>()
  for (const { feed, message } of messages) {
    const tally: FeedTally = { updates: 0, matched: {}, unmatched: {}, leftCalls: {} }
    tallies.set(feed, tally)
    for (const update of message.trips) {
      tally.updates++
      const found = findTrip(matcher, update, nowSeconds)
      if (typeof found === 'string') {
        add(tally.unmatched, found)
        continue
      }
      const liveTrip = toLiveTrip(boards, found, { update, feed, message, nowSeconds, tally, reached, memory })
      if ((found.rung === 'description' || found.rung === 'origin') && isElsewhere(liveTrip, update)) {
        add(tally.unmatched, 'the trip described calls at none of the stops')
        continue
      }
      add(tally.matched, found.rung)
      const key = `${found.date}:${found.trip.id}`
      const known = trips.get(key)
      if (known === undefined || known.reportedAtSeconds <= liveTrip.reportedAtSeconds) trips.set(key, liveTrip)
    }
  }
  addLeft(boards, trips, { messages, nowSeconds, memory })
  carryAlongBlocks(boards, trips)
  return { trips, tallies }
}

/** Where the vehicle of a trip is. */
interface Reached {
  /** The index of the call at which the vehicle is, or to which it is going; 0 if unknown. */
  readonly call: number
  readonly seconds: number
  /** '' if the feed does not identify the vehicle. */
  readonly vehicleId: string
}

/** `date:trip id` → the call that the trip's vehicle has reached, from its newest report. */
function findReached(
  boards: TextBoards,
  matcher: TextMatcher,
  messages: readonly FeedMessage[],
  nowSeconds: number,
): Map<string, Reached> {
  const reached = new Map<string, Reached>()
  for (const { message } of messages) {
    for (const { trip: report, seconds: own, sequence, stopId, isNamed, id } of message.vehicles) {
      const seconds = Math.min(own ?? message.seconds, nowSeconds)
      const seen = { call: { sequence, stopId }, seconds }
      const found = report === undefined || report.tripId === '' ? '' : matcher.find(report, { nowSeconds, seen })
      if (typeof found === 'string') continue
      const key = `${found.date}:${found.trip.id}`
      if ((reached.get(key)?.seconds ?? 0) > seconds) continue
      const choices = choicesOf(boards, found.trip, { sequence, stopId })
      reached.set(key, { call: choices.length === 1 ? choices[0] : 0, seconds, vehicleId: isNamed ? id : '' })
    }
  }
  return reached
}

function findTrip(matcher: TextMatcher, update: ReportedTrip, nowSeconds: number): FoundTrip | string {
  const { relationship, tripId, routeId } = update.trip
  const call = update.calls.find(({ arrival, departure }) => arrival?.time ?? departure?.time)
  const seconds = call?.arrival?.time ?? call?.departure?.time
  const first = call === undefined || seconds === undefined ? undefined : { call, seconds }
  if (relationship === 'ADDED' || relationship === 'NEW') {
    if (!matcher.has(tripId) && routeId === '') return 'added, of no route'
    throw new Error(`the oracle does not read added trips: ${tripId}`)
  }
  if (!['SCHEDULED', 'CANCELED', 'DELETED'].includes(relationship))
    throw new Error(`the oracle does not read trips that are ${relationship}`)
  const isOff = relationship !== 'SCHEDULED'
  const isWhole = isOff || (update.delay !== undefined && !update.calls.some(isTimed))
  const stopIds = update.calls.flatMap(({ stopId }) => (stopId === '' ? [] : [stopId]))
  return matcher.find(update.trip, { first, nowSeconds, isWhole, stopIds })
}

/** Whether a reported call gives a prediction. Skipped calls and calls without data do not. */
function isTimed({ relationship, arrival, departure }: ReportedCall): boolean {
  const isKnown = relationship !== 'SKIPPED' && relationship !== 'NO_DATA'
  return isKnown && (arrival !== undefined || departure !== undefined)
}

/** Whether an update reports calls, but none of them is a call of the trip. */
function isElsewhere({ calls }: LiveTrip, update: ReportedTrip): boolean {
  return update.calls.length > 0 && !calls.some(({ isReported }) => isReported)
}

function toLiveTrip(
  boards: TextBoards,
  { trip, date }: FoundTrip,
  by: {
    readonly update: ReportedTrip
    readonly feed: string
    readonly message: ReportedMessage
    readonly nowSeconds: number
    readonly tally: FeedTally
    readonly reached: ReadonlyMap<string, Reached>
    readonly memory: TextMemory
  },
): LiveTrip {
  const { update, feed, message, nowSeconds, tally, memory } = by
  const vehicle = by.reached.get(`${date}:${trip.id}`)
  const { relationship } = update.trip
  const isOff = relationship === 'CANCELED' || relationship === 'DELETED'
  const { places, left } = placeCalls(boards, trip, isOff ? [] : update.calls)
  for (const reason of left) add(tally.leftCalls, reason)
  const delay = isOff ? undefined : update.delay
  const reportedAtSeconds = update.seconds ?? message.seconds
  const reached = isOff ? undefined : vehicle
  const key = `${date}:${trip.id}`
  const leftOf = (read: ReadCalls) => (isOff ? [] : memory.left(key, read))
  const reported = { trip, date, places, delay, nowSeconds, reached, messageSeconds: reportedAtSeconds, leftOf }
  const { calls, read } = predict(boards, reported)
  if (isOff) memory.forget(key)
  else memory.note(key, read)
  const kept = calls.filter(({ isSkipped }) => !isSkipped).length
  return {
    trip,
    date,
    state: relationship === 'DELETED' ? 'deleted' : isOff || kept < 2 ? 'canceled' : 'runs',
    feed,
    reportedAtSeconds,
    vehicleId: vehicle?.vehicleId || update.vehicleId,
    isCarried: false,
    calls,
  }
}

interface Forecast {
  arrival: number | undefined
  departure: number | undefined
  isRaised: boolean
}

function predict(
  boards: TextBoards,
  by: {
    readonly trip: CleanTrip
    readonly date: string
    readonly places: ReadonlyMap<number, ReportedCall>
    readonly delay: number | undefined
    readonly nowSeconds: number
    readonly reached: Reached | undefined
    readonly messageSeconds: number
    readonly leftOf: (read: ReadCalls) => readonly number[]
  },
): { readonly calls: LiveCall[]; readonly read: ReadCalls } {
  const { trip, date, places, nowSeconds } = by
  const zero = boards.zeroOf(date)
  const scheduled = trip.stopIds.map((_, at) => ({
    arrival: zero + trip.arrivals[at],
    departure: zero + trip.departures[at],
  }))
  const isAnyTimed = [...places.values()].some(isTimed)
  const reachedCall = by.reached?.call ?? 0
  const forecasts: Forecast[] = []
  const isDarkAt: boolean[] = []
  let delay: number | undefined
  let isDark = false
  for (const [at, planned] of scheduled.entries()) {
    const report = places.get(at)
    const none = { arrival: undefined, departure: undefined, isRaised: false }
    if (report?.relationship === 'NO_DATA') isDark = true
    if (isDark) delay = undefined
    isDarkAt.push(isDark && !(report !== undefined && isTimed(report)))
    if (report?.relationship === 'SKIPPED') {
      forecasts.push(none)
      continue
    }
    const own = report === undefined || !isTimed(report) ? undefined : forecastOf(planned, report, delay)
    if (own !== undefined) {
      isDark = false
      delay = own.departure - planned.departure
    } else if (!isAnyTimed && by.delay !== undefined && !isDark) {
      // A delay for the whole trip only applies to calls that are still ahead.
      if (planned.departure + by.delay >= nowSeconds) delay = by.delay
    }
    const carried =
      delay === undefined || at < reachedCall
        ? none
        : { arrival: planned.arrival + delay, departure: planned.departure + delay }
    forecasts.push({ isRaised: false, ...(own ?? carried) })
  }
  clamp(forecasts)
  const read = {
    departures: forecasts.map(({ departure }) => departure),
    isSkipped: scheduled.map((_, at) => places.get(at)?.relationship === 'SKIPPED'),
    isDark: isDarkAt,
    reachedCall,
    reachedSeconds: by.reached?.seconds ?? 0,
    messageSeconds: by.messageSeconds,
    nowSeconds,
  }
  const left = by.leftOf(read)
  const calls = scheduled.map((planned, at) => {
    const report = places.get(at)
    const { arrival, departure, isRaised } = forecasts[at]
    const later = forecasts.slice(at + 1).flatMap((next) => next.arrival ?? [])
    return {
      stopId: platformOf(boards, trip.stopIds[at], report),
      scheduledArrival: planned.arrival,
      scheduledDeparture: planned.departure,
      arrival,
      departure,
      isSkipped: report?.relationship === 'SKIPPED',
      isReported: report !== undefined,
      reportedSeconds: report?.departure?.time ?? report?.arrival?.time,
      isRaised,
      overSeconds: Math.min(planned.departure, ...later, ...left.slice(at)),
    }
  })
  return { calls, read }
}

/**
 * Adds each trip that messages no longer report, but that has already left a call whose scheduled departure is still
 * ahead.
 */
function addLeft(
  boards: TextBoards,
  trips: Map<string, LiveTrip>,
  by: { readonly messages: readonly FeedMessage[]; readonly nowSeconds: number; readonly memory: TextMemory },
): void {
  const newest = Math.max(...by.messages.map(({ message }) => message.seconds))
  for (const [key, left] of by.memory.silent(new Set(trips.keys()), newest)) {
    const date = key.slice(0, 8)
    const trip = boards.trips.find(({ id }) => id === key.slice(9))
    if (trip === undefined) continue
    const zero = boards.zeroOf(date)
    if (!trip.departures.some((departure, at) => zero + departure > by.nowSeconds && Number.isFinite(left[at])))
      continue
    const calls = trip.stopIds.map((stopId, at) => ({
      stopId,
      scheduledArrival: zero + trip.arrivals[at],
      scheduledDeparture: zero + trip.departures[at],
      arrival: undefined,
      departure: undefined,
      isSkipped: false,
      isReported: false,
      reportedSeconds: undefined,
      isRaised: false,
      overSeconds: Math.min(zero + trip.departures[at], ...left.slice(at)),
    }))
    const silent = { state: 'runs', feed: '', reportedAtSeconds: 0, vehicleId: '', isCarried: false } as const
    trips.set(key, { trip, date, ...silent, calls })
  }
}

function forecastOf(
  planned: { readonly arrival: number; readonly departure: number },
  report: ReportedCall,
  carried: number | undefined,
): { arrival: number; departure: number } | undefined {
  const arrival = instantOf(report.arrival, planned.arrival)
  const departure = instantOf(report.departure, planned.departure)
  if (arrival !== undefined && departure !== undefined) return { arrival: Math.min(arrival, departure), departure }
  if (arrival !== undefined) {
    const dwell = Math.min(planned.departure - planned.arrival, LATE_DWELL_SECONDS)
    return { arrival, departure: Math.max(planned.departure, arrival + dwell) }
  }
  if (departure === undefined) return undefined
  return { arrival: Math.min(departure, planned.arrival + (carried ?? departure - planned.departure)), departure }
}

function instantOf(report: ReportedMoment | undefined, planned: number): number | undefined {
  return report?.time ?? (report?.delay === undefined ? undefined : planned + report.delay)
}

/** If a time is before the departure from the previous call, raises the time to that departure. */
function clamp(forecasts: readonly Forecast[]): void {
  let left = Number.NEGATIVE_INFINITY
  for (const forecast of forecasts) {
    if (forecast.arrival === undefined || forecast.departure === undefined) continue
    const arrival = Math.max(forecast.arrival, left)
    const departure = Math.max(forecast.departure, arrival)
    forecast.isRaised = departure !== forecast.departure || arrival !== forecast.arrival
    forecast.arrival = arrival
    forecast.departure = departure
    left = departure
  }
}

/**
 * The platform that the report names, if it is in the same station as the scheduled platform; otherwise the scheduled
 * platform.
 */
function platformOf(boards: TextBoards, stopId: string, report: ReportedCall | undefined): string {
  const named = report === undefined ? undefined : boards.stops.platformOf.get(report.stopId)
  return named !== undefined && areNeighbors(boards, named, stopId) ? named : stopId
}

function add(counts: Record<string, number>, reason: string): void {
  counts[reason] = (counts[reason] ?? 0) + 1
}
