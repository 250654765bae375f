// Tests the animation of vehicles between reports. The map is redrawn only if a vehicle has moved visibly. So the
// distance that is computed for an interval must be at least the distance between the vehicle's positions at the start
// and at the end of the interval. Fails if a vehicle that moves would stand still on the screen.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { makeGlide, moveOf, placeAt } from '../../../src/explorer/app/map/glide.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 300, ci: 3_000, full: 30_000 }) }
const START = 1_000

const share = fc.double({ min: 0, max: 1, noNaN: true })
const points = fc.array(fc.record({ x: share, y: share }), { minLength: 1, maxLength: 8 })
const millis = fc.integer({ min: -5_000, max: 45_000 })

test('positions are never further apart than the distance covered between them, which is exact on a straight path', () => {
  fc.assert(
    fc.property(points, fc.integer({ min: 1, max: 30_000 }), millis, millis, (path, duration, one, other) => {
      const glide = makeGlide(path, START, duration)
      const [since, now] = [START + Math.min(one, other), START + Math.max(one, other)]
      const [from, to] = [placeAt(glide, since), placeAt(glide, now)]
      const apart = Math.hypot(to.x - from.x, to.y - from.y)
      const move = moveOf(glide, since, now)
      expect(move).toBeGreaterThanOrEqual(apart - 1e-9)
      if (path.length <= 2) expect(move).toBeCloseTo(apart, 9)
    }),
    RUNS,
  )
})

test('an animation covers its whole path, then nothing', () => {
  const glide = makeGlide(
    [
      { x: 0, y: 0 },
      { x: 0.3, y: 0.4 },
      { x: 0.3, y: 0 },
    ],
    START,
    500,
  )
  expect(moveOf(glide, 0, 10_000)).toBeCloseTo(0.9, 12)
  expect([placeAt(glide, 0), placeAt(glide, 10_000)]).toEqual([
    { x: 0, y: 0 },
    { x: 0.3, y: 0 },
  ])
  expect([moveOf(glide, START + 500, 10_000), moveOf(glide, 0, START)]).toEqual([0, 0])
})
