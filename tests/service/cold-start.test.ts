// Tests a start without any imported data on disk, while some sources are very slow. Fails if a port opens only after a
// download or an import, if a network waits for another network's source, at the start or later, or if a probe reports
// the wrong state.
import { afterEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { writeZip } from '../feeds/zip-writer.ts'
import { bySize } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { commandOf, ServiceFolder, until } from './running.ts'

const PORT = 18_680
const BASE = `http://127.0.0.1:${PORT}`
const ADMIN = `http://127.0.0.1:${PORT + 1}`
const HEALTHY_COUNT = bySize({ quick: 3, ci: 6, full: 15 })
const DRIPPING_COUNT = bySize({ quick: 2, ci: 3, full: 5 })
/**
 * Maximum number of rounds. Other work on the machine may slow a round down, so rounds are repeated until one is fast
 * enough.
 */
const MOST_ROUNDS = 4
/**
 * How much longer a start may take because of slow sources: a factor, plus a number of milliseconds. Below full size,
 * other tests run at the same time, so processes take longer to start.
 */
const [MOST_SHARE, SLACK_MILLIS] = bySize({ quick: [1.5, 1_000], ci: [1.5, 1_000], full: [1.2, 200] })

const zip = writeZip(Object.entries(SMALL_FEED).map(([name, text]) => ({ name, content: dedent(text) })))

let service: ServiceFolder | undefined
let serving: ReturnType<ServiceFolder['spawn']> | undefined
let source: ReturnType<typeof Bun.serve> | undefined
afterEach(async () => {
  await end()
  await source?.stop(true)
})

/** An endless response that sends one byte per second. The service gives up after a minute. */
function drip(): Response {
  const drops = async function* () {
    for (;;) {
      yield 'x'
      await Bun.sleep(1_000)
    }
  }
  return new Response(drops(), { headers: { 'content-type': 'application/zip' } })
}

function startSource(): string {
  source = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    fetch: ({ url }) => {
      const { pathname } = new URL(url)
      if (pathname.startsWith('/dripping')) return drip()
      return pathname.startsWith('/none') ? new Response('', { status: 404 }) : new Response(zip)
    },
  })
  return `http://127.0.0.1:${source.port}`
}

const networkOf = (id: string, gtfs: string) => `[[networks]]\nid = "${id}"\ngtfs = "${gtfs}"\n`

const WORDS = ['serve', '--port', `${PORT}`, '--account-port', '0', '--admin-port', `${PORT + 1}`, '--workers', '1']

/** Starts a service with the given networks. The only feed in its folder is in the subfolder `local`. */
function start(networks: string): ServiceFolder {
  service = new ServiceFolder(commandOf('source'), `data_dir = "data"\n${networks}`)
  mkdirSync(join(service.folder, 'local'))
  for (const [name, text] of Object.entries(SMALL_FEED))
    writeFileSync(join(service.folder, 'local', name), dedent(text))
  serving = service.spawn(...WORDS)
  return service
}

async function end(): Promise<void> {
  serving?.kill('SIGKILL')
  await serving?.exited
  if (service !== undefined) rmSync(service.folder, { recursive: true })
  service = undefined
  serving = undefined
}

const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => undefined,
  )

async function servedCount(): Promise<number> {
  const text = await fetch(`${ADMIN}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  )
  return [...text.matchAll(/^quai_network_served\{[^}]*\} 1$/gm)].length
}

/** The time from the start of the process until all healthy networks are served. */
async function coldStartMillis(networks: string): Promise<number> {
  const began = performance.now()
  start(networks)
  await until(async () => (await servedCount()) === HEALTHY_COUNT, 'the healthy networks are served')
  return performance.now() - began
}

slowTest(
  'slow sources do not delay other networks, at start or in later imports',
  async () => {
    const origin = startSource()
    const networks = (count: number, name: string) =>
      Array.from({ length: count }, (_, at) => networkOf(`${name}${at}`, `${origin}/${name}-${at}.zip`)).join('')
    const healthy = networks(HEALTHY_COUNT - 1, 'n') + networkOf('local', 'local')
    let [alone, beside] = [Infinity, Infinity]
    for (let round = 0; round < MOST_ROUNDS && !(beside < alone * MOST_SHARE + SLACK_MILLIS); round++) {
      await end()
      alone = Math.min(alone, await coldStartMillis(healthy))
      await end()
      beside = Math.min(beside, await coldStartMillis(networks(DRIPPING_COUNT, 'dripping') + healthy))
    }
    console.log(
      `${HEALTHY_COUNT} networks in ${alone.toFixed(0)} ms; alongside ${DRIPPING_COUNT} that drip ${beside.toFixed(0)} ms`,
    )
    expect(beside).toBeLessThan(alone * MOST_SHARE + SLACK_MILLIS)
    expect([await statusOf(`${ADMIN}/readyz`), await statusOf(`${ADMIN}/startupz`)]).toEqual([200, 200])

    const folder = service as ServiceFolder
    const key = await folder.makeKey('tests')
    const answer = await fetch(`${BASE}/v1/networks/dripping0`, { headers: { authorization: `Bearer ${key}` } })
    expect([answer.status, JSON.parse(await answer.text()).reason]).toEqual([503, 'not_ready'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)

    // A later change of the local feed must be imported although the other sources are still being downloaded.
    const before = folder.snapshots('local').length
    appendFileSync(join(folder.folder, 'local', 'agency.txt'), '\n')
    serving?.kill('SIGHUP')
    await until(() => folder.snapshots('local').length > before, 'the changed feed is imported')
    expect(await servedCount()).toBe(HEALTHY_COUNT)
  },
  120_000,
)

test('the port opens at once, with nothing to serve; readiness comes with the first network', async () => {
  const origin = startSource()
  let isReleased = false
  const held = Promise.withResolvers<void>()
  source?.reload({
    fetch: async () => {
      if (!isReleased) await held.promise
      return new Response(zip)
    },
  })
  start(networkOf('ville', `${origin}/ville.zip`))
  await until(async () => (await statusOf(`${BASE}/v1/health`)) === 200, 'the port is open')
  expect([await statusOf(`${ADMIN}/readyz`), await statusOf(`${ADMIN}/startupz`)]).toEqual([503, 503])
  isReleased = true
  held.resolve()
  await until(async () => (await statusOf(`${ADMIN}/readyz`)) === 200, 'it is ready')
  expect([await statusOf(`${ADMIN}/startupz`), await servedCount()]).toEqual([200, 1])
}, 60_000)

test('the service ends when every first attempt has failed, and not before', async () => {
  const origin = startSource()
  let requested = 0
  source?.reload({
    fetch: () => {
      requested++
      return new Response('', { status: 404 })
    },
  })
  start(networkOf('a', `${origin}/none-a.zip`) + networkOf('b', `${origin}/none-b.zip`))
  expect(await serving?.exited).toBe(1)
  expect(requested).toBe(2)
  expect(await new Response(serving?.stderr).text()).toContain('none of the configured networks can be served')
}, 60_000)

test('a start with a snapshot serves it at once, whatever its source does', async () => {
  const origin = startSource()
  start(networkOf('ville', `${origin}/ville.zip`))
  await until(async () => (await statusOf(`${ADMIN}/readyz`)) === 200, 'it is ready')
  serving?.kill('SIGTERM')
  await serving?.exited
  source?.reload({ fetch: drip })
  serving = service?.spawn(...WORDS)
  const began = performance.now()
  await until(async () => (await statusOf(`${ADMIN}/readyz`)) === 200, 'it is ready')
  expect(performance.now() - began).toBeLessThan(5_000)
}, 60_000)
