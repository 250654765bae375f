// All journeys of a small network by trying every vehicle from every change: the dumbest right answer. Shares no code with
// the planner. A change is allowed if nothing since an earlier alighting in the same place was quicker than the change there.
import {
  FIRST_ZERO_SECONDS,
  type PlainCall,
  type PlainChange,
  type PlainNetwork,
  type PlainRule,
  type PlainTrip,
} from '../indexes/journeys/random-network.ts'

/** Instants are seconds after 1970. */
export interface PlainJourney {
  readonly leaves: number
  readonly arrives: number
  readonly vehicles: number
}

/** A trip on a day, or a run of it. */
export interface PlainInstance {
  /** Undefined for one that is not of the timetable. */
  readonly trip: PlainTrip | undefined
  readonly line: string
  readonly calls: readonly PlainCall[]
  readonly day: number
  readonly run: number | undefined
  readonly arrivals: readonly number[]
  readonly departures: readonly number[]
}

const MAX_VEHICLES = 7
const DAY = 86_400
/** A journey that leaves at the end of the day asked for is followed so long. */
const FOLLOWED = 12 * 3600

/** A stop that was alighted at, from a trip. */
interface Alighting {
  readonly trip: PlainTrip
  readonly stop: number
  readonly at: number
}

/** All instances of the calendar. */
export function listInstances({ trips }: PlainNetwork): PlainInstance[] {
  return trips.flatMap((trip) =>
    trip.days.flatMap((day) =>
      (trip.runs ?? [undefined]).map((run): PlainInstance => {
        const shift = FIRST_ZERO_SECONDS + day * DAY + (run ?? 0)
        return {
          trip,
          line: trip.line,
          calls: trip.calls,
          day,
          run,
          arrivals: trip.calls.map(({ arrival }) => arrival + shift),
          departures: trip.calls.map(({ departure }) => departure + shift),
        }
      }),
    ),
  )
}

/** Seconds from alighting to boarding, at least; undefined where one cannot change. */
export function changeSeconds(
  { stops, rules }: PlainNetwork,
  from: { readonly trip: PlainTrip; readonly stop: number },
  to: { readonly trip: PlainTrip; readonly stop: number },
): number | undefined {
  const meters = from.stop === to.stop ? 0 : Math.round(straight(stops[from.stop], stops[to.stop]) * 1.3)
  const walk = Math.ceil(meters / 1.2)
  const names = (id: string, stop: number) => stops[stop]?.id === id || stops[stop]?.station === id
  const holding = rules.filter(
    (rule) =>
      rule.type <= 3 &&
      names(rule.from, from.stop) &&
      names(rule.to, to.stop) &&
      ['', from.trip.line].includes(rule.fromLine) &&
      ['', to.trip.line].includes(rule.toLine) &&
      ['', from.trip.id].includes(rule.fromTrip) &&
      ['', to.trip.id].includes(rule.toTrip),
  )
  const rule = holding.toSorted((a, b) => places(a) - places(b) || stations(a) - stations(b))[0]
  if (rule?.type === 3) return undefined
  if (rule?.type === 1) return walk
  if (rule?.type === 2 && rule.minSeconds !== undefined) return rule.minSeconds
  return meters <= 500 ? walk + 60 : undefined
}

/** How specific a rule is, as GTFS ranks them: two trips, a trip and a route, a trip, two routes, a route, stops alone. */
function places({ fromLine, toLine, fromTrip, toTrip }: PlainRule): number {
  const side = (trip: string, line: string) => (trip !== '' ? 't' : line !== '' ? 'r' : '')
  return ['tt', 'rt', 't', 'rr', 'r', ''].indexOf([side(fromTrip, fromLine), side(toTrip, toLine)].sort().join(''))
}

function stations({ from, to }: PlainRule): number {
  return Number(!from.startsWith('s')) + Number(!to.startsWith('s'))
}

interface Point {
  readonly lat: number
  readonly lon: number
}

/** Meters of the great circle; the stops lie on one meridian. */
function straight(from: Point | undefined, to: Point | undefined): number {
  if (from === undefined || to === undefined || from.lon !== to.lon) throw new Error('stops lie on one meridian')
  return (Math.abs(from.lat - to.lat) * Math.PI * 6_371_008.8) / 180
}

