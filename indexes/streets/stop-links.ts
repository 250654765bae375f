// The links between the stops of a timetable and a street graph, and the walks between the stops, as columns of a
// snapshot. The snapshot is written when the timetable or the graph has changed, so that threads need not compute the
// links when they start.
//
//   points   stops, then the entrances of stations; a stop with entrances is reached only through its entrances
//   links    the edges from which a point can be reached, each with the position on it and the distance to the point
//   meets    corner → the points on edges that end at this corner; a search that reaches the corner reaches them all
//   walks    point → the points within the maximum length of a transfer walk, on foot and without steps
import { type Column, columnArray, type Index, sealColumn, type TypedArray } from '../../loaders/columns.ts'
import {
  type ColumnGroup,
  type ColumnTypes,
  checkColumns,
  type NamedColumns,
  namesOf,
  U16,
  U32,
} from '../../loaders/snapshot-file.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import type { StreetEdgeIndex } from './street-graph.ts'
import type { WalkProfile } from './street-snap.ts'

/** Version of the columns. Must be increased when the meaning of a column changes. */
export const LINK_FORMAT = 3

/** A stop or an entrance. Entrances are numbered after all stops. */
export type LinkPointIndex = Index<'LinkPoint'>
export type LinkIndex = Index<'Link'>

/** The point of a stop without entrances. */
export function pointOfStop(stop: StopIndex): LinkPointIndex {
  return toPoint(stop)
}

/** The point of an entrance. */
export function pointOfDoor({ stops }: Timetable, door: number): LinkPointIndex {
  return toPoint(stops.id.length + door)
}

function toPoint(row: number): LinkPointIndex {
  return row as LinkPointIndex
}

/** Stored in `walkFoot` if there is no walk on foot, and in `walkStepFree` if there is no walk without steps. */
export const NO_WALK = 0xffff

/** The links of a timetable's points for one kind of walker. Lengths are in decimeters. */
export interface ProfileLinks {
  /** Point → its first link; one extra entry marks the end. A point without links is not on a street. */
  readonly linkOffset: Column<LinkPointIndex, LinkIndex>
  readonly edge: Column<LinkIndex, StreetEdgeIndex>
  /** Distance along the edge from the position of the link to the edge's first corner. */
  readonly toFirst: Column<LinkIndex>
  readonly off: Column<LinkIndex>
  /** The links, sorted by edge. */
  readonly byEdge: Column<number, LinkIndex>
  /** Link → its point. */
  readonly pointOf: Column<LinkIndex, LinkPointIndex>
  /** Slot of the hash table → its corner; NONE if the slot is empty. */
  readonly slotNode: Column<number>
  /** Slot → its first row in `metPoint`; one extra entry marks the end. */
  readonly slotOffset: Column<number>
  readonly metPoint: Column<number, LinkPointIndex>
  /** Row of `metPoint` → decimeters from the corner to the point. */
  readonly metLength: Column<number>
}

/** The links of a timetable for both kinds of walkers, and the walks. */
export interface StopLinks {
  readonly foot: ProfileLinks
  readonly stepFree: ProfileLinks
  /** Point → its first walk; one extra entry marks the end. */
  readonly walkOffset: Column<LinkPointIndex>
  readonly walkTo: Column<number, LinkPointIndex>
  /** Length in decimeters; NO_WALK if the walk would be longer than a transfer walk may be. */
  readonly walkFoot: Column<number>
  /** Like `walkFoot`, for walks without steps. */
  readonly walkStepFree: Column<number>
}

/** Metadata of the snapshot. */
export interface LinkMeta {
  readonly format: number
  /** The fingerprints of the graph and of the network's snapshot. */
  readonly graph: string
  readonly snapshot: string
  readonly transferWalkMeters: number
  readonly linkedStops: number
  readonly unlinkedStops: number
  /** Ids of some stops that are not on a street. */
  readonly unlinkedIds: readonly string[]
}

/** Returns the links for one kind of walker. */
export function linksOf(links: StopLinks, profile: WalkProfile): ProfileLinks {
  return profile === 'foot' ? links.foot : links.stepFree
}

const PROFILE_COLUMNS: ColumnGroup<keyof ProfileLinks> = {
  linkOffset: U32,
  edge: U32,
  toFirst: U16,
  off: U16,
  byEdge: U32,
  pointOf: U32,
  slotNode: U32,
  slotOffset: U32,
  metPoint: U32,
  metLength: U32,
}
const WALK_COLUMNS: ColumnGroup<Exclude<keyof StopLinks, 'foot' | 'stepFree'>> = {
  walkOffset: U32,
  walkTo: U32,
  walkFoot: U16,
  walkStepFree: U16,
}
const PROFILES = ['foot', 'stepFree'] as const

const COLUMNS = new Map<string, ColumnTypes>([
  ...PROFILES.flatMap((profile) =>
    Object.entries(PROFILE_COLUMNS).map(([name, types]) => [`${profile}.${name}`, types] as const),
  ),
  ...Object.entries(WALK_COLUMNS),
])

/** The columns of the snapshot, in file order. */
export function linkColumns(links: StopLinks): NamedColumns {
  const columns = new Map<string, TypedArray>()
  const put = (name: string, column: { readonly length: number }) => columns.set(name, columnArray(column))
  for (const profile of PROFILES) {
    for (const name of namesOf(PROFILE_COLUMNS)) put(`${profile}.${name}`, links[profile][name])
  }
  for (const name of namesOf(WALK_COLUMNS)) put(name, links[name])
  return columns
}

/**
 * Creates the links from the columns of a file, without copying them. Throws SnapshotUnusable if the columns belong to
 * another version of the format.
 */
export function openStopLinks(columns: NamedColumns): StopLinks {
  checkColumns(columns, COLUMNS)
  const take = <I extends number, V extends number>(name: string) => {
    const column = columns.get(name)
    if (column === undefined) throw new Error(`the stop-links file has no column ${name}`)
    return sealColumn<I, V>(column)
  }
  const profile = (of: (typeof PROFILES)[number]): ProfileLinks => ({
    linkOffset: take(`${of}.linkOffset`),
    edge: take(`${of}.edge`),
    toFirst: take(`${of}.toFirst`),
    off: take(`${of}.off`),
    byEdge: take(`${of}.byEdge`),
    pointOf: take(`${of}.pointOf`),
    slotNode: take(`${of}.slotNode`),
    slotOffset: take(`${of}.slotOffset`),
    metPoint: take(`${of}.metPoint`),
    metLength: take(`${of}.metLength`),
  })
  return {
    foot: profile('foot'),
    stepFree: profile('stepFree'),
    walkOffset: take('walkOffset'),
    walkTo: take('walkTo'),
    walkFoot: take('walkFoot'),
    walkStepFree: take('walkStepFree'),
  }
}
