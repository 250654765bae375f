// Tests convex hulls. Fails if a point is outside its hull, if a corner of a hull is not one of the points, or if the
// distance from a location to a hull is not measured to the nearest side.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { boxOfHull, convexHull, isNearHull } from '../../indexes/spatial/convex-hull.ts'
import { bySize, SEED } from '../size.ts'

const point = fc.record({
  lat: fc.integer({ min: 4_800, max: 4_850 }).map((value) => value / 100),
  lon: fc.integer({ min: 200, max: 260 }).map((value) => value / 100),
})

test('every point is inside its hull, and the corners are some of the points', () => {
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 40 }), (points) => {
      const hull = convexHull(points)
      const box = boxOfHull(hull, 0)
      for (const each of points) {
        expect(isNearHull(hull, each, 0.01)).toBe(true)
        expect(each.lat).toBeGreaterThanOrEqual(box.minLat)
        expect(each.lon).toBeLessThanOrEqual(box.maxLon)
      }
      for (const [at, lat] of hull.lat.entries()) {
        expect(points.some((each) => each.lat === lat && each.lon === hull.lon[at])).toBe(true)
      }
    }),
    { seed: SEED, numRuns: bySize({ quick: 200, ci: 1_000, full: 20_000 }) },
  )
})

test('a margin is measured from the nearest side', () => {
  const square = convexHull([
    { lat: 48, lon: 2 },
    { lat: 48, lon: 3 },
    { lat: 49, lon: 2 },
    { lat: 49, lon: 3 },
    { lat: 48.5, lon: 2.5 },
  ])
  expect(square.lat.length).toBe(4)
  expect(isNearHull(square, { lat: 48.5, lon: 2.5 }, 0)).toBe(true)
  // At this latitude, 0.01 degrees of latitude are 1112 m, and 0.01 degrees of longitude are 737 m.
  expect(isNearHull(square, { lat: 47.99, lon: 2.5 }, 1_100)).toBe(false)
  expect(isNearHull(square, { lat: 47.99, lon: 2.5 }, 1_120)).toBe(true)
  expect(isNearHull(square, { lat: 48.5, lon: 1.99 }, 730)).toBe(false)
  expect(isNearHull(square, { lat: 48.5, lon: 1.99 }, 745)).toBe(true)
  const single = convexHull([{ lat: 48, lon: 2 }])
  expect(isNearHull(single, { lat: 48.01, lon: 2 }, 1_120)).toBe(true)
  expect(isNearHull(single, { lat: 48.01, lon: 2 }, 1_100)).toBe(false)
})
