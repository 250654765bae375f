// Lets walks cross squares in straight lines. A line connects two corners where streets meet the outline of the square,
// if the line stays inside the square. Squares with too many corners or points can only be walked along their outline.
import { IS_SQUARE } from '../../loaders/osm/foot-access.ts'
import { type LoadedStreets, NODE_KNOWN } from '../../loaders/osm/load-streets.ts'
import { DROPPED } from '../../loaders/osm/way-store.ts'
import type { PieceCutter } from './street-pieces.ts'

/**
 * A square gets no lines if streets meet its outline at more corners than this, because connecting so many corners
 * would be slow.
 */
const MOST_DOORS = 40
const MOST_POINTS = 400

/** A square whose outline consists of closed rings. */
interface Square {
  /**
   * Outer rings and holes. Each is a list of node rows that ends with its first row. A point is inside the square if an
   * odd number of rings contain it.
   */
  readonly rings: readonly (readonly number[])[]
  /** The ways that form its outline. */
  readonly ways: ReadonlySet<number>
  readonly flags: number
  readonly name: number
}

/** Adds lines across all squares. */
export function crossSquares(streets: LoadedStreets, cutter: PieceCutter): void {
  const squares = [...ownSquares(streets), ...relatedSquares(streets)]
  const doorsOf = findDoors(squares, cutter)
  for (const square of squares) {
    const doors = doorsOf.get(square) ?? []
    if (doors.length < 2 || doors.length > MOST_DOORS) continue
    const sides = new SquareSides(square.rings, streets.nodes)
    for (const [at, from] of doors.entries()) {
      for (const to of doors.slice(at + 1)) {
        const fromCorner = cutter.cornerAt(from)
        const toCorner = cutter.cornerAt(to)
        if (fromCorner === undefined || toCorner === undefined || !sides.isInside(from, to)) continue
        cutter.addLine(fromCorner, toCorner, { flags: square.flags | IS_SQUARE, name: square.name })
      }
    }
  }
}

/** The squares whose outline is a single closed way. */
function* ownSquares(streets: LoadedStreets): Generator<Square> {
  const { ways } = streets
  for (let way = 0; way < ways.count; way++) {
    if ((ways.flags(way) & IS_SQUARE) === 0 || ways.flags(way) & DROPPED) continue
    const ring = rowsOf(streets, way)
    if (ring === undefined || ring.length < 4 || ring.length > MOST_POINTS || ring[0] !== ring[ring.length - 1])
      continue
    yield { rings: [ring], ways: new Set([way]), flags: ways.flags(way), name: ways.name(way) }
  }
}

/** The squares that are OSM relations. Their rings are assembled from ways; a ring may be a hole. */
function* relatedSquares(streets: LoadedStreets): Generator<Square> {
  for (const { outer, inner, flags, name } of streets.squares) {
    const members = [...outer, ...inner]
    const lines = members.map((way) => rowsOf(streets, way))
    const known = lines.filter((line) => line !== undefined)
    if (known.length < lines.length || known.reduce((sum, { length }) => sum + length, 0) > MOST_POINTS) continue
    const rings = joinRings(known)
    if (rings !== undefined) yield { rings, ways: new Set(members), flags, name }
  }
}

/** The node rows of a way; undefined if one of its nodes is missing from the extract. */
function rowsOf({ ways, nodes }: LoadedStreets, way: number): number[] | undefined {
  const count = ways.readNodes(way)
  const rows = [...ways.nodes.subarray(0, count)]
  return rows.every((row) => (nodes.flags[row] & NODE_KNOWN) !== 0) ? rows : undefined
}

/** Joins lines at their ends into rings; undefined if a line cannot be closed to a ring. */
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

/** Square → the rows of the nodes on its outline where other streets meet the square, ascending. */
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
  const ways = cutter.pieces.way.view()
  const isOnSquare = new Uint8Array(cutter.corners.lat.length)
  for (const corner of squaresOf.keys()) isOnSquare[corner] = 1
  for (const ends of [cutter.pieces.from.view(), cutter.pieces.to.view()]) {
    for (let piece = 0; piece < ends.length; piece++) {
      const corner = ends[piece]
      const row = isOnSquare[corner] === 1 ? rowOfCorner.get(corner) : undefined
      if (row === undefined) continue
      for (const square of squaresOf.get(corner) ?? []) {
        if (!square.ways.has(ways[piece])) doors.getOrInsertComputed(square, () => new Set()).add(row)
      }
    }
  }
  // Sorted, so that the graph does not depend on the order of the ways.
  return new Map([...doors].map(([square, rows]) => [square, [...rows].sort((a, b) => a - b)]))
}

/** The sides of a square's outline. Coordinates are in units of 1e-7 degrees. */
class SquareSides {
  private readonly rows: Uint32Array
  private readonly lat: Int32Array
  private readonly lon: Int32Array

  constructor(rings: Square['rings'], { lat, lon }: LoadedStreets['nodes']) {
    // Each side has two entries: the rows of its ends.
    this.rows = Uint32Array.from(rings.flatMap((ring) => ring.slice(1).flatMap((row, at) => [ring[at], row])))
    this.lat = Int32Array.from(this.rows, (row) => lat[row])
    this.lon = Int32Array.from(this.rows, (row) => lon[row])
  }

  /**
   * Whether the straight line between two nodes of the outline stays inside the square and is not one of the square's
   * sides. The nodes are given as rows.
   */
  isInside(from: number, to: number): boolean {
    const { rows, lat, lon } = this
    const [start, end] = [rows.indexOf(from), rows.indexOf(to)]
    const [fromX, fromY, toX, toY] = [lon[start], lat[start], lon[end], lat[end]]
    const [middleX, middleY] = [(fromX + toX) / 2, (fromY + toY) / 2]
    let isWithin = false
    for (let a = 0; a < rows.length; a += 2) {
      const b = a + 1
      const isOwn = rows[a] === from || rows[b] === from || rows[a] === to || rows[b] === to
      if (isOwn && (rows[a] === from || rows[b] === from) && (rows[a] === to || rows[b] === to)) return false
      if (!isOwn && this.doTouch(start, end, a)) return false
      if (lat[a] > middleY === lat[b] > middleY) continue
      const x = lon[a] + ((middleY - lat[a]) / (lat[b] - lat[a])) * (lon[b] - lon[a])
      if (middleX < x) isWithin = !isWithin
    }
    return isWithin
  }

  /**
   * Whether a side crosses or touches the line between two nodes. `start` and `end` are the indexes of these nodes in
   * `rows`, and `side` is the index of the first end of the side. Exact for coordinates within one city.
   */
  private doTouch(start: number, end: number, side: number): boolean {
    const { lat, lon } = this
    const other = side + 1
    if (this.turn(start, end, side) * this.turn(start, end, other) > 0) return false
    if (this.turn(side, other, start) * this.turn(side, other, end) > 0) return false
    // If all four points are collinear, the side and the line touch only if their ranges of coordinates overlap.
    for (const all of [lat, lon]) {
      const low = Math.max(Math.min(all[start], all[end]), Math.min(all[side], all[other]))
      if (low > Math.min(Math.max(all[start], all[end]), Math.max(all[side], all[other]))) return false
    }
    return true
  }

  /** 1 if a point is to the left of the line from a to b, −1 if it is to the right, 0 if it is on the line. */
  private turn(a: number, b: number, point: number): number {
    const { lat, lon } = this
    return Math.sign((lon[b] - lon[a]) * (lat[point] - lat[a]) - (lat[b] - lat[a]) * (lon[point] - lon[a]))
  }
}