/** Whom one may stay seated into: the next trip of the block that day, or whom a rule names. */
export function followersOf(
  network: PlainNetwork,
  all: readonly PlainInstance[],
  from: PlainInstance,
): PlainInstance[] {
  if (from.trip.runs !== undefined) return []
  const sameDay = all.filter((each) => each.day === from.day && each.trip.runs === undefined && each !== from)
  const wait = (one: PlainInstance, other: PlainInstance) => other.departures[0]! - one.arrivals.at(-1)!
  const ruled = (to: PlainInstance) =>
    network.rules.findLast((rule) => rule.type >= 4 && rule.fromTrip === from.trip.id && rule.toTrip === to.trip.id)
      ?.type
  const forced = sameDay.filter((to) => ruled(to) === 4 && wait(from, to) >= 0)
  const block = all.filter(({ trip }) => trip.block === from.trip.block && trip.block !== '' && trip.runs === undefined)
  const isSound = (trip: PlainTrip) =>
    trip.days.every((day) => {
      const members = block.filter((each) => each.day === day)
      return members.every((one) => members.every((other) => one === other || !overlap(one, other)))
    })
  if (from.trip.block === '' || !isSound(from.trip)) return forced
  const next = block
    .filter((each) => each.day === from.day && each !== from && !comesBefore(each, from))
    .sort((a, b) => (comesBefore(a, b) ? -1 : 1))[0]
  if (next === undefined || ruled(next) !== undefined || wait(from, next) > 600) return forced
  const [end, start] = [from.trip.calls.at(-1)!.stop, next.trip.calls[0]!.stop]
  return straight(network.stops[end], network.stops[start]) <= 100 ? [...forced, next] : forced
}

function overlap(one: PlainInstance, other: PlainInstance): boolean {
  return one.departures[0]! < other.arrivals.at(-1)! && other.departures[0]! < one.arrivals.at(-1)!
}

function comesBefore(one: PlainInstance, other: PlainInstance): boolean {
  const starts = one.departures[0]! - other.departures[0]!
  return starts < 0 || (starts === 0 && one.arrivals.at(-1)! < other.arrivals.at(-1)!)
}

/** The journeys that no other beats, of those that leave (or, arriving by, are there) within a day of the moment. */
export function listBestJourneys(network: PlainNetwork, isArriveBy: boolean): PlainJourney[] {
  const all = listInstances(network)
  const followers = new Map(all.map((instance) => [instance, followersOf(network, all, instance)]))
  const asked = FIRST_ZERO_SECONDS + network.seconds
  const isAsked = ({ leaves, arrives }: PlainJourney) =>
    isArriveBy
      ? arrives <= asked && arrives > asked - DAY && leaves >= asked - DAY - FOLLOWED
      : leaves >= asked && leaves < asked + DAY && arrives <= asked + DAY + FOLLOWED
  const found = new Map<string, PlainJourney>()
  for (const [leaves, starts] of firstBoardings(network, all)) {
    if (isArriveBy ? leaves > asked : leaves < asked || leaves >= asked + DAY) continue
    explore(network, { all, followers, starts }, (arrives, vehicles) => {
      const journey = { leaves, arrives, vehicles }
      if (isAsked(journey)) found.set(`${leaves} ${arrives} ${vehicles}`, journey)
    })
  }
  const journeys = [...found.values()]
  return journeys.filter((one) => !journeys.some((other) => other !== one && beats(other, one))).toSorted(compare)
}

function beats(one: PlainJourney, other: PlainJourney): boolean {
  return one.leaves >= other.leaves && one.arrives <= other.arrives && one.vehicles <= other.vehicles
}

/** By leaving, then arrival. */
export function compare(a: PlainJourney, b: PlainJourney): number {
  return a.leaves - b.leaves || a.arrives - b.arrives || a.vehicles - b.vehicles
}

interface Boarding {
  readonly instance: PlainInstance
  readonly call: number
  readonly vehicles: number
  readonly alightings: readonly Alighting[]
}

