// A generated city whose streets form a square grid. It has 2 000 corners per square kilometer, as if all sidewalks and
// crossings were mapped. So it is denser than any real extract used in tests and benchmarks.
import { type OsmElement, writePbf } from '../loaders/osm/pbf-writer.ts'

const METERS_PER_DEGREE = 111_195
/** Distance between corners. It results in 2 000 corners per square kilometer. */
const STEP_METERS = 22.36
/** One in `ROAD_EVERY` streets is a road with its own name. The others are footways. */
const ROAD_EVERY = 8

/** The position of a grid (its southwest corner, in degrees), and its size (in rows and columns of corners). */
export interface StreetGrid {
  readonly south: number
  readonly west: number
  readonly rows: number
  readonly columns: number
}

/** The smallest grid that covers a box. */
export function gridOver(box: {
  readonly south: number
  readonly west: number
  readonly north: number
  readonly east: number
}): StreetGrid {
  const { south, west, north, east } = box
  const { lat, lon } = stepsAt(south)
  return { south, west, rows: Math.ceil((north - south) / lat) + 1, columns: Math.ceil((east - west) / lon) + 1 }
}

/** The grid as an OpenStreetMap extract in PBF format. */
export function writeGrid(grid: StreetGrid): Generator<Uint8Array> {
  return writePbf(elements(grid), { isSorted: true })
}

function* elements({ south, west, rows, columns }: StreetGrid): Generator<OsmElement> {
  const step = stepsAt(south)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const id = row * columns + column + 1
      yield { kind: 'node', id, tags: {}, lat: south + row * step.lat, lon: west + column * step.lon }
    }
  }
  for (let row = 0; row < rows; row++) {
    yield street(
      row + 1,
      row,
      Array.from({ length: columns }, (_, column) => row * columns + column + 1),
    )
  }
  for (let column = 0; column < columns; column++) {
    const refs = Array.from({ length: rows }, (_, row) => row * columns + column + 1)
    yield street(rows + column + 1, column, refs)
  }
}

function street(id: number, number: number, refs: readonly number[]): OsmElement {
  const isRoad = number % ROAD_EVERY === 0
  return {
    kind: 'way',
    id,
    tags: isRoad ? { highway: 'residential', name: `Street ${id}` } : { highway: 'footway' },
    refs,
  }
}

function stepsAt(lat: number): { readonly lat: number; readonly lon: number } {
  const step = STEP_METERS / METERS_PER_DEGREE
  return { lat: step, lon: step / Math.cos((lat * Math.PI) / 180) }
}
