// Tests every way in which an upstream can fail, for each kind of feed, while clients request boards, vehicles and
// alerts. Fails if a response is not a 200, if clients wait longer because of a fault, if a feed does not recover, or
// if the upstream is called too often.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { FEEDS, type FeedName } from '../../src/demo/simulator.ts'
import { FAULTS, type Fault, RETRY_AFTER_SECONDS } from '../faulty-upstream/faults.ts'
import { bySize, SEED, SIZE } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { PacedClient } from './paced-client.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'
import { SimulatorProcess } from './simulator-process.ts'

/**
 * A p99 up to this value always passes, even if it is much higher than without faults. At size `ci`, other work runs at
 * the same time, so only a stall fails the test.
 */
const P99_FLOOR_MILLIS = bySize({ quick: 200, ci: 200, full: 10 })

const PORT = 18_760
/** Tuesday morning in Paris; the clock runs. */
const CLOCK = '2026-11-24T07:00:00Z'
const INTERVAL_SECONDS = 4
/** How long a feed has a fault: long enough for some polls to fail. */
const FAULT_MILLIS = 2_500
const PER_SECOND = 120
const BUDGET = 100_000
/** Time until a feed is fetched again: its interval, its jitter, and the additional wait after two failures. */
const RECOVERY_MILLIS = INTERVAL_SECONDS * 1000 * 1.1 + 300
const FAULT_COUNT = bySize({ quick: 1, ci: 3, full: FAULTS.length })

/** One network for each kind of feed, so that all kinds can have a fault at the same time, each in its own network. */
const NETWORKS: readonly (readonly [string, FeedName])[] = FEEDS.map((feed) => [feed.slice(0, 5), feed])

let service: ServiceFolder
let serving: Serving
let key = ''
let simulators: readonly SimulatorProcess[]

const get = async (path: string) => {
  const answer = await fetch(serving.base + path, { headers: { authorization: `Bearer ${key}` } })
  return JSON.parse(await answer.text())
}

beforeAll(async () => {
  service = new ServiceFolder(commandOf('source'), 'data_dir = "data"\n')
  mkdirSync(join(service.folder, 'city'))
  simulators = await Promise.all(
    NETWORKS.map(([id]) => SimulatorProcess.start(join(service.folder, `city-${id}`), CLOCK)),
  )
  const config = NETWORKS.map(
    ([id], at) => `
[[networks]]
id = "${id}"
gtfs = "city-${id}"
${FEEDS.map(
  (feed) => `[[networks.feeds]]
id = "${feed}"
url = "${simulators[at]?.urls[feed]}"
interval_seconds = ${INTERVAL_SECONDS}
budget = { limit = ${BUDGET}, window = "day" }
`,
).join('')}`,
  ).join('')
  service = new ServiceFolder(commandOf('source'), `data_dir = "data"\n${config}`, service.folder)
  key = await service.makeKey('tests')
  serving = await service.serve({ workers: 2, port: PORT, clock: CLOCK })
}, 120_000)
afterAll(async () => {
  await end(serving)
  await Promise.all(simulators.map((simulator) => simulator.stop()))
  rmSync(service.folder, { recursive: true })
})

/** Returns request paths for boards, vehicles and alerts in each network. */
async function listPaths(): Promise<string[]> {
  const paths: string[] = []
  for (const [id] of NETWORKS) {
    const { data: stops } = await get(`/v1/networks/${id}/stops?limit=20`)
    const { data: lines } = await get(`/v1/networks/${id}/lines?limit=5`)
    const [{ lat, lon }] = stops
    for (const [at, stop] of stops.entries()) {
      const line = lines[at % lines.length].id
      paths.push(
        `/v1/stops/${stop.id}/departures?limit=10`,
        `/v1/lines/${line}/vehicles`,
        `/v1/stops/${stop.id}/alerts`,
      )
      paths.push(`/v1/departures/nearby?near=${stop.lat},${stop.lon}&limit=5`, `/v1/lines/${line}/alerts`)
    }
    paths.push(
      `/v1/vehicles/nearby?near=${lat},${lon}&radius=2000`,
      `/v1/networks/${id}/alerts`,
      `/v1/alerts?networks=${id}`,
    )
  }
  return paths
}

