// The demo city's named streets and communes. The names of stops and addresses are made from the names of streets and
// communes.
import { CITY_NAME, composeCommune, composeStreet, type StreetName, takeName } from './city-names.ts'
import { below, between, type Random, seededRandom } from './seeded-random.ts'
import type { StreetMap } from './street-map.ts'
import { otherEnd } from './street-path.ts'
import { metersBetween, type Point, pointAway, type Terrain } from './terrain.ts'

/** A street in a commune. No other street in the commune has the same name. */
export interface Street {
  readonly name: string
  /** The name that a stop on the street gets. */
  readonly shortName: string
  readonly commune: string
  /** 2 for an avenue, 1 for a boulevard, 0 for any other street. */
  readonly rank: number
  /** The course of the street from one end to the other, in the coordinates of terrain.ts. */
  readonly points: readonly Point[]
}

/** A commune and its center. */
export interface Commune {
  readonly name: string
  readonly middle: Point
  /**
   * Meters to subtract from a point's distance to the center. The point belongs to the commune with the smallest
   * result, so a town has a larger weight than a village.
   */
  readonly weightMeters: number
}

/** All streets, and the street of each stretch. */
export interface NamedStreets {
  readonly streets: readonly Street[]
  readonly communes: readonly Commune[]
  /** Stretch → index of its street in `streets`. */
  readonly streetOf: readonly number[]
}

const VILLAGES_PER_CENTER = 8
const TOWN_WEIGHT_METERS = 2300
/**
 * Usual minimum and maximum number of stretches in a street, by rank. The last street of a row, avenue or boulevard can
 * be shorter or longer.
 */
const STREET_LENGTHS = [
  { min: 3, max: 8 },
  { min: 4, max: 9 },
  { min: 6, max: 14 },
]

/** The commune to which a point belongs. */
export function communeAt(communes: readonly Commune[], place: Point): Commune {
  let best = communes[0]
  let least = Number.POSITIVE_INFINITY
  for (const commune of communes) {
    const away = metersBetween(commune.middle, place) - commune.weightMeters
    if (away >= least) continue
    least = away
    best = commune
  }
  return best
}

/** Joins the stretches of the map into streets, and names the streets. */
export function nameStreets(seed: number, map: StreetMap, terrain: Terrain): NamedStreets {
  const random = seededRandom(seed, 'street names')
  const communes = placeCommunes(terrain, random)
  const streets: Street[] = []
  const streetOf: number[] = new Array(map.edges.length).fill(-1)
  const taken = new Set<string>()
  for (const chain of listChains(map)) {
    for (let first = 0; first < chain.length; ) {
      const rank = map.edges[chain[first]].rank
      const { min, max } = STREET_LENGTHS[rank]
      const left = chain.length - first
      const wanted = min + below(random, max - min + 1)
      const length = left - wanted < min ? left : wanted
      const edges = chain.slice(first, first + length)
      for (const edge of edges) streetOf[edge] = streets.length
      streets.push(toStreet(map, edges, { communes, taken, random, rank }))
      first += length
    }
  }
  return { streets, communes, streetOf }
}

function placeCommunes(terrain: Terrain, random: Random): Commune[] {
  const taken = new Set([CITY_NAME])
  const communes: Commune[] = []
  for (const [center, middle] of terrain.centers.entries()) {
    const name = center === 0 ? CITY_NAME : takeName(taken, () => composeCommune(random))
    communes.push({ name, middle, weightMeters: TOWN_WEIGHT_METERS })
    for (let i = 0; i < VILLAGES_PER_CENTER; i++) {
      const turn = (i + between(random, -0.3, 0.3)) / VILLAGES_PER_CENTER
      const village = pointAway(middle, turn, between(random, 4300, 5600))
      communes.push({ name: takeName(taken, () => composeCommune(random)), middle: village, weightMeters: 0 })
    }
  }
  return communes
}

/** Lists the chains of connected stretches with the same `run`. The stretches in a chain are in order. */
function* listChains(map: StreetMap): Generator<number[]> {
  const seen = new Set<number>()
  const nextOf = (edge: number, node: number): number | undefined =>
    map.edgesOf[node].find((each) => !seen.has(each) && map.edges[each].run === map.edges[edge].run)
  for (let edge = 0; edge < map.edges.length; edge++) {
    if (seen.has(edge)) continue
    seen.add(edge)
    const chain = [edge]
    let node = map.edges[edge].to
    for (let next = nextOf(edge, node); next !== undefined; next = nextOf(edge, node)) {
      seen.add(next)
      chain.push(next)
      node = otherEnd(map, next, node)
    }
    node = map.edges[edge].from
    for (let next = nextOf(edge, node); next !== undefined; next = nextOf(edge, node)) {
      seen.add(next)
      chain.unshift(next)
      node = otherEnd(map, next, node)
    }
    yield chain
  }
}

function toStreet(
  map: StreetMap,
  edges: readonly number[],
  given: { communes: readonly Commune[]; taken: Set<string>; random: Random; rank: number },
): Street {
  const commune = communeAt(given.communes, map.edges[edges[edges.length >> 1]].middle).name
  let made: StreetName = { full: '', short: '' }
  const key = takeName(given.taken, () => {
    made = composeStreet(given.random, given.rank)
    return `${commune}|${made.full}`
  })
  return {
    name: key.slice(commune.length + 1),
    shortName: made.short,
    commune,
    rank: given.rank,
    points: pointsAlong(map, edges),
  }
}

function pointsAlong(map: StreetMap, edges: readonly number[]): Point[] {
  const first = map.edges[edges[0]]
  const second = edges.length > 1 ? map.edges[edges[1]] : undefined
  const startsAtTo = second !== undefined && (first.from === second.from || first.from === second.to)
  let node = startsAtTo ? first.to : first.from
  const points = [map.nodes[node]]
  for (const edge of edges) {
    node = otherEnd(map, edge, node)
    points.push(map.edges[edge].middle, map.nodes[node])
  }
  return points
}
