// Computes transfer times between two trips from walks and from transfers.txt, rule by rule. Part of the journey
// oracle.
import { eachRow, type FeedText } from './feed-text.ts'
import { type JourneyPlaces, metersWalked, pairsWithin, secondsWalked } from './journey-places.ts'
import type { CleanTrip } from './text-trips.ts'

/** The longest walk for a transfer, unless the feed itself connects the stops. */
const LINK_METERS = 500
/** Seconds for a transfer in addition to the walk. */
const SLACK_SECONDS = 60
/**
 * The weights of a trip and a route that a rule names. The weight of a rule is the sum of the weights of its `from` and
 * `to` sides. On a side with a trip, the route does not count. The sums give the order that GTFS requires: two trips, a
 * trip and a route, one trip, two routes, one route, none.
 */
const TRIP_WEIGHT = 12
const ROUTE_WEIGHT = 5

/** The minimum time for a transfer to a stop, whatever the trips are. */
export interface PlainChange {
  readonly stop: number
  readonly seconds: number
}

/** The transfers of a feed. */
export interface ChangeTimes {
  /** Alighting stop → the transfers to other stops and at the same stop. Leaves out those that depend on the trips. */
  readonly from: readonly (readonly PlainChange[])[]
  /** The inverse of `from`: boarding stop → the same transfers. Here, `stop` is where riders alight. */
  readonly to: readonly (readonly PlainChange[])[]
  /** Alighting stop → the boarding stops for which the transfer depends on the trips. */
  readonly specialFrom: readonly (readonly number[])[]
  /** Boarding stop → the alighting stops for which the transfer depends on the trips. */
  readonly specialTo: readonly (readonly number[])[]
  /** Minimum seconds from alighting to boarding; undefined if the transfer is not possible. */
  between(alight: ChangeEnd, board: ChangeEnd): number | undefined
  /**
   * The transfer_type by which the feed allows (4) or forbids (5) staying seated from one trip to another; undefined if
   * it has no such rule.
   */
  seated(fromTripId: string, toTripId: string): 4 | 5 | undefined
  /** Trip → the trips into which the feed lets riders stay seated. */
  readonly forced: ReadonlyMap<string, readonly ForcedSeat[]>
}

/**
 * A trip into which a rule lets riders stay seated. The stops are those that the rule names for the end of the first
 * trip and the start of the second. Each list is empty if the rule names no stop there.
 */
export interface ForcedSeat {
  readonly tripId: string
  readonly fromStops: readonly number[]
  readonly toStops: readonly number[]
}

/** A stop and the trip that riders leave or board there. */
export interface ChangeEnd {
  readonly stop: number
  readonly trip: Pick<CleanTrip, 'id' | 'route'>
}

interface Rule {
  readonly type: number
  /** Undefined if the row has no min_transfer_time. */
  readonly minSeconds: number | undefined
  readonly routes: readonly [from: string, to: string]
  readonly trips: readonly [from: string, to: string]
  /**
   * If several rules match a transfer, the rule with the highest weight applies. Among rules of equal weight, the rule
   * that names the fewest stations applies, and among these, the rule in the first row.
   */
  readonly weight: number
  readonly stationCount: number
  readonly row: number
}

/** Reads transfers.txt and computes all transfers. */
export async function readChanges(feed: FeedText, places: JourneyPlaces): Promise<ChangeTimes> {
  const rules = new Map<string, Rule[]>()
  const seats = new Map<string, 4 | 5>()
  const forced = new Map<string, ForcedSeat[]>()
  let row = 0
  const columns = ['from_stop_id', 'to_stop_id', 'from_route_id', 'to_route_id', 'from_trip_id', 'to_trip_id']
  await eachRow(feed, 'transfers.txt', [...columns, 'transfer_type', 'min_transfer_time'], (values) => {
    const [fromStop = '', toStop = '', fromRoute = '', toRoute = '', fromTrip = '', toTrip = '', type = '', min = ''] =
      values
    row++
    if (type === '4' || type === '5') {
      if (fromTrip === '' || toTrip === '') return
      const pair = JSON.stringify([fromTrip, toTrip])
      const kind = type === '4' ? 4 : 5
      seats.set(pair, kind)
      const named = (id: string) => {
        const place = places.placeOf(id)
        return place === undefined ? [] : stopsOf(place, places)
      }
      const seat = { tripId: toTrip, fromStops: named(fromStop), toStops: named(toStop) }
      if (kind === 4) forced.set(fromTrip, [...(forced.get(fromTrip) ?? []), seat])
      return
    }
    if (!['', '0', '1', '2', '3'].includes(type)) return
    const [from, to] = [places.placeOf(fromStop), places.placeOf(toStop)]
    if (from === undefined || to === undefined) return
    const weightOf = (trip: string, route: string) => (trip !== '' ? TRIP_WEIGHT : route !== '' ? ROUTE_WEIGHT : 0)
    const rule: Rule = {
      type: Number(type),
      minSeconds: /^\d+$/.test(min) ? Number(min) : undefined,
      routes: [fromRoute, toRoute],
      trips: [fromTrip, toTrip],
      weight: weightOf(fromTrip, fromRoute) + weightOf(toTrip, toRoute),
      stationCount: Number(typeof from === 'string') + Number(typeof to === 'string'),
      row,
    }
    for (const start of stopsOf(from, places)) {
      for (const end of stopsOf(to, places)) {
        const pair = `${start} ${end}`
        rules.set(pair, [...(rules.get(pair) ?? []), rule])
      }
    }
  })
  for (const list of rules.values()) {
    list.sort((a, b) => b.weight - a.weight || a.stationCount - b.stationCount || a.row - b.row)
  }
  return { ...spread(rules, places), forced, seated: (from, to) => seats.get(JSON.stringify([from, to])) }
}

