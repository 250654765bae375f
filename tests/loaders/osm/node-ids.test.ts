// Compares the row numbers of ids with plain sorting and searching. Fails if an id is not found, if an id is found that
// does not exist, or if a row is not the id's position among the distinct ids.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { NONE } from '../../../loaders/columns.ts'
import { NodeIdCounts, type NodeIds } from '../../../loaders/osm/node-ids.ts'
import { bySize, SEED } from '../../size.ts'

function rowsOf(ids: readonly number[], left: ReadonlySet<number> = new Set()): NodeIds {
  const counts = new NodeIdCounts()
  for (const id of ids) counts.count(id)
  return counts.seal((add) => {
    for (const id of ids) if (!left.has(id)) add(id)
  })
}

const id = fc.oneof(
  fc.integer({ min: -5, max: 40 }),
  fc.integer({ min: 2 ** 20 - 20, max: 2 ** 20 + 20 }),
  fc.integer({ min: 1, max: 2 ** 22 }),
  fc.integer({ min: -(2 ** 38), max: 2 ** 38 }),
)

test('rows are positions among the sorted distinct ids', () => {
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200 }), fc.array(id, { maxLength: 50 }), (ids, requested) => {
      const rows = rowsOf(ids)
      const sorted = [...new Set(ids)].sort((a, b) => a - b)
      expect(rows.count).toBe(sorted.length)
      const all = [...ids, ...requested]
      const expected = all.map((each) => (sorted.includes(each) ? sorted.indexOf(each) : NONE))
      expect(all.map((each) => rows.rowOf(each))).toEqual(expected)
      // seek() must find ids in any order, also if calls of rowOf() come in between.
      expect(all.map((each) => rows.seek(each))).toEqual(expected)
      expect(sorted.map((each) => rows.seek(each))).toEqual(sorted.map((_, row) => row))
      expect(all.flatMap((each) => [rows.seek(each), rows.rowOf(each)])).toEqual(expected.flatMap((row) => [row, row]))
    }),
    { seed: SEED, numRuns: bySize({ quick: 200, ci: 500, full: 5000 }) },
  )
})

test('counted ids may be omitted; ids that no extract has are rejected', () => {
  const rows = rowsOf([5, 6, 7, 7, 9], new Set([6]))
  expect([5, 6, 7, 9].map((each) => rows.rowOf(each))).toEqual([0, NONE, 1, 2])
  expect(() => rowsOf([2 ** 39])).toThrow('out of range')
  expect(() => rowsOf([Number.NaN])).toThrow('out of range')
})
