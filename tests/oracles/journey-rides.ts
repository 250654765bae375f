// Turns the journeys that journey-scan.ts finds into lists of rides. Checks any journey, ride by ride, against the text
// of the feed. Part of the journey oracle.
import { shiftsOf } from './journey-days.ts'
import type { JourneyFeed } from './journey-feed.ts'
import { type Hop, type JourneyQuery, MOST_VEHICLES, type SearchGround } from './journey-ground.ts'
import type { Alighted } from './journey-scan.ts'
import type { CleanTrip } from './text-trips.ts'

const DAY_SECONDS = 86_400

/** A ride. Instants are seconds after 1970. */
export interface PlainRide {
  /** `<yyyymmdd>:<trip_id>`, followed by `@HH:MM:SS` for a frequency run. */
  readonly tripRef: string
  /** The feed's stop ids, from boarding to alighting, both inclusive. */
  readonly stopIds: readonly string[]
  readonly departs: number
  readonly arrives: number
  /** Whether the rider stays seated after the previous ride. */
  readonly staysSeated: boolean
}

/**
 * A journey. If a ride does not start at the stop at which the previous ride ends, the rider walks from one stop to the
 * other.
 */
export interface PlainJourney {
  readonly departs: number
  readonly arrives: number
  readonly rides: readonly PlainRide[]
}

/**
 * The rides of a journey that the scan found, in order of travel.
 * @param last the last ride in the direction of the search
 */
export function ridesOf(ground: SearchGround, last: Alighted): PlainRide[] {
  const rides: (Omit<PlainRide, 'staysSeated'> & { readonly isSeated: boolean })[] = []
  for (let label: Alighted | undefined = last; label !== undefined; label = label.boarded.before) {
    rides.push({ ...rideOf(ground, label), isSeated: label.boarded.isSeated })
  }
  if (!ground.isMirrored) return rides.reverse().map(({ isSeated, ...ride }) => ({ ...ride, staysSeated: isSeated }))
  // A backward search sets `isSeated` on the ride before the in-seat transfer, but `staysSeated` belongs to the ride
  // after it.
  return rides.map(({ isSeated: _, ...ride }, at) => ({ ...ride, staysSeated: rides[at - 1]?.isSeated ?? false }))
}

function rideOf({ feed, days, isMirrored }: SearchGround, { hop, boarded }: Alighted): Omit<PlainRide, 'staysSeated'> {
  const day = days[hop.day]
  const run = day.run[hop.at]
  const trip = feed.trips[day.tripOf[run]]
  const callOf = ({ day: place, at }: Hop) => days[place].call[at]
  const boardedCall = boarded.isSeated ? undefined : callOf(boarded.hop)
  const first = isMirrored ? callOf(hop) : (boardedCall ?? 0)
  const end = isMirrored ? (boardedCall ?? trip.stopIds.length - 2) + 1 : callOf(hop) + 1
  const base = feed.zeroOf(day.date) + day.shiftOf[run]
  return {
    tripRef: refOf(day.date, trip, day.shiftOf[run]),
    stopIds: trip.stopIds.slice(first, end + 1),
    departs: base + trip.departures[first],
    arrives: base + trip.arrivals[end],
  }
}

/** The oracle's reference for a run. */
export function refOf(date: string, trip: CleanTrip, shift: number): string {
  return `${date}:${trip.id}${trip.hasFrequencies ? `@${clockText(trip.departures[0] + shift)}` : ''}`
}

