// Tests a live feed in a file, with a clock that the test sets. Fails if an older message replaces a newer one, if data
// is used beyond its maximum age, if a feed that no longer changes seems healthy, or if only part of a message is used.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FeedPoller } from '../../../src/realtime/feed-poller.ts'
import type { FeedSourceParts } from '../../../src/realtime/feed-source.ts'
import { LiveFeed } from '../../../src/realtime/live-feed.ts'
import type { LiveFeedOrder } from '../../../src/realtime/live-messages.ts'
import { delayedTrip, realtimeFeed } from '../../feeds/realtime-feed.ts'
import { bytes, message, number } from '../../loaders/gtfs-rt/wire-bytes.ts'

const NOW_SECONDS = 1_790_000_000

let folder: string
let path: string
let nowSeconds: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quai-live-'))
  path = join(folder, 'feed.pb')
  nowSeconds = NOW_SECONDS
})
afterEach(() => rmSync(folder, { recursive: true }))

function feedOf(more: Partial<LiveFeedOrder> = {}): LiveFeed {
  const order = {
    id: 'trips',
    url: path,
    intervalSeconds: 15,
    headers: {},
    budget: undefined,
    maxAgeSeconds: undefined,
    provides: undefined,
  }
  const clock = { nowMillis: () => nowSeconds * 1000 }
  const openSource = (parts: FeedSourceParts) => new FeedPoller({ ...parts, budget: undefined })
  return new LiveFeed({ order: { ...order, ...more }, clock, openSource, onFetched: () => undefined })
}

/** Publishes a message with this header time and these trips, and polls the feed. */
async function publish(feed: LiveFeed, headerSeconds: number, ...trips: readonly string[]): Promise<LiveFeed> {
  const entities = trips.map((trip) => delayedTrip(trip, '20260921', { G: 60 }))
  writeFileSync(path, realtimeFeed(headerSeconds, entities))
  await feed.poll()
  return feed
}

const tripsOf = (feed: LiveFeed) => feed.content?.trips.map(({ trip }) => trip.tripId)

test('its content, at the time of its header; nothing before the first fetch', async () => {
  const feed = feedOf()
  expect({ content: feed.content, status: feed.status() }).toMatchObject({
    content: undefined,
    status: { fetchedAtMillis: undefined, timestampMillis: undefined, lastError: undefined },
  })
  await publish(feed, NOW_SECONDS - 7, 'a', 'b')
  expect(tripsOf(feed)).toEqual(['a', 'b'])
  expect(feed.status()).toMatchObject({
    id: 'trips',
    fetchedAtMillis: NOW_SECONDS * 1000,
    timestampMillis: (NOW_SECONDS - 7) * 1000,
    carries: { trips: true, vehicles: false, alerts: false },
    lastError: undefined,
    budget: undefined,
  })
})

test('the header time never goes back; one in the future counts as now', async () => {
  const feed = await publish(feedOf(), NOW_SECONDS, 'a')
  nowSeconds += 15
  await publish(feed, NOW_SECONDS - 5, 'b')
  await publish(feed, NOW_SECONDS, 'c')
  expect([tripsOf(feed), feed.status().timestampMillis]).toEqual([['a'], NOW_SECONDS * 1000])
  await publish(feed, NOW_SECONDS + 900, 'd')
  expect([tripsOf(feed), feed.status().timestampMillis]).toEqual([['d'], (NOW_SECONDS + 15) * 1000])
  nowSeconds += 15
  await publish(feed, NOW_SECONDS + 25, 'e')
  expect(tripsOf(feed)).toEqual(['e'])
})

test('old data is dropped, alerts later; a feed that stops updating is reported', async () => {
  const feed = await publish(feedOf(), NOW_SECONDS, 'a')
  const seen = async (age: number) => {
    nowSeconds = NOW_SECONDS + age
    await feed.poll()
    const { lastError } = feed.status()
    return [feed.content !== undefined, feed.alertContent !== undefined, lastError?.reason]
  }
  expect(await seen(90)).toEqual([true, true, undefined])
  expect(await seen(91)).toEqual([true, true, 'stale_feed'])
  expect(await seen(300)).toEqual([true, true, 'stale_feed'])
  expect(await seen(301)).toEqual([false, true, 'stale_feed'])
  expect(await seen(600)).toEqual([false, true, 'stale_feed'])
  expect(await seen(601)).toEqual([false, false, 'stale_feed'])
  rmSync(path)
  await feed.poll()
  expect(feed.status().lastError).toMatchObject({ reason: 'fetch_failed' })
})

test('age limits follow the interval, up to fifteen minutes, or the configuration', () => {
  const agesOf = (more: Partial<LiveFeedOrder>) => {
    const { freshMillis, maxAgeMillis } = feedOf(more).status()
    return [freshMillis / 1000, maxAgeMillis / 1000]
  }
  expect(agesOf({ intervalSeconds: 15 })).toEqual([90, 300])
  expect(agesOf({ intervalSeconds: 60 })).toEqual([180, 360])
  expect(agesOf({ intervalSeconds: 300 })).toEqual([900, 900])
  expect(agesOf({ intervalSeconds: 15, maxAgeSeconds: 40 })).toEqual([90, 40])
})

test('a message without a time has that of its last fetch, changed or not', async () => {
  const headless = message(bytes(1, bytes(1, '2.0')), bytes(2, bytes(1, 'e'), bytes(3, bytes(1, bytes(1, 'a')))))
  writeFileSync(path, headless)
  const feed = feedOf()
  await feed.poll()
  nowSeconds += 1_000
  await feed.poll()
  expect(tripsOf(feed)).toEqual(['a'])
  expect(feed.status()).toMatchObject({ timestampMillis: nowSeconds * 1000, lastError: undefined })
})

test('an unreadable message leaves what was known, and the next valid one is used', async () => {
  const feed = await publish(feedOf(), NOW_SECONDS, 'a')
  const next = realtimeFeed(NOW_SECONDS + 1, [delayedTrip('b', '20260921', { G: 60 })])
  for (const broken of [next.subarray(0, -1), new Uint8Array(0), Buffer.from('<html>'), Buffer.alloc(500, 0x0b)]) {
    writeFileSync(path, broken)
    await feed.poll()
    expect(tripsOf(feed)).toEqual(['a'])
    expect(feed.status().lastError).toMatchObject({ source: 'trips', reason: 'decode_error' })
  }
  await publish(feed, NOW_SECONDS + 1, 'b')
  expect(tripsOf(feed)).toEqual(['b'])
  expect(feed.status().lastError?.reason).toBe('decode_error')
})

test('changes are applied to what is known; a full message replaces it', async () => {
  const feed = await publish(feedOf(), NOW_SECONDS, 'a', 'b')
  const change = [{ id: 'update-a', isDeleted: true }, delayedTrip('c', '20260921', { G: 60 })]
  writeFileSync(path, realtimeFeed(NOW_SECONDS + 1, change, 'DIFFERENTIAL'))
  await feed.poll()
  expect(tripsOf(feed)).toEqual(['b', 'c'])
  const header = bytes(1, bytes(1, '2.0'), number(2, 0), number(3, NOW_SECONDS + 2))
  writeFileSync(path, message(header))
  await feed.poll()
  expect(tripsOf(feed)).toEqual([])
})
