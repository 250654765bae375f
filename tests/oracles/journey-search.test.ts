// Compares both searches of the journey oracle with an exhaustive search, for many queries to small random feeds. Fails
// if the oracle misses a journey, or returns a journey that does not exist.
import { expect, test } from 'bun:test'
import { type Dice, diceOf } from '../board-questions.ts'
import { bySize, SEED } from '../size.ts'
import type { JourneyFeed } from './journey-feed.ts'
import type { JourneyQuery } from './journey-ground.ts'
import { type JourneyOracle, type RatedJourney, readJourneyOracle } from './journey-oracle.ts'
import type { PlainEnd } from './journey-places.ts'
import { findUnrideable } from './journey-rides.ts'

const FEEDS = bySize({ quick: 40, ci: 200, full: 4000 })
const QUESTIONS = 12
const DATE = '20260302'
const ZERO = Date.parse('2026-03-02T00:00:00+01:00') / 1000
const MOST = 4
const MOST_WAYS = 8

/** Eight stops, some of them near each other. P and Q are platforms of one station. */
const STOPS = `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
A,,48.0,7.0,,
B,,48.001,7.0,,
C,,48.0005,7.0,,
D,,48.1,7.0,,
E,,48.103,7.0,,
S,,48.2,7.0,1,
P,,48.2,7.0,,S
Q,,48.2008,7.0,,S
G,,48.3,7.0,,
`
const IDS = ['A', 'B', 'C', 'D', 'E', 'P', 'Q', 'G']

/** Formats a time given in minutes after eight. All times are whole minutes, so many events happen at the same time. */
function time(minute: number): string {
  return `${String(8 + Math.floor(minute / 60))}:${String(minute % 60).padStart(2, '0')}:00`
}

/** A random feed that runs on one day. */
function randomFeed(dice: Dice): Record<string, string> {
  const trips = ['route_id,service_id,trip_id,block_id']
  const times = ['trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type']
  const frequencies = ['trip_id,start_time,end_time,headway_secs']
  const count = 3 + dice.below(9)
  const someType = () => (dice.below(9) === 0 ? 1 : 0)
  for (let trip = 0; trip < count; trip++) {
    trips.push(`${dice.pick(['r', 's'])},day,t${trip},${dice.below(2) === 0 ? `k${dice.below(2)}` : ''}`)
    let minute = dice.below(30)
    for (let call = 0; call < 2 + dice.below(3); call++) {
      const arrives = time(minute)
      if (dice.below(4) === 0) minute += dice.below(3)
      times.push(`t${trip},${arrives},${time(minute)},${dice.pick(IDS)},${call},${someType()},${someType()}`)
      minute += dice.below(6)
    }
    if (dice.below(6) === 0) frequencies.push(`t${trip},${time(dice.below(20))},${time(20 + dice.below(9))},420`)
  }
  const transfers = [
    'from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_route_id,from_trip_id,to_trip_id',
  ]
  const some = (values: readonly string[]) => (dice.below(3) === 0 ? dice.pick(values) : '')
  for (let rule = dice.below(8); rule > 0; rule--) {
    const named = [some(['r', 's']), some(['r', 's']), some(['t0', 't1', 't2']), some(['t0', 't1', 't2'])]
    const ends = [dice.pick([...IDS, 'S']), dice.pick([...IDS, 'S'])]
    const type = dice.below(6)
    if (type < 4) transfers.push([...ends, type, 60 * dice.below(5), ...named].join(','))
    else transfers.push(['', '', type, '', '', '', `t${dice.below(count)}`, `t${dice.below(count)}`].join(','))
  }
  return {
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,V,https://v.example,Europe/Paris\n',
    'stops.txt': STOPS,
    'routes.txt': 'route_id,route_short_name,route_type\nr,1,3\ns,2,0\n',
    'calendar_dates.txt': `service_id,date,exception_type\nday,${DATE},1\n`,
    'trips.txt': trips.join('\n'),
    'stop_times.txt': times.join('\n'),
    'frequencies.txt': frequencies.join('\n'),
    'transfers.txt': transfers.join('\n'),
  }
}

