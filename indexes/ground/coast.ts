// Makes the sea from coastlines. A coastline has land on its left and water on its right. Coastlines that leave a box
// are connected along the edge of the box. A coastline that ends inside the box is broken. If a broken coastline also
// crosses the edge of the box, the water next to it is not drawn, because the extent of this water is unknown. Land may
// be guessed, but water is never guessed, so that no city is flooded.
import { type PlaneLine, twiceArea } from './ground-features.ts'
import type { PlaneBox } from './plane.ts'
import { groupRings, holdsPoint } from './rings.ts'

/** The sea within a box. */
export interface Sea {
  /** The areas of water. Each area is an outer ring and the rings of its islands. */
  readonly areas: readonly (readonly PlaneLine[])[]
  /** Number of coastlines that end inside the box or have the wrong direction. */
  readonly broken: number
  /** The coastlines that have both ends inside the box. The land next to them is guessed. */
  readonly loose: readonly PlaneLine[]
}

/** A part of a coastline, from the point at which it enters the box to the point at which it leaves the box. */
interface Crossing {
  readonly line: PlaneLine
  /** Position on the edge at which the coastline enters the box: 0 to 4, clockwise from the upper left corner. */
  readonly enters: number
  /** Position on the edge at which the coastline leaves the box: 0 to 4, like `enters`. */
  readonly leaves: number
}

/** The parts of a coastline that are within the box. */
interface Cut {
  readonly crossings: readonly Crossing[]
  /** Parts with both ends inside the box. */
  readonly loose: readonly PlaneLine[]
  /** For each part with only one end inside the box, the position at which the part crosses the edge (see `enters`). */
  readonly marks: readonly number[]
}

/**
 * Returns the sea within a box.
 * @param rings closed coastlines
 * @param open coastlines that are not closed
 */
export function makeSea(rings: readonly PlaneLine[], open: readonly PlaneLine[], box: PlaneBox): Sea {
  const whole: PlaneLine[] = []
  const cuts: Cut[] = []
  for (const line of [...open, ...rings]) {
    const isRing = line[0] === line[line.length - 2] && line[1] === line[line.length - 1]
    if (isRing && isInside(line, box)) whole.push(line)
    else cuts.push(cutToBox(isRing ? beginOutside(line, box) : line, box))
  }
  const crossings = cuts.flatMap((cut) => cut.crossings)
  const marks = cuts.flatMap((cut) => cut.marks)
  const loose = cuts.flatMap((cut) => cut.loose)
  const islands = whole.filter((ring) => twiceArea(ring) < 0)
  const lakes = whole.filter((ring) => twiceArea(ring) > 0)
  const outer = closeAlongEdge(crossings, marks, box)
  if (crossings.length === 0 && marks.length === 0 && islands.some((island) => isOutermost(island, whole))) {
    outer.push(edgeOf(box))
  }
  // A ring that looks like a lake but is in the sea is an island whose coastline has the wrong direction.
  const turned = lakes.filter((lake) => depthOf(lake, [...outer, ...whole]) % 2 === 1)
  const waters = [...outer, ...lakes.filter((lake) => !turned.includes(lake))]
  // An open piece of an island is closed with a straight line, because the position of land may be guessed.
  const guessed = loose.map(closed).filter((ring) => twiceArea(ring) < 0)
  const lands = [...islands, ...turned, ...guessed].filter((land) => waters.some((water) => holdsStart(water, land)))
  const broken = loose.length + marks.length + turned.length
  return { areas: waters.length === 0 ? [] : groupRings([...waters, ...lands]), broken, loose }
}

function isOutermost(ring: PlaneLine, all: readonly PlaneLine[]): boolean {
  return depthOf(ring, all) === 0
}

/** Number of other rings that contain this ring. */
function depthOf(ring: PlaneLine, all: readonly PlaneLine[]): number {
  return all.filter((other) => other !== ring && holdsStart(other, ring)).length
}

function holdsStart(outer: PlaneLine, ring: PlaneLine): boolean {
  return holdsPoint(outer, ring[0], ring[1])
}

function closed(line: PlaneLine): PlaneLine {
  return [...line, line[0], line[1]]
}

function edgeOf({ minX, minY, maxX, maxY }: PlaneBox): PlaneLine {
  return [minX, minY, maxX, minY, maxX, maxY, minX, maxY, minX, minY]
}

function isInside(line: PlaneLine, box: PlaneBox): boolean {
  for (let at = 0; at < line.length; at += 2) if (!holds(box, line[at], line[at + 1])) return false
  return true
}

function holds({ minX, minY, maxX, maxY }: PlaneBox, x: number, y: number): boolean {
  return x > minX && x < maxX && y > minY && y < maxY
}

/** Rotates a ring so that it starts outside the box. */
function beginOutside(ring: PlaneLine, box: PlaneBox): PlaneLine {
  for (let at = 0; at + 2 < ring.length; at += 2) {
    if (!holds(box, ring[at], ring[at + 1])) return [...ring.slice(at, -2), ...ring.slice(0, at + 2)]
  }
  return ring
}

