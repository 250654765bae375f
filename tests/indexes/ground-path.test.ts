// Tests paths on the ground (indexes/spatial/ground-path.ts). They are compared with a point-by-point search, and with
// places at a known distance and direction. An approach is a point where the path passes near a place. Fails if an
// approach is missing or too far away, for example because the path's index of segment boxes is wrong.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { EARTH_RADIUS_METERS, greatCircleMeters } from '../../indexes/spatial/great-circle.ts'
import {
  bearingAlong,
  bearingBetween,
  buildPath,
  findApproaches,
  type GroundPath,
  type Place,
  pathLength,
  placeAlong,
} from '../../indexes/spatial/ground-path.ts'
import { bySize, SEED } from '../size.ts'

const RUNS = { numRuns: bySize({ quick: 200, ci: 3000, full: 30_000 }), seed: SEED }
const METERS_PER_DEGREE = (EARTH_RADIUS_METERS * Math.PI) / 180

/** The place `north` meters north and `east` meters east of `from`. */
function moved(from: Place, north: number, east: number): Place {
  const lat = from.lat + north / METERS_PER_DEGREE
  return { lat, lon: from.lon + east / (METERS_PER_DEGREE * Math.cos((from.lat * Math.PI) / 180)) }
}

function pathOf(places: readonly Place[]): GroundPath {
  return buildPath({ lat: places.map(({ lat }) => lat), lon: places.map(({ lon }) => lon) })
}

/** A path anywhere but near the poles. Each step goes up to 400 m north or south, and up to 400 m east or west. */
const wander = fc
  .record({
    lat: fc.double({ min: -65, max: 65, noNaN: true }),
    lon: fc.double({ min: -179, max: 179, noNaN: true }),
    steps: fc.array(
      fc.record({ north: fc.integer({ min: -400, max: 400 }), east: fc.integer({ min: -400, max: 400 }) }),
      { minLength: 1, maxLength: 60 },
    ),
  })
  .map(({ lat, lon, steps }) => {
    const places: Place[] = [{ lat, lon }]
    for (const { north, east } of steps) places.push(moved(places.at(-1) as Place, north, east))
    return places
  })

describe('approaches', () => {
  /** The samples are 4 m apart, so the nearest of them is at most 2 m farther away than the path. */
  test('the nearest one is as near as the nearest of many samples along the path', () => {
    const offset = fc.integer({ min: -600, max: 600 })
    fc.assert(
      fc.property(wander, offset, offset, fc.double({ min: 0, max: 1, noNaN: true }), (places, north, east, part) => {
        const path = pathOf(places)
        const point = moved(placeAlong(path, part * pathLength(path)), north, east)
        const found = findApproaches(path, point, 0)
        const aside = Math.min(...found.map((approach) => approach.aside))
        const samples = Math.ceil(pathLength(path) / 4) + 1
        let least = Number.POSITIVE_INFINITY
        for (let at = 0; at <= samples; at++) {
          const place = placeAlong(path, (at / samples) * pathLength(path))
          least = Math.min(least, greatCircleMeters(place.lat, place.lon, point.lat, point.lon))
        }
        expect(aside).toBeLessThanOrEqual(least * 1.001 + 0.01)
        expect(aside).toBeGreaterThanOrEqual(least * 0.999 - 2.1)
      }),
      RUNS,
    )
  })

  /** A point on the path must be found at its own distance along the path, and at 0 m from the path. */
  test('a point taken from the path is found where it was taken', () => {
    fc.assert(
      fc.property(wander, fc.double({ min: 0, max: 1, noNaN: true }), (places, part) => {
        const path = pathOf(places)
        const meters = part * pathLength(path)
        const found = findApproaches(path, placeAlong(path, meters), 1)
        const nearest = Math.min(...found.map(({ along }) => Math.abs(along - meters)))
        expect(nearest).toBeLessThan(0.5)
        expect(found.some(({ aside }) => aside < 0.5)).toBe(true)
        expect(found.every(({ aside }) => aside <= 1.5)).toBe(true)
      }),
      RUNS,
    )
  })

  /**
   * The path goes 2 km along a street and back. It passes a point beside the street twice, after d and 4000 − d meters.
   */
  test('a path there and back passes nearby twice', () => {
    const start = { lat: 48.58, lon: 7.75 }
    const out = Array.from({ length: 41 }, (_, at) => moved(start, at * 50, 0))
    const path = pathOf([...out, ...out.slice(0, -1).reverse()])
    const found = findApproaches(path, moved(start, 630, 12), 20)
    expect(found.map(({ along }) => Math.round(along))).toEqual([630, 4000 - 630])
    expect(found.map(({ aside }) => Math.round(aside))).toEqual([12, 12])
    // The same path drawn with only three points.
    const coarse = pathOf([start, moved(start, 2000, 0), start])
    const again = findApproaches(coarse, moved(start, 630, 12), 20)
    expect(again.map(({ along }) => Math.round(along))).toEqual([630, 4000 - 630])
  })

  test('a path crosses the antimeridian, and points on both sides are found on it', () => {
    const path = pathOf([
      { lat: -17, lon: 179.99 },
      { lat: -17, lon: -179.99 },
    ])
    const full = pathLength(path)
    expect(full).toBeCloseTo(greatCircleMeters(-17, 179.99, -17, -179.99), 3)
    for (const lon of [179.995, -179.995]) {
      const [approach] = findApproaches(path, { lat: -17, lon }, 10)
      expect(approach?.aside).toBeLessThan(0.1)
      const place = placeAlong(path, approach?.along ?? 0)
      expect(place.lon).toBeCloseTo(lon, 6)
    }
  })

  test('a path of one place, or without length, has that place', () => {
    for (const places of [[{ lat: 1, lon: 2 }], Array.from({ length: 40 }, () => ({ lat: 1, lon: 2 }))]) {
      const path = pathOf(places)
      expect(findApproaches(path, { lat: 1, lon: 2 }, 5)).toEqual([{ along: 0, aside: 0 }])
      expect(placeAlong(path, 7)).toEqual({ lat: 1, lon: 2 })
      expect(bearingAlong(path, 0)).toBeUndefined()
    }
  })
})

describe('bearings', () => {
  test('are clockwise from north', () => {
    const from = { lat: 48, lon: 7 }
    const expectations = [
      [100, 0, 0],
      [100, 100, 45],
      [0, 100, 90],
      [-100, 0, 180],
      [0, -100, 270],
      [100, -100, 315],
    ] as const
    for (const [north, east, degrees] of expectations) {
      expect(bearingBetween(from, moved(from, north, east))).toBeCloseTo(degrees, 1)
    }
  })

  /** The bearing at a point leads to the point one meter farther along, unless there is a corner in between. */
  test('along a path lead from one of its places to the next', () => {
    fc.assert(
      fc.property(wander, fc.double({ min: 0, max: 1, noNaN: true }), (places, part) => {
        const path = pathOf(places)
        const meters = part * Math.max(0, pathLength(path) - 1)
        const corner = [...path.along].find((each) => each > meters && each < meters + 1)
        if (corner !== undefined || pathLength(path) < 2) return
        const bearing = bearingAlong(path, meters)
        const ahead = bearingBetween(placeAlong(path, meters), placeAlong(path, meters + 1))
        const turn = Math.abs(((bearing ?? Number.NaN) - ahead + 540) % 360) - 180
        expect(Math.abs(turn)).toBeLessThan(1)
      }),
      RUNS,
    )
  })
})
