// Tests the checks in invariants.ts: they must find nothing in a valid feed, and must find each kind of damage to its
// columns. Without this test, broken checks would make all mutation tests pass.
import { expect, test } from 'bun:test'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import { columnArray } from '../../../loaders/columns.ts'
import { FeedProblems, FeedRefused } from '../../../loaders/feed-problems.ts'
import type { Feed } from '../../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { textFeed } from '../../feeds/text-feed.ts'
import { findFeedFaults, findProblemFaults, findRefusalFaults, findTimetableFaults } from './invariants.ts'
import { WHOLE_FEED } from './whole-feed.ts'

/** Columns of a feed, each with a value that is invalid in its first row. */
const DAMAGES: readonly (readonly [
  what: string,
  column: (feed: Feed) => { readonly length: number },
  value: number,
])[] = [
  ['a call earlier than the previous one', (feed) => feed.calls.departureSeconds, 90_000],
  ['a call at an unknown stop', (feed) => feed.calls.stop, 99],
  ['a call at a station', (feed) => feed.calls.stop, 0],
  ['a decreasing sequence', (feed) => feed.calls.stopSequence, 9],
  ['calls before the first trip', (feed) => feed.trips.callOffset, 1],
  ['an unknown route', (feed) => feed.trips.route, 9],
  ['an unknown service', (feed) => feed.trips.service, 9],
  ['an unknown shape', (feed) => feed.trips.shape, 9],
  ['an unknown parent', (feed) => feed.stops.parent, 99],
  ['a position beyond the pole', (feed) => feed.stops.lat, 91],
  ['a stop without a position', (feed) => feed.stops.lon, Number.NaN],
  ['an unknown text', (feed) => feed.stops.name, 1e6],
  ['a duplicate id', (feed) => feed.stops.id, -1],
  ['a headway of zero', (feed) => feed.frequencies.headwaySeconds, 0],
  ['a transfer to an unknown stop', (feed) => feed.transfers.toStop, 99],
  ['a shape point beyond the pole', (feed) => feed.shapes.latE6, 91e6],
]

test('a valid feed and its timetable break no invariant', async () => {
  const { feed, problems } = await loadFeed(textFeed(WHOLE_FEED))
  expect([feed.frequencies.count, feed.transfers.count, feed.shapes.count]).toEqual([2, 3, 2])
  expect([...findFeedFaults(feed), ...findProblemFaults(problems)]).toEqual([])
  expect(findTimetableFaults(buildTimetable(feed))).toEqual([])
})

for (const [what, columnOf, value] of DAMAGES) {
  test(`${what} is detected`, async () => {
    const { feed } = await loadFeed(textFeed(WHOLE_FEED))
    const column = columnArray(columnOf(feed))
    // −1 means that the first row gets the value of the second row.
    column[0] = value === -1 ? (column[1] ?? 0) : value
    expect(findFeedFaults(feed).length).toBeGreaterThan(0)
  })
}

test('an unsorted board is detected', async () => {
  const timetable = buildTimetable((await loadFeed(textFeed(WHOLE_FEED))).feed)
  columnArray(timetable.boards.departureSeconds).reverse()
  expect(findTimetableFaults(timetable).length).toBeGreaterThan(0)
})

test('a report with more dropped than read rows, and a rejection without a file, are detected', () => {
  const problems = new FeedProblems()
  problems.report({ rule: 'invalid_date', file: 'calendar.txt', line: 2, action: 'dropped_row' })
  expect(findProblemFaults(problems)).toEqual(['calendar.txt: 1 of 0 rows dropped'])
  const refusal = new FeedRefused({ rule: 'empty_file', file: '', line: -1, action: 'refused_feed' })
  expect(findRefusalFaults(refusal)).toEqual([
    'empty_file names no file',
    'empty_file is at line -1',
    'empty_file has no example',
  ])
})
