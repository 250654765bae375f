// pathways.txt: walks inside stations, between platforms and entrances.
import { GrowingColumn, NONE, sealColumns } from '../columns.ts'
import type { PathwayTable, StopRow, StopTable } from './feed.ts'
import { LOCATION_BOARDING_AREA, LOCATION_STATION, type LoadedStops } from './stops.ts'
import { type FeedReading, RowsById, readTable, readUnlessBroken, type TableRow } from './table-reader.ts'

const FILE = 'pathways.txt'
const COLUMNS = [
  'pathway_id',
  'from_stop_id',
  'to_stop_id',
  'pathway_mode',
  'is_bidirectional',
  'length',
  'traversal_time',
  'stair_count',
] as const
type PathwayRowReader = TableRow<(typeof COLUMNS)[number]>

/** pathway_mode of an exit gate. */
const EXIT_GATE = 7
const MOST_STAIRS = 0xffff

function growing() {
  return {
    from: new GrowingColumn(Uint32Array),
    to: new GrowingColumn(Uint32Array),
    mode: new GrowingColumn(Uint8Array),
    isBidirectional: new GrowingColumn(Uint8Array),
    traversalSeconds: new GrowingColumn(Uint32Array),
    lengthMeters: new GrowingColumn(Float64Array),
    stairCount: new GrowingColumn(Uint16Array),
  }
}

/**
 * Reads pathways.txt. A feed without a valid file is not refused, because departures do not need the file. Walks inside
 * stations are then straight lines.
 */
export async function loadPathways(reading: FeedReading, stops: LoadedStops): Promise<PathwayTable> {
  const columns = growing()
  const rowOfId = new RowsById()
  const required = ['from_stop_id', 'to_stop_id'] as const
  const read = () =>
    readTable(reading, { file: FILE, columns: COLUMNS, required }, (row) =>
      takePathway(row, { columns, rowOfId, stops }),
    )
  const isThere = await readUnlessBroken(reading, { file: FILE, read })
  // If reading fails midway, none of the rows are used: with some of the pathways missing, walks could be detours.
  const used = isThere ? columns : growing()
  return { count: used.from.length, ...sealColumns<Omit<PathwayTable, 'count'>>(used) }
}

interface PathwayTarget {
  readonly columns: ReturnType<typeof growing>
  readonly rowOfId: RowsById
  readonly stops: LoadedStops
}

function takePathway(row: PathwayRowReader, { columns, rowOfId, stops }: PathwayTarget): void {
  if (row.lacks('pathway_id', 'from_stop_id', 'to_stop_id', 'is_bidirectional')) return
  const id = row.string('pathway_id')
  if (rowOfId.find(id) >= 0) return row.drop('duplicate_key', 'pathway_id')
  const from = findEnd(row, 'from_stop_id', stops)
  const to = from === undefined ? undefined : findEnd(row, 'to_stop_id', stops)
  if (from === undefined || to === undefined) return
  if (stationOf(stops.table, from) !== stationOf(stops.table, to)) {
    return row.drop('pathway_between_stations', 'to_stop_id')
  }
  const ways = row.integer('is_bidirectional')
  if (Number.isNaN(ways)) return row.drop('invalid_integer', 'is_bidirectional')
  if (ways !== 0 && ways !== 1) return row.drop('number_out_of_range', 'is_bidirectional')
  if (row.isEmpty('pathway_mode')) row.reportValue('missing_required_field', 'pathway_mode', 'error')
  const mode = row.choice('pathway_mode', { min: 1, max: EXIT_GATE, fallback: 0 })
  const isExit = mode === EXIT_GATE
  if (isExit && ways === 1) row.repair('bidirectional_exit_gate', 'is_bidirectional')
  rowOfId.add(id, columns.from.length)
  columns.from.push(from)
  columns.to.push(to)
  columns.mode.push(mode)
  columns.isBidirectional.push(isExit ? 0 : ways)
  columns.traversalSeconds.push(readSeconds(row))
  columns.lengthMeters.push(row.distance('length'))
  columns.stairCount.push(readStairs(row))
}

/** The location at one end of a pathway. If the location is unknown or a station, drops the pathway and returns undefined. */
function findEnd(
  row: PathwayRowReader,
  name: 'from_stop_id' | 'to_stop_id',
  { byId, table }: LoadedStops,
): StopRow | undefined {
  const stop = byId.find(row.string(name)) as StopRow
  if (stop < 0) row.drop('foreign_key_violation', name)
  else if (table.locationType[stop] === LOCATION_STATION) row.drop('pathway_to_wrong_location_type', name)
  else return stop
  return undefined
}

/**
 * The station of a location. If the location is in no station: its platform (for a boarding area), or the location
 * itself.
 */
function stationOf({ parent, locationType }: StopTable, place: StopRow): StopRow {
  const platform = locationType[place] === LOCATION_BOARDING_AREA ? parent[place] : place
  if (platform === NONE) return place
  return parent[platform] === NONE ? platform : parent[platform]
}

/** Reads traversal_time in seconds, rounded up; NONE if it is missing, not a number or out of range. */
function readSeconds(row: PathwayRowReader): number {
  if (row.isEmpty('traversal_time')) return NONE
  const seconds = row.decimal('traversal_time')
  if (!Number.isInteger(seconds)) row.repair('invalid_integer', 'traversal_time')
  if (Number.isNaN(seconds)) return NONE
  if (seconds >= 0 && seconds < NONE) return Math.ceil(seconds)
  row.repair('number_out_of_range', 'traversal_time')
  return NONE
}

/** Reads stair_count without its sign, which distinguishes up from down. 0 if it is missing or invalid. */
function readStairs(row: PathwayRowReader): number {
  if (row.isEmpty('stair_count')) return 0
  const stairs = Math.abs(row.integer('stair_count'))
  if (stairs <= MOST_STAIRS) return stairs
  row.repair(Number.isNaN(stairs) ? 'invalid_integer' : 'number_out_of_range', 'stair_count')
  return 0
}
