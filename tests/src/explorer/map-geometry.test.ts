// Tests the geometry and the colors of the explorer's map. The nearest point on a path is compared with the nearest of
// many points along the path. Stretches of a path must have the right ends and lengths. Text must be readable on any
// color. Fails if a vehicle would leave its line, or if a sign could not be read.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Coordinate } from '../../../src/explorer/app/contract.ts'
import { legibleColor, stringColors, textOn } from '../../../src/explorer/app/map/colors.ts'
import { metersPerUnit, toCoordinate, toPlane } from '../../../src/explorer/app/map/mercator.ts'
import { footOn, type Path, pathsOf, pointAt, stretchOf } from '../../../src/explorer/app/map/paths.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 300, ci: 3_000, full: 30_000 }) }
const STEPS = 400

const place = fc
  .tuple(fc.double({ min: -0.2, max: 0.2, noNaN: true }), fc.double({ min: 47, max: 47.3, noNaN: true }))
  .map(([lon, lat]): Coordinate => [lon, lat])
const path = fc.array(place, { minLength: 2, maxLength: 12 }).map((coordinates): Path => {
  const [made] = pathsOf({ type: 'LineString', coordinates })
  if (made === undefined) throw new Error('two points gave no path')
  return made
})
const lengthOf = (of: Path) => of.along[of.along.length - 1] ?? 0

test('no step along a path is nearer to a place than the nearest point found', () => {
  fc.assert(
    fc.property(path, place, fc.double({ min: 0, max: 1, noNaN: true }), (along, coordinate, share) => {
      const at = toPlane(coordinate)
      const from = share * lengthOf(along)
      const foot = footOn(along, at, from)
      const nearest = Array.from({ length: STEPS + 1 }, (_, step) => {
        const point = pointAt(along, from + ((lengthOf(along) - from) * step) / STEPS)
        return Math.hypot(point.x - at.x, point.y - at.y) * metersPerUnit(at.y)
      }).reduce((least, meters) => Math.min(least, meters), Number.POSITIVE_INFINITY)
      const own = pointAt(along, foot.along)
      const ownMeters = Math.hypot(own.x - at.x, own.y - at.y) * metersPerUnit(at.y)
      expect(foot.besideMeters).toBeLessThanOrEqual(nearest + 0.01)
      expect(ownMeters).toBeCloseTo(foot.besideMeters, 2)
      expect(foot.along).toBeGreaterThanOrEqual(from - 1e-12)
    }),
    RUNS,
  )
})

test('a stretch starts and ends at the right points, and has the right length', () => {
  const shares = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
  fc.assert(
    fc.property(path, shares, (along, [one, other]) => {
      const start = Math.min(one, other) * lengthOf(along)
      const end = Math.max(one, other) * lengthOf(along)
      const points = stretchOf(along, start, end)
      const length = points.reduce((sum, point, index) => {
        const before = points[index - 1]
        return before === undefined ? 0 : sum + Math.hypot(point.x - before.x, point.y - before.y)
      }, 0)
      expect(length).toBeCloseTo(end - start, 10)
      expect([points[0], points.at(-1)]).toEqual([pointAt(along, start), pointAt(along, end)])
    }),
    RUNS,
  )
})

test('to the plane and back', () => {
  fc.assert(
    fc.property(place, (coordinate) => {
      const [lon, lat] = toCoordinate(toPlane(coordinate))
      expect(lon).toBeCloseTo(coordinate[0], 9)
      expect(lat).toBeCloseTo(coordinate[1], 9)
    }),
    RUNS,
  )
})

/**
 * WCAG 2.2, 1.4.11, requires a contrast ratio of 3 for graphics. The line through the stops in the panel must have this
 * contrast, even if the line's official color is pale.
 */
test('strings of stops stand out from the panel, and keep the official color if it does', () => {
  const tokens = readFileSync(join(import.meta.dir, '../../../src/pages/styles/tokens.css'), 'utf8')
  const grounds = [...tokens.matchAll(/--surface: (#\w+);/g)].map(([, color = '']) =>
    color.replace(/^#fff$/, '#ffffff'),
  )
  expect(grounds).toHaveLength(2)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff - 1 }), (number) => {
      const color = `#${number.toString(16).padStart(6, '0')}`
      const drawn = Object.values(stringColors(color)).map((each) => (each.match(/\d+/g) ?? []).map(Number))
      for (const [at, ground] of grounds.entries()) {
        const parts = drawn[at] ?? []
        expect(contrast(luminanceOf(parts), luminance(ground))).toBeGreaterThanOrEqual(3)
        const isKept = parts.join() === partsOf(color).join()
        if (contrast(luminance(color), luminance(ground)) >= 3.2) expect(isKept).toBe(true)
      }
    }),
    RUNS,
  )
})

/**
 * WCAG 2.2 requires a contrast ratio of 4.5 for text (1.4.3) and 3 for graphics (1.4.11). Lines on the map keep a color
 * close to the one in their feed, so this test requires less contrast for them.
 */
test('text on any line color is readable, and every line is visible on its background', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const color = `#${number.toString(16).padStart(6, '0')}`
      expect(contrast(luminance(color), textOn(color) === '#000000' ? 0 : 1)).toBeGreaterThanOrEqual(4.5)
      const night = /rgb\((\d+) (\d+) (\d+)\)/.exec(legibleColor(color, true))
      expect(contrast(luminanceOf((night ?? []).slice(1).map(Number)), luminance('#121a18'))).toBeGreaterThan(2)
      const day = /rgb\((\d+) (\d+) (\d+)\)/.exec(legibleColor(color, false))
      expect(contrast(luminanceOf((day ?? []).slice(1).map(Number)), luminance('#f7f8f5'))).toBeGreaterThan(1.35)
    }),
    RUNS,
  )
})

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
}

function luminance(color: string): number {
  return luminanceOf(partsOf(color))
}

function partsOf(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

function luminanceOf(parts: readonly number[]): number {
  const weights = [0.2126, 0.7152, 0.0722]
  return parts.reduce((sum, part, index) => {
    const share = part / 255
    return sum + (weights[index] ?? 0) * (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
  }, 0)
}
