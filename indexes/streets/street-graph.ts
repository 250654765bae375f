// The walking graph of an extract. Crossings are nodes, and the streets between them are edges. Nodes and edges are
// sorted along a Hilbert curve. The columns are read from the street snapshot without being copied.
//
//   nodes      0        1     2 …          halfOffset   0     3   4 …
//   halves     0 1 2 |  3 |   4 …          the streets from a node: to which node, how long, along which edge
//   edges      0 from 0 to 1, 1 from 0 to 2 …; the points between the two ends of an edge are bytes in `geometry`
import { type Column, columnArray, type Index, sealColumn, type TypedArray } from '../../loaders/columns.ts'
import {
  type ColumnGroup,
  type ColumnTypes,
  checkColumns,
  I32,
  type NamedColumns,
  namesOf,
  U8,
  U16,
  U32,
} from '../../loaders/snapshot-file.ts'
import type { StringIndex, StringPool } from '../../loaders/strings.ts'

/** Version of the columns. Must be increased when the meaning of a column changes. */
export const STREET_FORMAT = 2

export type StreetNodeIndex = Index<'StreetNode'>
export type StreetEdgeIndex = Index<'StreetEdge'>
export type HalfEdgeIndex = Index<'HalfEdge'>

/**
 * Flag of an edge, in addition to the flags in loaders/osm/foot-access.ts: the edge is in a part of the graph with less
 * than PART_METERS of streets.
 */
export const IN_SMALL_PART = 256
/** Like IN_SMALL_PART, but only streets without steps count. */
export const IN_SMALL_STEP_FREE_PART = 512
/**
 * A part of the graph is small if the total length of its streets is less than this. A stop is linked to a small part
 * only if no larger part is near.
 */
export const PART_METERS = 300
/** Number of decimeters in a meter. Lengths are stored in decimeters. */
export const DECIMETERS = 10
/** Maximum length of an edge. */
export const LONGEST_EDGE_METERS = 6_500

/** Converts a number below the number of edges to the index of an edge. */
export function edgeAt(number: number): StreetEdgeIndex {
  return number as StreetEdgeIndex
}

/** The number of the edge that a value of the column `halfEdge` refers to. */
export function edgeOfHalf(half: number): StreetEdgeIndex {
  return edgeAt(half >>> 1)
}

/** Whether a value of the column `halfEdge` means that the edge is walked from its end to its start. */
export function isTurned(half: number): boolean {
  return (half & 1) === 1
}

/** A walking graph. Coordinates are in units of 1e-7 degrees, lengths in decimeters. */
export interface StreetGraph {
  readonly nodeLat: Column<StreetNodeIndex>
  readonly nodeLon: Column<StreetNodeIndex>
  /** 0 or NODE_NOT_STEP_FREE. */
  readonly nodeFlags: Column<StreetNodeIndex>
  /** Node → its first half edge; one extra entry marks the end. */
  readonly halfOffset: Column<StreetNodeIndex, HalfEdgeIndex>
  readonly halfTarget: Column<HalfEdgeIndex, StreetNodeIndex>
  readonly halfLength: Column<HalfEdgeIndex>
  /** Edge × 2, plus 1 if the edge is walked from its end to its start. */
  readonly halfEdge: Column<HalfEdgeIndex>
  readonly edgeFrom: Column<StreetEdgeIndex, StreetNodeIndex>
  readonly edgeTo: Column<StreetEdgeIndex, StreetNodeIndex>
  readonly edgeLength: Column<StreetEdgeIndex>
  readonly edgeFlags: Column<StreetEdgeIndex>
  readonly edgeName: Column<StreetEdgeIndex, StringIndex>
  /** Edge → the first byte of its geometry; one extra entry marks the end. */
  readonly geometryOffset: Column<StreetEdgeIndex>
  /**
   * The points between the two ends of each edge, as differences of latitude and longitude in zigzag varints. The first
   * point is relative to the edge's first node.
   */
  readonly geometry: Uint8Array
  /** Boxes around edges; see indexes/spatial/packed-boxes.ts. */
  readonly edgeBoxes: Column<number>
  readonly names: StringPool
  /** The edges that are platforms with a number, ascending. */
  readonly platformEdge: Column<number, StreetEdgeIndex>
  /** The number of each platform in `platformEdge`. */
  readonly platformRef: Column<number, StringIndex>
  readonly barriers: BarrierLines
}

