// Cuts ways into pieces at the points where the ways meet. Pieces are in the order of the extract; build-graph.ts sorts
// and links them.
import { GrowingColumn, NONE } from '../../loaders/columns.ts'
import { NODE_NOT_STEP_FREE, NODE_SHUT } from '../../loaders/osm/foot-access.ts'
import { type LoadedStreets, NODE_KNOWN } from '../../loaders/osm/load-streets.ts'
import { ReusedArray } from '../../loaders/osm/reused-array.ts'
import { DROPPED } from '../../loaders/osm/way-store.ts'
import { EARTH_RADIUS_METERS } from '../spatial/great-circle.ts'
import { CornerRanks } from './corner-ranks.ts'
import { GeometryWriter } from './edge-geometry.ts'
import { DECIMETERS, LONGEST_EDGE_METERS } from './street-graph.ts'

const RADIANS_PER_UNIT = Math.PI / 180 / 1e7
const HALF_RADIANS_PER_UNIT = RADIANS_PER_UNIT / 2
const METERS_PER_UNIT = EARTH_RADIUS_METERS * RADIANS_PER_UNIT
const LONGEST_EDGE_UNITS = LONGEST_EDGE_METERS / METERS_PER_UNIT
/** Averages in cities, used for the initial size of the columns. The columns grow if there are more pieces or bytes. */
const PIECES_PER_CORNER = 1.6
const BYTES_PER_PIECE = 6
/**
 * How ways use a node. INSIDE: the node is in the middle of one way. CORNER: the node is at an end of a way, belongs to
 * several ways, is not step-free, or splits a piece that would otherwise be too long.
 */
const INSIDE = 1
const CORNER = 2

/** The corners of the graph: the points where ways are cut into pieces. Coordinates are in units of 1e-7 degrees. */
export interface StreetCorners {
  readonly lat: GrowingColumn<Int32Array>
  readonly lon: GrowingColumn<Int32Array>
  /** 0 or NODE_NOT_STEP_FREE. */
  readonly flags: GrowingColumn<Uint8Array>
}

/** Pieces of ways between two corners. */
export interface StreetPieces {
  readonly from: GrowingColumn<Uint32Array>
  readonly to: GrowingColumn<Uint32Array>
  /** Decimeters. */
  readonly length: GrowingColumn<Uint16Array>
  readonly flags: GrowingColumn<Uint16Array>
  readonly name: GrowingColumn<Uint32Array>
  /** The way to which the piece belongs; NONE for a line across a square. */
  readonly way: GrowingColumn<Uint32Array>
  /** Piece → the end of its bytes in `geometry`. These bytes start where those of the previous piece end. */
  readonly geometryEnd: GrowingColumn<Uint32Array>
  readonly geometry: GrowingColumn<Uint8Array>
}

/** The properties that a piece takes over from its way. */
interface PieceWay {
  readonly flags: number
  readonly name: number
  readonly way: number
}

/** Cuts ways into pieces. */
export class PieceCutter {
  readonly corners: StreetCorners
  readonly pieces: StreetPieces
  private readonly streets: LoadedStreets
  private readonly ranks: CornerRanks
  private readonly rows = new ReusedArray(Uint32Array)
  private readonly points: GeometryWriter
  /** The corner where the current piece starts. */
  private from = 0
  /** Length of the current piece so far. */
  private meters = 0

  /** Finds all corners. */
  constructor(streets: LoadedStreets) {
    this.streets = streets
    const { nodes } = streets
    const uses = this.countUses()
    const isCorner = (row: number) => uses[row] === CORNER && (nodes.flags[row] & NODE_SHUT) === 0
    this.ranks = new CornerRanks(uses.length, isCorner)
    const capacity = this.ranks.count + 1
    this.corners = {
      lat: new GrowingColumn(Int32Array, capacity),
      lon: new GrowingColumn(Int32Array, capacity),
      flags: new GrowingColumn(Uint8Array, capacity),
    }
    for (let row = 0; row < uses.length; row++) if (isCorner(row)) this.addCornerAt(row)
    const most = Math.ceil(PIECES_PER_CORNER * capacity)
    this.pieces = {
      from: new GrowingColumn(Uint32Array, most),
      to: new GrowingColumn(Uint32Array, most),
      length: new GrowingColumn(Uint16Array, most),
      flags: new GrowingColumn(Uint16Array, most),
      name: new GrowingColumn(Uint32Array, most),
      way: new GrowingColumn(Uint32Array, most),
      geometryEnd: new GrowingColumn(Uint32Array, most),
      geometry: new GrowingColumn(Uint8Array, BYTES_PER_PIECE * most),
    }
    this.points = new GeometryWriter(this.pieces.geometry)
  }

  /** Cuts all ways. */
  cutAll(): void {
    const { ways } = this.streets
    const own = { flags: 0, name: 0, way: 0 }
    const cut = (rows: Uint32Array, count: number) => this.cutRun(own, rows, count)
    for (let way = 0; way < ways.count; way++) {
      own.flags = ways.flags(way)
      own.name = ways.name(way)
      own.way = way
      this.eachRun(way, cut)
    }
  }

  /** The corner at a node; undefined if there is none. */
  cornerAt(row: number): number | undefined {
    return this.ranks.rankOf(row)
  }

  /** Adds a straight piece between two corners. */
  addLine(from: number, to: number, own: Omit<PieceWay, 'way'>): void {
    const { lat, lon } = this.corners
    this.from = from
    this.meters = unitMeters(lat.at(from), lat.at(to), lon.at(to) - lon.at(from))
    this.endPiece({ ...own, way: NONE }, to)
  }

