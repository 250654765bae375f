// Tests a search that returns points one by one, nearest first. Fails if the order differs from sorting all points, or
// if a search returns points of the previous search.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { NearestFirst } from '../../indexes/spatial/nearest-first.ts'
import { bySize, SEED } from '../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 200, ci: 1_000, full: 10_000 }) }

test('points are sorted by distance, then by number, up to the requested count', () => {
  const nearest = new NearestFirst()
  const points = fc.uniqueArray(fc.record({ number: fc.nat(2 ** 40), meters: fc.nat(20) }), {
    selector: ({ number }) => number,
    maxLength: 600,
  })
  fc.assert(
    fc.property(points, fc.nat(600), (added, wanted) => {
      nearest.clear()
      for (const { number, meters } of added) nearest.add(number, meters)
      expect(nearest.length).toBe(added.length)
      const sorted = added.toSorted((a, b) => a.meters - b.meters || a.number - b.number)
      for (const { number, meters } of sorted.slice(0, wanted)) {
        expect(nearest.firstMeters).toBe(meters)
        expect(nearest.take()).toBe(number)
      }
      expect(nearest.length).toBe(Math.max(0, added.length - wanted))
    }),
    RUNS,
  )
})
