// shapes.txt: the points of each shape, in order of their sequence numbers.
import { GrowingColumn, sealColumn } from '../columns.ts'
import { MAX_ROWS } from '../csv.ts'
import type { Rule } from '../rules.ts'
import type { StringIndex } from '../strings.ts'
import type { ShapeTable } from './feed.ts'
import { type FeedReading, RowsById, readTable } from './table-reader.ts'

const FILE = 'shapes.txt'
const MICRO = 1e6
const METERS_PER_DEGREE = 111_195
/** Maximum distance between two points that have the same shape_dist_traveled (as in the GTFS validator). */
const SAME_PLACE_METERS = 1.11

/** The shapes, and their row numbers by id. */
export interface LoadedShapes {
  readonly table: ShapeTable
  readonly byId: RowsById
}

interface Points {
  readonly shape: GrowingColumn<Uint32Array>
  readonly latE6: GrowingColumn<Int32Array>
  readonly lonE6: GrowingColumn<Int32Array>
  readonly sequence: GrowingColumn<Float64Array>
  readonly distance: GrowingColumn<Float32Array> | undefined
  readonly line: GrowingColumn<Uint32Array>
}

/** Reads shapes.txt. Returns an empty table if the feed does not have it. */
export async function loadShapes(reading: FeedReading): Promise<LoadedShapes> {
  const id = new GrowingColumn(Uint32Array)
  const byId = new RowsById()
  let hasDistance = false
  const points = {
    shape: new GrowingColumn(Uint32Array),
    latE6: new GrowingColumn(Int32Array),
    lonE6: new GrowingColumn(Int32Array),
    sequence: new GrowingColumn(Float64Array),
    distance: new GrowingColumn(Float32Array),
    line: new GrowingColumn(Uint32Array),
  }
  await readTable(
    reading,
    {
      file: FILE,
      columns: ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence', 'shape_dist_traveled'],
      required: ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence'],
      maxRows: MAX_ROWS,
    },
    (row) => {
      if (row.lacks('shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence')) return
      const lat = row.decimal('shape_pt_lat')
      const lon = row.decimal('shape_pt_lon')
      const sequence = row.integer('shape_pt_sequence')
      if (Number.isNaN(lat) || Number.isNaN(lon)) return row.drop('invalid_float', 'shape_pt_lat')
      if (Math.abs(lat) > 90 || Math.abs(lon) > 180) return row.drop('number_out_of_range', 'shape_pt_lat')
      if (Math.abs(lat) <= 1 && Math.abs(lon) <= 1) return row.drop('point_near_origin', 'shape_pt_lat')
      if (Math.abs(lat) >= 89) return row.drop('point_near_pole', 'shape_pt_lat')
      if (Number.isNaN(sequence)) return row.drop('invalid_integer', 'shape_pt_sequence')
      if (sequence < 0) return row.drop('number_out_of_range', 'shape_pt_sequence')
      const shapeId = row.string('shape_id')
      if (byId.add(shapeId, id.length)) id.push(shapeId)
      const distance = row.distance('shape_dist_traveled')
      if (!Number.isNaN(distance)) hasDistance = true
      points.shape.push(byId.find(shapeId))
      points.latE6.push(Math.round(lat * MICRO))
      points.lonE6.push(Math.round(lon * MICRO))
      points.sequence.push(sequence)
      points.distance.push(distance)
      points.line.push(row.line)
    },
  )
  const table = toTable(reading, id, { ...points, distance: hasDistance ? points.distance : undefined })
  return { byId, table }
}

