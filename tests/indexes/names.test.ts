// Tests how rows are found by the feed's ids, and days by their dates. Fails if an id with an unusual sort order is not
// found, or if an id that the feed lacks is found.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findArea } from '../../indexes/timetable/areas.ts'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import { findLine, modesOfLines } from '../../indexes/timetable/lines.ts'
import { findServiceDay, localDay, serviceDate } from '../../indexes/timetable/service-dates.ts'
import { findStop, linesOfStop } from '../../indexes/timetable/stops.ts'
import type { StopIndex } from '../../indexes/timetable/timetable.ts'
import { findTrip } from '../../indexes/timetable/trips.ts'
import { type Column, columnArray } from '../../loaders/columns.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { smallFeed, textFeed } from '../feeds/text-feed.ts'
import { bySize, SEED } from '../size.ts'
import { randomFeed } from './random-feed.ts'

test('everything is found by its own id only', async () => {
  await fc.assert(
    fc.asyncProperty(randomFeed, async ({ files }) => {
      const timetable = buildTimetable((await loadFeed(textFeed(files))).feed)
      const { stops, areas, lines, trips, strings } = timetable
      const kinds = [
        { find: findStop, id: stops.id },
        { find: findArea, id: areas.id },
        { find: findLine, id: lines.id },
        { find: findTrip, id: trips.id },
      ]
      for (const { find, id } of kinds) {
        const ids = Array.from(columnArray(id as Column<number, StringIndex>), (text) =>
          textOf(strings, text as StringIndex),
        )
        expect(ids.map((each) => find(timetable, each) as number | undefined)).toEqual(ids.map((_, number) => number))
        for (const wrong of ['', '\0', 'A0', 'zz', '\u{1f600}x', '\ud83d'])
          expect(find(timetable, wrong)).toBeUndefined()
      }
    }),
    { seed: SEED, numRuns: bySize({ quick: 30, ci: 200, full: 2_000 }) },
  )
}, 60_000)

test('a service day and its date convert both ways', async () => {
  const timetable = buildTimetable((await loadFeed(smallFeed())).feed)
  expect(serviceDate(timetable, 0)).toBe('20260101')
  expect(['20260101', '20260301', '20261231'].map((date) => findServiceDay(timetable, date))).toEqual([0, 59, 364])
  for (const wrong of ['20251231', '20270101', '20260230', '2026-1-1', '2026010', '']) {
    expect(findServiceDay(timetable, wrong)).toBeUndefined()
  }
})

test('the local day changes at local midnight, also on days of 23 and 25 hours', async () => {
  const timetable = buildTimetable((await loadFeed(smallFeed())).feed)
  const dayOf = (instant: string) => localDay(timetable, Date.parse(instant) / 1000)
  expect(dayOf('2026-01-01T00:00:00+01:00')).toBe(0)
  expect(dayOf('2025-12-31T23:59:59+01:00')).toBe(-1)
  // January 1 is day 0, so March 29 is day 87, and October 25 is day 297.
  expect([dayOf('2026-03-28T23:30:00+01:00'), dayOf('2026-03-29T00:00:00+01:00')]).toEqual([86, 87])
  expect([dayOf('2026-10-25T00:00:00+02:00'), dayOf('2026-10-25T23:59:59+01:00')]).toEqual([297, 297])
})

test('the modes of a stop are those of its lines, each once, in the order of the vocabulary', async () => {
  const timetable = buildTimetable((await loadFeed(smallFeed())).feed)
  const { stops, lines } = timetable
  for (let stop = 0 as StopIndex; stop < stops.id.length; stop++) {
    const modes = new Set<number>()
    for (let at = stops.lineOffset[stop]; at < stops.lineOffset[(stop + 1) as StopIndex]; at++) {
      modes.add(lines.mode[stops.lineAt[at]])
    }
    expect(modesOfLines(timetable, linesOfStop(timetable, stop)) as number[]).toEqual([...modes].sort((a, b) => a - b))
  }
})
