// Computes transfer times in a small network, rule by rule. Part of the exhaustive oracle.
import type { PlainNetwork, PlainRule } from '../indexes/journeys/random-network.ts'
import type { PlainInstance } from './exhaustive-instances.ts'

/** No rule and no walk in the random networks takes longer than this. */
export const LONGEST_CHANGE_SECONDS = 600

interface ChangeEnd {
  readonly instance: Pick<PlainInstance, 'trip' | 'line'>
  readonly stop: number
}

/** Minimum seconds from alighting to boarding; undefined if the change is not possible. */
export function changeSeconds(network: PlainNetwork, from: ChangeEnd, to: ChangeEnd): number | undefined {
  const { stops, rules } = network
  const meters = from.stop === to.stop ? 0 : Math.round(straightMeters(stops[from.stop], stops[to.stop]) * 1.3)
  const [start, end] = [stops[from.stop].id, stops[to.stop].id]
  const inside = from.stop === to.stop ? undefined : wayInside(network, start, end)
  // If every route along the pathways has steps, a wheelchair user cannot make the change, not even outside.
  if (inside === undefined && from.stop !== to.stop && hasSteps(network, start, end)) return undefined
  const walk = inside ?? Math.ceil(meters / 1.2)
  const isNamed = (id: string, stop: number) => stops[stop].id === id || stops[stop].station === id
  const holding = rules.filter(
    (rule) =>
      rule.type <= 3 &&
      isNamed(rule.from, from.stop) &&
      isNamed(rule.to, to.stop) &&
      ['', from.instance.line].includes(rule.fromLine) &&
      ['', to.instance.line].includes(rule.toLine) &&
      ['', from.instance.trip?.id].includes(rule.fromTrip) &&
      ['', to.instance.trip?.id].includes(rule.toTrip),
  )
  const [rule] = holding.toSorted((a, b) => specificity(a) - specificity(b) || stationCount(a) - stationCount(b))
  if (rule?.type === 3) return undefined
  if (rule?.type === 1) return walk
  if (rule?.type === 2 && rule.minSeconds !== undefined) return rule.minSeconds
  return inside !== undefined || meters <= 500 ? walk + 60 : undefined
}

/** Whether the rider uses a wheelchair and the two stops are connected by pathways, with or without steps. */
function hasSteps(network: PlainNetwork, from: string, to: string): boolean {
  return network.isWheelchair === true && listWays(network.pathways).has(`${from} ${to}`)
}

const waysOf = new WeakMap<PlainNetwork, ReadonlyMap<string, number>>()

/** Seconds of the shortest route along pathways; undefined if there is none. */
function wayInside(network: PlainNetwork, from: string, to: string): number | undefined {
  return waysOf.getOrInsertComputed(network, () => listWays(pathwaysOf(network))).get(`${from} ${to}`)
}

/** The pathways that the rider can use. */
function pathwaysOf({ pathways, isWheelchair }: PlainNetwork): PlainNetwork['pathways'] {
  return isWheelchair === true ? pathways.filter(({ mode }) => ![2, 4].includes(mode)) : pathways
}

/**
 * Seconds of the shortest route between two places, by the key `from to`. Tries every intermediate place
 * (Floyd–Warshall algorithm).
 */
function listWays(pathways: PlainNetwork['pathways']): ReadonlyMap<string, number> {
  const ways = new Map<string, number>()
  const improve = (from: string, to: string, seconds: number) => {
    ways.set(`${from} ${to}`, Math.min(seconds, ways.get(`${from} ${to}`) ?? seconds))
  }
  for (const { from, to, seconds, isBidirectional } of pathways) {
    improve(from, to, seconds)
    if (isBidirectional) improve(to, from, seconds)
  }
  const places = [...new Set(pathways.flatMap(({ from, to }) => [from, to]))]
  for (const between of places) {
    for (const from of places) {
      for (const to of places) {
        const [first, second] = [ways.get(`${from} ${between}`), ways.get(`${between} ${to}`)]
        if (first !== undefined && second !== undefined) improve(from, to, first + second)
      }
    }
  }
  return ways
}

/**
 * The rank of a rule; the rule with the lowest rank applies. Ranks are in the order of GTFS: two trips, a trip and a
 * route, a trip, two routes, a route, stops alone.
 */
function specificity({ fromLine, toLine, fromTrip, toTrip }: PlainRule): number {
  const side = (trip: string, line: string) => (trip !== '' ? 't' : line !== '' ? 'r' : '')
  const sides = [side(fromTrip, fromLine), side(toTrip, toLine)].toSorted().join('')
  return ['tt', 'rt', 't', 'rr', 'r', ''].indexOf(sides)
}

function stationCount({ from, to }: PlainRule): number {
  return Number(!from.startsWith('s')) + Number(!to.startsWith('s'))
}

/** Whether two stops are the same or belong to one station. */
export function isOneStation({ stops }: PlainNetwork, one: number, other: number): boolean {
  return one === other || (stops[one].station !== '' && stops[one].station === stops[other].station)
}

interface Point {
  readonly lat: number
  readonly lon: number
}

/** Great-circle meters between two points, which must be on one meridian. */
export function straightMeters(from: Point, to: Point): number {
  if (from.lon !== to.lon) throw new Error('the stops are not on one meridian')
  return (Math.abs(from.lat - to.lat) * Math.PI * 6_371_008.8) / 180
}
