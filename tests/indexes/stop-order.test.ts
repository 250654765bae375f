// Tests the merged stop order of a direction: where the stops of other patterns are inserted into the main pattern.
// Fails if a branch comes before its fork, if a loop loses its repeated stop, or if a pattern's stop is missing.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { mergeStopLists } from '../../indexes/timetable/stop-order.ts'
import { bySize, SEED } from '../size.ts'
import { numbersOf, rowsOf, sketchFeed, textsOf, timetableOf } from './built-feed.ts'

/** Merges stop lists. Each letter in a list is a stop. */
function merge(...lists: string[]): string {
  const numbers = lists.map((list) => Uint32Array.from(list, (letter) => letter.codePointAt(0) ?? 0))
  return String.fromCodePoint(...mergeStopLists(numbers))
}

test.each([
  // Short trips and trips that skip stops add nothing.
  [['ABCDE', 'BCD', 'ACE'], 'ABCDE'],
  // X and Y are on a detour from B to D. They come directly before D, after the main pattern's C.
  [['ABCD', 'ABXYD'], 'ABCXYD'],
  // The stops of a branch after the fork at B come at the end.
  [['ABCD', 'ABXY'], 'ABCDXY'],
  // X and Y are before C in their lists. They come at the beginning, starting with the stop from the last list.
  [['ABCD', 'XCD', 'YCD'], 'YXABCD'],
  // A longer trip extends the list at both ends.
  [['BC', 'ABCD'], 'ABCD'],
  // A list that shares no stop with the others comes at the end.
  [['ABC', 'XY'], 'ABCXY'],
  // A loop keeps its first stop at both ends; a half loop adds nothing.
  [['ABCA', 'ABC', 'BCA'], 'ABCA'],
  // A stop that one pattern calls at twice is listed twice.
  [['ABC', 'ABCB'], 'ABCB'],
  // If two lists have opposite orders, only one stop can be merged, here A.
  [['ABC', 'CBA'], 'CBABC'],
  // AB and CD are merged to ABCD before DA shows that C and D come first. The merged list must still have each stop once.
  [['AB', 'CD', 'DA'], 'CDAB'],
  [[], ''],
])('%j is %s', (lists, merged) => {
  expect(merge(...lists)).toBe(merged)
})

test('the stops of each pattern appear in its order, with as few repetitions as needed', () => {
  const list = fc
    .array(fc.constantFrom(...'ABCDEFG'), { minLength: 1, maxLength: 9 })
    .map((letters) => letters.join(''))
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 6 }), (lists) => {
      const merged = merge(...lists)
      for (const each of lists) {
        let found = 0
        for (const stop of merged) if (stop === each[found]) found++
        expect(found).toBe(each.length)
      }
      expect(merged.length).toBeLessThanOrEqual(lists.reduce((sum, each) => sum + each.length, 0))
      if (lists.length === 1) expect(merged).toBe(lists[0] ?? '')
    }),
    { seed: SEED, numRuns: bySize({ quick: 300, ci: 3000, full: 30_000 }) },
  )
})

test('no stop appears twice if the patterns are parts of one order', () => {
  const parts = fc.array(fc.subarray([...'ABCDEFGHIJ'], { minLength: 2 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(parts, (lists) => {
      const merged = merge(...lists.map((list) => list.join('')))
      const called = new Set(lists.flat())
      expect([...merged].sort()).toEqual([...called].sort())
      for (const list of lists) expect([...merged].filter((stop) => list.includes(stop))).toEqual(list)
    }),
    { seed: SEED, numRuns: bySize({ quick: 500, ci: 5000, full: 50_000 }) },
  )
})

test('the pattern with the most trip-days leads, then the longer one', async () => {
  const timetable = await timetableOf(
    sketchFeed({
      stops: { A: '48.1,7', B: '48.2,7', C: '48.3,7', D: '48.4,7', X: '48.2,7.1' },
      trips: [
        // The pattern of these trips is longer and has more trips than the pattern of `main`. But its trips run on
        // fewer days, so it comes second.
        { id: 'rare', calls: 'A X C D', direction: 0, service: 'sunday' },
        { id: 'rare2', calls: 'A X C D', direction: 0, service: 'sunday', hour: 9 },
        { id: 'main', calls: 'A B D', direction: 0 },
        { id: 'short', calls: 'D A', direction: 1 },
        { id: 'long', calls: 'D C A', direction: 1 },
        { id: 'never', calls: 'X D A', direction: 1, service: 'never' },
      ],
    }),
  )
  const ids = textsOf(timetable, timetable.stops.id)
  const order = numbersOf(timetable.directions.stopAt).map((stop) => ids[stop])
  expect(rowsOf(timetable.directions.stopOffset, order)).toEqual([
    ['A', 'B', 'X', 'C', 'D'],
    ['X', 'D', 'C', 'A'],
  ])
})

test('a line with several hundred patterns is merged within two seconds', () => {
  // 400 patterns of 60 stops. Each pattern has 59 of the same 150 stops, and one stop of its own.
  const lists = Array.from({ length: 400 }, (_, i) => {
    const stops = Array.from({ length: 150 }, (_, stop) => stop).filter((stop) => (stop * 7 + i * 13) % 5 < 2)
    stops[30] = 1000 + i
    return Uint32Array.from(stops)
  })
  const started = performance.now()
  expect(new Set(mergeStopLists(lists))).toEqual(new Set(lists.flatMap((list) => [...list])))
  expect(performance.now() - started).toBeLessThan(2000)
})
