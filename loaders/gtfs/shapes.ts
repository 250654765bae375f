// shapes.txt: the points of each shape together, in order.
import { GrowingColumn, sealColumn } from '../columns.ts'
import type { ShapeTable } from './feed.ts'
import { type FeedReading, RowsById, readTable } from './table-reader.ts'

const FILE = 'shapes.txt'
const MICRO = 1e6

/** The shapes, and their rows by id. */
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
}

/** Reads shapes.txt; an empty table where there is none. */
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
  }
  await readTable(
    reading,
    {
      file: FILE,
      columns: ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence', 'shape_dist_traveled'],
      required: ['shape_id', 'shape_pt_lat', 'shape_pt_lon', 'shape_pt_sequence'],
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
      const distance = row.decimal('shape_dist_traveled')
      if (!Number.isNaN(distance)) hasDistance = true
      points.shape.push(byId.find(shapeId))
      points.latE6.push(Math.round(lat * MICRO))
      points.lonE6.push(Math.round(lon * MICRO))
      points.sequence.push(sequence)
      points.distance.push(distance)
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
    const point = order[place] as number
    latE6[place] = points.latE6.at(point)
    lonE6[place] = points.lonE6.at(point)
    if (distance !== undefined && points.distance !== undefined) distance[place] = points.distance.at(point)
  }
  if (distance !== undefined) dropBadDistances(reading, offset, distance)
  return {
    count: id.length,
    id: sealColumn(id.seal()),
    pointOffset: sealColumn(offset),
    latE6: sealColumn(latE6),
    lonE6: sealColumn(lonE6),
    distance: distance === undefined ? undefined : sealColumn(distance),
  }
}

/** The points by shape, then sequence; a point whose sequence stands twice in its shape is dropped. */
function orderPoints(
  reading: FeedReading,
  shapeCount: number,
  points: Points,
): { offset: Uint32Array; order: Uint32Array } {
  const start = new Uint32Array(shapeCount + 1)
  const shapes = points.shape.view()
  for (let i = 0; i < shapes.length; i++) start[(shapes[i] as number) + 1]++
  for (let shape = 0; shape < shapeCount; shape++) start[shape + 1] += start[shape] as number
  const order = new Uint32Array(shapes.length)
  const next = start.slice()
  for (let i = 0; i < shapes.length; i++) order[next[shapes[i] as number]++] = i
  const sequences = points.sequence.view()
  const offset = new Uint32Array(shapeCount + 1)
  let write = 0
  for (let shape = 0; shape < shapeCount; shape++) {
    const group = order.subarray(start[shape], start[shape + 1])
    if (!isIncreasing(group, sequences)) {
      group.sort((a, b) => (sequences[a] as number) - (sequences[b] as number) || a - b)
    }
    let previous = -1
    for (let i = 0; i < group.length; i++) {
      const point = group[i] as number
      if (sequences[point] === previous) {
        reading.problems.report({
          rule: 'duplicate_key',
          file: FILE,
          line: 0,
          field: 'shape_pt_sequence',
          example: String(previous),
          action: 'dropped_row',
        })
        continue
      }
      previous = sequences[point] as number
      order[write++] = point
    }
    offset[shape + 1] = write
  }
  return { offset, order: order.slice(0, write) }
}

function isIncreasing(group: Uint32Array, sequences: Float64Array): boolean {
  for (let i = 1; i < group.length; i++) {
    if ((sequences[group[i] as number] as number) <= (sequences[group[i - 1] as number] as number)) return false
  }
  return true
}

/** Distances that fall along a shape say nothing: the shape is left without any. */
function dropBadDistances(reading: FeedReading, offset: Uint32Array, distance: Float32Array): void {
  for (let shape = 0; shape + 1 < offset.length; shape++) {
    const of = distance.subarray(offset[shape], offset[shape + 1])
    let isSound = true
    for (let i = 1; i < of.length; i++) if ((of[i] as number) < (of[i - 1] as number)) isSound = false
    if (isSound) continue
    reading.problems.report({
      rule: 'decreasing_shape_distance',
      file: FILE,
      line: 0,
      field: 'shape_dist_traveled',
      example: `shape ${shape}`,
      action: 'repaired',
    })
    of.fill(Number.NaN)
  }
}