/** A stop itself, or the stops of a station. */
function stopsOf(place: number | string, places: JourneyPlaces): number[] {
  if (typeof place === 'number') return [place]
  return places.parents.flatMap((parent, stop) => (parent === place ? [stop] : []))
}

function spread(
  rules: ReadonlyMap<string, readonly Rule[]>,
  places: JourneyPlaces,
): Omit<ChangeTimes, 'seated' | 'forced'> {
  const lists = <T>(): T[][] => places.ids.map(() => [])
  const [from, to] = [lists<PlainChange>(), lists<PlainChange>()]
  const [specialFrom, specialTo] = [lists<number>(), lists<number>()]
  const add = (start: number, end: number, seconds: number) => {
    from[start].push({ stop: end, seconds })
    to[end].push({ stop: start, seconds })
  }
  const meet = (start: number, end: number) => {
    const seconds = rules.has(`${start} ${end}`) ? undefined : secondsOf(undefined, start, end, places)
    if (seconds !== undefined) add(start, end, seconds)
  }
  for (let stop = 0; stop < places.ids.length; stop++) meet(stop, stop)
  pairsWithin(places.points, LINK_METERS, meet)
  // Pathways inside a station may connect stops that are farther apart than LINK_METERS.
  for (const [start, ways] of places.ways.between) {
    for (const end of ways.keys()) {
      const [one, other] = [places.numberOf.get(start) ?? -1, places.numberOf.get(end) ?? -1]
      if (metersWalked(places.points[one], places.points[other]) > LINK_METERS) meet(one, other)
    }
  }
  for (const [pair, list] of rules) {
    const [start = 0, end = 0] = pair.split(' ').map(Number)
    if (list.some(({ weight }) => weight > 0)) {
      specialFrom[start].push(end)
      specialTo[end].push(start)
      continue
    }
    const seconds = secondsOf(list[0], start, end, places)
    if (seconds !== undefined) add(start, end, seconds)
  }
  const between = (alight: ChangeEnd, board: ChangeEnd) => {
    const rule = rules.get(`${alight.stop} ${board.stop}`)?.find((each) => holdsFor(each, alight.trip, board.trip))
    return secondsOf(rule, alight.stop, board.stop, places)
  }
  return { from, to, specialFrom, specialTo, between }
}

function holdsFor({ routes, trips }: Rule, from: ChangeEnd['trip'], to: ChangeEnd['trip']): boolean {
  const agrees = (named: string, is: string) => named === '' || named === is
  const [fromTrip, toTrip] = trips
  const [fromRoute, toRoute] = routes
  const areTrips = agrees(fromTrip, from.id) && agrees(toTrip, to.id)
  return areTrips && agrees(fromRoute, from.route.id) && agrees(toRoute, to.route.id)
}

/** Whether one of the stops has entrances, but none that the rider can use. */
function isShut({ ways, ids }: JourneyPlaces, from: number, to: number): boolean {
  return [ways.out.get(ids[from]), ways.into.get(ids[to])].some(
    (doors = []) => doors.length > 0 && doors.every(({ seconds }) => seconds === Infinity),
  )
}

/** Seconds for a transfer between two stops, with or without a rule; undefined if the transfer is not possible. */
function secondsOf(rule: Rule | undefined, from: number, to: number, places: JourneyPlaces): number | undefined {
  const meters = from === to ? 0 : metersWalked(places.points[from], places.points[to])
  const inside = places.ways.between.get(places.ids[from])?.get(places.ids[to])
  if (inside === Infinity) return undefined
  if (from !== to && inside === undefined && isShut(places, from, to)) return undefined
  const walk = inside ?? secondsWalked(meters)
  if (rule?.type === 3) return undefined
  if (rule?.type === 1) return walk
  // Type 2 without a minimum time has no effect.
  if (rule?.type === 2 && rule.minSeconds !== undefined) return rule.minSeconds
  return inside !== undefined || meters <= LINK_METERS ? walk + SLACK_SECONDS : undefined
}
