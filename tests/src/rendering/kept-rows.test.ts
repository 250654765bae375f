// Tests rendered rows of live departures that are cached for later boards. Whatever was cached before, and however
// little space there is, a board must consist of its own rows. Fails if a cached row is overwritten by another, or if
// rows that are not neighbors are treated as neighbors.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { JsonBytes, KeptRows } from '../../../src/rendering/json-bytes.ts'

const ROWS = 40
const decoder = new TextDecoder()

/** The text of a rendered row. It contains the numbers of the overlay and the row. Its length depends on the row. */
function textOf(row: number, overlay: number): string {
  return `<${overlay}:${row}:${'x'.repeat((row * 7) % 23)}>`
}

const boards = fc.array(
  fc.record({
    overlay: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
    first: fc.integer({ min: 0, max: ROWS - 1 }),
    count: fc.integer({ min: 0, max: 12 }),
    step: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 60 },
)

test('a board has its rows’ texts, cached or not', () => {
  let keptCount = 0
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 700 }), boards, (keptBytes, requested) => {
      const out = new JsonBytes(keptBytes)
      const overlays = [{}, {}]
      const kept = new KeptRows()
      for (const { overlay, first, count, step } of requested) {
        const numbers = Array.from({ length: count }, (_, at) => (first + at * step) % ROWS)
        const rows = { length: count, boardRow: Uint32Array.from(numbers), isLive: () => true }
        out.clear()
        kept.open(out, overlays[overlay] ?? {}, ROWS)
        for (let at = 0; at < count; ) {
          const pushed = kept.push(out, rows, at)
          keptCount += pushed
          at += pushed
          if (pushed > 0) continue
          const start = out.size
          out.pushText(textOf(numbers[at] ?? 0, overlay))
          kept.keep(out, numbers[at++] ?? 0, start)
        }
        expect(decoder.decode(out.view())).toBe(numbers.map((row) => textOf(row, overlay)).join(''))
      }
    }),
    { numRuns: 2000, seed: 7 },
  )
  expect(keptCount).toBeGreaterThan(5_000)
})

test('the latest rows are cached if there is no room for all', () => {
  const out = new JsonBytes(200)
  const kept = new KeptRows()
  kept.open(out, {}, ROWS)
  const isKept = (row: number) =>
    kept.push(out, { length: 1, boardRow: Uint32Array.of(row), isLive: () => true }, 0) > 0
  for (let row = 0; row < ROWS; row++) {
    const start = out.size
    out.pushText('ten bytes.')
    kept.keep(out, row, start)
  }
  expect(Array.from({ length: ROWS }, (_, row) => row).filter(isKept).length).toBeGreaterThanOrEqual(18)
  expect([ROWS - 18, ROWS - 1, 0].map(isKept)).toEqual([true, true, false])
})
