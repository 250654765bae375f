// Lists the hops and the in-seat transfers of a service day. A hop is a ride from one call to the next. The hops are
// sorted by departure for a connection scan. Part of the journey oracle.
import type { JourneyFeed } from './journey-feed.ts'
import { straightMeters } from './journey-places.ts'
import type { ForcedSeat } from './journey-rules.ts'
import type { CleanTrip } from './text-trips.ts'

const SEATED_METERS = 100
const SEATED_SECONDS = 600

/** The runs of one service day. */
export interface DayTrips {
  readonly date: string
  /** Run → its trip's number. */
  readonly tripOf: Int32Array
  /** Run → the seconds to add to the times of its trip in stop_times.txt; 0 except for frequency runs. */
  readonly shiftOf: Int32Array
  /** Run → the runs on which riders may continue without alighting. */
  readonly next: ReadonlyMap<number, readonly number[]>
}

/** The hops of all runs on one service day, as columns sorted by departure. Hops of the same trip keep their order. */
export interface DayRuns extends DayTrips {
  readonly count: number
  /** Seconds after 1970. */
  readonly departs: Int32Array
  readonly arrives: Int32Array
  readonly from: Int32Array
  readonly to: Int32Array
  readonly run: Int32Array
  /** The index, in the cleaned trip, of the call at which the hop starts. */
  readonly call: Int32Array
  readonly canBoard: Uint8Array
  readonly canAlight: Uint8Array
  /** Whether the hop is the last of its trip in the direction of the search. */
  readonly isEnd: Uint8Array
}

/** Lists the runs of a service day, yyyymmdd. */
export function listRuns(feed: JourneyFeed, date: string): DayTrips {
  const trips: number[] = []
  const shifts: number[] = []
  const runOfTrip = new Map<number, number>()
  for (const [number, trip] of feed.trips.entries()) {
    if (!feed.calendar.runs(trip.serviceId, date)) continue
    if (!trip.hasFrequencies && !feed.live?.isReplaced(number, date, 0)) runOfTrip.set(number, trips.length)
    for (const shift of shiftsOf(trip)) {
      if (feed.live?.isReplaced(number, date, shift)) continue
      trips.push(number)
      shifts.push(shift)
    }
  }
  return {
    date,
    tripOf: Int32Array.from(trips),
    shiftOf: Int32Array.from(shifts),
    next: feed.live?.seatsOn(date, runOfTrip) ?? seatsOf(feed, date, runOfTrip),
  }
}

/** Lists the hops of a day's runs, sorted by departure. */
export function layDay(feed: JourneyFeed, day: DayTrips): DayRuns {
  const { tripOf, shiftOf } = day
  const zero = feed.zeroOf(day.date)
  const hops = columnsOf(tripOf.reduce((sum, number) => sum + feed.trips[number].stopIds.length - 1, 0))
  let at = 0
  for (let run = 0; run < tripOf.length; run++) {
    const { departures, arrivals, noPickup, noDropOff } = feed.trips[tripOf[run]]
    const stops = feed.stopsOfTrip[tripOf[run]]
    const base = zero + shiftOf[run]
    for (let call = 0; call < stops.length - 1; call++, at++) {
      hops.departs[at] = base + departures[call]
      hops.arrives[at] = base + arrivals[call + 1]
      hops.from[at] = stops[call]
      hops.to[at] = stops[call + 1]
      hops.run[at] = run
      hops.call[at] = call
      hops.canBoard[at] = noPickup[call] ? 0 : 1
      hops.canAlight[at] = noDropOff[call + 1] ? 0 : 1
      hops.isEnd[at] = call === stops.length - 2 ? 1 : 0
    }
  }
  return { ...day, ...inOrder(hops, orderOf(hops.departs)) }
}

/** The same day with time reversed: arrivals are departures, and a trip begins where it ended. */
export function mirrorDay(day: DayRuns): DayRuns {
  const negative = (column: Int32Array) => column.map((value) => -value).reverse()
  const isEnd = day.call.map((call) => (call === 0 ? 1 : 0))
  // The columns are reversed before they are sorted, so that hops of one trip at the same time are in reverse order.
  const hops = {
    count: day.count,
    departs: negative(day.arrives),
    arrives: negative(day.departs),
    from: day.to.toReversed(),
    to: day.from.toReversed(),
    run: day.run.toReversed(),
    call: day.call.toReversed(),
    canBoard: day.canAlight.toReversed(),
    canAlight: day.canBoard.toReversed(),
    isEnd: Uint8Array.from(isEnd).reverse(),
  }
  return { ...mirrorRuns(day), ...inOrder(hops, orderOf(hops.departs)) }
}

/**
 * The same runs with time reversed. In the result, `next` lists, for each run, the runs whose riders may continue on it
 * without alighting.
 */
export function mirrorRuns({ date, tripOf, shiftOf, next }: DayTrips): DayTrips {
  const before = new Map<number, number[]>()
  for (const [run, others] of next) {
    for (const other of others) before.set(other, [...(before.get(other) ?? []), run])
  }
  return { date, tripOf, shiftOf, next: before }
}

