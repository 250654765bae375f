// Tests two parts of the import of a whole country's addresses: the table of streets by key, and columns for tens of
// millions of rows. Fails if two streets are mistaken for one or one street for two, or if a row changes when a table
// or a column grows.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RawStreets } from '../../../loaders/ban/sorted-streets.ts'
import { type StreetKey, StreetTable } from '../../../loaders/ban/street-table.ts'
import { ChunkedColumn, GrowingColumn } from '../../../loaders/columns.ts'
import type { StringIndex } from '../../../loaders/strings.ts'
import { bySize, SEED } from '../../size.ts'

function emptyStreets(): RawStreets {
  const texts = () => new GrowingColumn(Uint32Array)
  return {
    id: texts(),
    name: texts(),
    postcode: texts(),
    communeCode: texts(),
    commune: texts(),
    formerCommune: texts(),
    ownLat: new GrowingColumn(Int32Array),
    ownLon: new GrowingColumn(Int32Array),
    hasOwnPlace: new GrowingColumn(Uint8Array),
  }
}

/** A street key from the octal digits of a number: keys of consecutive numbers mostly differ in one member. */
function keyOf(number: number): StreetKey {
  const digit = (place: number) => (Math.floor(number / 8 ** place) % 8) as StringIndex
  return { id: digit(0), name: digit(1), postcode: digit(2), communeCode: digit(3), formerCommune: digit(4) }
}

test('a key is one street, however many there are', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 8 ** 5 - 1 }), { minLength: 0, maxLength: 9_000, size: 'max' }), (numbers) => {
      const table = new StreetTable(emptyStreets())
      const known = new Map<number, number>()
      for (const number of numbers) {
        expect(table.find(keyOf(number))).toBe(known.get(number))
        if (!known.has(number)) known.set(number, table.add(keyOf(number)))
      }
      expect([...known.values()]).toEqual([...known.keys()].map((_, at) => at))
    }),
    { seed: SEED, numRuns: bySize({ quick: 5, ci: 20, full: 500 }) },
  )
})

test('a column keeps its rows across chunks', () => {
  const rows = 600_001
  const column = new ChunkedColumn(Uint16Array)
  for (let row = 0; row < rows; row++) column.push(row * 7)
  expect(column.length).toBe(rows)
  for (const row of [0, 1, 2 ** 18 - 1, 2 ** 18, 2 ** 19, rows - 1]) expect(column.at(row)).toBe((row * 7) % 2 ** 16)
  const backwards = Uint32Array.from({ length: rows }, (_, at) => rows - 1 - at)
  expect(column.take(backwards)).toEqual(Uint16Array.from(backwards, (row) => row * 7))
  expect(column.length).toBe(0)
})
