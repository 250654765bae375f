// Tests what the live thread sends when a feed is fetched again. Fails if an overlay that has not changed is sent again,
// which would make all cached boards invalid, or if a changed one is not sent.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openOverlay, type PackedOverlay } from '../../../indexes/live/build-overlay.ts'
import type { Network } from '../../../src/networks/network.ts'
import { delayedTrip, realtimeFeed } from '../../feeds/realtime-feed.ts'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openNetwork } from '../api/api-under-test.ts'
import { SentNetwork } from './sent-network.ts'

const NOW_MILLIS = Date.parse('2026-06-10T05:59:00Z')

/** The message of a feed in which tram a1 is late. */
const message = (seconds: number, delay: number) =>
  realtimeFeed(seconds, [delayedTrip('a1', '20260610', { CA: delay })])

let network: Network
let live: SentNetwork
beforeEach(async () => {
  network = await openNetwork({ id: 'ville', feed: smallFeed() })
  live = new SentNetwork(network, NOW_MILLIS)
  live.send(message(NOW_MILLIS / 1000, 60))
  expect(live.prepare().overlay).toBeObject()
})
afterEach(() => live.close())

/** Fetches a message after some seconds, and publishes. */
function fetchAfter(seconds: number, delay: number) {
  live.nowMillis += seconds * 1000
  live.send(message(live.nowMillis / 1000, delay))
  return live.publish()
}

test('an overlay that has not changed is not sent again, but the state of the feed is', () => {
  const [first, second] = [fetchAfter(20, 60), fetchAfter(20, 60)]
  expect([first.overlay, second.overlay]).toEqual(['same', 'same'])
  expect(second.feeds[0]?.fetchedAtMillis).toBe(NOW_MILLIS + 40_000)
  expect(second.version).toBeGreaterThan(first.version)
})

test('a changed overlay is sent, also if it is the one before the last', () => {
  expect(fetchAfter(20, 120).overlay).toBeObject()
  expect(fetchAfter(20, 120).overlay).toBe('same')
  expect(fetchAfter(20, 60).overlay).toBeObject()
})

test('when the feed is too old, an empty overlay is sent once', () => {
  live.nowMillis += 86_400_000
  const { overlay } = live.publish()
  expect(overlay).toBeObject()
  expect(openOverlay(overlay as PackedOverlay).instances.trip).toHaveLength(0)
  expect(live.publish().overlay).toBe('same')
})

test('new threads get everything, even if nothing has changed', () => {
  expect(live.prepare().overlay).toBeObject()
  expect(fetchAfter(20, 60).overlay).toBe('same')
})