/** The seconds to add to the times in stop_times.txt, for each run of a trip on a day. */
export function shiftsOf(trip: CleanTrip): readonly number[] {
  return trip.hasFrequencies ? trip.starts.map((start) => start - trip.departures[0]) : [0]
}

type Hops = Omit<DayRuns, keyof DayTrips>

function columnsOf(count: number): Hops {
  const [departs, arrives, from, to, run, call] = Array.from({ length: 6 }, () => new Int32Array(count))
  const [canBoard, canAlight, isEnd] = Array.from({ length: 3 }, () => new Uint8Array(count))
  return { count, departs, arrives, from, to, run, call, canBoard, canAlight, isEnd }
}

/** The indexes of the values, in the order of the sorted values. Equal values keep their order. */
function orderOf(values: Int32Array): Int32Array {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    if (value < least) least = value
    if (value > most) most = value
  }
  if (values.length === 0) return new Int32Array(0)
  const start = new Int32Array(most - least + 2)
  for (const value of values) start[value - least + 1]++
  for (let at = 1; at < start.length; at++) start[at] += start[at - 1]
  const order = new Int32Array(values.length)
  for (let place = 0; place < values.length; place++) order[start[values[place] - least]++] = place
  return order
}

function inOrder(hops: Hops, order: Int32Array): Hops {
  const sorted = columnsOf(hops.count)
  const move = (from: Int32Array | Uint8Array, to: Int32Array | Uint8Array) => {
    for (let at = 0; at < order.length; at++) to[at] = from[order[at]]
  }
  for (const name of ['departs', 'arrives', 'from', 'to', 'run', 'call'] as const) move(hops[name], sorted[name])
  for (const name of ['canBoard', 'canAlight', 'isEnd'] as const) move(hops[name], sorted[name])
  return sorted
}

/** Run → the runs of the same day on which riders may continue without alighting. Frequency runs are left out. */
function seatsOf(feed: JourneyFeed, date: string, runOfTrip: ReadonlyMap<number, number>): Map<number, number[]> {
  const next = new Map<number, number[]>()
  const join = (from: number, to: number | undefined) => {
    const [run, other] = [runOfTrip.get(from), to === undefined ? undefined : runOfTrip.get(to)]
    if (run === undefined || other === undefined || to === undefined || run === other) return
    if (waitOf(feed.trips[from], feed.trips[to]) >= 0) next.set(run, [...(next.get(run) ?? []), other])
  }
  const blocks = new Map<string, number[]>()
  for (const number of runOfTrip.keys()) {
    const trip = feed.trips[number]
    for (const seat of feed.changes.forced.get(trip.id) ?? []) {
      const to = feed.numberOfTrip.get(seat.tripId)
      if (to !== undefined && isOfEnds(feed, seat, number, to)) join(number, to)
    }
    if (trip.blockId === '' || !feed.hasSoundBlock(number, date)) continue
    blocks.set(trip.blockId, [...(blocks.get(trip.blockId) ?? []), number])
  }
  const leaves = (number: number) => feed.trips[number].departures[0]
  const ends = (number: number) => feed.trips[number].arrivals.at(-1) ?? 0
  for (const trips of blocks.values()) {
    trips.sort((a, b) => leaves(a) - leaves(b) || ends(a) - ends(b) || a - b)
    for (const [rank, from] of trips.slice(0, -1).entries()) {
      const to = trips[rank + 1]
      const wait = waitOf(feed.trips[from], feed.trips[to])
      if (wait > SEATED_SECONDS || feed.changes.seated(feed.trips[from].id, feed.trips[to].id) !== undefined) continue
      const [end = 0, start] = [feed.stopsOfTrip[from].at(-1), feed.stopsOfTrip[to][0]]
      if (straightMeters(feed.places.points[end], feed.places.points[start]) <= SEATED_METERS) join(from, to)
    }
  }
  return next
}

/**
 * Whether a rule that lets riders stay seated applies from the last stop of one trip to the first stop of another. The
 * rule applies if these two stops are close together, or if the stops that the rule names are close to these two. If
 * the rule names no stop for a trip, any stop of that trip is allowed.
 */
function isOfEnds(feed: JourneyFeed, { fromStops, toStops }: ForcedSeat, from: number, to: number): boolean {
  const { stopsOfTrip, places } = feed
  const [end = 0, start] = [stopsOfTrip[from].at(-1), stopsOfTrip[to][0]]
  const isNear = (one: number, other: number) =>
    straightMeters(places.points[one], places.points[other]) <= SEATED_METERS
  const names = (stops: readonly number[], at: number) => stops.length === 0 || stops.some((stop) => isNear(stop, at))
  return isNear(end, start) || (names(fromStops, end) && names(toStops, start))
}

function waitOf(from: CleanTrip, to: CleanTrip): number {
  return to.departures[0] - (from.arrivals.at(-1) ?? 0)
}
