// Tests how points near a place are found: great-circle distance, the box around a circle, the tree inside a larger
// buffer, and the tree of moving points. Fails if a point near a pole or the antimeridian is missed, or if the order or
// a distance differs from that in a sorted list of all points.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import Flatbush from 'flatbush'
import { EARTH_RADIUS_METERS, greatCircleMeters } from '../../indexes/spatial/great-circle.ts'
import { openMovingPoints } from '../../indexes/spatial/moving-points.ts'
import { findWithin, findWithinBy, type PointTree } from '../../indexes/spatial/point-tree.ts'
import { sealColumn } from '../../loaders/columns.ts'
import { bySize, SEED } from '../size.ts'

interface Point {
  readonly lat: number
  readonly lon: number
}

const RUNS = { seed: SEED, numRuns: bySize({ quick: 300, ci: 2_000, full: 20_000 }) }

/** A tree in the middle of a larger buffer, as in a memory-mapped snapshot. */
function treeOf(
  points: readonly Point[],
  Buffer: typeof ArrayBuffer | typeof SharedArrayBuffer = ArrayBuffer,
  offset = 64,
): PointTree {
  if (points.length === 0) return sealColumn<number>(new Uint8Array(0))
  const tree = new Flatbush(points.length)
  for (const { lat, lon } of points) tree.add(lon, lat)
  tree.finish()
  const bytes = new Uint8Array(new Buffer(tree.data.byteLength + 128), offset, tree.data.byteLength)
  bytes.set(new Uint8Array(tree.data))
  return sealColumn<number>(bytes)
}

function columnsOf(points: readonly Point[]) {
  return {
    lat: sealColumn<number>(Float64Array.from(points, ({ lat }) => lat)),
    lon: sealColumn<number>(Float64Array.from(points, ({ lon }) => lon)),
  }
}

/** The great-circle distance, computed from the straight line through the globe instead of by the haversine formula. */
function chordMeters(a: Point, b: Point): number {
  const inSpace = ({ lat, lon }: Point) => {
    const [phi, lambda] = [(lat * Math.PI) / 180, (lon * Math.PI) / 180]
    return [Math.cos(phi) * Math.cos(lambda), Math.cos(phi) * Math.sin(lambda), Math.sin(phi)] as const
  }
  const [p, q] = [inSpace(a), inSpace(b)]
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) / 2))
}

const degrees = (min: number, max: number) => fc.integer({ min: min * 1e6, max: max * 1e6 }).map((micro) => micro / 1e6)
const anywhere = fc.record({ lat: degrees(-90, 90), lon: degrees(-180, 180) })
/** Places near the antimeridian or the prime meridian, and also near a pole, the equator or 60° north. */
const corner = fc.record({
  lat: fc.oneof(degrees(-90, -89), degrees(89, 90), degrees(-1, 1), degrees(60, 61)),
  lon: fc.oneof(degrees(-180, -179), degrees(179, 180), degrees(-1, 1)),
})
const point = fc.oneof(anywhere, corner, corner)

test('distance is the great circle', () => {
  fc.assert(
    fc.property(point, point, (a, b) => {
      const expected = chordMeters(a, b)
      // Near the antipode, both formulas lose half of their digits. There, they can differ by up to a meter in 20 000
      // km.
      const toleranceMeters = expected > 1.9e7 ? 1 : 0.01
      expect(Math.abs(greatCircleMeters(a.lat, a.lon, b.lat, b.lon) - expected)).toBeLessThan(toleranceMeters)
    }),
    RUNS,
  )
  expect(greatCircleMeters(0, 0, 0, 90)).toBeCloseTo((EARTH_RADIUS_METERS * Math.PI) / 2, 6)
})

test('points within a distance are those found by sorting all points', () => {
  const radius = fc.oneof(
    fc.integer({ min: 0, max: 5_000 }),
    fc.integer({ min: 5_000, max: 300_000 }),
    fc.integer({ min: 1e6, max: 2.1e7 }),
  )
  fc.assert(
    fc.property(fc.array(point, { maxLength: 80 }), point, radius, (points, center, radiusMeters) => {
      const expected = points
        .map(({ lat, lon }, index) => ({ index, distanceMeters: greatCircleMeters(center.lat, center.lon, lat, lon) }))
        .filter(({ distanceMeters }) => distanceMeters <= radiusMeters)
        .sort((a, b) => a.distanceMeters - b.distanceMeters || a.index - b.index)
      const columns = columnsOf(points)
      expect(findWithin(treeOf(points), columns, { ...center, radiusMeters })).toEqual(expected)
      expect(findWithinBy(openMovingPoints(columns), columns, { ...center, radiusMeters })).toEqual(expected)
    }),
    RUNS,
  )
})

test('a tree gives the same results in shared memory, at any offset, and when empty', () => {
  const points = [
    { lat: 48.58, lon: 7.75 },
    { lat: 48.581, lon: 7.751 },
  ]
  const circle = { lat: 48.58, lon: 7.75, radiusMeters: 500 }
  const expected = [
    { index: 0, distanceMeters: 0 },
    { index: 1, distanceMeters: greatCircleMeters(48.58, 7.75, 48.581, 7.751) },
  ]
  for (const tree of [treeOf(points), treeOf(points, SharedArrayBuffer), treeOf(points, ArrayBuffer, 61)]) {
    expect(findWithin(tree, columnsOf(points), circle)).toEqual(expected)
  }
  expect(findWithin(treeOf([]), columnsOf([]), circle)).toEqual([])
})
