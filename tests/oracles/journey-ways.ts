// Finds all ways to ride a journey that the profile contains, because different rides can have the same times. Part of
// the journey oracle.
import { NEVER, type QueryGround } from './journey-ground.ts'
import type { Profile, ProfileJourney } from './journey-profile.ts'
import { type PlainRide, refOf } from './journey-rides.ts'
import { boardableOf, callsOf, type TripCall, type TripCalls } from './profile-runs.ts'

/** A ride in the direction of the search. `from` and `to` are the indexes of its first and last call in the run. */
interface Leg {
  readonly day: number
  readonly run: number
  readonly from: number
  readonly to: number
  /** Whether the rider stays seated after the previous leg. */
  readonly isSeated: boolean
}

/** A call at which a run is boarded. */
type Boarded = Omit<Leg, 'to'>

/** Every way to ride a journey, one after the other. */
export function* waysOf(ground: QueryGround, profile: Profile, journey: ProfileJourney): Generator<PlainRide[]> {
  const { access } = ground
  const walker = new WayWalker(ground, profile, journey.arrives)
  for (const [stop, seconds] of access.entries()) {
    if (seconds < 0) continue
    for (const boarded of walker.boardingsAt(stop, journey.leaves + seconds, journey.leaves + seconds)) {
      for (const legs of walker.ways(boarded, journey.vehicles)) yield ridesOf(ground, profile, legs)
    }
  }
}

class WayWalker {
  private readonly ground: QueryGround
  private readonly profile: Profile
  /** The arrival of the journey at its destination. */
  private readonly arrives: number
  private readonly calls: readonly TripCalls[]
  private readonly boardable: readonly (readonly TripCall[])[]
  /** Call of a run and number of vehicles → the best arrival from there. */
  private readonly known = new Map<string, number>()

  constructor(ground: QueryGround, profile: Profile, arrives: number) {
    const { feed, isMirrored } = ground
    this.ground = ground
    this.profile = profile
    this.arrives = arrives
    this.calls = callsOf(feed, isMirrored)
    this.boardable = boardableOf(feed, isMirrored)
  }

  /** Every call at a stop at which a run can be boarded between the times `first` and `last`, both inclusive. */
  *boardingsAt(stop: number, first: number, last: number): Generator<Boarded> {
    for (const { trip, call } of this.boardable[stop]) {
      if (this.ground.mayTake[trip] === 0) continue
      const ahead = this.calls[trip].boards[call]
      for (const [day, { runsOf }] of this.profile.days.entries()) {
        for (const run of runsOf(trip, first - ahead, last - ahead)) yield { day, run, from: call, isSeated: false }
      }
    }
  }

  /**
   * Every way to continue from a call in a run, with at most `vehicles` vehicles, and to arrive when the journey does.
   */
  *ways(boarded: Boarded, vehicles: number): Generator<Leg[]> {
    if (this.arrivalOf(boarded, vehicles) !== this.arrives) return
    const { day, run, from } = boarded
    const { trip, base, calls } = this.runAt(day, run)
    for (let to = from + 1; to < calls.stops.length; to++) {
      if (!calls.canAlight[to]) continue
      const [stop, seconds] = [calls.stops[to], base + calls.alights[to]]
      if (this.profile.onward(vehicles - 1, trip, stop, seconds) !== this.arrives) continue
      const leg = { ...boarded, to }
      const { egress } = this.ground
      if (egress[stop] >= 0 && seconds + egress[stop] === this.arrives) yield [leg]
      if (vehicles === 1) continue
      for (const next of this.changesFrom(trip, stop, seconds)) {
        for (const rest of this.ways(next, vehicles - 1)) yield [leg, ...rest]
      }
    }
    for (const next of this.seatsFrom(day, run)) {
      for (const rest of this.ways(next, vehicles)) yield [{ ...boarded, to: calls.stops.length - 1 }, ...rest]
    }
  }

  /** Every call at which a run can be boarded after alighting. */
  private *changesFrom(trip: number, stop: number, seconds: number): Generator<Boarded> {
    const { changes, special, change } = this.ground
    for (const other of changes[stop]) {
      yield* this.boardingsAt(other.stop, seconds + other.seconds, this.arrives)
    }
    for (const other of special[stop]) {
      for (const boarded of this.boardingsAt(other, seconds, this.arrives)) {
        const next = this.runAt(boarded.day, boarded.run)
        const least = change(stop, trip, other, next.trip)
        if (least !== undefined && seconds + least <= next.base + next.calls.boards[boarded.from]) yield boarded
      }
    }
  }

  private *seatsFrom(day: number, run: number): Generator<Boarded> {
    const { next, tripOf } = this.profile.days[day].day
    for (const other of next.get(run) ?? []) {
      if (this.ground.mayTake[tripOf[other]] === 1) yield { day, run: other, from: 0, isSeated: true }
    }
  }

  /**
   * The best arrival of a rider who is in a run at a call, with at most `vehicles` vehicles, including that of the run.
   */
  private arrivalOf({ day, run, from }: Omit<Boarded, 'isSeated'>, vehicles: number): number {
    const key = `${day} ${run} ${from} ${vehicles}`
    const known = this.known.get(key)
    if (known !== undefined) return known
    // The value is NEVER until it is computed. Trips that take no time can lead into each other in a circle, so the
    // computation may need its own result.
    this.known.set(key, NEVER)
    const { trip, base, calls } = this.runAt(day, run)
    let best = NEVER
    for (let to = from + 1; to < calls.stops.length; to++) {
      const seconds = base + calls.alights[to]
      if (!calls.canAlight[to] || seconds > this.arrives) continue
      best = Math.min(best, this.profile.onward(vehicles - 1, trip, calls.stops[to], seconds))
    }
    for (const next of this.seatsFrom(day, run)) best = Math.min(best, this.arrivalOf(next, vehicles))
    this.known.set(key, best)
    return best
  }

  private runAt(day: number, run: number) {
    const { day: trips, baseOf } = this.profile.days[day]
    const trip = trips.tripOf[run]
    return { trip, base: baseOf(run), calls: this.calls[trip] }
  }
}

/** The rides in the order in which they are ridden. */
function ridesOf({ feed, isMirrored }: QueryGround, { days }: Profile, legs: readonly Leg[]): PlainRide[] {
  const ordered = isMirrored ? legs.toReversed() : legs
  return ordered.map(({ day, run, from, to, isSeated }, at): PlainRide => {
    const { date, tripOf, shiftOf } = days[day].day
    const trip = feed.trips[tripOf[run]]
    const last = trip.stopIds.length - 1
    const [first, end] = isMirrored ? [last - to, last - from] : [from, to]
    const base = feed.zeroOf(date) + shiftOf[run]
    return {
      tripRef: refOf(date, trip, shiftOf[run]),
      stopIds: trip.stopIds.slice(first, end + 1),
      departs: base + trip.departures[first],
      arrives: base + trip.arrivals[end],
      // A backward search sets `isSeated` on the ride before the in-seat transfer, but `staysSeated` belongs to the
      // ride after it.
      staysSeated: isMirrored ? (ordered[at - 1]?.isSeated ?? false) : isSeated,
    }
  })
}
