// The trips of a small network on each day, with live data and in-seat transfers. Part of the exhaustive oracle.
import {
  FIRST_ZERO_SECONDS,
  type PlainCall,
  type PlainNetwork,
  type PlainTrip,
} from '../indexes/journeys/random-network.ts'
import { straightMeters } from './exhaustive-changes.ts'

/** A trip on a day, or one run of a frequency trip on a day. Times of the calls are seconds after 1970. */
export interface PlainInstance {
  readonly key: string
  /** Undefined for an added trip, which is not in the timetable. */
  readonly trip: PlainTrip | undefined
  readonly line: string
  readonly day: number
  /** Start of the run in seconds after the day's zero; undefined for a trip without runs. */
  readonly run: number | undefined
  readonly calls: readonly PlainCall[]
}

const DAY = 86_400
const SEATED_METERS = 100
const SEATED_SECONDS = 600

/** All instances as they run: without canceled instances and skipped calls, at the predicted times. */
export function listInstances(network: PlainNetwork): PlainInstance[] {
  const added = network.additions.map(({ line, day, calls }, at): PlainInstance => {
    return { key: `added ${at}`, trip: undefined, line, day, run: undefined, calls: shifted(calls, zeroOf(day)) }
  })
  return [...listPlanned(network).flatMap((instance) => nowOf(network, instance) ?? []), ...added]
}

function zeroOf(day: number): number {
  return FIRST_ZERO_SECONDS + day * DAY
}

function listPlanned({ trips }: PlainNetwork): PlainInstance[] {
  return trips.flatMap((trip) =>
    trip.days.flatMap((day) =>
      (trip.runs ?? [undefined]).map((run): PlainInstance => {
        const calls = shifted(trip.calls, zeroOf(day) + (run ?? 0))
        return { key: `${trip.id} ${day} ${run ?? ''}`, trip, line: trip.line, day, run, calls }
      }),
    ),
  )
}

function shifted(calls: readonly PlainCall[], seconds: number): PlainCall[] {
  return calls.map((call) => ({ ...call, arrival: call.arrival + seconds, departure: call.departure + seconds }))
}

/** The instance after its live changes; undefined if it is canceled or has fewer than two calls left. */
function nowOf({ trips, changes }: PlainNetwork, instance: PlainInstance): PlainInstance | undefined {
  const change = changes.find(({ trip, day, run }) => {
    const changed = trips[trip]
    return changed === instance.trip && day === instance.day && (changed?.runs?.[run] ?? undefined) === instance.run
  })
  if (change === undefined) return instance
  let before = Number.NEGATIVE_INFINITY
  const calls = instance.calls.flatMap((call, at) => {
    if (change.skipped.includes(at)) return []
    const delay = change.delays[Math.min(at, change.delays.length - 1)]
    const arrival = Math.max(before, call.arrival + delay)
    const departure = Math.max(arrival, call.departure + delay)
    before = departure
    return [{ ...call, arrival, departure }]
  })
  return change.isCanceled || calls.length < 2 ? undefined : { ...instance, calls }
}

/** The instances that the rider can use; for each, the instances on which the rider may continue without alighting. */
export function usableBy(
  network: PlainNetwork,
  all: readonly PlainInstance[],
): { readonly all: readonly PlainInstance[]; readonly followers: Map<PlainInstance, readonly PlainInstance[]> } {
  const followers = followersOf(network, all)
  if (network.isWheelchair !== true) return { all, followers }
  const isClosed = ({ stop }: PlainCall) => {
    const { wheelchair, stationWheelchair } = network.stops[stop]
    return (wheelchair === 0 ? stationWheelchair : wheelchair) === 2
  }
  const usable = new Map<PlainInstance, PlainInstance>()
  for (const instance of all) {
    if (instance.trip?.wheelchair === 2) continue
    const calls = instance.calls.map((call) => (isClosed(call) ? { ...call, canBoard: false, canAlight: false } : call))
    usable.set(instance, { ...instance, calls })
  }
  const next = (instance: PlainInstance) => (followers.get(instance) ?? []).flatMap((each) => usable.get(each) ?? [])
  return {
    all: [...usable.values()],
    followers: new Map([...usable].map(([instance, usedAs]) => [usedAs, next(instance)])),
  }
}

