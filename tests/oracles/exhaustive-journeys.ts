// Finds all journeys in a small network by trying every vehicle at every transfer. Shares no code with the planner. If
// a rider alights at a station, rides away and returns, the transfer time still counts from the first alighting.
import type { PlainNetwork } from '../indexes/journeys/random-network.ts'
import { changeSeconds, isOneStation, LONGEST_CHANGE_SECONDS } from './exhaustive-changes.ts'
import { listInstances, type PlainInstance, usableBy } from './exhaustive-instances.ts'

/** A journey. Instants are seconds after 1970. */
export interface PlainJourney {
  readonly leaves: number
  readonly arrives: number
  readonly vehicles: number
}

const MAX_VEHICLES = 7
const DAY = 86_400
/** Maximum duration of a journey that leaves at the end of the requested day, in seconds. */
const FOLLOWED = 3 * DAY

/** A call at which the rider alighted. */
interface Alighting {
  readonly instance: PlainInstance
  readonly stop: number
  readonly at: number
}

interface Boarding {
  readonly instance: PlainInstance
  readonly call: number
  readonly vehicles: number
  readonly alightings: readonly Alighting[]
}

/**
 * The journeys that no other journey beats, among those that leave within a day after the requested time. With
 * arrive-by, among those that arrive within a day before it.
 */
export function listBestJourneys(network: PlainNetwork, requested: number, isArriveBy: boolean): PlainJourney[] {
  const { all, followers } = usableBy(network, listInstances(network))
  const boardings = new Map<string, Omit<Boarding, 'vehicles'>[]>()
  const isRequested = ({ leaves, arrives }: PlainJourney) =>
    isArriveBy
      ? arrives <= requested && arrives > requested - DAY && leaves >= requested - DAY - FOLLOWED
      : leaves >= requested && leaves < requested + DAY && arrives <= requested + DAY + FOLLOWED
  const found = new Map<string, PlainJourney>()
  for (const [leaves, starts] of firstBoardings(network, all)) {
    if (isArriveBy ? leaves > requested : leaves < requested || leaves >= requested + DAY) continue
    explore(network, { all, followers, starts, boardings }, (arrives, vehicles) => {
      const journey = { leaves, arrives, vehicles }
      if (isRequested(journey)) found.set(`${leaves} ${arrives} ${vehicles}`, journey)
    })
  }
  const journeys = [...found.values()]
  return journeys.filter((one) => !journeys.some((other) => other !== one && beats(other, one))).toSorted(compare)
}

function beats(one: PlainJourney, other: PlainJourney): boolean {
  return one.leaves >= other.leaves && one.arrives <= other.arrives && one.vehicles <= other.vehicles
}

/** Compares journeys by departure, then arrival, then number of vehicles. */
export function compare(a: PlainJourney, b: PlainJourney): number {
  return a.leaves - b.leaves || a.arrives - b.arrives || a.vehicles - b.vehicles
}

/** Time of leaving the origin → the first boardings that the rider then reaches just in time. */
function firstBoardings({ access }: PlainNetwork, all: readonly PlainInstance[]): Map<number, Boarding[]> {
  const starts = new Map<number, Boarding[]>()
  for (const instance of all) {
    for (const [call, { stop, canBoard, departure }] of instance.calls.entries()) {
      const at = access.stops.indexOf(stop)
      if (at < 0 || !canBoard || call === instance.calls.length - 1) continue
      const leaves = departure - access.seconds[at]
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
    /**
     * List of alightings → the boardings that are possible after the last of them. Stored, because several first
     * boardings lead to the same list.
     */
    readonly boardings: Map<string, Omit<Boarding, 'vehicles'>[]>
  },
  arrive: (at: number, vehicles: number) => void,
): void {
  const { all, followers, starts, boardings } = given
  const seen = new Set<string>()
  let round: Boarding[] = [...starts]
  while (round.length > 0) {
    const next: Boarding[] = []
    for (let each = round.pop(); each !== undefined; each = round.pop()) {
      const { instance, call, vehicles, alightings } = each
      const key = `${instance.key} ${call} ${namesOf(alightings)}`
      if (seen.has(key)) continue
      seen.add(key)
      for (const { stop, canAlight, arrival } of instance.calls.slice(call + 1)) {
        if (!canAlight) continue
        const walk = network.egress.stops.indexOf(stop)
        if (walk >= 0) arrive(arrival + network.egress.seconds[walk], vehicles)
        if (vehicles === MAX_VEHICLES) continue
        const history = [
          ...alightings.filter(({ at }) => at + LONGEST_CHANGE_SECONDS > arrival),
          { instance, stop, at: arrival },
        ]
        const name = namesOf(history)
        for (const board of boardings.getOrInsertComputed(name, () => listBoardings(network, all, history))) {
          next.push({ ...board, vehicles: vehicles + 1 })
        }
      }
      for (const other of followers.get(instance) ?? []) round.push({ ...each, instance: other, call: 0 })
    }
    round = next
  }
}

function namesOf(alightings: readonly Alighting[]): string {
  return alightings.map(({ instance, stop, at }) => `${instance.key} ${stop} ${at}`).join()
}

/**
 * The possible boardings after the last alighting of a journey. Each boarding has the alightings that may still
 * restrict later boardings.
 */
function listBoardings(
  network: PlainNetwork,
  all: readonly PlainInstance[],
  history: readonly Alighting[],
): Omit<Boarding, 'vehicles'>[] {
  const found: Omit<Boarding, 'vehicles'>[] = []
  const now = history[history.length - 1].at
  for (const instance of all) {
    for (const [call, { stop, canBoard, departure }] of instance.calls.entries()) {
      if (!canBoard || departure < now || call === instance.calls.length - 1) continue
      const isAllowed = history.every((from, at) => {
        const isLast = at === history.length - 1
        if (!isLast && !isOneStation(network, from.stop, stop)) return true
        const seconds = changeSeconds(network, from, { instance, stop })
        return seconds === undefined ? !isLast : departure >= from.at + seconds
      })
      if (!isAllowed) continue
      found.push({ instance, call, alightings: history.filter(({ at }) => at + LONGEST_CHANGE_SECONDS > departure) })
    }
  }
  return found
}
