// Tests the whole build: a timetable must not depend on the order of the feed's rows, and must contain the feed's
// metadata and strings. Fails if the number of a stop, line or trip depends on the order of rows, or if strings from a
// file are lost.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { compareNatural } from '../../indexes/text/natural-order.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { toNamedColumns } from '../../indexes/timetable/timetable-columns.ts'
import { columnArray } from '../../loaders/columns.ts'
import { type StringIndex, StringPoolBuilder, textOf } from '../../loaders/strings.ts'
import { dedent, type FeedTexts, SMALL_FEED } from '../feeds/text-feed.ts'
import { bySize, SEED } from '../size.ts'
import { numbersOf, rowsOf, textsOf, timetableOf } from './built-feed.ts'
import { randomFeed } from './random-feed.ts'

/**
 * Matches columns that contain string numbers. Strings are numbered in the order in which they are read, so their
 * numbers depend on the order of the feed's rows.
 */
const TEXT_COLUMNS =
  /^(\w+\.(id|code|name|headsign|shortName|pathId|block|operator|platformCode|zoneId|serviceId|plainName|plainCode)|carried\..*)$/
/** Matches other columns whose values or order depend on the order of the feed's rows. */
const ROW_COLUMNS =
  /^(trips\.(service|shape)|serviceDays\..*|directions\.shapeAt|shapes\..*|strings\..*|callProfiles\..*|trips\.\w+Profile|transfers\..*)$/

/**
 * The columns of a timetable, with strings instead of string numbers. Leaves out the columns that `ROW_COLUMNS`
 * matches, but adds services in a form that does not depend on the order of rows.
 */
function readColumns(timetable: Timetable): Record<string, unknown> {
  const columns: Record<string, unknown> = {}
  for (const [name, array] of toNamedColumns(timetable)) {
    if (ROW_COLUMNS.test(name)) continue
    columns[name] = TEXT_COLUMNS.test(name) ? textsOf(timetable, array) : [...array]
  }
  columns['services'] = textsOf(timetable, timetable.serviceDays.serviceId, {}).toSorted()
  columns['tripServices'] = numbersOf(timetable.trips.service).map(
    (service) => textsOf(timetable, timetable.serviceDays.serviceId)[service],
  )
  return columns
}

/** Copies of the files in which the rows are in reverse order. */
function turnRows(files: FeedTexts): FeedTexts {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      const [header, ...rows] = dedent(text).trim().split('\n')
      return [name, [header, ...rows.toReversed()].join('\n')]
    }),
  )
}

test('a feed with reversed rows gives the same timetable', async () => {
  await fc.assert(
    fc.asyncProperty(randomFeed, async ({ files }) => {
      expect(readColumns(await timetableOf(turnRows(files)))).toEqual(readColumns(await timetableOf(files)))
    }),
    { seed: SEED, numRuns: bySize({ quick: 40, ci: 300, full: 2000 }) },
  )
  expect(readColumns(await timetableOf(turnRows(SMALL_FEED)))).toEqual(readColumns(await timetableOf(SMALL_FEED)))
})

test('words in names and codes lead to stops, then areas', async () => {
  const timetable = await timetableOf(SMALL_FEED)
  const { stopWords, stops, areas } = timetable
  const bytes = columnArray(stopWords.tokenBytes) as Uint8Array
  const tokens = rowsOf(stopWords.tokenOffset, [...bytes]).map((token) =>
    new TextDecoder().decode(Uint8Array.from(token)),
  )
  const ids = [...textsOf(timetable, stops.id), ...textsOf(timetable, areas.id)]
  const postings = rowsOf(stopWords.postingOffset, numbersOf(stopWords.posting)).map((rows) =>
    rows.map((row) => ids[row]),
  )
  expect(Object.fromEntries(tokens.map((token, i) => [token, postings[i]]))).toEqual({
    '101': ['CA'],
    '102': ['CB'],
    '200': ['G'],
    '300': ['P'],
    '400': ['T'],
    centre: ['CA', 'CB', 'S'],
    du: ['P'],
    elan: ['T'],
    gare: ['G'],
    port: ['P'],
    rhin: ['P'],
    stade: ['T'],
  })
  expect(tokens).toEqual(tokens.toSorted())
})

test('columns that are not read yet are carried along, and feed_info is kept', async () => {
  const timetable = await timetableOf({
    ...SMALL_FEED,
    'feed_info.txt': 'feed_publisher_name,feed_publisher_url,feed_lang\nVille,https://ville.example,de',
    'attributions.txt': 'organization_name,is_producer\nVille,1\nData,1\nVille,1',
    'fare_attributes.txt': 'fare_id,price\nf,2.10\ng,3.00',
  })
  const { meta, carried } = timetable
  expect(meta.carried).toEqual([{ name: 'fare_attributes.txt', count: 2, columns: ['fare_id', 'price'] }])
  expect(textsOf(timetable, carried['fare_attributes.txt/price'] ?? [])).toEqual(['2.10', '3.00'])
  expect([meta.language, meta.timezone, meta.attributions, meta.hasShapes, meta.modes]).toEqual([
    'de',
    'Europe/Paris',
    ['Ville', 'Data'],
    false,
    ['tram', 'bus'],
  ])
  expect((await timetableOf(SMALL_FEED)).meta.language).toBe('fr')
  // The last time in the feed is 24:10, when trip a3 arrives.
  expect(meta.maxTimeSeconds).toBe(87_000)
})

test('lines are in natural order: digits by number, letters one by one', () => {
  const codes = ['1', '1a', '1B', '2', '2A', '10', '010', '100', 'A', 'a', 'B2', 'B10', 'é', 'N1']
  const sorted = ['1', '1a', '1B', '2', '2A', '010', '10', '100', 'A', 'a', 'B2', 'B10', 'N1', 'é']
  expect(codes.toSorted(compareNatural)).toEqual(sorted)
  expect(codes.toReversed().toSorted(compareNatural)).toEqual(sorted)
})

test('natural order is a total order, symmetric in its arguments', () => {
  const code = fc
    .array(fc.constantFrom('0', '1', '9', 'a', 'A', 'İ', ' ', '-', 'ß'), { maxLength: 5 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(code, code, code, (a, b, c) => {
      const sign = (x: string, y: string) => Math.sign(compareNatural(x, y))
      expect(sign(a, b)).toBe(sign(b, a) === 0 ? 0 : -sign(b, a))
      expect(sign(a, b) === 0).toBe(a === b)
      if (sign(a, b) <= 0 && sign(b, c) <= 0) expect(sign(a, c)).toBeLessThanOrEqual(0)
    }),
    { seed: SEED, numRuns: bySize({ quick: 1000, ci: 10_000, full: 100_000 }) },
  )
})

test('an extended pool keeps its numbers and finds its strings', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.string({ unit: 'grapheme' })), (first, more) => {
      const builder = new StringPoolBuilder()
      const numbers = first.map((text) => builder.internText(text))
      const sealed = builder.seal()
      const next = StringPoolBuilder.from(sealed)
      expect(first.map((text) => next.internText(text))).toEqual(numbers)
      const all = [...first, ...more].map((text) => [text, next.internText(text)] as const)
      const pool = next.seal()
      for (const [text, number] of all) expect(textOf(pool, number as StringIndex)).toBe(text)
      expect(new Set(all.map(([, number]) => number)).size).toBe(new Set([...first, ...more]).size)
    }),
    { seed: SEED, numRuns: bySize({ quick: 100, ci: 1000, full: 10_000 }) },
  )
})
