// Tests lower bounds for distances to places. A search uses these bounds to exclude places. Fails if a bound is above
// the real distance, since the search would then lose hits.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { metersFrom } from '../../../indexes/places/map-distance.ts'
import { buildPlaceSet, entryAt } from '../../../indexes/places/place-set.ts'
import { NONE, sealColumn } from '../../../loaders/columns.ts'
import { bySize, SEED } from '../../size.ts'

const degrees = (most: number) => fc.integer({ min: -most * 1e6, max: most * 1e6 }).map((micros) => micros / 1e6)
const place = fc.record({ lat: degrees(90), lon: degrees(180) })

/** A set in which all places have the same name. */
function setOf(places: readonly { readonly lat: number; readonly lon: number }[]) {
  return buildPlaceSet({
    names: ['Gare'],
    entryOffset: [0, places.length],
    towns: [],
    town: sealColumn(new Uint32Array(places.length).fill(NONE)),
    postcode: sealColumn(new Uint32Array(places.length).fill(NONE)),
    importance: sealColumn(new Uint8Array(places.length)),
    lat: sealColumn(Int32Array.from(places, ({ lat }) => lat * 1e7)),
    lon: sealColumn(Int32Array.from(places, ({ lon }) => lon * 1e7)),
  })
}

test('no place is nearer than the lower bound for its name', () => {
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 60 }), place, (places, near) => {
      const set = setOf(places)
      const meters = metersFrom(set, near)
      const each = places.map((_, at) => meters.to(entryAt(at)))
      const few = entryAt(Math.min(places.length, 20))
      expect(meters.leastOf(entryAt(0), few)).toBe(Math.min(...each.slice(0, few)))
      expect(meters.leastOf(entryAt(0), entryAt(places.length))).toBeLessThanOrEqual(Math.min(...each))
    }),
    { seed: SEED, numRuns: bySize({ quick: 100, ci: 200, full: 5_000 }) },
  )
})
