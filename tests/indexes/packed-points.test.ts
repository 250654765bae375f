// Tests the search for the nearest point in a set of packed points. The result must agree with measuring the distance
// to each point, also at the poles and across the antimeridian. Among points at the same distance, the one with the
// smallest number is the nearest.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { UnitPoints } from '../../indexes/spatial/curve-order.ts'
import { greatCircleMeters } from '../../indexes/spatial/great-circle.ts'
import { buildPackedPoints, findNearestPoint } from '../../indexes/spatial/packed-points.ts'
import { sealColumn } from '../../loaders/columns.ts'
import { bySize, SEED } from '../size.ts'

/** Time limit of a test at size `full`. */
const MILLIS = 300_000

/** Around a city, around the antimeridian, around a pole, and anywhere. */
const AREAS = [
  { south: 48.8, north: 48.9, west: 2.2, east: 2.4 },
  { south: -17, north: -16, west: 179.5, east: 180 },
  { south: -17, north: -16, west: -180, east: -179.5 },
  { south: 89.9, north: 90, west: -180, east: 180 },
  { south: -90, north: 90, west: -180, east: 180 },
]
const place = fc
  .record({
    area: fc.constantFrom(...AREAS),
    up: fc.double({ min: 0, max: 1, noNaN: true }),
    right: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ area, up, right }) => ({
    lat: Math.round((area.south + up * (area.north - area.south)) * 1e7),
    lon: Math.round((area.west + right * (area.east - area.west)) * 1e7),
  }))

function toPoints(places: readonly { lat: number; lon: number }[]): UnitPoints {
  return {
    lat: sealColumn(Int32Array.from(places, ({ lat }) => lat)),
    lon: sealColumn(Int32Array.from(places, ({ lon }) => lon)),
  }
}

function nearestOfAll(points: UnitPoints, from: { lat: number; lon: number; radiusMeters: number }) {
  let found: { index: number; distanceMeters: number } | undefined
  for (let index = 0; index < points.lat.length; index++) {
    const distanceMeters = greatCircleMeters(from.lat, from.lon, points.lat[index] / 1e7, points.lon[index] / 1e7)
    if (distanceMeters > from.radiusMeters) continue
    if (found === undefined || distanceMeters < found.distanceMeters) found = { index, distanceMeters }
  }
  return found
}

test(
  'the nearest point is the one found by measuring all of them',
  () => {
    fc.assert(
      fc.property(
        fc.array(place, { maxLength: 600 }),
        fc.array(fc.record({ at: place, radiusMeters: fc.constantFrom(50, 500, 20_000, 30_000_000) }), {
          maxLength: 20,
        }),
        (places, questions) => {
          const points = toPoints(places)
          const packed = buildPackedPoints(points)
          for (const { at, radiusMeters } of questions) {
            const from = { lat: at.lat / 1e7, lon: at.lon / 1e7, radiusMeters }
            expect(findNearestPoint(packed, points, from)).toEqual(nearestOfAll(points, from))
          }
        },
      ),
      { seed: SEED, numRuns: bySize({ quick: 100, ci: 500, full: 5_000 }) },
    )
  },
  MILLIS,
)

test('without points there is no nearest one', () => {
  const points = toPoints([])
  const from = { lat: 0, lon: 0, radiusMeters: 1e8 }
  expect(findNearestPoint(buildPackedPoints(points), points, from)).toBeUndefined()
})
