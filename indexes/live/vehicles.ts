// Live vehicles of one network: where they are, as immutable columns over one shared buffer. Built whole away from the
// serving threads every few seconds, and replaced whole; a position that is worked out holds for that moment only.
import { type Column, type Index, nextIndex } from '../../loaders/columns.ts'
import type { StringIndex, StringPool } from '../../loaders/strings.ts'
import { openMovingPoints } from '../spatial/moving-points.ts'
import { type BoxSearch, findWithin, findWithinBy, type PointHit, type PointTree } from '../spatial/point-tree.ts'
import type { DirectionIndex, LineIndex, StopIndex } from '../timetable/timetable.ts'

/** A live vehicle. Those of a line are consecutive, by id. */
export type VehicleIndex = Index<'Vehicle'>

/** Where a vehicle is on its way to, or at, a stop; by place. */
export const VEHICLE_STATUSES = ['incoming_at', 'stopped_at', 'in_transit'] as const
/** How a position is known: reported, worked out from predictions, worked out from the timetable; by place. */
export const POSITION_SOURCES = ['gps', 'interpolated', 'scheduled'] as const
/** How full a vehicle is; by place. */
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

/** What a network knows of its vehicles: reported positions, worked out ones, both, or nothing yet. */
export type VehicleKnowledge = 'gps' | 'estimated' | 'mixed' | 'none'

/** There is no shape to be off. */
export const NO_ROUTE = 0xffff

/** No delay is known. */
export const NO_DELAY = -0x8000_0000

export interface VehicleRows {
  /** Local part of the public id. */
  readonly id: Column<VehicleIndex, StringIndex>
  /** Local part of the trip's public id; empty where the trip is not known. */
  readonly tripRef: Column<VehicleIndex, StringIndex>
  readonly line: Column<VehicleIndex, LineIndex>
  /** NONE where not known. */
  readonly direction: Column<VehicleIndex, DirectionIndex>
  readonly headsign: Column<VehicleIndex, StringIndex>
  /** Degrees, WGS 84. */
  readonly lat: Column<VehicleIndex>
  readonly lon: Column<VehicleIndex>
  /** Tenths of a degree clockwise from north, 0 to 3599. */
  readonly bearingTenths: Column<VehicleIndex>
  /** Tenths of a kilometer an hour. */
  readonly speedTenths: Column<VehicleIndex>
  /** Meters from the shape of its trip; NO_ROUTE without a shape. */
  readonly offRouteMeters: Column<VehicleIndex>
  /** NO_DELAY where not known. */
  readonly delaySeconds: Column<VehicleIndex>
  /** Place in VEHICLE_STATUSES. */
  readonly status: Column<VehicleIndex>
  /** NONE unless it stands at one. */
  readonly currentStop: Column<VehicleIndex, StopIndex>
  /** NONE behind the last one, and where not known. */
  readonly nextStop: Column<VehicleIndex, StopIndex>
  /** Place in POSITION_SOURCES. */
  readonly source: Column<VehicleIndex>
  /** When it was there, in seconds after 1970: of the report, or when the position was worked out. */
  readonly recordedSeconds: Column<VehicleIndex>
  /** Place in OCCUPANCIES; NONE_U8 where not known. */
  readonly occupancy: Column<VehicleIndex>
}

/** What is not columns. */
export interface VehiclesMeta {
  /** The snapshot that all numbers are of. */
  readonly snapshotId: string
  /** Grows with each build of a network. */
  readonly version: number
  /** When they were built, in seconds after 1970 of service time. */
  readonly builtSeconds: number
  /** A position older than this is not to be shown. */
  readonly maxAgeSeconds: number
  /** What has ever been seen, not only now. */
  readonly knowledge: VehicleKnowledge
}

/** The live vehicles of one network. Read-only. */
export interface Vehicles {
  readonly meta: VehiclesMeta
  readonly strings: StringPool
  readonly rows: VehicleRows
  /** Line → its first vehicle; one longer. */
  readonly offsetOfLine: Column<LineIndex, VehicleIndex>
  /** Over all vehicles if there are more than MOST_PLACED, otherwise empty. */
  readonly tree: PointTree
}

/**
 * Up to this many vehicles, each thread builds a tree of its own when it first needs one (0.8 ms for this many). Above it
 * the live thread builds one tree, which all threads share.
 */
export const MOST_PLACED = 5_000

/** The trees that this thread has built. */
const placed = new WeakMap<Vehicles, BoxSearch>()

/** The vehicles of a line whose positions are not too old, by id. */
export function listVehicles(vehicles: Vehicles, line: LineIndex, nowSeconds: number): VehicleIndex[] {
  const { offsetOfLine } = vehicles
  const end = offsetOfLine[nextIndex(line)]
  const found: VehicleIndex[] = []
  for (let vehicle = offsetOfLine[line]; vehicle < end; vehicle++) {
    if (isCurrent(vehicles, vehicle, nowSeconds)) found.push(vehicle)
  }
  return found
}

/** The vehicles at most so far from a place whose positions are not too old, nearest first. */
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
