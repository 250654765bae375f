// Tests cached responses with live data. Fails if a cached response differs from a new one after any change of the live
// data, or if cached responses keep old live data in memory.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { OPENED, type OpenedLive, takeLive } from '../../../src/networks/live-state.ts'
import type { Network } from '../../../src/networks/network.ts'
import { delayedTrip, realtimeFeed } from '../../feeds/realtime-feed.ts'
import { bySize, SEED } from '../../size.ts'
import { SentNetwork } from '../realtime/sent-network.ts'
import { openApi } from './api-under-test.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 30, ci: 60, full: 1_000 }) }
const START_MILLIS = Date.parse('2026-06-10T05:55:00Z')
const ADDRESSES = [
  '/v1/stops/ville:stop:CA/departures',
  '/v1/stops/ville:area:S/departures?limit=3',
  '/v1/stops/ville:stop:CB',
  '/v1/trips/ville:trip:20260610:a1',
  '/v1/lines/ville:line:A/vehicles',
]
const HEADERS = { 'x-request-id': 'same' }

type Api = Awaited<ReturnType<typeof openApi>>

function firstNetwork({ networks }: Api): Network {
  const [network] = networks.list
  if (network === undefined) throw new Error('there is no network')
  return network
}

/** APIs that serve the same live data, which a feed changes. */
class LiveApis {
  readonly apis: readonly Api[]
  private readonly sent: SentNetwork
  private live: OpenedLive | undefined

  constructor(apis: readonly Api[]) {
    this.apis = apis
    const [first] = apis
    if (first === undefined) throw new Error('there is no API')
    this.sent = new SentNetwork(firstNetwork(first), START_MILLIS)
    this.at(START_MILLIS)
    this.fetch(0)
    this.take(this.sent.prepare())
  }

  get nowMillis(): number {
    return this.sent.nowMillis
  }

  /** Sets the time of the service and of the feed. */
  at(nowMillis: number): void {
    this.sent.nowMillis = nowMillis
    for (const { service } of this.apis) service.nowMillis = nowMillis
  }

  /** The feed sends a message in which a tram is late, with the tram's position. */
  fetch(delaySeconds: number): void {
    const trip = { tripId: 'a1', startDate: '20260610' }
    const vehicle = { trip, vehicle: { id: 'tram' }, position: { latitude: 48.58, longitude: 7.75 } }
    const late = delayedTrip('a1', '20260610', { CA: delaySeconds })
    this.sent.send(realtimeFeed(this.nowMillis / 1000, [late, { id: 'position', vehicle }]))
  }

  publish(): void {
    this.take(this.sent.publish())
  }

  close(): void {
    this.sent.close()
  }

  private take(packed: ReturnType<SentNetwork['publish']>): void {
    this.live = takeLive(this.live, packed, OPENED)
    for (const api of this.apis) firstNetwork(api).live = this.live
  }
}

test('a cached response equals a new one, whatever changes in the live data', async () => {
  const [keeping, forgetting] = [await openApi(), await openApi({ textCacheBytes: 0 })]
  const steps = fc.array(
    fc.record({
      millis: fc.constantFrom(0, 0, 200, 700, 1_000, 20_000, 200_000),
      delay: fc.option(fc.constantFrom(0, 60, 120, 600), { nil: undefined }),
      isPublished: fc.boolean(),
    }),
    { minLength: 2, maxLength: 20 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const live = new LiveApis([keeping, forgetting])
      try {
        for (const { millis, delay, isPublished } of list) {
          live.at(live.nowMillis + millis)
          if (delay !== undefined) live.fetch(delay)
          if (isPublished) live.publish()
          for (const address of ADDRESSES) {
            const [kept, made] = [await keeping.get(address, HEADERS), await forgetting.get(address, HEADERS)]
            expect([address, kept.status, kept.text]).toEqual([address, made.status, made.text])
          }
        }
      } finally {
        live.close()
      }
    }),
    RUNS,
  )
}, 120_000)

test('cached responses do not keep old live data in memory', async () => {
  const api = await openApi()
  const live = new LiveApis([api])
  const old: WeakRef<object>[] = []
  for (let change = 1; change <= 20; change++) {
    live.at(START_MILLIS + change * 1_000)
    live.fetch(change * 60)
    live.publish()
    for (const address of ADDRESSES) {
      const separator = address.includes('?') ? '&' : '?'
      const own = address.includes('departures') ? `${address}${separator}horizon=${10 + change}` : address
      // A board is cached when its URL is requested for the second time.
      for (const _ of [1, 2]) expect((await api.get(own)).status).toBe(200)
    }
    old.push(new WeakRef(firstNetwork(api).live ?? {}))
  }
  await Bun.sleep(1)
  Bun.gc(true)
  expect(old.filter((reference) => reference.deref() !== undefined).length).toBeLessThanOrEqual(3)
  live.close()
})
