// Tests the report on a feed of which almost nothing matches the timetable. The report contains the three most frequent
// reasons, each with an example and a setting to check. Fails if there is no report on such a feed, or if there is one
// on a good feed.
import { expect, test } from 'bun:test'
import { MatchLog } from '../../../src/realtime/match-log.ts'
import { mismatchOf } from '../../../src/realtime/mismatch.ts'
import { openApi } from '../api/api-under-test.ts'

const trip = (tripId: string) => ({
  tripId,
  routeId: 'L',
  directionId: undefined,
  startSeconds: undefined,
  startDate: '20260610',
  relationship: 'scheduled' as const,
})
const REASONS = ['bad_start_date', 'unknown_trip', 'no_service_on_date', 'unknown_trip', 'no_trip_id', 'unknown_trip']
const UNMATCHED = [...REASONS, 'no_service_on_date', 'no_trip_id'].map((reason, at) => ({
  reason,
  trip: trip(`t${at}`),
}))
const MATCHES = { total: 10, matched: 1, reasons: {} }
const EXPECTED = [
  { reason: 'unknown_trip', count: 3, example: 't1 L 20260610', setting: 'networks.feeds.prefix' },
  { reason: 'no_service_on_date', count: 2, example: 't2 L 20260610', setting: 'networks.gtfs' },
  { reason: 'no_trip_id', count: 2, example: 't4 L 20260610', setting: 'networks.feeds.provides' },
]

test('below a fifth, the three most frequent reasons are shown, with an example and a setting', () => {
  expect(mismatchOf(MATCHES, UNMATCHED, () => false)).toEqual(EXPECTED)
  expect(mismatchOf({ ...MATCHES, matched: 2 }, UNMATCHED, () => false)).toBeUndefined()
  expect(mismatchOf({ total: 0, matched: 0, reasons: {} }, [], () => false)).toBeUndefined()
})

test('unknown trips of known lines come from another version of the timetable', () => {
  const [unknown, ...others] = EXPECTED
  const ofVersion = [{ ...unknown, setting: 'networks.gtfs' }, ...others]
  expect(mismatchOf(MATCHES, UNMATCHED, (id) => id === 'L')).toEqual(ofVersion as typeof EXPECTED)
})

test('they are logged once, until the feed matches again', () => {
  const lines: Readonly<Record<string, unknown>>[] = []
  const log = new MatchLog('ville', { info: () => {}, warn: (fields) => void lines.push(fields) })
  const reported = () => lines.filter((fields) => 'commonest' in fields)
  for (const seconds of [0, 15, 4000]) log.note('f', { ...MATCHES, mismatch: EXPECTED }, seconds)
  expect(reported()).toEqual([{ network: 'ville', feed: 'f', trips: 10, matched: 1, commonest: EXPECTED }])
  log.note('f', { ...MATCHES, matched: 9 }, 5000)
  log.note('f', { ...MATCHES, mismatch: EXPECTED }, 5015)
  expect(reported()).toHaveLength(2)
})

test('the status of a network names exactly such feeds', async () => {
  const { get, networks } = await openApi()
  const [network] = networks.list
  if (network === undefined) throw new Error('no network')
  const feed = {
    fetchedAtMillis: 0,
    timestampMillis: Date.parse('2026-06-10T06:00:00Z'),
    freshMillis: 90_000,
    maxAgeMillis: 300_000,
    carries: { trips: true, vehicles: false, alerts: false },
    matchRate: 0.1,
    lastError: undefined,
    budget: undefined,
  }
  const matches = { ...MATCHES, mismatch: EXPECTED }
  const feeds = [
    { ...feed, id: 'good', matches: MATCHES },
    { ...feed, id: 'bad', matches },
  ]
  network.live = {
    capabilities: { trips: true, alerts: false, vehicles: 'none' },
    feeds,
    overlay: undefined,
  }
  expect((await get('/v1/status')).body.data[0].mismatched_feeds).toEqual([
    { id: 'bad', trip_updates: 10, matched: 1, reasons: EXPECTED },
  ])
})
