// Makes random trip updates for those trips of a feed that run around a given time. Trips are late, early or canceled,
// or have skipped calls, other platforms or unknown times. Some trips are not in the timetable.
import type GtfsRealtime from 'gtfs-realtime-bindings'
import type { Dice } from './board-questions.ts'
import type { JourneyFeed } from './oracles/journey-feed.ts'
import { dateOf } from './oracles/text-dates.ts'
import type { CleanTrip } from './oracles/text-trips.ts'

/** An entity of a message, with its fields named as in the bindings. */
export type FeedEntity = GtfsRealtime.transit_realtime.IFeedEntity

const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400
const MOST_UPDATES = 80
const MOST_ADDED = 4
const DELAYS_SECONDS = [-90, -30, 0, 45, 120, 240, 420, 900, 1800, 3600]
/** Enum values: two of TripDescriptor.schedule_relationship, then two of StopTimeUpdate.schedule_relationship. */
const [ADDED, CANCELED, SKIPPED, NO_DATA] = [1, 3, 1, 2]

/** A trip on a day. */
interface Run {
  readonly trip: CleanTrip
  readonly date: string
  readonly zero: number
}

type StopTime = GtfsRealtime.transit_realtime.TripUpdate.IStopTimeUpdate

/** Random updates for the trips around a time: at most one for each trip, and some added trips. */
export function randomUpdates(feed: JourneyFeed, dice: Dice, nowSeconds: number): FeedEntity[] {
  const runs = listRuns(feed, nowSeconds)
  const entities = new Map<string, FeedEntity>()
  for (let left = Math.min(runs.length, 1 + dice.below(MOST_UPDATES)); left > 0; left--) {
    const run = runs[dice.below(runs.length)]
    const key = `${run.date} ${run.trip.id}`
    if (!entities.has(key)) entities.set(key, updateOf(feed, dice, run))
  }
  const added = runs.length === 0 ? 0 : dice.below(MOST_ADDED)
  for (let number = 0; number < added; number++) {
    entities.set(`added ${number}`, addedTrip(dice, runs[dice.below(runs.length)], number))
  }
  return [...entities.values()]
}

/**
 * The trips that are under way at any time from an hour before to two hours after an instant. Leaves out frequency
 * trips.
 */
function listRuns({ trips, calendar, zeroOf }: JourneyFeed, nowSeconds: number): Run[] {
  return [dateOf(nowSeconds - DAY_SECONDS), dateOf(nowSeconds)].flatMap((date) => {
    const zero = zeroOf(date)
    return trips
      .filter(
        ({ serviceId, departures, arrivals, hasFrequencies }) =>
          !hasFrequencies &&
          zero + departures[0] < nowSeconds + 2 * HOUR_SECONDS &&
          zero + (arrivals.at(-1) ?? 0) > nowSeconds - HOUR_SECONDS &&
          calendar.runs(serviceId, date),
      )
      .map((trip) => ({ trip, date, zero }))
  })
}

function descriptor({ trip, date }: Run, scheduleRelationship = 0) {
  return { tripId: trip.id, startDate: date, scheduleRelationship }
}

function updateOf(feed: JourneyFeed, dice: Dice, run: Run): FeedEntity {
  const id = `${run.date} ${run.trip.id}`
  if (dice.below(8) === 0) return { id, tripUpdate: { trip: descriptor(run, CANCELED) } }
  const byCall = new Map<number, StopTime>()
  const { trip, zero } = run
  const delay = () => dice.pick(DELAYS_SECONDS) ?? 0
  for (let left = dice.below(4); left > 0; left--) {
    const call = dice.below(trip.stopIds.length)
    const seconds = delay()
    const isAbsolute = dice.below(3) === 0
    byCall.set(call, {
      stopSequence: trip.sequences[call],
      arrival: isAbsolute ? { time: zero + trip.arrivals[call] + seconds } : { delay: seconds },
      ...(dice.below(2) === 0 ? { departure: { delay: seconds + dice.below(3) * 40 } } : {}),
    })
  }
  if (byCall.size === 0 || dice.below(2) === 0)
    byCall.set(0, { stopSequence: trip.sequences[0], departure: { delay: delay() } })
  for (let left = dice.below(4) === 0 ? 1 + dice.below(3) : 0; left > 0; left--) {
    const call = dice.below(trip.stopIds.length)
    byCall.set(call, { stopSequence: trip.sequences[call], scheduleRelationship: SKIPPED })
  }
  if (dice.below(6) === 0) {
    const call = dice.below(trip.stopIds.length)
    byCall.set(call, { stopSequence: trip.sequences[call], scheduleRelationship: NO_DATA })
  }
  if (dice.below(4) === 0) move(feed, dice, run, byCall)
  const stopTimeUpdate = [...byCall].sort(([a], [b]) => a - b).map(([, update]) => update)
  return { id, tripUpdate: { trip: descriptor(run), stopTimeUpdate } }
}

/** Assigns a call to a random platform of its station. Does nothing if the call's stop is not at a station. */
function move({ places }: JourneyFeed, dice: Dice, { trip }: Run, byCall: Map<number, StopTime>): void {
  const call = dice.below(trip.stopIds.length)
  const station = places.parents[places.numberOf.get(trip.stopIds[call]) ?? -1]
  if (station === '') return
  const platforms = places.ids.filter((_, number) => places.parents[number] === station)
  const update = byCall.get(call) ?? { stopSequence: trip.sequences[call], departure: { delay: 0 } }
  byCall.set(call, { ...update, stopTimeProperties: { assignedStopId: dice.pick(platforms) } })
}

/** An added trip some minutes after another trip. It calls at all stops of the other trip, or only at the last ones. */
function addedTrip(dice: Dice, run: Run, number: number): FeedEntity {
  const { trip, date, zero } = run
  const shift = 60 * (1 + dice.below(20))
  const first = dice.below(Math.max(1, trip.stopIds.length - 2))
  return {
    id: `added ${number}`,
    tripUpdate: {
      trip: { tripId: `added-${number}`, routeId: trip.route.id, startDate: date, scheduleRelationship: ADDED },
      stopTimeUpdate: trip.stopIds.slice(first).map((stopId, at) => ({
        stopSequence: at + 1,
        stopId,
        arrival: { time: zero + trip.arrivals[first + at] + shift },
        departure: { time: zero + trip.departures[first + at] + shift },
      })),
    },
  }
}

/** An update that delays a trip from its first stop on. */
export function lateTrip(trip: CleanTrip, date: string, delaySeconds: number): FeedEntity {
  const stopTimeUpdate = [{ stopSequence: trip.sequences[0], departure: { delay: delaySeconds } }]
  return { id: `${date} ${trip.id}`, tripUpdate: { trip: { tripId: trip.id, startDate: date }, stopTimeUpdate } }
}