/** Rails and shores as straight pieces, sorted along a space-filling curve. */
export interface BarrierLines {
  /** Four numbers per piece: latitude and longitude of both ends. */
  readonly ends: Column<number>
  readonly boxes: Column<number>
}

/** Metadata of the snapshot. */
export interface StreetMeta {
  readonly format: number
  /** The versions of the source files; see source-stamp.ts. */
  readonly stamp: string
  /** Hash of the contents of the extracts; absent in graphs of earlier versions. */
  readonly content?: string
  /** Time when the graph was built, in milliseconds since 1970. */
  readonly madeAtMillis: number
  /**
   * The time up to which the extracts include changes, in seconds since 1970; undefined if the extracts do not state
   * this time.
   */
  readonly extractSeconds: number | undefined
  /** The cells of the area whose streets are loaded; see loaders/osm/kept-area.ts. */
  readonly keptRuns: readonly number[]
  readonly kilometers: number
}

type GraphColumn = Exclude<keyof StreetGraph, 'names' | 'barriers'>

const GRAPH_COLUMNS: ColumnGroup<GraphColumn> = {
  nodeLat: I32,
  nodeLon: I32,
  nodeFlags: U8,
  halfOffset: U32,
  halfTarget: U32,
  halfLength: U16,
  halfEdge: U32,
  edgeFrom: U32,
  edgeTo: U32,
  edgeLength: U16,
  edgeFlags: U16,
  edgeName: U32,
  geometryOffset: U32,
  geometry: U8,
  edgeBoxes: I32,
  platformEdge: U32,
  platformRef: U32,
}
const OTHER_COLUMNS = {
  'names.bytes': U8,
  'names.offsets': U32,
  'barriers.ends': I32,
  'barriers.boxes': I32,
} satisfies ColumnGroup<string>

const COLUMNS = new Map<string, ColumnTypes>(Object.entries({ ...GRAPH_COLUMNS, ...OTHER_COLUMNS }))

/** The columns of the snapshot, in file order. */
export function streetColumns(graph: StreetGraph): NamedColumns {
  const columns = new Map<string, TypedArray>()
  const put = (name: string, column: { readonly length: number }) => columns.set(name, columnArray(column))
  for (const name of namesOf(GRAPH_COLUMNS)) put(name, graph[name])
  put('names.bytes', graph.names.bytes)
  put('names.offsets', graph.names.offsets)
  put('barriers.ends', graph.barriers.ends)
  put('barriers.boxes', graph.barriers.boxes)
  return columns
}

/**
 * Creates the graph from the columns of a file, without copying them. Throws SnapshotUnusable if the columns belong to
 * another version of the format.
 */
export function openStreetGraph(columns: NamedColumns): StreetGraph {
  checkColumns(columns, COLUMNS)
  const array = (name: string): TypedArray => {
    const column = columns.get(name)
    if (column === undefined) throw new Error(`the street snapshot has no column ${name}`)
    return column
  }
  const bytes = (name: string): Uint8Array => {
    const column = array(name)
    if (!(column instanceof Uint8Array))
      throw new Error(
        `the column ${name} of the street snapshot must be a Uint8Array, not a ${column.constructor.name}`,
      )
    return column
  }
  const take = <I extends number, V extends number>(name: GraphColumn) => sealColumn<I, V>(array(name))
  return {
    nodeLat: take('nodeLat'),
    nodeLon: take('nodeLon'),
    nodeFlags: take('nodeFlags'),
    halfOffset: take('halfOffset'),
    halfTarget: take('halfTarget'),
    halfLength: take('halfLength'),
    halfEdge: take('halfEdge'),
    edgeFrom: take('edgeFrom'),
    edgeTo: take('edgeTo'),
    edgeLength: take('edgeLength'),
    edgeFlags: take('edgeFlags'),
    edgeName: take('edgeName'),
    geometryOffset: take('geometryOffset'),
    geometry: bytes('geometry'),
    edgeBoxes: take('edgeBoxes'),
    platformEdge: take('platformEdge'),
    platformRef: take('platformRef'),
    names: { bytes: bytes('names.bytes'), offsets: sealColumn(array('names.offsets')) },
    barriers: { ends: sealColumn(array('barriers.ends')), boxes: sealColumn(array('barriers.boxes')) },
  }
}