function randomEnd(dice: Dice): PlainEnd {
  const kind = dice.below(5)
  if (kind === 0) return { kind: 'area', id: 'S' }
  if (kind === 1) return { kind: 'point', lat: 48 + dice.below(4) / 10 + dice.below(30) / 10_000, lon: 7 }
  return { kind: 'stop', id: dice.pick(IDS) ?? '' }
}

/** A run: its trip, its number among the runs of the day, and the zero of its times, in seconds after 1970. */
interface FoundRun {
  readonly trip: number
  readonly run: number
  readonly base: number
}

/** Every journey with up to MOST vehicles on a day, found by trying everything. */
function listAllJourneys(feed: JourneyFeed, query: JourneyQuery): RatedJourney[] {
  const [day] = feed.daysWithin(ZERO, ZERO + 86_399, false)
  const runs: FoundRun[] = [...(day?.tripOf ?? [])].map((trip, run) => ({
    trip,
    run,
    base: ZERO + (day?.shiftOf[run] ?? 0),
  }))
  const access = feed.places.reach(query.from, query.maxWalkMeters, 'into')
  const egress = feed.places.reach(query.to, query.maxWalkMeters, 'out')
  const found: RatedJourney[] = []
  const isAllowed = (trip: number) => query.modes?.includes(feed.modeOfTrip[trip]) ?? true
  const ride = (at: FoundRun, from: number, departs: number, vehicles: number, seatsOf: readonly number[] = []) => {
    const trip = feed.trips[at.trip]
    const stops = feed.stopsOfTrip[at.trip]
    for (let call = from + 1; call < stops.length; call++) {
      if (trip.noDropOff[call]) continue
      const arrives = at.base + trip.arrivals[call]
      if (egress[stops[call]] >= 0) found.push({ departs, arrives: arrives + egress[stops[call]], vehicles })
      if (vehicles === MOST) continue
      board(departs, vehicles + 1, (stop, next, leaves) => {
        const change = feed.changes.between({ stop: stops[call], trip }, { stop, trip: feed.trips[next] })
        return change !== undefined && arrives + change <= leaves
      })
    }
    for (const next of day?.next.get(at.run) ?? []) {
      // `seatsOf` prevents endless recursion: trips that take no time can lead into each other in a circle.
      if (!isAllowed(runs[next].trip) || seatsOf.includes(next)) continue
      ride(runs[next], 0, departs, vehicles, [...seatsOf, next])
    }
  }
  const board = (
    departs: number | undefined,
    vehicles: number,
    isInTime: (stop: number, trip: number, leaves: number) => boolean,
  ) => {
    for (const at of runs) {
      if (!isAllowed(at.trip)) continue
      const trip = feed.trips[at.trip]
      for (const [call, stop] of feed.stopsOfTrip[at.trip].slice(0, -1).entries()) {
        const leaves = at.base + trip.departures[call]
        if (trip.noPickup[call] || !isInTime(stop, at.trip, leaves)) continue
        ride(at, call, departs ?? leaves - access[stop], vehicles)
      }
    }
  }
  board(undefined, 1, (stop) => access[stop] >= 0)
  return found
}

/** The journeys that no other journey beats. Compares each pair of journeys. */
function bestOf(journeys: readonly RatedJourney[]): RatedJourney[] {
  const isAsGood = (a: RatedJourney, b: RatedJourney) =>
    a.departs >= b.departs && a.arrives <= b.arrives && a.vehicles <= b.vehicles
  const best: RatedJourney[] = []
  for (const journey of journeys) {
    if (best.some((other) => isAsGood(other, journey))) continue
    best.splice(0, best.length, ...best.filter((other) => !isAsGood(journey, other)), journey)
  }
  return best.sort((a, b) => a.departs - b.departs || a.vehicles - b.vehicles)
}

