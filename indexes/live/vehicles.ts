// The live vehicles of a network, as immutable columns in one shared buffer. They are built every few seconds and
// replaced as a whole. One thread builds them; other threads serve them. An estimated position is valid only for the
// time of the build.
import { type Column, type Index, nextIndex } from '../../loaders/columns.ts'
import type { StringIndex, StringPool } from '../../loaders/strings.ts'
import { openMovingPoints } from '../spatial/moving-points.ts'
import { type BoxSearch, findWithin, findWithinBy, type PointHit, type PointTree } from '../spatial/point-tree.ts'
import type { DirectionIndex, LineIndex, StopIndex } from '../timetable/timetable.ts'

/** Index of a live vehicle. The vehicles of a line are consecutive, sorted by id. */
export type VehicleIndex = Index<'Vehicle'>

/** Names of a vehicle's possible states relative to a stop. Columns contain the index of a name. */
export const VEHICLE_STATUSES = ['incoming_at', 'stopped_at', 'in_transit'] as const
/**
 * Names of the possible sources of a position: reported, estimated from predictions, or estimated from the timetable.
 * Columns contain the index of a name.
 */
export const POSITION_SOURCES = ['gps', 'interpolated', 'scheduled'] as const
/** Names of the occupancy levels. Columns contain the index of a name. */
export const OCCUPANCIES = [
  'empty',
  'many_seats_available',
  'few_seats_available',
  'standing_room_only',
  'crushed_standing_room_only',
  'full',
  'not_accepting_passengers',
  'not_boardable',
] as const

export type VehicleStatus = (typeof VEHICLE_STATUSES)[number]
export type PositionSource = (typeof POSITION_SOURCES)[number]
export type Occupancy = (typeof OCCUPANCIES)[number]

/** The kinds of vehicle positions that a network has had so far: reported ones, estimated ones, both, or none. */
export type VehicleKnowledge = 'gps' | 'estimated' | 'mixed' | 'none'

/** Value of `offRouteMeters` if the trip has no shape. */
export const NO_ROUTE = 0xffff

/** Value of `delaySeconds` if no delay is known. */
export const NO_DELAY = -0x8000_0000

export interface VehicleRows {
  /** Local part of the public id. */
  readonly id: Column<VehicleIndex, StringIndex>
  /** Local part of the trip's public id; empty if the trip is unknown. */
  readonly tripRef: Column<VehicleIndex, StringIndex>
  readonly line: Column<VehicleIndex, LineIndex>
  /** NONE if unknown. */
  readonly direction: Column<VehicleIndex, DirectionIndex>
  readonly headsign: Column<VehicleIndex, StringIndex>
  /** Degrees in WGS 84. */
  readonly lat: Column<VehicleIndex>
  readonly lon: Column<VehicleIndex>
  /** Tenths of a degree clockwise from north, 0 to 3599. */
  readonly bearingTenths: Column<VehicleIndex>
  /** Tenths of a km/h. */
  readonly speedTenths: Column<VehicleIndex>
  /** Distance from the shape of the trip in meters; NO_ROUTE if the trip has no shape. */
  readonly offRouteMeters: Column<VehicleIndex>
  /** NO_DELAY if unknown. */
  readonly delaySeconds: Column<VehicleIndex>
  /** Index in VEHICLE_STATUSES. */
  readonly status: Column<VehicleIndex>
  /** The stop at which the vehicle is stopped; NONE if the vehicle is not at a stop. */
  readonly currentStop: Column<VehicleIndex, StopIndex>
  /** The next stop; NONE if it is unknown, or if there is no further stop. */
  readonly nextStop: Column<VehicleIndex, StopIndex>
  /** Index in POSITION_SOURCES. */
  readonly source: Column<VehicleIndex>
  /** When the position was reported, or the time for which it was estimated, in seconds after 1970. */
  readonly recordedSeconds: Column<VehicleIndex>
  /** Index in OCCUPANCIES; NONE_U8 if unknown. */
  readonly occupancy: Column<VehicleIndex>
}

/** Data about the vehicles as a whole, which is not in columns. */
export interface VehiclesMeta {
  /** The snapshot to which all indexes refer. */
  readonly snapshotId: string
  /** Increases with each build of the network's vehicles. */
  readonly version: number
  /** Time of the build according to the service's clock, in seconds after 1970. */
  readonly builtSeconds: number
  /** Maximum age of a position that is shown, in seconds. */
  readonly maxAgeSeconds: number
  /** All kinds of positions that the network has had so far, including those that it does not have now. */
  readonly knowledge: VehicleKnowledge
}

/** The live vehicles of one network. Read-only. */
export interface Vehicles {
  readonly meta: VehiclesMeta
  readonly strings: StringPool
  readonly rows: VehicleRows
  /** Line → its first vehicle; with one extra entry at the end. */
  readonly offsetOfLine: Column<LineIndex, VehicleIndex>
  /** The search tree of all vehicles; empty if there are at most MOST_PLACED vehicles. */
  readonly tree: PointTree
}

/**
 * For up to this many vehicles, each thread builds its own search tree when it first needs one, in at most 0.8 ms. For
 * more vehicles, the live thread builds a tree that all threads share.
 */
export const MOST_PLACED = 5_000

/** The search trees that this thread has built; the key is the `Vehicles` object of a tree. */
const placed = new WeakMap<Vehicles, BoxSearch>()

/** The vehicles of a line, sorted by id. Vehicles whose position is too old are left out. */
export function listVehicles(vehicles: Vehicles, line: LineIndex, nowSeconds: number): VehicleIndex[] {
  const { offsetOfLine } = vehicles
  const end = offsetOfLine[nextIndex(line)]
  const found: VehicleIndex[] = []
  for (let vehicle = offsetOfLine[line]; vehicle < end; vehicle++) {
    if (isCurrent(vehicles, vehicle, nowSeconds)) found.push(vehicle)
  }
  return found
}

/** The vehicles within a radius of a place, nearest first. Vehicles whose position is too old are left out. */
export function findVehicles(
  vehicles: Vehicles,
  circle: { readonly lat: number; readonly lon: number; readonly radiusMeters: number },
  nowSeconds: number,
): PointHit<VehicleIndex>[] {
  const { rows, tree } = vehicles
  const hits =
    tree.length > 0
      ? findWithin<VehicleIndex>(tree, rows, circle)
      : findWithinBy<VehicleIndex>(placed.getOrInsertComputed(vehicles, placeVehicles), rows, circle)
  return hits.filter(({ index }) => isCurrent(vehicles, index, nowSeconds))
}

function placeVehicles({ rows }: Vehicles): BoxSearch {
  return openMovingPoints<VehicleIndex>(rows)
}

function isCurrent({ rows, meta }: Vehicles, vehicle: VehicleIndex, nowSeconds: number): boolean {
  return nowSeconds - rows.recordedSeconds[vehicle] <= meta.maxAgeSeconds
}
