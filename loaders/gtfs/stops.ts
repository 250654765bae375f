// stops.txt: stops, stations, entrances, generic nodes and boarding areas.
import { GrowingColumn, NONE, sealColumn } from '../columns.ts'
import type { StringIndex } from '../strings.ts'
import type { StopTable } from './feed.ts'
import { type FeedReading, RowsById, readTable, refuse, type TableRow } from './table-reader.ts'

const FILE = 'stops.txt'
const COLUMNS = [
  'stop_id',
  'stop_code',
  'stop_name',
  'stop_lat',
  'stop_lon',
  'location_type',
  'parent_station',
  'wheelchair_boarding',
  'platform_code',
  'zone_id',
  'stop_timezone',
  'level_id',
] as const
type StopRowReader = TableRow<(typeof COLUMNS)[number]>

/** location_type values. */
export const LOCATION_STOP = 0
export const LOCATION_STATION = 1
export const LOCATION_NODE = 3
export const LOCATION_BOARDING_AREA = 4

/** Positions nearer to 0, 0 than this, in degrees on both axes, are a producer's zeros. */
const ORIGIN_DEGREES = 1
/** Positions above this latitude are a producer's mistake. */
const POLE_DEGREES = 89

/** The stops, and their rows by id. */
export interface LoadedStops {
  readonly table: StopTable
  readonly byId: RowsById
}

interface Growing {
  readonly id: GrowingColumn<Uint32Array>
  readonly code: GrowingColumn<Uint32Array>
  readonly name: GrowingColumn<Uint32Array>
  readonly lat: GrowingColumn<Float64Array>
  readonly lon: GrowingColumn<Float64Array>
  readonly locationType: GrowingColumn<Uint8Array>
  readonly parentId: GrowingColumn<Uint32Array>
  readonly wheelchairBoarding: GrowingColumn<Uint8Array>
  readonly platformCode: GrowingColumn<Uint32Array>
  readonly zoneId: GrowingColumn<Uint32Array>
  readonly timezone: GrowingColumn<Uint32Array>
  readonly levelId: GrowingColumn<Uint32Array>
  readonly line: GrowingColumn<Uint32Array>
}

function growing(): Growing {
  return {
    id: new GrowingColumn(Uint32Array),
    code: new GrowingColumn(Uint32Array),
    name: new GrowingColumn(Uint32Array),
    lat: new GrowingColumn(Float64Array),
    lon: new GrowingColumn(Float64Array),
    locationType: new GrowingColumn(Uint8Array),
    parentId: new GrowingColumn(Uint32Array),
    wheelchairBoarding: new GrowingColumn(Uint8Array),
    platformCode: new GrowingColumn(Uint32Array),
    zoneId: new GrowingColumn(Uint32Array),
    timezone: new GrowingColumn(Uint32Array),
    levelId: new GrowingColumn(Uint32Array),
    line: new GrowingColumn(Uint32Array),
  }
}

/** Reads stops.txt. Rows without a usable position go, unless they are nodes or boarding areas. */
export async function loadStops(reading: FeedReading): Promise<LoadedStops> {
  const columns = growing()
  const byId = new RowsById()
  const isThere = await readTable(reading, { file: FILE, columns: COLUMNS, required: ['stop_id'] }, (row) => {
    if (!row.lacks('stop_id')) takeStop(row, columns, byId)
  })
  if (!isThere) refuse(FILE, { rule: 'missing_required_file', example: FILE })
  if (columns.id.length === 0) refuse(FILE, { rule: 'empty_file', example: 'no usable stop' })
  const parent = resolveParents(reading, columns, byId)
  return {
    byId,
    table: {
      count: columns.id.length,
      id: sealColumn(columns.id.seal()),
      code: sealColumn(columns.code.seal()),
      name: sealColumn(columns.name.seal()),
      lat: sealColumn(columns.lat.seal()),
      lon: sealColumn(columns.lon.seal()),
      locationType: sealColumn(columns.locationType.seal()),
      parent: sealColumn(parent),
      wheelchairBoarding: sealColumn(columns.wheelchairBoarding.seal()),
      platformCode: sealColumn(columns.platformCode.seal()),
      zoneId: sealColumn(columns.zoneId.seal()),
      timezone: sealColumn(columns.timezone.seal()),
      levelId: sealColumn(columns.levelId.seal()),
    },
  }
}