slowTest(
  `${FAULT_COUNT} faults × ${FEEDS.length} feeds under load (seed ${SEED})`,
  async () => {
    for (const [id] of NETWORKS) {
      await until(async () => (await get(`/v1/networks/${id}`)).data.capabilities.vehicles !== 'none', `${id} is live`)
    }
    const paths = await listPaths()
    const question = { base: serving.base, key, paths, perSecond: PER_SECOND, check: () => undefined }
    const quietReaders = new PacedClient(question)
    await Bun.sleep(bySize({ quick: 500, ci: 3_000, full: 15_000 }))
    const quiet = await quietReaders.stop()
    const readers = new PacedClient(question)
    const slowest: [number, string][] = []
    for (let count = 0; count < FAULT_COUNT; count++) {
      const fault = FAULTS[(SEED + count) % FAULTS.length]
      await Promise.all(NETWORKS.map(([, feed], at) => simulators[at]?.setFault(fault, feed)))
      await Bun.sleep(FAULT_MILLIS)
      const waits = await Promise.all(NETWORKS.map(([, feed], at) => waitForRecovery(simulators[at], feed)))
      for (const [at, millis] of waits.entries()) slowest.push([millis, `${fault} of ${NETWORKS[at]?.[1]}`])
      expect(waits.map((millis) => [fault, millis <= longestRecovery(fault)])).toEqual(waits.map(() => [fault, true]))
    }
    const busy = await readers.stop()
    const [millis, which] = slowest.toSorted(([a], [b]) => b - a)[0] ?? [0, '']
    console.log(
      `${FAULT_COUNT * FEEDS.length} faults, ${busy.count} responses: p99 ${busy.p99Millis.toFixed(1)} ms (quiet ${quiet.p99Millis.toFixed(1)} ms), slowest recovery ${(millis / 1000).toFixed(1)} s (${which})`,
    )
    expect([...quiet.failures, ...busy.failures].slice(0, 3)).toEqual([])
    if (SIZE !== 'quick') expect(busy.p99Millis).toBeLessThanOrEqual(Math.max(2 * quiet.p99Millis, P99_FLOOR_MILLIS))
  },
  900_000,
)

test('every call counts against its budget', async () => {
  const { data } = await get('/v1/status')
  for (const [at, [id, failing]] of NETWORKS.entries()) {
    const entry = data.find(({ network }: { network: string }) => network === id)
    const requests = await simulators[at]?.setFault(null, failing)
    for (const feed of FEEDS) {
      // `used` may differ from the agency's number of requests. The status is cached for half a minute, and a refused
      // connection counts against the budget but never reaches the agency.
      expect(entry.budgets[feed].used).toBeGreaterThan(0)
      if (feed !== failing) expect(entry.budgets[feed].used).toBeLessThanOrEqual(requests?.[feed] ?? 0)
      expect(entry.budgets[feed].limit).toBe(BUDGET)
    }
  }
})

/**
 * How long a feed may take to recover. A hanging request ends only at its deadline, which is the feed's interval. Faults
 * with a Retry-After header delay the next request.
 */
function longestRecovery(fault: Fault): number {
  if (fault === 'no_answer' || fault === 'slow_drip' || fault === 'short_body') {
    return INTERVAL_SECONDS * 1000 + RECOVERY_MILLIS
  }
  const asksForTime = fault === 'status_429' || fault === 'status_503'
  return asksForTime ? Math.max(RECOVERY_MILLIS, RETRY_AFTER_SECONDS * 1000 + 1_000) : RECOVERY_MILLIS
}

/** Ends the fault of a feed; returns the milliseconds until the feed is fetched again. */
async function waitForRecovery(simulator: SimulatorProcess | undefined, feed: FeedName): Promise<number> {
  const before = await simulator?.setFault(null, feed)
  const healed = performance.now()
  await until(async () => {
    const now = await simulator?.setFault(null, feed)
    return (now?.[feed] ?? 0) > (before?.[feed] ?? 0)
  }, `${feed} is requested again`)
  return performance.now() - healed
}
