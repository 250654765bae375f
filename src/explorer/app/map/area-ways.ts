// Draws the lines of networks that have no shapes. An area has a stop for each direction, so straight lines between
// stops would look like a web. Therefore, stops that are close together are merged into one place, and each line is
// drawn from place to place, once for both directions. A straight line between two places (a hop) is left out if other
// trips of the line stop between its ends.
import type { Coordinate, Geometry } from '../contract.ts'

/** Stops that are closer together than this, in degrees, are usually merged into one place. */
const SAME_DEGREES = 4e-4
/**
 * Two stops for opposite directions are merged if each is the other's nearest stop and they are less than this far
 * apart.
 */
const OPPOSITE_METERS = 200
/** Maximum distance between two stops in one place. */
const WIDEST_METERS = 250
/** A hop is left out if other hops connect its two ends and are together at most this many times as long. */
const DETOUR = 1.25
const METERS_PER_DEGREE = 111_195

/** Straight lines from stop to stop, by direction. */
export type StopWays = readonly { readonly direction_id: string; readonly geometry: Geometry }[]

/** A place: stops that are close together and were merged. */
type Place = Coordinate[]
type Course = readonly Coordinate[]

/** Line → the geometry to draw, which leads from place to place. */
export function areaWays(lines: ReadonlyMap<string, StopWays>): Map<string, Geometry> {
  const places = new Places()
  for (const stop of [...lines.values()].flat().flatMap(coursesOf).flat()) places.add(stop)
  for (const ways of lines.values()) places.joinOpposite(ways.map((way) => coursesOf(way).flat()))
  const middles = places.middles()
  const drawn = ([id, ways]: readonly [string, StopWays]): [string, Geometry] => {
    const courses = ways.flatMap(coursesOf).map((course) => course.map((stop) => middles.get(places.of(stop)) ?? stop))
    return [id, { type: 'MultiLineString', coordinates: drawnOnce(courses) }]
  }
  return new Map([...lines].map(drawn))
}

function coursesOf({ geometry }: StopWays[number]): readonly Course[] {
  return geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates
}

/** Merges stops that are close together into places. */
class Places {
  private readonly byStop = new Map<string, Place>()
  private readonly byCell = new Map<string, Coordinate>()

  of(stop: Coordinate): Place {
    return this.byStop.get(stop.join()) ?? [stop]
  }

  /**
   * Adds a stop, and merges it with the stops in the same cell of a grid. There are two grids, offset by half a cell,
   * so that stops on both sides of a cell's edge are also merged.
   */
  add(stop: Coordinate): void {
    if (this.byStop.has(stop.join())) return
    this.byStop.set(stop.join(), [stop])
    for (const shift of [0, 0.5]) {
      const cell = [shift, ...stop.map((degrees) => Math.round(degrees / SAME_DEGREES + shift))].join()
      const before = this.byCell.get(cell)
      if (before === undefined) this.byCell.set(cell, stop)
      else this.join(before, stop)
    }
  }

  /** Merges the stops for opposite directions of a line. */
  joinOpposite(sides: readonly Course[]): void {
    for (const [at, side] of sides.entries()) {
      for (const other of sides.slice(at + 1)) {
        for (const stop of side) {
          const opposite = nearest(stop, other)
          const isMutual = this.of(nearest(opposite, side)) === this.of(stop)
          if (isMutual && metersBetween(stop, opposite) < OPPOSITE_METERS) this.join(stop, opposite)
        }
      }
    }
  }

  middles(): Map<Place, Coordinate> {
    const mean = (place: Place, axis: 0 | 1) => place.reduce((sum, stop) => sum + stop[axis], 0) / place.length
    return new Map([...this.byStop.values()].map((place) => [place, [mean(place, 0), mean(place, 1)]]))
  }

  private join(one: Coordinate, other: Coordinate): void {
    const [kept, gone] = [this.of(one), this.of(other)]
    if (kept === gone || kept.some((a) => gone.some((b) => metersBetween(a, b) > WIDEST_METERS))) return
    kept.push(...gone)
    for (const stop of gone) this.byStop.set(stop.join(), kept)
  }
}

function nearest(stop: Coordinate, among: Course): Coordinate {
  let best = among[0]
  let least = Number.POSITIVE_INFINITY
  for (const each of among) {
    const meters = metersBetween(stop, each)
    if (meters < least) [best, least] = [each, meters]
  }
  return best
}

function metersBetween([lon, lat]: Coordinate, [otherLon, otherLat]: Coordinate): number {
  const across = (otherLon - lon) * Math.cos((lat * Math.PI) / 180)
  return Math.hypot(across, otherLat - lat) * METERS_PER_DEGREE
}

/** Straight hops between places, regardless of direction. */
class Hops {
  /** Place → each place at the other end of a hop → length of the hop in meters. */
  private readonly around = new Map<Coordinate, Map<Coordinate, number>>()

  add(one: Coordinate, other: Coordinate): void {
    const meters = metersBetween(one, other)
    this.nextTo(one).set(other, meters)
    this.nextTo(other).set(one, meters)
  }

  private nextTo(place: Coordinate): Map<Coordinate, number> {
    const next = this.around.get(place) ?? new Map<Coordinate, number>()
    this.around.set(place, next)
    return next
  }

  /** Removes a hop. Returns whether it existed. */
  remove(one: Coordinate, other: Coordinate): boolean {
    this.around.get(other)?.delete(one)
    return this.around.get(one)?.delete(other) === true
  }

  /** Removes each hop if other hops connect its two ends and are together at most DETOUR times as long. */
  dropLong(): void {
    const all = [...this.around].flatMap(([from, next]) => [...next].map(([to, meters]) => ({ from, to, meters })))
    // The longest hop is checked first: shorter hops may replace a longer one, but a longer one never replaces them.
    for (const { from, to, meters } of all.sort((one, other) => other.meters - one.meters)) {
      if (this.remove(from, to) && !this.hasWay(from, to, meters * DETOUR)) this.add(from, to)
    }
  }

  /** Whether hops with a total length of at most `mostMeters` lead from one place to another. */
  private hasWay(start: Coordinate, goal: Coordinate, mostMeters: number): boolean {
    const reached = new Map([[start, 0]])
    const next = [start]
    for (const place of next) {
      for (const [to, meters] of this.around.get(place) ?? []) {
        const far = (reached.get(place) ?? 0) + meters
        if (far > mostMeters || far >= (reached.get(to) ?? Number.POSITIVE_INFINITY)) continue
        reached.set(to, far)
        next.push(to)
      }
    }
    return reached.has(goal)
  }
}

/** Splits the courses into pieces, so that each hop is drawn only once. */
function drawnOnce(courses: readonly Course[]): Coordinate[][] {
  const hops = new Hops()
  for (const course of courses) {
    for (const [at, to] of course.slice(1).entries()) if (course[at] !== to) hops.add(course[at], to)
  }
  hops.dropLong()
  const pieces: Coordinate[][] = []
  for (const course of courses) {
    for (const [at, place] of course.entries()) {
      const isDrawn = at > 0 && hops.remove(course[at - 1], place)
      const piece = pieces.at(-1)
      if (isDrawn && piece !== undefined) piece.push(place)
      else if (at === 0 || place !== course[at - 1]) pieces.push([place])
    }
  }
  return pieces.filter((piece) => piece.length > 1)
}
