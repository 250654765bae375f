// transfers.txt: rules for transfers at stops and stations, and between routes and trips.
import { GrowingColumn, NONE, nextIndex, sealColumns } from '../columns.ts'
import type { Rule } from '../rules.ts'
import type { StringIndex } from '../strings.ts'
import type { CallTable, RouteRow, StopRow, TransferTable, TripRow, TripTable } from './feed.ts'
import { LOCATION_BOARDING_AREA, LOCATION_NODE, type LoadedStops } from './stops.ts'
import { type FeedReading, type RowsById, readTable, type TableRow } from './table-reader.ts'

const FILE = 'transfers.txt'
const COLUMNS = [
  'from_stop_id',
  'to_stop_id',
  'from_route_id',
  'to_route_id',
  'from_trip_id',
  'to_trip_id',
  'transfer_type',
  'min_transfer_time',
] as const
type TransferRowReader = TableRow<(typeof COLUMNS)[number]>

/** The tables to which transfer rules refer. */
export interface TransferReferences {
  readonly stops: LoadedStops
  readonly routes: RowsById
  readonly findTrip: (id: StringIndex) => number
  readonly trips: TripTable
  readonly calls: CallTable
}

/** Rules with this transfer_type or a higher one concern in-seat transfers. These rules need trips, but no stops. */
const IN_SEAT_TYPE = 4

/** Reads transfers.txt. Drops rules that refer to unknown rows or that contradict other tables. */
export async function loadTransfers(reading: FeedReading, to: TransferReferences): Promise<TransferTable> {
  const columns = {
    fromStop: new GrowingColumn(Uint32Array),
    toStop: new GrowingColumn(Uint32Array),
    fromRoute: new GrowingColumn(Uint32Array),
    toRoute: new GrowingColumn(Uint32Array),
    fromTrip: new GrowingColumn(Uint32Array),
    toTrip: new GrowingColumn(Uint32Array),
    type: new GrowingColumn(Uint8Array),
    minSeconds: new GrowingColumn(Uint32Array),
  }
  await readTable(reading, { file: FILE, columns: COLUMNS, required: [] }, (row) => {
    const type = row.isEmpty('transfer_type') ? 0 : row.integer('transfer_type')
    if (Number.isNaN(type)) return row.drop('invalid_integer', 'transfer_type')
    if (type < 0 || type > 5) return row.drop('number_out_of_range', 'transfer_type')
    if (type < IN_SEAT_TYPE && row.lacks('from_stop_id', 'to_stop_id')) return
    if (type >= IN_SEAT_TYPE && row.lacks('from_trip_id', 'to_trip_id')) return
    const ends = readEnds(row, to)
    if (ends === undefined) return
    const fault = findTripFault(ends, to)
    if (fault !== undefined) return row.drop(fault.rule, fault.field)
    const minSeconds = row.integer('min_transfer_time')
    const hasTime = minSeconds >= 0 && minSeconds < NONE
    if (!hasTime && !row.isEmpty('min_transfer_time')) row.repair('number_out_of_range', 'min_transfer_time')
    columns.fromStop.push(ends.fromStop)
    columns.toStop.push(ends.toStop)
    columns.fromRoute.push(ends.fromRoute)
    columns.toRoute.push(ends.toRoute)
    columns.fromTrip.push(ends.fromTrip)
    columns.toTrip.push(ends.toTrip)
    columns.type.push(type)
    columns.minSeconds.push(hasTime ? minSeconds : NONE)
  })
  return {
    count: columns.type.length,
    ...sealColumns<Omit<TransferTable, 'count'>>(columns),
  }
}

/** The rows to which a rule refers; NONE for each column that the rule leaves empty. */
interface TransferEnds {
  fromStop: number
  toStop: number
  fromRoute: number
  toRoute: number
  fromTrip: number
  toTrip: number
}

/**
 * Checks that `fromTrip` belongs to `fromRoute` and calls at `fromStop`, and the same for `toTrip`. Returns the first
 * fault; undefined if there is none.
 */
function findTripFault(
  ends: TransferEnds,
  to: TransferReferences,
): { rule: Rule; field: (typeof COLUMNS)[number] } | undefined {
  const { fromTrip, fromRoute, fromStop, toTrip, toRoute, toStop } = ends
  if (!isOfRoute(to.trips, fromTrip, fromRoute)) {
    return { rule: 'transfer_with_invalid_trip_and_route', field: 'from_trip_id' }
  }
  if (!isOfRoute(to.trips, toTrip, toRoute)) {
    return { rule: 'transfer_with_invalid_trip_and_route', field: 'to_trip_id' }
  }
  if (!callsAt(to, fromTrip, fromStop)) return { rule: 'transfer_with_invalid_trip_and_stop', field: 'from_trip_id' }
  if (!callsAt(to, toTrip, toStop)) return { rule: 'transfer_with_invalid_trip_and_stop', field: 'to_trip_id' }
  return undefined
}

function isOfRoute(trips: TripTable, trip: number, route: number): boolean {
  return trip === NONE || route === NONE || trips.route[trip as TripRow] === (route as RouteRow)
}

/**
 * Whether a trip calls at a place, which is a stop, a station (at any of its stops) or a boarding area (at its stop).
 * True if the rule has no trip or no place.
 */
function callsAt({ stops, trips, calls }: TransferReferences, trip: number, place: number): boolean {
  if (trip === NONE || place === NONE) return true
  const { parent, locationType } = stops.table
  const stop = locationType[place as StopRow] === LOCATION_BOARDING_AREA ? parent[place as StopRow] : place
  const row = trip as TripRow
  const end = trips.callOffset[nextIndex(row)]
  for (let call = trips.callOffset[row]; call < end; call = nextIndex(call)) {
    if (calls.stop[call] === stop || parent[calls.stop[call]] === stop) return true
  }
  return false
}

/**
 * The rows to which a rule refers. If a row is unknown or has a location type that is not allowed, drops the rule and
 * returns undefined.
 */
function readEnds(row: TransferRowReader, to: TransferReferences): TransferEnds | undefined {
  const find = (name: (typeof COLUMNS)[number], rowOf: (id: StringIndex) => number): number => {
    if (row.isEmpty(name)) return NONE
    const found = rowOf(row.string(name))
    if (found < 0) row.drop('foreign_key_violation', name)
    return found
  }
  const kinds: { readonly [row: number]: number } = to.stops.table.locationType
  const findStop = (name: 'from_stop_id' | 'to_stop_id'): number => {
    const stop = find(name, (id) => to.stops.byId.find(id))
    if (stop < 0 || stop === NONE || kinds[stop] < 2 || kinds[stop] > LOCATION_NODE) return stop
    row.drop('transfer_with_invalid_stop_location_type', name)
    return -1
  }
  const ends = {
    fromStop: findStop('from_stop_id'),
    toStop: NONE,
    fromRoute: NONE,
    toRoute: NONE,
    fromTrip: NONE,
    toTrip: NONE,
  }
  if (ends.fromStop < 0) return undefined
  ends.toStop = findStop('to_stop_id')
  if (ends.toStop < 0) return undefined
  const findRoute = (id: StringIndex) => to.routes.find(id)
  ends.fromRoute = find('from_route_id', findRoute)
  if (ends.fromRoute < 0) return undefined
  ends.toRoute = find('to_route_id', findRoute)
  if (ends.toRoute < 0) return undefined
  ends.fromTrip = find('from_trip_id', to.findTrip)
  if (ends.fromTrip < 0) return undefined
  ends.toTrip = find('to_trip_id', to.findTrip)
  return ends.toTrip < 0 ? undefined : ends
}