/**
 * Trip instance → the instances on which its riders may continue without alighting: the next trip of the same block and
 * day, and the trips that a rule names.
 */
export function followersOf(
  network: PlainNetwork,
  running: readonly PlainInstance[],
): Map<PlainInstance, readonly PlainInstance[]> {
  const planned = listPlanned(network).filter(({ run }) => run === undefined)
  const runs = new Map(running.map((instance) => [instance.key, instance]))
  const followers = new Map<PlainInstance, readonly PlainInstance[]>()
  for (const from of planned) {
    const now = runs.get(from.key)
    if (now === undefined) continue
    const all = plannedFollowers(network, planned, from).flatMap((to) => {
      const next = runs.get(to.key)
      if (next === undefined) return []
      const isThere =
        waits(now, next) >= 0 && gap(network, now, next) <= Math.max(SEATED_METERS, gap(network, from, to))
      return isThere ? [next] : []
    })
    followers.set(now, all)
  }
  return followers
}

function plannedFollowers(
  network: PlainNetwork,
  planned: readonly PlainInstance[],
  from: PlainInstance,
): PlainInstance[] {
  const ruleOf = (to: PlainInstance) =>
    network.rules.findLast(
      ({ type, fromTrip, toTrip }) => type >= 4 && fromTrip === from.trip?.id && toTrip === to.trip?.id,
    )?.type
  // A rule of type 4 names two trips, but no day. The second trip runs on the same service day as the first. If the
  // second trip would then start before the first trip ends, it runs on the following service day.
  const forced = planned.filter((to) => {
    const waitsByClock = waits(from, to) - (to.day - from.day) * DAY
    return (
      to.trip !== from.trip &&
      ruleOf(to) === 4 &&
      to.day === from.day + (waitsByClock >= 0 ? 0 : 1) &&
      waits(from, to) >= 0
    )
  })
  const block = planned.filter(({ trip }) => trip?.block !== '' && trip?.block === from.trip?.block)
  const isSound = ({ day }: PlainInstance) =>
    block
      .filter((each) => each.day === day)
      .every((one, _, all) => all.every((other) => one === other || !overlap(one, other)))
  const [next] = block
    .filter((each) => each.day === from.day && each !== from && isSound(each) && comesBefore(from, each))
    .sort((a, b) => (comesBefore(a, b) ? -1 : 1))
  if (next === undefined || !isSound(from) || ruleOf(next) !== undefined) return forced
  const isNext = waits(from, next) <= SEATED_SECONDS && gap(network, from, next) <= SEATED_METERS
  return isNext ? [...forced, next] : forced
}

function starts({ calls }: PlainInstance): number {
  return calls[0].departure
}

function ends({ calls }: PlainInstance): number {
  return calls[calls.length - 1].arrival
}

function waits(from: PlainInstance, to: PlainInstance): number {
  return starts(to) - ends(from)
}

function gap({ stops }: PlainNetwork, from: PlainInstance, to: PlainInstance): number {
  return straightMeters(stops[from.calls[from.calls.length - 1].stop], stops[to.calls[0].stop])
}

/** Whether two instances are under way at the same time. */
function overlap(one: PlainInstance, other: PlainInstance): boolean {
  const [first, second] = comesBefore(one, other) ? [one, other] : [other, one]
  return starts(second) < ends(first)
}

/** Whether `one` comes before `other`: by start, then by end, then by key. */
function comesBefore(one: PlainInstance, other: PlainInstance): boolean {
  const order = starts(one) - starts(other) || ends(one) - ends(other)
  return order < 0 || (order === 0 && one.key < other.key)
}
