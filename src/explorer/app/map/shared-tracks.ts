// Draws lines side by side if they share a street or a track. A segment connects two neighboring points on a line.
// Lines share a segment if they have the same two points. On a shared segment, all lines with the same color and width
// are drawn as one strip. Each strip has a slot, which is its place across the segment; slot 0 is the middle. A strip
// keeps its slot on the next segment if the slot is free there.
import type { Coordinate, Geometry } from '../contract.ts'
import type { MapFeature } from './map-feature.ts'

/** Coordinates are rounded to 1 / PLACES degrees, which is about a meter. */
const PLACES = 1e5
const WORLD_PLACES = 361 * PLACES
/** Upper limit for point numbers. It is low enough that two point numbers fit into one integer. */
const MOST_POINTS = 2 ** 26
/** Gap between two neighboring strips, in pixels at city scale. */
const GAP_PIXELS = 0.6
/** The strips of a segment are together at most as wide as this number of strips. If there are more, they overlap. */
const MOST_STRIPS = 7
/**
 * On stretches shorter than this (about 40 m), lines keep their slot, because two lines that only cross share no
 * street.
 */
const SHORT_DEGREES = 4e-4

/** A stretch of street, for both directions of travel. */
interface Segment {
  /**
   * The number of the point that counts as the segment's start. Positive slots are on the right, as seen from this
   * point.
   */
  from: number
  /** Whether a line has already determined `from`. */
  isDirected: boolean
  /** Strip → slot; undefined until the strip has one. */
  readonly slots: Map<string, number | undefined>
  /** The weight of the widest line on the segment. */
  weight: number
}

/**
 * One line string of a feature: its segments, and the numbers of its points. Each segment begins at the point with the
 * same index.
 */
interface Walk {
  readonly feature: MapFeature
  readonly strip: string
  readonly coordinates: readonly Coordinate[]
  readonly segments: readonly Segment[]
  readonly points: readonly number[]
}

/**
 * Cuts lines where their slot changes. Each part has the property `beside`: how far it is drawn to the right of its
 * course, in pixels at city scale. The order of the features does not matter.
 */
export function besideEachOther(features: readonly MapFeature[]): MapFeature[] {
  const streets = new Streets()
  const walks = [...features].sort(byRank).flatMap((feature) => walksOf(feature, streets))
  for (const walk of walks) giveSlots(walk)
  return walks.flatMap(partsOf)
}

/** Compares features so that wide lines come first. The lines that come first get the slots in the middle. */
function byRank({ properties: one }: MapFeature, { properties: other }: MapFeature): number {
  const [a, b] = [String(one['line']), String(other['line'])]
  return Number(other['weight']) - Number(one['weight']) || (a < b ? -1 : a > b ? 1 : 0)
}

/** All segments, and the numbers of their points. */
class Streets {
  private readonly points = new Map<number, number>()
  private readonly segments = new Map<number, Segment>()

  /** The number of the point at a rounded coordinate. Segments between the same two numbers are one segment. */
  point([lon, lat]: Coordinate): number {
    const place = Math.round((lat + 90) * PLACES) * WORLD_PLACES + Math.round((lon + 180) * PLACES)
    let point = this.points.get(place)
    if (point === undefined) {
      point = this.points.size
      this.points.set(place, point)
    }
    return point
  }

  segment(from: number, to: number): Segment {
    const key = Math.min(from, to) * MOST_POINTS + Math.max(from, to)
    let segment = this.segments.get(key)
    if (segment === undefined) {
      segment = { from, isDirected: false, slots: new Map(), weight: 0 }
      this.segments.set(key, segment)
    }
    return segment
  }
}

function walksOf(feature: MapFeature, streets: Streets): Walk[] {
  const geometry = feature.geometry as Geometry
  const { color, weight } = feature.properties
  const strip = `${color} ${weight}`
  const strings = geometry.type === 'LineString' ? [geometry.coordinates] : geometry.coordinates
  return strings.map((coordinates) => {
    const points = coordinates.map((coordinate) => streets.point(coordinate))
    const segments = points.slice(1).map((to, at) => {
      const segment = streets.segment(points[at], to)
      segment.slots.set(strip, undefined)
      segment.weight = Math.max(segment.weight, Number(weight))
      return segment
    })
    return { feature, strip, coordinates, segments, points }
  })
}

/** Assigns a line's strip a slot on each segment, as close as possible to its slot on the previous segment. */
function giveSlots({ strip, coordinates, segments, points }: Walk): void {
  // Both directions of a line count slots from the same side, even if they are on separate tracks.
  let isForward = isEastward(coordinates)
  let before = 0
  for (const [at, segment] of segments.entries()) {
    if (!segment.isDirected) {
      segment.from = isForward ? points[at] : points[at + 1]
      segment.isDirected = true
    }
    const isAlong = segment.from === points[at]
    if (isAlong !== isForward) before = -before
    isForward = isAlong
    before = segment.slots.get(strip) ?? freeSlot(segment, before)
    segment.slots.set(strip, before)
  }
}

function isEastward(coordinates: readonly Coordinate[]): boolean {
  const [first, last] = [coordinates[0], coordinates[coordinates.length - 1]]
  return last[0] > first[0] || (last[0] === first[0] && last[1] > first[1])
}

/** The free slot nearest to the slot `near`. If two slots are equally near, the one closer to the middle. */
function freeSlot({ slots }: Segment, near: number): number {
  const taken = new Set(slots.values())
  const outermost = slots.size >> 1
  let best = Number.POSITIVE_INFINITY
  for (let slot = outermost; slot >= -outermost; slot--) {
    if (taken.has(slot)) continue
    const isBetter = Math.abs(slot - near) - Math.abs(best - near) || Math.abs(slot) - Math.abs(best)
    if (!(isBetter >= 0)) best = slot
  }
  return best
}

/** Cuts a line into parts, each with one slot. */
function partsOf({ feature, strip, coordinates, segments, points }: Walk): MapFeature[] {
  const besides = segments.map((segment, at) => {
    const slot = segment.slots.get(strip) ?? 0
    const strips = segment.slots.size
    const pitch = (segment.weight + GAP_PIXELS) * Math.min(1, MOST_STRIPS / strips)
    return slot === 0 ? 0 : slot * pitch * (segment.from === points[at] ? 1 : -1)
  })
  const ends = endsOfParts(besides, coordinates)
  return ends.map((end, part) => {
    const start = part === 0 ? 0 : ends[part - 1]
    const geometry = { type: 'LineString', coordinates: coordinates.slice(start, end + 1) }
    return { ...feature, properties: { ...feature.properties, beside: besides[start] }, geometry }
  })
}

/** Indices of the points where parts end. Short stretches get the slot of the previous stretch. */
function endsOfParts(besides: number[], coordinates: readonly Coordinate[]): number[] {
  const ends: number[] = []
  for (let start = 0; start < besides.length; ) {
    let end = start + 1
    while (end < besides.length && besides[end] === besides[start]) end++
    const before = ends[ends.length - 1]
    const isShort = lengthOf(coordinates, start, end) < SHORT_DEGREES
    if (before !== undefined && (isShort || besides[start] === besides[before - 1])) {
      besides.fill(besides[before - 1], start, end)
      ends.pop()
    }
    ends.push(end)
    start = end
  }
  return ends
}

function lengthOf(coordinates: readonly Coordinate[], start: number, end: number): number {
  let length = 0
  for (let at = start; at < end; at++) {
    const [from, to] = [coordinates[at], coordinates[at + 1]]
    length += Math.hypot(to[0] - from[0], to[1] - from[1])
  }
  return length
}
