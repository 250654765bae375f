// Converts vehicles to columns, in one buffer that threads share. If there are many vehicles, the buffer also contains
// a search tree of their positions.
import Flatbush from 'flatbush'
import { NONE, NONE_U8, sealColumn, type TypedArray } from '../../loaders/columns.ts'
import { StringPoolBuilder } from '../../loaders/strings.ts'
import type { PointTree } from '../spatial/point-tree.ts'
import type { DirectionIndex, LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import { openColumns, type PackedColumns, packColumns } from './shared-columns.ts'
import {
  MOST_PLACED,
  NO_DELAY,
  NO_ROUTE,
  OCCUPANCIES,
  type Occupancy,
  POSITION_SOURCES,
  type PositionSource,
  VEHICLE_STATUSES,
  type VehicleStatus,
  type Vehicles,
  type VehiclesMeta,
} from './vehicles.ts'

/** A vehicle as an object, before it is stored in columns. */
export interface LiveVehicle {
  /** Local part of the public id. */
  readonly id: string
  /** Whether the id comes from a VehicleDescriptor. If so, boards also show the id. */
  readonly isNamed: boolean
  /** Local part of the trip's public id; empty if the trip is unknown. */
  readonly tripRef: string
  readonly line: LineIndex
  readonly direction: DirectionIndex | undefined
  readonly headsign: string
  readonly lat: number
  readonly lon: number
  /** In degrees clockwise from north, 0 ≤ d < 360. */
  readonly bearingDegrees: number
  readonly speedKmh: number
  /** Distance in meters between the vehicle and its trip's shape; undefined if the trip has no shape. */
  readonly offRouteMeters: number | undefined
  readonly delaySeconds: number | undefined
  readonly status: VehicleStatus
  readonly currentStop: StopIndex | undefined
  readonly nextStop: StopIndex | undefined
  readonly source: PositionSource
  readonly recordedSeconds: number
  /** How full the vehicle is; undefined for estimated vehicles. */
  readonly occupancy?: Occupancy | undefined
}

/** Builds the columns of vehicles. */
export function buildVehicles(timetable: Timetable, found: readonly LiveVehicle[], meta: VehiclesMeta): Vehicles {
  const sorted = [...found].sort((a, b) => a.line - b.line || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const strings = new StringPoolBuilder()
  const rows = layRows(sorted, strings)
  const offsetOfLine = new Uint32Array(timetable.lines.id.length + 1)
  for (const { line } of sorted) offsetOfLine[line + 1] = offsetOfLine[line + 1] + 1
  for (let line = 1; line < offsetOfLine.length; line++) {
    offsetOfLine[line] = offsetOfLine[line] + offsetOfLine[line - 1]
  }
  return {
    meta,
    strings: strings.seal(),
    rows: rows as unknown as Vehicles['rows'],
    offsetOfLine: sealColumn(offsetOfLine),
    tree: buildTree(sorted),
  }
}

function layRows(vehicles: readonly LiveVehicle[], strings: StringPoolBuilder) {
  const count = vehicles.length
  const column = {
    id: new Uint32Array(count),
    tripRef: new Uint32Array(count),
    line: new Uint32Array(count),
    direction: new Uint32Array(count),
    headsign: new Uint32Array(count),
    lat: new Float64Array(count),
    lon: new Float64Array(count),
    bearingTenths: new Uint16Array(count),
    speedTenths: new Uint16Array(count),
    offRouteMeters: new Uint16Array(count),
    delaySeconds: new Int32Array(count),
    status: new Uint8Array(count),
    currentStop: new Uint32Array(count),
    nextStop: new Uint32Array(count),
    source: new Uint8Array(count),
    recordedSeconds: new Uint32Array(count),
    occupancy: new Uint8Array(count),
  } satisfies Record<keyof Vehicles['rows'], TypedArray>
  for (const [row, vehicle] of vehicles.entries()) {
    column.id[row] = strings.internText(vehicle.id)
    column.tripRef[row] = strings.internText(vehicle.tripRef)
    column.line[row] = vehicle.line
    column.direction[row] = vehicle.direction ?? NONE
    column.headsign[row] = strings.internText(vehicle.headsign)
    column.lat[row] = vehicle.lat
    column.lon[row] = vehicle.lon
    column.bearingTenths[row] = Math.round(vehicle.bearingDegrees * 10) % 3600
    column.speedTenths[row] = Math.round(vehicle.speedKmh * 10)
    column.offRouteMeters[row] =
      vehicle.offRouteMeters === undefined ? NO_ROUTE : Math.min(NO_ROUTE - 1, Math.round(vehicle.offRouteMeters))
    column.delaySeconds[row] = vehicle.delaySeconds === undefined ? NO_DELAY : Math.round(vehicle.delaySeconds)
    column.status[row] = VEHICLE_STATUSES.indexOf(vehicle.status)
    column.currentStop[row] = vehicle.currentStop ?? NONE
    column.nextStop[row] = vehicle.nextStop ?? NONE
    column.source[row] = POSITION_SOURCES.indexOf(vehicle.source)
    column.recordedSeconds[row] = vehicle.recordedSeconds
    column.occupancy[row] = vehicle.occupancy === undefined ? NONE_U8 : OCCUPANCIES.indexOf(vehicle.occupancy)
  }
  return column
}

/**
 * If there are many vehicles, builds a search tree of their positions, which all threads share. Otherwise returns an
 * empty tree, and each thread builds its own.
 */
function buildTree(vehicles: readonly LiveVehicle[]): PointTree {
  if (vehicles.length <= MOST_PLACED) return sealColumn(new Uint8Array(0))
  const tree = new Flatbush(vehicles.length)
  for (const { lat, lon } of vehicles) tree.add(lon, lat)
  tree.finish()
  return sealColumn(new Uint8Array(tree.data))
}

/** Vehicles in the form in which they are sent between threads. */
export interface PackedVehicles extends PackedColumns {
  readonly meta: VehiclesMeta
}

/** Packs vehicles into shared memory to send them to other threads. */
export function packVehicles({ meta, strings, rows, offsetOfLine, tree }: Vehicles): PackedVehicles {
  return { meta, ...packColumns({ strings, rows, '': { offsetOfLine, tree } }) }
}

/** Opens packed vehicles in their shared memory, without copying them. */
export function openVehicles(packed: PackedVehicles): Vehicles {
  const { '': single, ...groups } = openColumns(packed)
  return { meta: packed.meta, ...groups, ...single } as Vehicles
}
