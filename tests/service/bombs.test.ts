// Puts compression bombs in every coding into everything that a running service fetches: live feeds, a timetable,
// addresses, and journeys from an operator's planner. The machine has more work than cores. Fails if memory grows with
// the decompressed size, if a feed is not fetched at its interval, or if a response is missing.
import { afterAll, beforeAll, expect } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BOMB_CODINGS, bombAnswer, packedBomb } from '../feeds/bombs.ts'
import { realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { writeZip } from '../feeds/zip-writer.ts'
import { bySize } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 18_610
const BUSY_PROCESSES = bySize({ quick: 2, ci: 8, full: 8 })
/**
 * The sources that are requested during the attack. Addresses are not among them: the service requests them before the
 * attack, but gets the response only when the attack starts.
 */
const KINDS = ['feed', 'planner', 'timetable']
/**
 * Maximum time that the test waits for all sources to be requested. On a busy machine, the next attempt to fetch the
 * timetable is late.
 */
const LONGEST_MILLIS = 80_000
const BOMBS_MILLIS = bySize({ quick: 5_000, ci: 15_000, full: 40_000 })
/** Interval of the feed. A fetch must end within it, although competing processes may take a second of that time. */
const INTERVAL_SECONDS = bySize({ quick: 2, ci: 5, full: 5 })
/** How much later than its interval a feed may be fetched, because of jitter and a busy machine. */
const LATE_MILLIS = bySize({ quick: 2_000, ci: 3_000, full: 2_000 })
const GROWTH_MEGABYTES = 128
/** The codings that compress. `identity` does not compress; tests/src/sources/bombs.test.ts covers it. */
const CODINGS = BOMB_CODINGS.filter((coding) => coding !== 'identity')

let service: ServiceFolder
let serving: Serving
let source: ReturnType<typeof Bun.serve>
let key = ''
const released = Promise.withResolvers<void>()
let isBombing = false
let requested: { readonly path: string; readonly atMillis: number }[] = []
let turn = 0

const zip = writeZip(Object.entries(SMALL_FEED).map(([name, text]) => ({ name, content: dedent(text) })))

/** The response for each path: an ordinary one, or a bomb once the attack has begun. */
async function answer({ url }: Request): Promise<Response> {
  const { pathname } = new URL(url)
  requested.push({ path: pathname, atMillis: performance.now() })
  const [, kind, named] = pathname.split('/')
  if (kind === 'addresses') await released.promise
  const coding = CODINGS.find((each) => each === named) ?? CODINGS[turn++ % CODINGS.length] ?? 'br'
  if (isBombing) return await bombAnswer(coding)
  if (kind === 'feed') return new Response(realtimeFeed(Math.floor(Date.now() / 1000), []))
  return kind === 'timetable' ? new Response(zip) : new Response('{}', { status: 503 })
}

beforeAll(async () => {
  await Promise.all(CODINGS.map(packedBomb))
  source = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: answer })
  const origin = `http://127.0.0.1:${source.port}`
  const feeds = CODINGS.map(
    (coding) =>
      `[[networks.feeds]]\nid = "${coding}"\nurl = "${origin}/feed/${coding}"\ninterval_seconds = ${INTERVAL_SECONDS}\n`,
  )
  const config = `data_dir = "data"
addresses = ["${origin}/addresses/br"]
[[networks]]
id = "ville"
gtfs = "${origin}/timetable"
refresh_seconds = 2
[networks.planner]
kind = "motis"
url = "${origin}/planner"
${feeds.join('')}`
  service = new ServiceFolder(commandOf('source'), config)
  key = await service.makeKey('tests')
  serving = await service.serve({ workers: 1, port: PORT })
}, 120_000)
afterAll(async () => {
  await end(serving, 'SIGKILL')
  await source.stop(true)
  rmSync(service.folder, { recursive: true })
})

const statusFile = () => readFileSync(`/proc/${serving.child.pid}/status`, 'utf8')
const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(statusFile())?.[1]) / 1024

const plan = () =>
  fetch(`${serving.base}/v1/journeys?from=ville:stop:CA&to=ville:stop:CB&planner=native`, {
    headers: { authorization: `Bearer ${key}` },
  })

slowTest(
  `bombs for every fetcher, alongside ${BUSY_PROCESSES} busy processes`,
  async () => {
    await until(
      () => CODINGS.every((coding) => requested.some(({ path }) => path === `/feed/${coding}`)),
      'feeds are polled',
    )
    await Bun.sleep(2_000)
    const busy = Array.from({ length: BUSY_PROCESSES }, () => Bun.spawn(['sh', '-c', 'while :; do :; done']))
    try {
      const before = megabytes('VmRSS')
      writeFileSync(join('/proc', String(serving.child.pid), 'clear_refs'), '5') // peak memory counts from here
      requested = []
      isBombing = true
      released.resolve()
      const started = performance.now()
      const statuses = new Set<number>()
      const requestedKinds = () => new Set(requested.map(({ path }) => path.split('/')[1]))
      const isDone = () =>
        KINDS.every((kind) => requestedKinds().has(kind)) && performance.now() - started > BOMBS_MILLIS
      while (!isDone() && performance.now() - started < LONGEST_MILLIS) {
        statuses.add((await plan()).status)
        expect((await fetch(`${serving.base}/v1/health`)).status).toBe(200)
        await Bun.sleep(200)
      }
      const peak = megabytes('VmHWM')
      const polls = CODINGS.map((coding) => requested.filter(({ path }) => path === `/feed/${coding}`))
      const gaps = polls.flatMap((list) => list.slice(1).map((each, at) => each.atMillis - (list[at]?.atMillis ?? 0)))
      console.log(
        `${requested.length} bombs: memory ${before.toFixed(0)} MB, at most ${peak.toFixed(0)} MB; polls at most ${(Math.max(...gaps) / 1000).toFixed(1)} s apart`,
      )
      expect([...requestedKinds()]).toEqual(expect.arrayContaining(KINDS))
      for (const refused of ['ville', 'addresses']) {
        const line = new RegExp(`^quai: ${refused}: http://.* sends data that expands to more than 200 times`, 'm')
        await until(() => line.test(serving.output()), `the bomb for ${refused} is rejected`)
      }
      expect(peak - before).toBeLessThan(GROWTH_MEGABYTES)
      expect(Math.max(...gaps)).toBeLessThan(INTERVAL_SECONDS * 1_000 + LATE_MILLIS)
      expect(Math.min(...polls.map((list) => list.length))).toBeGreaterThanOrEqual(2)
      expect([...statuses].every((status) => status === 503 || status === 504)).toBe(true)
      expect((await plan()).status).not.toBe(200)
    } finally {
      for (const child of busy) child.kill('SIGKILL')
    }
  },
  120_000,
)
