// Builds the walking graph from loaded streets: cuts ways into pieces, adds lines across squares, and marks small parts
// of the graph that are not connected to the rest. Everything is sorted along a curve, so that pieces that are close on
// the ground are close in memory.
import { columnArray, NONE, sealColumn, type TypedArray } from '../../loaders/columns.ts'
import type { LoadedStreets } from '../../loaders/osm/load-streets.ts'
import { EMPTY_STRING } from '../../loaders/strings.ts'
import { sortAlongCurve } from '../spatial/curve-order.ts'
import { buildPackedBoxes, type PackedBoxes } from '../spatial/packed-boxes.ts'
import { buildBarriers } from './barrier-lines.ts'
import { EdgePoints } from './edge-geometry.ts'
import { crossSquares } from './squares.ts'
import { DECIMETERS, edgeAt, type StreetGraph } from './street-graph.ts'
import { markSmallParts } from './street-parts.ts'
import { PieceCutter, type StreetPieces } from './street-pieces.ts'

/** A graph, and the total length of its streets, without the lines across squares. */
export interface BuiltStreets {
  readonly graph: StreetGraph
  readonly kilometers: number
}

/**
 * Builds the graph. Releases the memory of `streets` during the build, because the build for a country would otherwise
 * need too much memory. `streets` must not be used afterwards.
 * @param onStep called between steps, when much garbage can be collected
 */
export function buildStreetGraph(streets: LoadedStreets, onStep: () => void = () => {}): BuiltStreets {
  const cutter = new PieceCutter(streets)
  onStep()
  cutter.cutAll()
  onStep()
  crossSquares(streets, cutter)
  const { corners, pieces } = cutter
  markSmallParts(corners, pieces)
  const barriers = buildBarriers(streets)
  const kilometers = kilometersOf(pieces)
  for (const used of [streets.ways, streets.barriers, streets.nodes]) used.forget()
  onStep()
  const cornerOrder = sortAlongCurve({ lat: sealColumn(corners.lat.view()), lon: sealColumn(corners.lon.view()) })
  const numberOf = new Uint32Array(cornerOrder.length)
  for (let node = 0; node < cornerOrder.length; node++) numberOf[cornerOrder[node]] = node
  const pieceOrder = sortByStart(pieces, numberOf)
  const platforms = listPlatforms(streets, pieces, pieceOrder)
  pieces.way.take()
  onStep()
  const edges = arrangeEdges(pieces, { pieceOrder, numberOf })
  onStep()
  const graph = {
    nodeLat: sealColumn(arrange(corners.lat.take(), cornerOrder)),
    nodeLon: sealColumn(arrange(corners.lon.take(), cornerOrder)),
    nodeFlags: sealColumn(arrange(corners.flags.take(), cornerOrder)),
    ...edges,
    ...linkHalves(edges, cornerOrder.length),
    ...platforms,
    names: streets.names,
    barriers,
  } satisfies Omit<StreetGraph, 'edgeBoxes'>
  return { graph: { ...graph, edgeBoxes: boxEdges(graph) }, kilometers }
}

function kilometersOf({ length, way }: StreetPieces): number {
  let decimeters = 0
  for (let piece = 0; piece < length.length; piece++) if (way.at(piece) !== NONE) decimeters += length.at(piece)
  return decimeters / DECIMETERS / 1000
}

/** Returns the values in the given order. */
function arrange(values: TypedArray, order: Uint32Array): TypedArray {
  const arranged = values.slice(0, order.length)
  for (let place = 0; place < order.length; place++) arranged[place] = values[order[place]]
  return arranged
}

/** Returns the pieces, ordered by the corner where they start. */
function sortByStart({ from }: StreetPieces, numberOf: Uint32Array): Uint32Array {
  const starts = from.view()
  const next = new Uint32Array(numberOf.length + 1)
  for (let piece = 0; piece < starts.length; piece++) {
    const node = numberOf[starts[piece]]
    next[node + 1] = next[node + 1] + 1
  }
  for (let node = 0; node < numberOf.length; node++) next[node + 1] = next[node + 1] + next[node]
  const order = new Uint32Array(starts.length)
  for (let piece = 0; piece < starts.length; piece++) {
    const node = numberOf[starts[piece]]
    const at = next[node]
    order[at] = piece
    next[node] = at + 1
  }
  return order
}

type EdgeColumns = Pick<
  StreetGraph,
  'edgeFrom' | 'edgeTo' | 'edgeLength' | 'edgeFlags' | 'edgeName' | 'geometryOffset' | 'geometry'
