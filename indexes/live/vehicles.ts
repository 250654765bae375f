// Live vehicles of one network, as immutable columns over one shared buffer. Built outside the serving threads every
// few seconds and replaced as a whole; an estimated position is valid for that moment only.
import { type Column, type Index, nextIndex } from '../../loaders/columns.ts'
import type { StringIndex, StringPool } from '../../loaders/strings.ts'
import { openMovingPoints } from '../spatial/moving-points.ts'
import { type BoxSearch, findWithin, findWithinBy, type PointHit, type PointTree } from '../spatial/point-tree.ts'
import type { DirectionIndex, LineIndex, StopIndex } from '../timetable/timetable.ts'

/** A live vehicle. Those of a line are consecutive, sorted by id. */
export type VehicleIndex = Index<'Vehicle'>

/** Vehicle status relative to a stop; by index. */
export const VEHICLE_STATUSES = ['incoming_at', 'stopped_at', 'in_transit'] as const
/** Source of a position: reported, estimated from predictions, estimated from the timetable; by index. */
export const POSITION_SOURCES = ['gps', 'interpolated', 'scheduled'] as const
/** Occupancies, by index. */
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

/** The positions of vehicles that a network has had: reported ones, estimated ones, both, or none yet. */
export type VehicleKnowledge = 'gps' | 'estimated' | 'mixed' | 'none'

/** The trip has no shape. */
export const NO_ROUTE = 0xffff

/** No delay is known. */
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
  /** Degrees, WGS 84. */
  readonly lat: Column<VehicleIndex>
  readonly lon: Column<VehicleIndex>
  /** Tenths of a degree clockwise from north, 0 to 3599. */
  readonly bearingTenths: Column<VehicleIndex>
  /** Tenths of a km/h. */
  readonly speedTenths: Column<VehicleIndex>
  /** Meters from the shape of its trip; NO_ROUTE without a shape. */
  readonly offRouteMeters: Column<VehicleIndex>
  /** NO_DELAY if unknown. */
  readonly delaySeconds: Column<VehicleIndex>
  /** Index in VEHICLE_STATUSES. */
  readonly status: Column<VehicleIndex>
  /** NONE unless stopped at one. */
  readonly currentStop: Column<VehicleIndex, StopIndex>
  /** NONE after the last one, and if unknown. */
  readonly nextStop: Column<VehicleIndex, StopIndex>
  /** Index in POSITION_SOURCES. */
  readonly source: Column<VehicleIndex>
  /** Time of the position, in seconds after 1970: of the report, or of the estimate. */
  readonly recordedSeconds: Column<VehicleIndex>
  /** Index in OCCUPANCIES; NONE_U8 if unknown. */
  readonly occupancy: Column<VehicleIndex>
}

/** Data outside the columns. */
export interface VehiclesMeta {
  /** The snapshot that all indexes refer to. */
  readonly snapshotId: string
  /** Increases with each build of a network. */
  readonly version: number
  /** Build time: service time, in seconds after 1970. */
  readonly builtSeconds: number
  /** Older positions are not shown. */
  readonly maxAgeSeconds: number
  /** Everything seen so far, not only now. */
  readonly knowledge: VehicleKnowledge
}

/** The live vehicles of one network. Read-only. */
export interface Vehicles {
  readonly meta: VehiclesMeta
  readonly strings: StringPool
  readonly rows: VehicleRows
  /** Line → its first vehicle; has one extra entry. */
  readonly offsetOfLine: Column<LineIndex, VehicleIndex>
  /** The tree over all vehicles if there are more than MOST_PLACED, otherwise empty. */
  readonly tree: PointTree
}

/**
 * Up to this many vehicles, each thread builds its own tree when it first needs one (0.8 ms for this many). Above it
 * the live thread builds one tree, which all threads share.
 */
export const MOST_PLACED = 5_000

/** The trees that this thread has built. */
const placed = new WeakMap<Vehicles, BoxSearch>()

/** The vehicles of a line with recent enough positions, by id. */
export function listVehicles(vehicles: Vehicles, line: LineIndex, nowSeconds: number): VehicleIndex[] {
  const { offsetOfLine } = vehicles
  const end = offsetOfLine[nextIndex(line)]
  const found: VehicleIndex[] = []
  for (let vehicle = offsetOfLine[line]; vehicle < end; vehicle++) {
    if (isCurrent(vehicles, vehicle, nowSeconds)) found.push(vehicle)
  }
  return found
}

/** The vehicles within a radius of a place with recent enough positions, nearest first. */
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