/** Cuts a coastline into the parts that are within the box. */
function cutToBox(line: PlaneLine, box: PlaneBox): Cut {
  const crossings: Crossing[] = []
  const loose: PlaneLine[] = []
  const marks: number[] = []
  let part: number[] | undefined
  let enters: number | undefined
  if (holds(box, line[0], line[1])) part = [line[0], line[1]]
  for (let at = 0; at + 3 < line.length; at += 2) {
    const [x1, y1, x2, y2] = [line[at], line[at + 1], line[at + 2], line[at + 3]]
    const share = shareInside([x1, y1, x2, y2], box)
    if (share === undefined) continue
    const [from, to] = share
    const point = (of: number): [number, number] => [x1 + of * (x2 - x1), y1 + of * (y2 - y1)]
    if (from > 0) {
      part = [...point(from)]
      enters = placeOnEdge(part[0], part[1], box)
    }
    part?.push(...point(to))
    if (to >= 1 || part === undefined) continue
    const leaves = placeOnEdge(part[part.length - 2], part[part.length - 1], box)
    if (enters === undefined) marks.push(leaves)
    else crossings.push({ line: part, enters, leaves })
    part = undefined
    enters = undefined
  }
  if (part !== undefined && holds(box, line[line.length - 2], line[line.length - 1])) {
    if (enters === undefined) loose.push(part)
    else marks.push(enters)
  }
  return { crossings, loose, marks }
}

/**
 * The part of a segment that is within the box, as two fractions of the segment: the start and the end of the part.
 * Undefined if the segment is outside the box.
 */
function shareInside(
  [x1, y1, x2, y2]: readonly [number, number, number, number],
  { minX, minY, maxX, maxY }: PlaneBox,
): [from: number, to: number] | undefined {
  let [from, to] = [0, 1]
  const sides = [
    [x1 - x2, x1 - minX],
    [x2 - x1, maxX - x1],
    [y1 - y2, y1 - minY],
    [y2 - y1, maxY - y1],
  ]
  for (const [change, room] of sides) {
    if (change === 0) {
      if (room < 0) return undefined
    } else if (change < 0) from = Math.max(from, room / change)
    else to = Math.min(to, room / change)
  }
  return from < to ? [from, to] : undefined
}

/**
 * The position of a point on the edge, clockwise on the screen: 0 to 1 along the top, 1 to 2 down the right side, and
 * so on.
 */
function placeOnEdge(x: number, y: number, { minX, minY, maxX, maxY }: PlaneBox): number {
  const along = (value: number, from: number, to: number) => (value - from) / (to - from)
  const distances = [Math.abs(y - minY), Math.abs(x - maxX), Math.abs(y - maxY), Math.abs(x - minX)]
  const side = distances.indexOf(Math.min(...distances))
  if (side === 0) return along(x, minX, maxX)
  if (side === 1) return 1 + along(y, minY, maxY)
  return side === 2 ? 2 + along(x, maxX, minX) : 3 + along(y, maxY, minY)
}

/**
 * Builds rings of water. From the point at which a coastline leaves the box, the ring follows the edge to the point at
 * which the next coastline enters. A ring is left out if a broken coastline crosses the edge between these points.
 */
function closeAlongEdge(crossings: readonly Crossing[], marks: readonly number[], box: PlaneBox): PlaneLine[] {
  const rings: PlaneLine[] = []
  const left = new Set(crossings)
  for (const first of crossings) {
    if (!left.has(first)) continue
    const ring: number[] = []
    let isBroken = false
    for (let current: Crossing | undefined = first; current !== undefined && left.has(current); ) {
      left.delete(current)
      for (const value of current.line) ring.push(value)
      // A coastline has land on its left and water on its right, so the edge of the box is followed clockwise around water.
      const { leaves } = current
      const next = nearestAhead(crossings, leaves)
      isBroken ||= marks.some((mark) => ahead(leaves, mark) <= ahead(leaves, next.enters))
      for (const corner of cornersBetween(leaves, next.enters)) ring.push(...cornerAt(corner, box))
      current = next
    }
    if (!isBroken) rings.push([...ring, ring[0], ring[1]])
  }
  return rings
}

/** The clockwise distance from one position on the edge to another; 4 (once around) if both positions are the same. */
function ahead(from: number, to: number): number {
  return to > from ? to - from : to - from + 4
}

function nearestAhead(crossings: readonly Crossing[], from: number): Crossing {
  return crossings.reduce((best, each) => (ahead(from, each.enters) < ahead(from, best.enters) ? each : best))
}

function cornersBetween(from: number, to: number): number[] {
  const end = from + ahead(from, to)
  const corners: number[] = []
  for (let corner = Math.floor(from) + 1; corner < end; corner++) corners.push(corner % 4)
  return corners
}

function cornerAt(corner: number, { minX, minY, maxX, maxY }: PlaneBox): [number, number] {
  return [corner === 0 || corner === 3 ? minX : maxX, corner < 2 ? minY : maxY]
}
