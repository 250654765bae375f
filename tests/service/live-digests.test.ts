// Tests that data threads and planners use the same live data, after a start and after a thread is replaced. Fails if a
// thread uses only the timetable, or older live data, until the next poll.
import { afterEach, expect } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { delayedTrip, realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { bySize } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { MORTAL_COMMAND, serveMortal } from './mortal-threads.ts'
import { end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 19_150
const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const WORKERS = 2
const STARTS = bySize({ quick: 1, ci: 2, full: 200 })
const DEATHS = bySize({ quick: 1, ci: 2, full: 50 })
/**
 * Polling interval of the feed. After a start, all threads must have the same live data long before the second poll.
 */
const POLL_SECONDS = 60
const NETWORK = 'ville'

let upstream: ReturnType<typeof Bun.serve> | undefined
let serving: Serving | undefined
afterEach(async () => {
  if (serving !== undefined) await end(serving)
  await upstream?.stop(true)
  serving = undefined
})

/** Serves a feed in which a trip's delay increases with each fetch. Returns the feed's URL. */
function serveFeed(): string {
  let fetches = 0
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      fetches++
      return new Response(realtimeFeed(NOW_SECONDS + fetches, [delayedTrip('a2', '20260610', { G: 60 * fetches })]))
    },
  })
  return `http://127.0.0.1:${upstream.port}/all.pb`
}

interface ThreadDigests {
  readonly serving: Readonly<Record<string, string>>
  readonly planning?: Readonly<Record<string, string>>
}

async function readDigests(): Promise<(string | undefined)[]> {
  const threads: ThreadDigests[] = JSON.parse(await (await fetch(`http://127.0.0.1:${PORT + 1}/live-digests`)).text())
  return threads.flatMap(({ serving, planning }) => [serving[NETWORK], planning?.[NETWORK]])
}

/** Waits until all data threads and planners have the same live data. */
async function awaitSame(what: string): Promise<void> {
  let last: unknown
  try {
    await until(async () => {
      const digests = await readDigests()
      last = digests
      const isLive = digests.every((digest) => digest !== undefined && digest !== 'none')
      return digests.length === 2 * WORKERS && isLive && new Set(digests).size === 1
    }, what)
  } catch (error) {
    throw new Error(`${what}: ${JSON.stringify(last)}`, { cause: error })
  }
}

/** Creates a service with one network, which has a live feed. */
function openService(intervalSeconds: number): ServiceFolder {
  const service = new ServiceFolder(
    MORTAL_COMMAND,
    `data_dir = "data"
[[networks]]
id = "${NETWORK}"
gtfs = "ville"
[[networks.feeds]]
id = "f"
url = "${serveFeed()}"
interval_seconds = ${intervalSeconds}
`,
  )
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(SMALL_FEED))
    writeFileSync(join(service.folder, 'ville', name), dedent(text))
  return service
}

slowTest(
  `${STARTS} starts: all threads have the live data of the first poll`,
  async () => {
    const service = openService(POLL_SECONDS)
    for (let start = 1; start <= STARTS; start++) {
      const started = await service.serve({ workers: WORKERS, port: PORT })
      serving = started
      const begun = performance.now()
      await awaitSame(`start ${start}`)
      expect(performance.now() - begun).toBeLessThan((POLL_SECONDS / 2) * 1000)
      await end(started)
      serving = undefined
    }
  },
  bySize({ quick: 60_000, ci: 120_000, full: 1_800_000 }),
)

slowTest(
  `${DEATHS} threads replaced while live: all have the same live data within one poll`,
  async () => {
    const service = openService(1)
    const mortal = await serveMortal(service, { workers: WORKERS, port: PORT })
    serving = mortal.serving
    for (let death = 1; death <= DEATHS; death++) {
      await awaitSame(`before death ${death}`)
      await mortal.killOne()
      await awaitSame(`after death ${death}`)
      // The service ends if threads die more than five times a minute.
      if (death < DEATHS) await Bun.sleep(bySize({ quick: 0, ci: 0, full: 12_500 }))
    }
  },
  bySize({ quick: 60_000, ci: 120_000, full: 1_800_000 }),
)
