// stops.txt: stops, stations, entrances, generic nodes and boarding areas.
import { GrowingColumn, NONE, sealColumn, sealColumns } from '../columns.ts'
import type { Rule } from '../rules.ts'
import { EMPTY_STRING, type StringIndex } from '../strings.ts'
import { isTimezone } from './agencies.ts'
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

/** Values of location_type that the loaders distinguish. */
export const LOCATION_STOP = 0
export const LOCATION_STATION = 1
export const LOCATION_NODE = 3
export const LOCATION_BOARDING_AREA = 4

/** A position is invalid if both coordinates are within this distance of 0, in degrees. */
const ORIGIN_DEGREES = 1
/** A position is invalid if it is at least this many degrees north or south of the equator. */
const POLE_DEGREES = 89

/** The stops, and their row numbers by id. */
export interface LoadedStops {
  readonly table: StopTable
  readonly byId: RowsById
}

type Growing = ReturnType<typeof growing>

function growing() {
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

/** Reads stops.txt. Drops rows with an invalid position. Nodes and boarding areas need no position. */
export async function loadStops(reading: FeedReading): Promise<LoadedStops> {
  const columns = growing()
  const rowsOfFile = new RowsById()
  const zones = new Map<StringIndex, boolean>()
  const isThere = await readTable(reading, { file: FILE, columns: COLUMNS, required: ['stop_id'] }, (row) => {
    if (!row.lacks('stop_id')) takeStop(row, { columns, byId: rowsOfFile, zones })
  })
  if (!isThere) refuse(FILE, { rule: 'missing_required_file', example: FILE })
  if (columns.id.length === 0) refuse(FILE, { rule: 'empty_file', example: 'no usable stop' })
  const { parent, byId } = resolveParents(reading, columns, rowsOfFile)
  const { parentId: _, line: __, ...kept } = columns
  return {
    byId,
    table: {
      count: kept.id.length,
      ...sealColumns<Omit<StopTable, 'count' | 'parent'>>(kept),
      parent: sealColumn(parent),
    },
  }
}

interface StopTarget {
  readonly columns: Growing
  readonly byId: RowsById
  /** Time zones seen so far → whether they are valid. */
  readonly zones: Map<StringIndex, boolean>
}

function takeStop(row: StopRowReader, { columns, byId, zones }: StopTarget): void {
  const id = row.string('stop_id')
  if (byId.find(id) >= 0) return row.drop('duplicate_key', 'stop_id')
  const locationType = row.choice('location_type', { min: 0, max: 4, fallback: LOCATION_STOP })
  const lat = row.decimal('stop_lat')
  const lon = row.decimal('stop_lon')
  const fault = findPositionFault(row, { lat, lon, locationType })
  if (fault !== undefined) return row.drop(fault, 'stop_id')
  // Nodes and boarding areas may lack a position. One coordinate without the other is ignored and reported.
  const isPlaced = !row.isEmpty('stop_lat') && !row.isEmpty('stop_lon')
  if (!isPlaced && row.isEmpty('stop_lat') !== row.isEmpty('stop_lon')) row.repair('stop_without_location', 'stop_id')
  byId.add(id, columns.id.length)
  columns.id.push(id)
  columns.code.push(row.string('stop_code'))
  if (row.isEmpty('stop_name') && locationType < LOCATION_NODE) row.repair('missing_stop_name', 'stop_id')
  columns.name.push(row.isEmpty('stop_name') ? id : row.string('stop_name'))
  columns.lat.push(isPlaced ? lat : Number.NaN)
  columns.lon.push(isPlaced ? lon : Number.NaN)
  columns.locationType.push(locationType)
  columns.parentId.push(row.string('parent_station'))
  columns.wheelchairBoarding.push(row.choice('wheelchair_boarding', { min: 0, max: 2, fallback: 0 }))
  columns.platformCode.push(row.string('platform_code'))
  columns.zoneId.push(row.string('zone_id'))
  columns.timezone.push(readZone(row, zones))
  columns.levelId.push(row.string('level_id'))
  columns.line.push(row.line)
}

/** The time zone of a stop. Empty if it is missing or invalid; the agency's time zone then applies. */
function readZone(row: StopRowReader, zones: Map<StringIndex, boolean>): StringIndex {
  const zone = row.string('stop_timezone')
  if (zone === EMPTY_STRING) return zone
  const isKnown = zones.get(zone) ?? isTimezone(row.text('stop_timezone'))
  zones.set(zone, isKnown)
  if (isKnown) return zone
  row.repair('invalid_timezone', 'stop_timezone')
  return EMPTY_STRING
}

function findPositionFault(
  row: StopRowReader,
  stop: { lat: number; lon: number; locationType: number },
): Rule | undefined {
  const { lat, lon, locationType } = stop
  if (row.isEmpty('stop_lat') || row.isEmpty('stop_lon')) {
    return locationType < LOCATION_NODE ? 'stop_without_location' : undefined
  }
  if (Number.isNaN(lat) || Number.isNaN(lon)) return 'invalid_float'
  if (Math.abs(lat) > 90 || Math.abs(lon) > 180) return 'number_out_of_range'
  if (Math.abs(lat) <= ORIGIN_DEGREES && Math.abs(lon) <= ORIGIN_DEGREES) return 'point_near_origin'
  return Math.abs(lat) >= POLE_DEGREES ? 'point_near_pole' : undefined
}

/** location_type of a child → the location_type that its parent must have; −1 for a station, which has no parent. */
const PARENT_KIND: readonly number[] = [LOCATION_STATION, -1, LOCATION_STATION, LOCATION_STATION, LOCATION_STOP]

/**
 * Finds the row of each stop's parent, and reports invalid parents. An entrance, node or boarding area with a parent of
 * the wrong type is dropped. No other row refers to it, because it cannot be a parent. Every other row with an invalid
 * parent is kept without a parent.
 */
function resolveParents(
  reading: FeedReading,
  columns: Growing,
  byId: RowsById,
): { parent: Uint32Array; byId: RowsById } {
  const parents = new Uint32Array(columns.id.length).fill(NONE)
  const kept: number[] = []
  for (let row = 0; row < parents.length; row++) {
    const fault = findParentFault(row, { columns, byId })
    const isDropped = fault === 'wrong_parent_location_type' && columns.locationType.at(row) > LOCATION_STATION
    if (!isDropped) kept.push(row)
    const parentId = columns.parentId.at(row) as StringIndex
    if (fault === undefined) {
      if (parentId !== EMPTY_STRING) parents[row] = byId.find(parentId)
      continue
    }
    reading.problems.report({
      rule: fault,
      file: FILE,
      line: columns.line.at(row),
      field: 'parent_station',
      example: reading.strings.textOf(parentId),
      action: isDropped ? 'dropped_row' : 'repaired',
    })
  }
  return kept.length === parents.length ? { parent: parents, byId } : keepRows(columns, parents, kept)
}

function findParentFault(row: number, stops: { columns: Growing; byId: RowsById }): Rule | undefined {
  const { columns, byId } = stops
  const parentId = columns.parentId.at(row) as StringIndex
  const kind = columns.locationType.at(row)
  if (parentId === EMPTY_STRING) return kind > LOCATION_STATION ? 'location_without_parent_station' : undefined
  if (kind === LOCATION_STATION) return 'station_with_parent_station'
  const parent = byId.find(parentId)
  if (parent < 0) return 'foreign_key_violation'
  return columns.locationType.at(parent) === PARENT_KIND[kind] ? undefined : 'wrong_parent_location_type'
}

/**
 * Removes from the columns all rows that are not in `kept`. Returns the parents and the ids with the new row numbers.
 */
function keepRows(
  columns: Growing,
  parents: Uint32Array,
  kept: readonly number[],
): { parent: Uint32Array; byId: RowsById } {
  const newRow = new Map(kept.map((row, index) => [row, index]))
  const all: readonly { length: number; at(row: number): number; set(row: number, value: number): void }[] =
    Object.values(columns)
  for (const column of all) {
    for (const [to, row] of kept.entries()) column.set(to, column.at(row))
    column.length = kept.length
  }
  const byId = new RowsById()
  for (let row = 0; row < kept.length; row++) byId.add(columns.id.at(row) as StringIndex, row)
  return { byId, parent: Uint32Array.from(kept, (row) => newRow.get(parents[row]) ?? NONE) }
}