function clockText(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`
}

/** A ride found in the feed: its trip, and the indexes of the calls at which the rider boards and alights. */
export interface FoundRide {
  readonly ride: PlainRide
  readonly date: string
  readonly trip: number
  readonly first: number
  readonly end: number
}

/** Why a journey can't be ridden as stated, or does not answer its query; undefined if it is valid. */
export function findUnrideable(feed: JourneyFeed, query: JourneyQuery, journey: PlainJourney): string | undefined {
  const places: (readonly FoundRide[])[] = []
  for (const ride of journey.rides) {
    const found = findRides(feed, ride)
    if (typeof found === 'string') return found
    if (found.some(({ trip }) => query.modes?.includes(feed.modeOfTrip[trip]) === false))
      return `${ride.tripRef} has no requested mode`
    places.push(found)
  }
  if (journey.rides.filter((ride) => !ride.staysSeated).length > MOST_VEHICLES)
    return `more than ${MOST_VEHICLES} vehicles`
  if (journey.rides[0]?.staysSeated) return 'the first ride cannot follow another ride'
  if (places.length === 0) return 'no ride at all'
  return findFaultFrom(places, [], (chain) => {
    const [before, last] = chain.slice(-2)
    const fault = before === undefined || last === undefined ? undefined : checkChange(feed, before, last)
    return fault ?? (chain.length === places.length ? checkEnds(feed, query, journey, chain) : undefined)
  })
}

/**
 * A ride can fit several places in its trip. Tries all combinations of these places. Returns undefined if one
 * combination has no fault; otherwise, the first fault.
 */
function findFaultFrom(
  places: readonly (readonly FoundRide[])[],
  chosen: readonly FoundRide[],
  faultOf: (chain: readonly FoundRide[]) => string | undefined,
): string | undefined {
  let first: string | undefined
  for (const one of places[chosen.length] ?? []) {
    const chain = [...chosen, one]
    const fault = faultOf(chain) ?? (chain.length < places.length ? findFaultFrom(places, chain, faultOf) : undefined)
    if (fault === undefined) return undefined
    first ??= fault
  }
  return first
}

/**
 * Whether the rider alights at a stop or station, rides away and back, and boards there too early: the minimum time for
 * a transfer has not yet passed since the first alighting.
 */
export function dodgesChange(feed: JourneyFeed, { rides }: PlainJourney): boolean {
  const found = rides.flatMap((ride) => {
    const places = findRides(feed, ride)
    return typeof places === 'string' ? [] : places.slice(0, 1)
  })
  return found.some((to, rank) => {
    if (to.ride.staysSeated) return false
    const board = { stop: feed.stopsOfTrip[to.trip][to.first], trip: feed.trips[to.trip] }
    return found.slice(0, Math.max(0, rank - 1)).some((from) => {
      const alight = { stop: feed.stopsOfTrip[from.trip][from.end], trip: feed.trips[from.trip] }
      const [one, other] = [feed.places.parents[alight.stop], feed.places.parents[board.stop]]
      if (alight.stop !== board.stop && (one === '' || one !== other)) return false
      const seconds = feed.changes.between(alight, board)
      return seconds !== undefined && to.ride.departs - from.ride.arrives < seconds
    })
  })
}

/**
 * The calls of a ride in its trip, or the reason why the trip has no such calls. Several results are possible if the
 * trip calls at the same stops twice within a second.
 */
export function findRides(feed: JourneyFeed, ride: PlainRide): FoundRide[] | string {
  const date = ride.tripRef.slice(0, 8)
  const name = ride.tripRef.slice(9)
  const live = feed.live && feed.numberOfTrip.get(ride.tripRef)
  const number = live ?? feed.numberOfTrip.get(name) ?? feed.numberOfTrip.get(name.replace(/@\d+:\d\d:\d\d$/, ''))
  if (number === undefined) return `${ride.tripRef} is not a trip of the feed`
  const trip = feed.trips[number]
  if (!feed.calendar.runs(trip.serviceId, date)) return `${ride.tripRef} does not run on that day`
  const shift = shiftsOf(trip).find((each) => refOf(date, trip, each) === ride.tripRef)
  if (shift === undefined) return `${ride.tripRef} is not a run of its trip`
  if (feed.live?.isReplaced(number, date, shift)) return `${ride.tripRef} does not run as planned`
  const base = feed.zeroOf(date) + shift
  const length = ride.stopIds.length
  if (length < 2) return `${ride.tripRef} has fewer than two stops`
  const found: FoundRide[] = []
  for (let first = 0; first + length <= trip.stopIds.length; first++) {
    const end = first + length - 1
    const isThere = ride.stopIds.every((id, at) => trip.stopIds[first + at] === id)
    const isThen = base + trip.departures[first] === ride.departs && base + trip.arrivals[end] === ride.arrives
    if (isThere && isThen) found.push({ ride, date, trip: number, first, end })
  }
  if (found.length > 0) return found
  return `${ride.tripRef} does not call at ${ride.stopIds.join(', ')} from ${ride.departs} to ${ride.arrives}`
}

function checkChange(feed: JourneyFeed, from: FoundRide, to: FoundRide): string | undefined {
  const what = `${from.ride.tripRef} to ${to.ride.tripRef}`
  const [before, after] = [feed.trips[from.trip], feed.trips[to.trip]]
  if (to.ride.staysSeated) {
    if (to.first !== 0 || from.end !== before.stopIds.length - 1)
      return `${what}: riders cannot stay seated in the middle of a trip`
    return canStaySeated(feed, from, to) ? undefined : `${what}: staying seated is not allowed`
  }
  if (before.noDropOff[from.end]) return `${from.ride.tripRef} does not allow alighting at ${from.ride.stopIds.at(-1)}`
  if (after.noPickup[to.first]) return `${to.ride.tripRef} does not allow boarding at ${to.ride.stopIds[0]}`
  const seconds = feed.changes.between(
    { stop: feed.stopsOfTrip[from.trip][from.end], trip: before },
    { stop: feed.stopsOfTrip[to.trip][to.first], trip: after },
  )
  const left = to.ride.departs - from.ride.arrives
  if (seconds === undefined) return `${what}: no change is possible`
  return left < seconds ? `${what}: ${left} s to change, ${seconds} s needed` : undefined
}

function canStaySeated(feed: JourneyFeed, from: FoundRide, to: FoundRide): boolean {
  if (from.date !== to.date) return false
  const zero = feed.zeroOf(from.date)
  const [day] = feed.runsWithin(zero, zero, false).filter(({ date }) => date === from.date)
  const run = day?.tripOf.indexOf(from.trip) ?? -1
  return (day?.next.get(run) ?? []).some((next) => day?.tripOf[next] === to.trip)
}

/** Checks the walks at both ends, the window of the query, and whether boarding and alighting are allowed. */
function checkEnds(
  feed: JourneyFeed,
  query: JourneyQuery,
  { departs, arrives }: PlainJourney,
  chain: readonly FoundRide[],
): string | undefined {
  const [start, end] = [chain[0], chain.at(-1)]
  if (start === undefined || end === undefined) return 'no ride at all'
  const [first, last] = [start.ride, end.ride]
  if (feed.trips[start.trip].noPickup[start.first])
    return `${first.tripRef} does not allow boarding at ${first.stopIds[0]}`
  if (feed.trips[end.trip].noDropOff[end.end])
    return `${last.tripRef} does not allow alighting at ${last.stopIds.at(-1)}`
  const access = feed.places.reach(query.from, query.maxWalkMeters, 'into')[feed.stopsOfTrip[start.trip][start.first]]
  const egress = feed.places.reach(query.to, query.maxWalkMeters, 'out')[feed.stopsOfTrip[end.trip][end.end]]
  if (access < 0 || egress < 0) return 'too far to walk'
  if (first.departs - departs !== access)
    return `the walk to the first stop takes ${access} s, not ${first.departs - departs}`
  if (arrives - last.arrives !== egress)
    return `the walk from the last stop takes ${egress} s, not ${arrives - last.arrives}`
  const late = query.isArriveBy ? query.seconds - arrives : departs - query.seconds
  return late >= 0 && late < DAY_SECONDS ? undefined : `${late} s from the requested time`
}