function takeStop(row: StopRowReader, columns: Growing, byId: RowsById): void {
  const id = row.string('stop_id')
  if (byId.find(id) >= 0) return row.drop('duplicate_key', 'stop_id')
  const locationType = row.choice('location_type', { min: 0, max: 4, fallback: LOCATION_STOP })
  const lat = row.decimal('stop_lat')
  const lon = row.decimal('stop_lon')
  const fault = findPositionFault(row, { lat, lon, locationType })
  if (fault !== undefined) return row.drop(fault, 'stop_id')
  byId.add(id, columns.id.length)
  columns.id.push(id)
  columns.code.push(row.string('stop_code'))
  if (row.isEmpty('stop_name') && locationType < LOCATION_NODE) row.repair('missing_stop_name', 'stop_id')
  columns.name.push(row.isEmpty('stop_name') ? id : row.string('stop_name'))
  columns.lat.push(lat)
  columns.lon.push(lon)
  columns.locationType.push(locationType)
  columns.parentId.push(row.string('parent_station'))
  columns.wheelchairBoarding.push(row.choice('wheelchair_boarding', { min: 0, max: 2, fallback: 0 }))
  columns.platformCode.push(row.string('platform_code'))
  columns.zoneId.push(row.string('zone_id'))
  columns.timezone.push(row.string('stop_timezone'))
  columns.levelId.push(row.string('level_id'))
  columns.line.push(row.line)
}

function findPositionFault(
  row: StopRowReader,
  stop: { lat: number; lon: number; locationType: number },
): string | undefined {
  const { lat, lon, locationType } = stop
  if (row.isEmpty('stop_lat') || row.isEmpty('stop_lon')) {
    return locationType < LOCATION_NODE ? 'stop_without_location' : undefined
  }
  if (Number.isNaN(lat) || Number.isNaN(lon)) return 'invalid_float'
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180) return 'number_out_of_range'
  if (Math.abs(lat) <= ORIGIN_DEGREES && Math.abs(lon) <= ORIGIN_DEGREES) return 'point_near_origin'
  return Math.abs(lat) >= POLE_DEGREES ? 'point_near_pole' : undefined
}

/** Which kind of location a parent must be, by the kind of its child; a station has none. */
const PARENT_KIND: readonly number[] = [LOCATION_STATION, -1, LOCATION_STATION, LOCATION_STATION, LOCATION_STOP]

/**
 * Parents by row. A reference that leads nowhere, or to the wrong kind of location, is left out and reported: the stop
 * itself still serves. (An entrance, node or boarding area without a parent is of no use but does no harm.)
 */
function resolveParents(reading: FeedReading, columns: Growing, byId: RowsById): Uint32Array {
  const parents = new Uint32Array(columns.id.length).fill(NONE)
  for (let row = 0; row < parents.length; row++) {
    const parentId = columns.parentId.at(row) as StringIndex
    const kind = columns.locationType.at(row)
    const report = (rule: string) =>
      reading.problems.report({
        rule,
        file: FILE,
        line: columns.line.at(row),
        field: 'parent_station',
        example: reading.strings.textOf(parentId),
        action: 'repaired',
      })
    if (parentId === 0) {
      if (kind >= 2) report('location_without_parent_station')
      continue
    }
    const parent = byId.find(parentId)
    if (kind === LOCATION_STATION) report('station_with_parent_station')
    else if (parent < 0) report('foreign_key_violation')
    else if (columns.locationType.at(parent) !== PARENT_KIND[kind]) report('wrong_parent_location_type')
    else parents[row] = parent
  }
  return parents
}