/** The first fault in the answers to a query; undefined if there is none. */
function findFault(oracle: JourneyOracle, query: JourneyQuery, dice: Dice): string | undefined {
  const all = bestOf(listAllJourneys(oracle.feed, query))
  const few = { ...query, mostVehicles: MOST }
  const late = { ...few, seconds: ZERO + 86_399 }
  const sets = [few, { ...late, isArriveBy: true }].map((each) =>
    JSON.stringify(oracle.paretoSet(each).filter(({ vehicles }) => vehicles <= MOST)),
  )
  if (sets.some((set) => set !== JSON.stringify(all))) return `${sets.join(' ')} is not ${JSON.stringify(all)}`
  for (let vehicles = 1; vehicles <= MOST; vehicles++) {
    const seconds = ZERO + 8 * 3600 + dice.below(3600)
    const could = all.filter((journey) => journey.vehicles <= vehicles)
    const arrivals = could.filter(({ departs }) => departs >= seconds).map(({ arrives }) => arrives)
    const departures = could.filter(({ arrives }) => arrives <= seconds).map(({ departs }) => departs)
    for (const isArriveBy of [false, true]) {
      const requested = { ...query, seconds, isArriveBy, mostVehicles: vehicles }
      const journey = oracle.best(requested)
      const is = isArriveBy ? journey?.departs : journey?.arrives
      const expected = isArriveBy ? departures.sort((a, b) => b - a)[0] : arrivals.sort((a, b) => a - b)[0]
      if (is !== expected) return `${isArriveBy ? 'departs' : 'arrives'} ${is}, not ${expected}`
      const fault = journey === undefined ? undefined : findUnrideable(oracle.feed, requested, journey)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

/**
 * The first fault in the rides of the journeys for a query; undefined if there is none. Each journey must have rides.
 * These rides must be valid and use the stated number of vehicles.
 */
function findWayFault(oracle: JourneyOracle, query: JourneyQuery): string | undefined {
  for (const { ways, departs, arrives, vehicles } of oracle.riddenSet(query)) {
    const some = Iterator.from(ways()).take(MOST_WAYS).toArray()
    if (some.length === 0) return `no way from ${departs} to ${arrives} by ${vehicles}`
    for (const way of some) {
      const boarded = way.rides.filter(({ staysSeated }) => !staysSeated).length
      const isAsRated = way.departs === departs && way.arrives === arrives && boarded === vehicles
      const fault = isAsRated ? findUnrideable(oracle.feed, query, way) : `not ${vehicles} vehicles`
      if (fault !== undefined) return `${fault}: ${JSON.stringify(way)}`
    }
  }
  return undefined
}

test(`both searches find the same journeys as trying all of them (seed ${SEED})`, async () => {
  const dice = diceOf(SEED)
  let found = 0
  for (let number = 0; number < FEEDS; number++) {
    const files = randomFeed(dice)
    const oracle = await readJourneyOracle(files)
    for (let requested = 0; requested < QUESTIONS; requested++) {
      const query: JourneyQuery = {
        from: randomEnd(dice),
        to: randomEnd(dice),
        seconds: ZERO,
        isArriveBy: false,
        maxWalkMeters: dice.below(3) * 100,
        modes: dice.below(5) === 0 ? ['bus'] : undefined,
        followedSeconds: 0,
      }
      const late = { ...query, seconds: ZERO + 86_399, isArriveBy: true }
      const fault = findFault(oracle, query, dice) ?? findWayFault(oracle, query) ?? findWayFault(oracle, late)
      if (fault !== undefined) throw new Error(`${fault}\n${JSON.stringify(query)}\n${JSON.stringify(files)}`)
      found += oracle.paretoSet(query).length
    }
  }
  expect(found).toBeGreaterThan(FEEDS)
})