/** When one leaves → the vehicles that are boarded first. */
function firstBoardings({ access }: PlainNetwork, all: readonly PlainInstance[]): Map<number, Boarding[]> {
  const starts = new Map<number, Boarding[]>()
  for (const instance of all) {
    for (const [call, { stop, canBoard }] of instance.trip.calls.entries()) {
      const at = access.stops.indexOf(stop)
      if (at < 0 || !canBoard || call === instance.trip.calls.length - 1) continue
      const leaves = instance.departures[call]! - access.seconds[at]!
      starts.getOrInsertComputed(leaves, () => []).push({ instance, call, vehicles: 1, alightings: [] })
    }
  }
  return starts
}

function explore(
  network: PlainNetwork,
  given: {
    readonly all: readonly PlainInstance[]
    readonly followers: ReadonlyMap<PlainInstance, readonly PlainInstance[]>
    readonly starts: readonly Boarding[]
  },
  arrive: (at: number, vehicles: number) => void,
): void {
  const { all, followers, starts } = given
  const numberOf = new Map(all.map((instance, number) => [instance, number]))
  const seen = new Set<string>()
  let round: Boarding[] = [...starts]
  while (round.length > 0) {
    const next: Boarding[] = []
    for (let each = round.pop(); each !== undefined; each = round.pop()) {
      const { instance, call, vehicles, alightings } = each
      const pending = alightings.map(({ trip, stop, at }) => `${trip.id} ${stop} ${at}`).join()
      const key = `${numberOf.get(instance)} ${call} ${pending}`
      if (seen.has(key)) continue
      seen.add(key)
      const { calls } = instance.trip
      for (let to = call + 1; to < calls.length; to++) {
        const { stop, canAlight } = calls[to]!
        if (!canAlight) continue
        const at = instance.arrivals[to]!
        const walk = network.egress.stops.indexOf(stop)
        if (walk >= 0) arrive(at + network.egress.seconds[walk]!, vehicles)
        if (vehicles < MAX_VEHICLES) {
          const history = [...alightings, { trip: instance.trip, stop, at }]
          for (const board of listBoardings(network, all, history)) next.push({ ...board, vehicles: vehicles + 1 })
        }
      }
      for (const other of followers.get(instance) ?? []) round.push({ ...each, instance: other, call: 0 })
    }
    round = next
  }
}

/** What can be boarded after the last of some alightings, with those that still matter. */
function listBoardings(
  network: PlainNetwork,
  all: readonly PlainInstance[],
  history: readonly Alighting[],
): Omit<Boarding, 'vehicles'>[] {
  const last = history.at(-1)!
  const found: Omit<Boarding, 'vehicles'>[] = []
  for (const instance of all) {
    for (const [call, { stop, canBoard }] of instance.trip.calls.entries()) {
      const departs = instance.departures[call]!
      if (!canBoard || call === instance.trip.calls.length - 1 || departs < last.at) continue
      const seconds = changeSeconds(network, last, { trip: instance.trip, stop })
      if (seconds === undefined || departs < last.at + seconds) continue
      if (history.slice(0, -1).some((earlier) => isDodged(network, earlier, { instance, stop, departs }))) continue
      const alightings = history.filter(({ at }) => at + LONGEST_CHANGE > departs)
      found.push({ instance, call, alightings })
    }
  }
  return found
}

/** No rule of the networks asks for more, no walk takes longer. */
const LONGEST_CHANGE = 600

/** Riding out and back must not be quicker than the change it avoids. */
function isDodged(
  { stops, ...network }: PlainNetwork,
  earlier: Alighting,
  board: { readonly instance: PlainInstance; readonly stop: number; readonly departs: number },
): boolean {
  const [one, other] = [stops[earlier.stop]?.station, stops[board.stop]?.station]
  const isSamePlace = earlier.stop === board.stop || (one === other && one !== '')
  if (!isSamePlace) return false
  const seconds = changeSeconds({ stops, ...network }, earlier, { trip: board.instance.trip, stop: board.stop })
  return seconds !== undefined && board.departs < earlier.at + seconds
}
