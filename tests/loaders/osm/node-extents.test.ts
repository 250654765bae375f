// Tests which blocks a reader of a small area may skip, by comparison with a search of every node. Fails if a skipped
// block has a node in the area, also at the antimeridian and the poles, or has a node with one of the requested ids.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { KeptArea } from '../../../loaders/osm/kept-area.ts'
import { NodeExtents } from '../../../loaders/osm/node-extents.ts'
import { NodeIdCounts } from '../../../loaders/osm/node-ids.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = bySize({ quick: 300, ci: 500, full: 5_000 })

interface Node {
  readonly id: number
  readonly lat: number
  readonly lon: number
}

const NOBODY = { tagOffset: new Uint32Array(0), tags: new Uint32Array(0) }
/** Coordinates anywhere, at the edges of the map, or close together, so that areas and blocks often overlap. */
const lat = fc.oneof(fc.integer({ min: -900_000_000, max: 900_000_000 }), fc.integer({ min: 0, max: 3_000_000 }))
const lon = fc.oneof(
  fc.constantFrom(-1_800_000_000, 1_799_999_999, 1_800_000_000),
  fc.integer({ min: -1_800_000_000, max: 1_800_000_000 }),
  fc.integer({ min: 0, max: 3_000_000 }),
)
const id = fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.integer({ min: 0, max: 2 ** 38 }))
const node: fc.Arbitrary<Node> = fc.record({ id, lat, lon })

function extentsOf(nodes: readonly Node[]): NodeExtents {
  const extents = new NodeExtents(2)
  extents.note(1, {
    ...NOBODY,
    count: nodes.length,
    id: Float64Array.from(nodes, (each) => each.id),
    lat: Int32Array.from(nodes, (each) => each.lat),
    lon: Int32Array.from(nodes, (each) => each.lon),
  })
  return extents
}

test('no block that has a node in the area is skipped', () => {
  let touched = 0
  fc.assert(
    fc.property(fc.array(node, { maxLength: 12 }), fc.array(node, { minLength: 1, maxLength: 3 }), (nodes, places) => {
      const area = new KeptArea()
      area.keep({ lat: places.map((each) => each.lat / 1e7), lon: places.map((each) => each.lon / 1e7) }, 2_000)
      const box = area.box()
      if (box === undefined) throw new Error('the cells of the places were not kept')
      const extents = extentsOf(nodes)
      const isTouched = extents.touches(1, area, box)
      if (nodes.some((each) => area.has(each.lat, each.lon))) {
        expect(isTouched).toBe(true)
        touched++
      }
      expect(extents.touches(0, area, box)).toBe(false) // the block has no nodes
    }),
    { seed: SEED, numRuns: RUNS },
  )
  // In about one run in 25, the area contains a node. If it never did, the test would prove nothing.
  expect(touched).toBeGreaterThan(0)
})

test('a block far from the area is skipped', () => {
  const area = new KeptArea()
  area.keep({ lat: [48.5], lon: [7.7] }, 2_000)
  const box = area.box()
  if (box === undefined) throw new Error('the cells of the place were not kept')
  const near = { id: 1, lat: 485_000_000, lon: 77_000_000 }
  const far = { id: 2, lat: 488_000_000, lon: 77_000_000 }
  expect(extentsOf([near, far]).touches(1, area, box)).toBe(true)
  expect(extentsOf([far]).touches(1, area, box)).toBe(false)
})

test('no block that may contain a requested id is skipped', () => {
  fc.assert(
    fc.property(fc.array(node, { minLength: 1, maxLength: 12 }), fc.array(id, { maxLength: 40 }), (nodes, ids) => {
      const counts = new NodeIdCounts()
      for (const each of ids) counts.count(each)
      const sought = counts.seal((add) => ids.forEach(add))
      const { first, last } = extentsOf(nodes).idsOf(1)
      const isBetween = ids.some((each) => each >= first && each <= last)
      const mayHave = sought.mayHaveBetween(first, last)
      if (isBetween) expect(mayHave).toBe(true)
      if (!isBetween && last - first < 2 ** 24) expect(mayHave).toBe(false)
    }),
    { seed: SEED, numRuns: RUNS },
  )
})
