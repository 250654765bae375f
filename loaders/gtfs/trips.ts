// Reads trips.txt. Calls are read later; mend-calls.ts then drops trips with fewer than two usable calls.
import { GrowingColumn, NONE, NONE_U8 } from '../columns.ts'
import { type FeedReading, RowsById, readTable, refuse } from './table-reader.ts'

export const TRIPS_FILE = 'trips.txt'
const COLUMNS = [
  'route_id',
  'service_id',
  'trip_id',
  'trip_headsign',
  'trip_short_name',
  'direction_id',
  'block_id',
  'shape_id',
  'wheelchair_accessible',
  'bikes_allowed',
  'mta_trip_id',
] as const

/** The trips in the file, before mend-calls.ts drops those with fewer than two usable calls. */
export interface LoadedTrips {
  readonly byId: RowsById
  readonly id: GrowingColumn<Uint32Array>
  readonly route: GrowingColumn<Uint32Array>
  readonly service: GrowingColumn<Uint32Array>
  readonly headsign: GrowingColumn<Uint32Array>
  readonly shortName: GrowingColumn<Uint32Array>
  readonly direction: GrowingColumn<Uint8Array>
  readonly pathId: GrowingColumn<Uint32Array>
  readonly blockId: GrowingColumn<Uint32Array>
  readonly shape: GrowingColumn<Uint32Array>
  readonly wheelchair: GrowingColumn<Uint8Array>
  readonly bikes: GrowingColumn<Uint8Array>
  readonly line: GrowingColumn<Uint32Array>
}

/** The tables to which trips refer. */
export interface TripReferences {
  readonly routes: RowsById
  readonly services: RowsById
  readonly shapes: RowsById
}

/** Reads trips.txt. Drops trips with an unknown route or service; ignores an unknown shape. */
export async function loadTrips(reading: FeedReading, to: TripReferences): Promise<LoadedTrips> {
  const trips: LoadedTrips = {
    byId: new RowsById(),
    id: new GrowingColumn(Uint32Array),
    route: new GrowingColumn(Uint32Array),
    service: new GrowingColumn(Uint32Array),
    headsign: new GrowingColumn(Uint32Array),
    shortName: new GrowingColumn(Uint32Array),
    direction: new GrowingColumn(Uint8Array),
    pathId: new GrowingColumn(Uint32Array),
    blockId: new GrowingColumn(Uint32Array),
    shape: new GrowingColumn(Uint32Array),
    wheelchair: new GrowingColumn(Uint8Array),
    bikes: new GrowingColumn(Uint8Array),
    line: new GrowingColumn(Uint32Array),
  }
  const required = ['route_id', 'service_id', 'trip_id'] as const
  const isThere = await readTable(reading, { file: TRIPS_FILE, columns: COLUMNS, required }, (row) => {
    if (row.lacks(...required)) return
    const tripId = row.string('trip_id')
    if (trips.byId.find(tripId) >= 0) return row.drop('duplicate_key', 'trip_id')
    const route = to.routes.find(row.string('route_id'))
    const service = to.services.find(row.string('service_id'))
    if (route < 0) return row.drop('foreign_key_violation', 'route_id')
    if (service < 0) return row.drop('foreign_key_violation', 'service_id')
    const shape = to.shapes.find(row.string('shape_id'))
    if (shape < 0 && !row.isEmpty('shape_id')) row.repair('foreign_key_violation', 'shape_id')
    trips.byId.add(tripId, trips.id.length)
    trips.id.push(tripId)
    trips.route.push(route)
    trips.service.push(service)
    trips.headsign.push(row.string('trip_headsign'))
    trips.shortName.push(row.string('trip_short_name'))
    trips.direction.push(row.choice('direction_id', { min: 0, max: 1, fallback: NONE_U8 }))
    trips.pathId.push(row.string('mta_trip_id'))
    trips.blockId.push(row.string('block_id'))
    trips.shape.push(shape < 0 ? NONE : shape)
    trips.wheelchair.push(row.choice('wheelchair_accessible', { min: 0, max: 2, fallback: 0 }))
    trips.bikes.push(row.choice('bikes_allowed', { min: 0, max: 2, fallback: 0 }))
    trips.line.push(row.line)
  })
  if (!isThere) refuse(TRIPS_FILE, { rule: 'missing_required_file', example: TRIPS_FILE })
  if (reading.problems.countsOf(TRIPS_FILE).rows === 0) refuse(TRIPS_FILE, { rule: 'empty_file', example: 'no trip' })
  return trips
}