function toTable(reading: FeedReading, id: GrowingColumn<Uint32Array>, points: Points): ShapeTable {
  const { offset, order } = orderPoints(reading, id.length, points)
  const latE6 = new Int32Array(order.length)
  const lonE6 = new Int32Array(order.length)
  const distance = points.distance === undefined ? undefined : new Float32Array(order.length)
  for (let place = 0; place < order.length; place++) {
    const point = order[place]
    latE6[place] = points.latE6.at(point)
    lonE6[place] = points.lonE6.at(point)
    if (distance !== undefined && points.distance !== undefined) distance[place] = points.distance.at(point)
  }
  if (distance !== undefined) {
    for (let shape = 0; shape < id.length; shape++) {
      const range = { first: offset[shape], end: offset[shape + 1] }
      const fault = findDistanceFault({ latE6, lonE6, distance }, range)
      if (fault === undefined) continue
      reading.problems.report({
        rule: fault.rule,
        file: FILE,
        line: points.line.at(order[fault.place]),
        field: 'shape_dist_traveled',
        example: `shape ${reading.strings.textOf(id.at(shape) as StringIndex)}: ${fault.example}`,
        action: 'repaired',
      })
      distance.fill(Number.NaN, range.first, range.end)
    }
  }
  return {
    count: id.length,
    id: id.seal(),
    pointOffset: sealColumn(offset),
    latE6: sealColumn(latE6),
    lonE6: sealColumn(lonE6),
    distance: distance === undefined ? undefined : sealColumn(distance),
  }
}

/** Sorts the points by shape, then by sequence. Of points with the same shape and sequence, keeps only the first row. */
function orderPoints(
  reading: FeedReading,
  shapeCount: number,
  points: Points,
): { offset: Uint32Array; order: Uint32Array } {
  const start = new Uint32Array(shapeCount + 1)
  const shapes = points.shape.view()
  for (let i = 0; i < shapes.length; i++) start[shapes[i] + 1]++
  for (let shape = 0; shape < shapeCount; shape++) start[shape + 1] += start[shape]
  const order = new Uint32Array(shapes.length)
  const next = start.slice()
  for (let i = 0; i < shapes.length; i++) order[next[shapes[i]]++] = i
  const sequences = points.sequence.view()
  const offset = new Uint32Array(shapeCount + 1)
  let write = 0
  for (let shape = 0; shape < shapeCount; shape++) {
    const group = order.subarray(start[shape], start[shape + 1])
    if (!isIncreasing(group, sequences)) {
      group.sort((a, b) => sequences[a] - sequences[b] || a - b)
    }
    let previous = -1
    for (let i = 0; i < group.length; i++) {
      const point = group[i]
      if (sequences[point] === previous) {
        reading.problems.report({
          rule: 'duplicate_key',
          file: FILE,
          line: points.line.at(point),
          field: 'shape_pt_sequence',
          example: String(previous),
          action: 'dropped_row',
        })
        continue
      }
      previous = sequences[point]
      order[write++] = point
    }
    offset[shape + 1] = write
  }
  return { offset, order: order.slice(0, write) }
}

function isIncreasing(group: Uint32Array, sequences: Float64Array): boolean {
  for (let i = 1; i < group.length; i++) {
    if (sequences[group[i]] <= sequences[group[i - 1]]) return false
  }
  return true
}

interface ShapeDistances {
  readonly latE6: Int32Array
  readonly lonE6: Int32Array
  readonly distance: Float32Array
}

/**
 * Finds the first point in [first, end) whose distance is wrong: less than that of the previous point, or equal although
 * the two points are at different places.
 */
function findDistanceFault(
  points: ShapeDistances,
  range: { readonly first: number; readonly end: number },
): { rule: Rule; place: number; example: string } | undefined {
  const { distance } = points
  for (let place = range.first + 1; place < range.end; place++) {
    const before = distance[place - 1]
    const here = distance[place]
    if (here < before) return { rule: 'decreasing_shape_distance', place, example: `${here} after ${before}` }
    if (here === before && metersBetween(points, place - 1, place) >= SAME_PLACE_METERS) {
      return { rule: 'equal_shape_distance_diff_coordinates', place, example: `${here} twice` }
    }
  }
  return undefined
}

/** Distance between two points in meters, calculated on a flat map, which is accurate enough for neighboring points. */
function metersBetween({ latE6, lonE6 }: ShapeDistances, from: number, to: number): number {
  const lat = latE6[from] / MICRO
  const north = (latE6[to] - latE6[from]) / MICRO
  const east = ((lonE6[to] - lonE6[from]) / MICRO) * Math.cos((lat * Math.PI) / 180)
  return Math.hypot(north, east) * METERS_PER_DEGREE
}