>

function arrangeEdges(
  pieces: StreetPieces,
  { pieceOrder, numberOf }: { readonly pieceOrder: Uint32Array; readonly numberOf: Uint32Array },
): EdgeColumns {
  const ends = pieces.geometryEnd.take()
  const bytes = pieces.geometry.take()
  const offset = new Uint32Array(pieceOrder.length + 1)
  const geometry = new Uint8Array(bytes.length)
  for (let edge = 0; edge < pieceOrder.length; edge++) {
    const piece = pieceOrder[edge]
    const start = piece === 0 ? 0 : ends[piece - 1]
    let to = offset[edge]
    for (let at = start; at < ends[piece]; at++) geometry[to++] = bytes[at]
    offset[edge + 1] = to
  }
  const numbered = (corners: Uint32Array) => {
    const numbers = new Uint32Array(pieceOrder.length)
    for (let edge = 0; edge < numbers.length; edge++) numbers[edge] = numberOf[corners[pieceOrder[edge]]]
    return numbers
  }
  return {
    edgeFrom: sealColumn(numbered(pieces.from.take())),
    edgeTo: sealColumn(numbered(pieces.to.take())),
    edgeLength: sealColumn(arrange(pieces.length.take(), pieceOrder)),
    edgeFlags: sealColumn(arrange(pieces.flags.take(), pieceOrder)),
    edgeName: sealColumn(arrange(pieces.name.take(), pieceOrder)),
    geometryOffset: sealColumn(offset),
    geometry,
  }
}

/** Builds the half edges of each node. */
function linkHalves(
  edges: EdgeColumns,
  nodeCount: number,
): Pick<StreetGraph, 'halfOffset' | 'halfTarget' | 'halfLength' | 'halfEdge'> {
  const [from, to, length] = [edges.edgeFrom, edges.edgeTo, edges.edgeLength].map(columnArray)
  const offset = new Uint32Array(nodeCount + 1)
  for (let edge = 0; edge < from.length; edge++) {
    for (let half = 0; half < 2; half++) {
      const node = half === 0 ? from[edge] : to[edge]
      offset[node + 1] = offset[node + 1] + 1
    }
  }
  for (let node = 0; node < nodeCount; node++) offset[node + 1] = offset[node + 1] + offset[node]
  const next = offset.slice()
  const target = new Uint32Array(2 * from.length)
  const lengths = new Uint16Array(2 * from.length)
  const halfEdge = new Uint32Array(2 * from.length)
  for (let half = 0; half < 2 * from.length; half++) {
    const edge = half >>> 1
    const start = half & 1 ? to[edge] : from[edge]
    const at = next[start]
    target[at] = half & 1 ? from[edge] : to[edge]
    lengths[at] = length[edge]
    halfEdge[at] = half
    next[start] = at + 1
  }
  return {
    halfOffset: sealColumn(offset),
    halfTarget: sealColumn(target),
    halfLength: sealColumn(lengths),
    halfEdge: sealColumn(halfEdge),
  }
}

function listPlatforms(
  { platforms }: LoadedStreets,
  { way }: StreetPieces,
  pieceOrder: Uint32Array,
): Pick<StreetGraph, 'platformEdge' | 'platformRef'> {
  const platformOfWay = new Map(platforms.map((platform) => [platform.way, platform]))
  const edges: number[] = []
  if (platforms.length > 0) {
    for (let edge = 0; edge < pieceOrder.length; edge++) {
      if (platformOfWay.has(way.at(pieceOrder[edge]))) edges.push(edge)
    }
  }
  const refs = edges.map((edge) => platformOfWay.get(way.at(pieceOrder[edge]))?.ref ?? EMPTY_STRING)
  return { platformEdge: sealColumn(Uint32Array.from(edges)), platformRef: sealColumn(Uint32Array.from(refs)) }
}

function boxEdges(graph: Omit<StreetGraph, 'edgeBoxes'>): PackedBoxes {
  const points = new EdgePoints()
  return buildPackedBoxes(graph.edgeFrom.length, (edge, box) => {
    points.read(graph, edgeAt(edge))
    box.fill(2 ** 31 - 1, 0, 2)
    box.fill(-(2 ** 31), 2)
    for (let at = 0; at < points.count; at++) {
      box[0] = Math.min(box[0], points.lat[at])
      box[1] = Math.min(box[1], points.lon[at])
      box[2] = Math.max(box[2], points.lat[at])
      box[3] = Math.max(box[3], points.lon[at])
    }
  })
}
