// Squares are walked straight through: lines between all corners where streets meet their outline, as far as they stay
// inside. Larger or more intricate squares are walked along their outline only.
import { NONE } from '../../loaders/columns.ts'
import { IS_SQUARE } from '../../loaders/osm/foot-access.ts'
import type { LoadedStreets } from '../../loaders/osm/load-streets.ts'
import { DROPPED } from '../../loaders/osm/way-store.ts'
import type { PieceCutter } from './street-pieces.ts'

/** More would be slow to connect. */
const MOST_DOORS = 40
const MOST_POINTS = 400

/** A square whose rings are closed. */
interface Square {
  /** Rings of rows, first and last the same. Outer ones and holes alike: a point inside is within an odd number. */
  readonly rings: readonly (readonly number[])[]
  /** The ways of its outline. */
  readonly ways: ReadonlySet<number>
  readonly flags: number
  readonly name: number
}

/** Adds lines across all squares. */
export function crossSquares(streets: LoadedStreets, cutter: PieceCutter): void {
  const squares = [...ownSquares(streets, cutter), ...relatedSquares(streets, cutter)]
  const doorsOf = findDoors(squares, cutter)
  for (const square of squares) {
    const doors = doorsOf.get(square) ?? []
    if (doors.length > MOST_DOORS) continue
    for (const [at, from] of doors.entries()) {
      for (const to of doors.slice(at + 1)) {
        const [fromCorner, toCorner] = [cutter.cornerAt(from), cutter.cornerAt(to)]
        if (fromCorner === undefined || toCorner === undefined || !isInside(square, streets, { from, to })) continue
        cutter.addLine(fromCorner, toCorner, { flags: square.flags | IS_SQUARE, name: square.name })
      }
    }
  }
}

/** Squares of one closed way. */
function* ownSquares({ ways }: LoadedStreets, cutter: PieceCutter): Generator<Square> {
  for (let way = 0; way < ways.count; way++) {
    if ((ways.flags(way) & IS_SQUARE) === 0 || ways.flags(way) & DROPPED) continue
    const ring = rowsOf(ways, cutter, way)
    if (ring === undefined || ring.length < 4 || ring.length > MOST_POINTS || ring[0] !== ring[ring.length - 1])
      continue
    yield { rings: [ring], ways: new Set([way]), flags: ways.flags(way), name: ways.name(way) }
  }
}

/** Squares that are relations: rings joined from ways, with holes. */
function* relatedSquares({ ways, squares }: LoadedStreets, cutter: PieceCutter): Generator<Square> {
  for (const { outer, inner, flags, name } of squares) {
    const members = [...outer, ...inner]
    const lines = members.map((way) => rowsOf(ways, cutter, way))
    const known = lines.filter((line) => line !== undefined)
    if (known.length < lines.length || known.reduce((sum, { length }) => sum + length, 0) > MOST_POINTS) continue
    const rings = joinRings(known)
    if (rings !== undefined) yield { rings, ways: new Set(members), flags, name }
  }
}

/** The rows of a way; undefined if one of its nodes is not known. */
function rowsOf(ways: LoadedStreets['ways'], cutter: PieceCutter, way: number): number[] | undefined {
  const { id, count } = ways.refsOf(way)
  const rows = Array.from(id.subarray(0, count), (each) => cutter.rowOf(each))
  return rows.includes(NONE) ? undefined : rows
}

/** Lines joined at their ends into rings; undefined if one stays open. */
function joinRings(lines: readonly (readonly number[])[]): number[][] | undefined {
  const rings: number[][] = []
  const open = lines.map((line) => [...line])
  for (let ring = open.pop(); ring !== undefined; ring = open.pop()) {
    while (ring[0] !== ring[ring.length - 1]) {
      const end = ring[ring.length - 1]
      const at = open.findIndex((line) => line[0] === end || line[line.length - 1] === end)
      const [next] = at < 0 ? [] : open.splice(at, 1)
      if (next === undefined) return undefined
      ring.push(...(next[0] === end ? next : next.reverse()).slice(1))
    }
    if (ring.length < 4) return undefined
    rings.push(ring)
  }
  return rings
}

/** Square → the rows of its outline where other streets meet it. */
function findDoors(squares: readonly Square[], cutter: PieceCutter): Map<Square, number[]> {
  const squaresOf = new Map<number, Square[]>()
  const rowOfCorner = new Map<number, number>()
  for (const square of squares) {
    for (const row of new Set(square.rings.flat())) {
      const corner = cutter.cornerAt(row)
      if (corner === undefined) continue
      rowOfCorner.set(corner, row)
      squaresOf.getOrInsertComputed(corner, () => []).push(square)
    }
  }
  const doors = new Map<Square, Set<number>>()
  const { from, to, way } = cutter.pieces
  for (let piece = 0; piece < from.length; piece++) {
    for (const corner of [from.at(piece), to.at(piece)]) {
      const row = rowOfCorner.get(corner)
      if (row === undefined) continue
      for (const square of squaresOf.get(corner) ?? []) {
        if (!square.ways.has(way.at(piece))) doors.getOrInsertComputed(square, () => new Set()).add(row)
      }
    }
  }
  // In row order, so that the graph does not depend on the order of ways.
  return new Map([...doors].map(([square, rows]) => [square, [...rows].sort((a, b) => a - b)]))
}

/** Whether a straight line between two rows of the outline stays inside, and is not a side of it. */
function isInside(
  { rings }: Square,
  { nodes: { lat, lon } }: LoadedStreets,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  const [fromX, fromY, toX, toY] = [lon[from], lat[from], lon[to], lat[to]]
  const [middleX, middleY] = [(fromX + toX) / 2, (fromY + toY) / 2]
  let isWithin = false
  for (const ring of rings) {
    for (let at = 1; at < ring.length; at++) {
      const [a, b] = [ring[at - 1], ring[at]]
      if ((a === from && b === to) || (a === to && b === from)) return false
      const isOwn = a === from || b === from || a === to || b === to
      const side = { aX: lon[a], aY: lat[a], bX: lon[b], bY: lat[b] }
      if (!isOwn && doTouch({ aX: fromX, aY: fromY, bX: toX, bY: toY }, side)) return false
      if (side.aY > middleY === side.bY > middleY) continue
      const x = side.aX + ((middleY - side.aY) / (side.bY - side.aY)) * (side.bX - side.aX)
      if (middleX < x) isWithin = !isWithin
    }
  }
  return isWithin
}

/** A straight line. */
interface Line {
  readonly aX: number
  readonly aY: number
  readonly bX: number
  readonly bY: number
}

/** Whether two lines cross or touch. Exact for coordinates of one city. */
export function doTouch(one: Line, other: Line): boolean {
  const isAcross = ({ aX, aY, bX, bY }: Line, line: Line) => {
    const turn = (x: number, y: number) => Math.sign((bX - aX) * (y - aY) - (bY - aY) * (x - aX))
    return turn(line.aX, line.aY) * turn(line.bX, line.bY) <= 0
  }
  if (!isAcross(one, other) || !isAcross(other, one)) return false
  // On one line: whether they overlap.
  return doOverlap([one.aX, one.bX], [other.aX, other.bX]) && doOverlap([one.aY, one.bY], [other.aY, other.bY])
}

function doOverlap(one: readonly number[], other: readonly number[]): boolean {
  return Math.max(Math.min(...one), Math.min(...other)) <= Math.min(Math.max(...one), Math.max(...other))
}