  private countUses(): Uint8Array {
    const { ways, nodes } = this.streets
    const { lat, lon, flags } = nodes
    const uses = new Uint8Array(nodes.count)
    const use = (rows: Uint32Array, count: number) => {
      let units = 0
      for (let at = 0; at < count; at++) {
        const row = rows[at]
        const isEnd = at === 0 || at === count - 1 || (flags[row] & NODE_NOT_STEP_FREE) !== 0
        uses[row] = isEnd || uses[row] !== 0 ? CORNER : INSIDE
        if (at === 0) continue
        // The sum of the northward and eastward distances is never less than the true length, so no piece becomes too
        // long.
        const last = rows[at - 1]
        const step = Math.abs(lat[row] - lat[last]) + Math.abs(lon[row] - lon[last])
        const isTooLong = units + step > LONGEST_EDGE_UNITS
        if (isTooLong) uses[last] = CORNER
        units = isTooLong ? step : units + step
      }
    }
    for (let way = 0; way < ways.count; way++) this.eachRun(way, use)
    return uses
  }

  /**
   * Cuts a way at each node that the extract lacks and at each closed node, such as a locked gate. Calls `take` with
   * each of the resulting runs of nodes. The runs before and after a closed node both contain this node.
   */
  private eachRun(way: number, take: (rows: Uint32Array, count: number) => void): void {
    const { ways, nodes } = this.streets
    if (ways.flags(way) & DROPPED) return
    const count = ways.readNodes(way)
    const all = ways.nodes
    const rows = this.rows.atLeast(count)
    let kept = 0
    for (let at = 0; at < count; at++) {
      const row = all[at]
      if ((nodes.flags[row] & NODE_KNOWN) === 0) {
        if (kept > 1) take(rows, kept)
        kept = 0
        continue
      }
      if (kept > 0 && rows[kept - 1] === row) continue
      rows[kept++] = row
      if (kept === 1 || (nodes.flags[row] & NODE_SHUT) === 0) continue
      take(rows, kept)
      rows[0] = row
      kept = 1
    }
    if (kept > 1) take(rows, kept)
  }

  private cutRun(own: PieceWay, rows: Uint32Array, count: number): void {
    const { lat, lon } = this.streets.nodes
    this.from = this.endCorner(rows[0])
    this.meters = 0
    this.points.begin(lat[rows[0]], lon[rows[0]])
    for (let at = 1; at < count; at++) {
      const row = rows[at]
      const step = this.metersBetweenRows(rows[at - 1], row)
      const parts = Math.ceil(step / LONGEST_EDGE_METERS)
      for (let part = 1; part < parts; part++) {
        const corner = this.addCornerBetween(rows[at - 1], row, part / parts)
        this.meters += step / parts
        this.endPiece(own, corner)
        this.points.begin(this.corners.lat.at(corner), this.corners.lon.at(corner))
      }
      this.meters += step / Math.max(1, parts)
      const corner = at === count - 1 ? this.endCorner(row) : this.cornerAt(row)
      if (corner === undefined) this.points.add(lat[row], lon[row])
      else {
        this.endPiece(own, corner)
        this.points.begin(lat[row], lon[row])
      }
    }
  }

  /** The corner at the end of a run. At a closed node, each street that ends there gets its own corner. */
  private endCorner(row: number): number {
    return this.cornerAt(row) ?? this.addCornerAt(row)
  }

  private addCornerAt(row: number): number {
    const { lat, lon, flags } = this.streets.nodes
    return this.addCorner(lat[row], lon[row], flags[row] & NODE_NOT_STEP_FREE)
  }

  /** Adds a corner between two nodes, because the line between them is longer than the longest possible edge. */
  private addCornerBetween(from: number, to: number, part: number): number {
    const { lat, lon } = this.streets.nodes
    const between = (all: Int32Array) => Math.round(all[from] + part * (all[to] - all[from]))
    return this.addCorner(between(lat), between(lon), 0)
  }

  private addCorner(lat: number, lon: number, flags: number): number {
    const { corners } = this
    corners.lat.push(lat)
    corners.lon.push(lon)
    corners.flags.push(flags)
    return corners.lat.length - 1
  }

  /** Ends the current piece at a corner, and starts the next one there. */
  private endPiece({ flags, name, way }: PieceWay, to: number): void {
    const { pieces } = this
    pieces.from.push(this.from)
    pieces.to.push(to)
    pieces.length.push(Math.round(this.meters * DECIMETERS))
    pieces.flags.push(flags)
    pieces.name.push(name)
    pieces.way.push(way)
    pieces.geometryEnd.push(pieces.geometry.length)
    this.from = to
    this.meters = 0
  }

  private metersBetweenRows(from: number, to: number): number {
    const { lat, lon } = this.streets.nodes
    return unitMeters(lat[from], lat[to], lon[to] - lon[from])
  }
}

/**
 * Distance in meters between two points of a street, on a flat map. Latitudes and `east`, the difference in longitude,
 * are in units of 1e-7 degrees. The error is at most 1 mm per kilometer.
 */
function unitMeters(fromLat: number, toLat: number, east: number): number {
  const wide = east * Math.cos((fromLat + toLat) * HALF_RADIANS_PER_UNIT)
  const high = toLat - fromLat
  return Math.sqrt(wide * wide + high * high) * METERS_PER_UNIT
}
