// Compares boards of real feeds with a naive reading of the feeds' files, for cases that no generated feed covers. Runs
// only if QUAI_FEEDS names a folder of feeds. A feed that the loader refuses has no boards to compare.
import { expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { listDepartures } from '../../indexes/timetable/boards.ts'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import type { StopIndex } from '../../indexes/timetable/timetable.ts'
import { tripRef } from '../../indexes/timetable/trips.ts'
import type { FeedSource } from '../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { textOf } from '../../loaders/strings.ts'
import { openFeedSource } from '../../src/sources/feed-source.ts'
import { readBoard, readOracleFeed } from '../oracles/board-oracle.ts'
import { bySize, REAL_FEEDS, SEED } from '../size.ts'

const FILES = ['agency', 'routes', 'trips', 'stop_times', 'calendar', 'calendar_dates', 'frequencies']
const BOARDS_PER_FEED = bySize({ quick: 20, ci: 50, full: 100 })
const FEED_MILLIS = 300_000
/** Larger zips are skipped, unless the tests run at size `full`: the oracle takes half a minute to read the largest. */
const MOST_ZIP_BYTES = bySize({ quick: 4e6, ci: 4e6, full: Number.POSITIVE_INFINITY })

async function readTexts(source: FeedSource): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const file of FILES) {
    const chunks = source.open(`${file}.txt`)
    if (chunks === undefined) continue
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true })
    texts[`${file}.txt`] = text + decoder.decode()
  }
  return texts
}

function listFeeds(folder: string | undefined): string[] {
  if (folder === undefined) return []
  const isFit = (name: string) => name.endsWith('.zip') && statSync(join(folder, name)).size <= MOST_ZIP_BYTES
  return readdirSync(folder).filter(isFit)
}

const feeds = listFeeds(REAL_FEEDS)

test.each(feeds)(
  'boards of %s equal boards computed from its text',
  async (name) => {
    const source = await openFeedSource(join(REAL_FEEDS ?? '', name))
    const timetable = buildTimetable((await loadFeed(source)).feed)
    const { boards, meta, serviceDays, stops, strings } = timetable
    const oracle = readOracleFeed(await readTexts(source))
    const boarded = Array.from({ length: stops.id.length }, (_, stop) => stop as StopIndex).filter((stop) => {
      const next = (stop + 1) as StopIndex
      return boards.offset[stop] < boards.offset[next] || boards.frequencyOffset[stop] < boards.frequencyOffset[next]
    })
    const days = Array.from({ length: meta.dayCount }, (_, day) => day).filter(
      (day) => serviceDays.tripCount[day] !== 0,
    )
    if (boarded.length === 0 || days.length === 0) {
      // The timetable has no departures, so the feed's text must not have any either, at any stop and time.
      const everything = { fromSeconds: -Infinity, toSeconds: Infinity, limit: 1 }
      const stopIds = Array.from({ length: stops.id.length }, (_, stop) => textOf(strings, stops.id[stop as StopIndex]))
      expect(readBoard(oracle, { stopIds, ...everything })).toEqual([])
      return
    }
    const question = fc.record({
      stops: fc.uniqueArray(fc.constantFrom(...boarded), { minLength: 1, maxLength: 4 }),
      day: fc.constantFrom(...days),
      after: fc.integer({ min: 0, max: 28 * 3600 }),
      length: fc.constantFrom(3600, 10_800, 86_400),
      limit: fc.constantFrom(10, 50, 5_000),
    })
    fc.assert(
      fc.property(question, ({ stops: requested, day, after, length, limit }) => {
        const fromSeconds = serviceDays.zeroSeconds[day] + after
        const window = { fromSeconds, toSeconds: fromSeconds + length, limit }
        const board = listDepartures(timetable, { stops: requested, ...window }).map((departure) => ({
          trip: tripRef(timetable, departure),
          stop: textOf(strings, stops.id[departure.stop]),
          call: departure.position,
          seconds: departure.departureSeconds,
        }))
        const stopIds = requested.map((stop) => textOf(strings, stops.id[stop]))
        expect(board).toEqual(readBoard(oracle, { stopIds, ...window }))
      }),
      { seed: SEED, numRuns: BOARDS_PER_FEED },
    )
  },
  FEED_MILLIS,
)
