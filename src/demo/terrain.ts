// The demo city's terrain: its river, centers and edge. Coordinates are meters on a plane: x is east and y is north of
// the main square. Only `toDegrees` uses the geographic position.
import { between, type Random, seededRandom } from './seeded-random.ts'

/** A point, in meters east and north of the main square. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The terrain of a city. */
export interface Terrain {
  /** The centers. The first is the main square. The number of centers is the scale, rounded, but at least one. */
  readonly centers: readonly Point[]
  /** Radius of the whole agglomeration, in meters from the main square. */
  readonly radiusMeters: number
  /** The y coordinate of the river's middle at an x coordinate. */
  riverAt(x: number): number
  /** Whether a point is inside the city's ragged edge. */
  holds(point: Point): boolean
}

/** Radius of one center, in meters. */
const CENTER_RADIUS_METERS = 6200

/** Distance from the river's middle to the nearest possible street. */
export const BANK_METERS = 135

/** At scales below 1, the city's radius is at least this share of its radius at scale 1. */
const SMALLEST_SHARE = 0.5

const ORIGIN_LAT = 47.2
const ORIGIN_LON = 0.6
const METERS_PER_DEGREE = 111_195
const METERS_PER_DEGREE_LON = METERS_PER_DEGREE * Math.cos((ORIGIN_LAT * Math.PI) / 180)
const DEGREE_DIGITS = 1e6

/** Converts a point to degrees (WGS 84), rounded to six decimals. */
export function toDegrees(point: Point): { readonly lat: number; readonly lon: number } {
  return {
    lat: Math.round((ORIGIN_LAT + point.y / METERS_PER_DEGREE) * DEGREE_DIGITS) / DEGREE_DIGITS,
    lon: Math.round((ORIGIN_LON + point.x / METERS_PER_DEGREE_LON) * DEGREE_DIGITS) / DEGREE_DIGITS,
  }
}

/** Distance between two points in meters. */
export function metersBetween(a: Point, b: Point): number {
  return Math.hypot(b.x - a.x, b.y - a.y)
}

/**
 * The point at a distance from `from` in a direction.
 * @param turn direction, counterclockwise from east, as a fraction of a full circle
 */
export function pointAway(from: Point, turn: number, meters: number): Point {
  return { x: from.x + Math.cos(turn * 2 * Math.PI) * meters, y: from.y + Math.sin(turn * 2 * Math.PI) * meters }
}

/** Generates the terrain for a seed and a scale. */
export function makeTerrain(seed: number, scale: number): Terrain {
  const random = seededRandom(seed, 'terrain')
  const share = scale < 1 ? Math.max(SMALLEST_SHARE, Math.sqrt(scale)) : 1
  const centers = placeCenters(Math.max(1, Math.round(scale)), random)
  const radiusMeters = CENTER_RADIUS_METERS * share * Math.sqrt(centers.length)
  const bends = [2900, 1700, 7300].map((length) => ({ length, phase: between(random, 0, 6.28) }))
  const edges = [2, 3, 5].map((count) => ({ count, phase: between(random, 0, 6.28) }))
  const heights = [330, 130, 420]
  return {
    centers,
    radiusMeters,
    riverAt(x) {
      let y = -900
      for (const [index, bend] of bends.entries()) y += heights[index] * Math.sin(x / bend.length + bend.phase)
      return y
    },
    holds(point) {
      const angle = Math.atan2(point.y, point.x)
      let reach = radiusMeters
      for (const edge of edges) reach *= 1 + (0.16 / edge.count) * Math.sin(edge.count * angle + edge.phase)
      return Math.hypot(point.x, point.y) < reach
    },
  }
}

/** Arranges the centers evenly over a disk, like the seeds of a sunflower. The main square is in the middle. */
function placeCenters(count: number, random: Random): Point[] {
  const goldenTurn = 0.381_966
  const firstTurn = random()
  return Array.from({ length: count }, (_, index) =>
    pointAway({ x: 0, y: 0 }, firstTurn + index * goldenTurn, CENTER_RADIUS_METERS * Math.sqrt(index)),
  )
}

/** The index of the center nearest to a point, and its distance from the point. */
export function nearestCenter(terrain: Terrain, point: Point): { readonly center: number; readonly meters: number } {
  let center = 0
  let meters = Number.POSITIVE_INFINITY
  for (let i = 0; i < terrain.centers.length; i++) {
    const away = metersBetween(terrain.centers[i], point)
    if (away < meters) {
      meters = away
      center = i
    }
  }
  return { center, meters }
}
