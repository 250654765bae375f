// Counts the files that a developer must read to follow a request for a board, or a poll of a live feed, from start to
// end. These are the files whose functions a running service enters. Fails if there are more files than allowed, or if
// they are not those that src/docs/architecture.md lists.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aroundTheClockZip, comingTrip, liveMessage } from '../feeds/around-the-clock-feed.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'
import { WalkedSources } from './walked-sources.ts'

const PORT = 18_998
const MOST_FILES = { 'a kept board': 10, 'a fresh board': 26, 'a poll': 51 } as const
const DOCUMENT = readFileSync(join(import.meta.dir, '../../src/docs/architecture.md'), 'utf8')
/**
 * Files whose code runs on timers of their own: checks of connections and descriptors once a second, and garbage
 * collections. The test does not count these files.
 */
const BESIDE_POLLS = [
  'src/access/crowded-connections.ts',
  'src/control/connection-watch.ts',
  'src/system/descriptors.ts',
  'src/system/memory-sweeper.ts',
]
/** How long threads may still work on a request after its response. */
const SETTLING_MILLIS = 250

let sources: WalkedSources
let upstream: ReturnType<typeof Bun.serve>
let polled = Promise.withResolvers<void>()
let service: ServiceFolder
let serving: Serving
let key = ''

const trip = comingTrip()
const board = async (query: string) => {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${serving.base}/v1/stops/ville:stop:north/departures?${query}`, { headers })
  const text = await response.text()
  expect(response.status).toBe(200)
  return text
}

beforeAll(async () => {
  let polls = 0
  upstream = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => {
      polled.resolve()
      polled = Promise.withResolvers()
      return new Response(liveMessage(trip, 60 + (polls++ % 5) * 60))
    },
  })
  sources = new WalkedSources()
  service = new ServiceFolder(
    [...commandOf('source').slice(0, 1), sources.main],
    `data_dir = "data"
[[networks]]
id = "ville"
gtfs = "ville.zip"
[[networks.feeds]]
id = "trips"
url = "http://127.0.0.1:${upstream.port}/trips.pb"
interval_seconds = 1
`,
  )
  writeFileSync(join(service.folder, 'ville.zip'), aroundTheClockZip('Ville'))
  key = await service.makeKey('walks')
  serving = await service.serve({ workers: 1, port: PORT, clock: '' })
  await until(async () => (await board('horizon=90')).includes('"realtime":true'), 'the delay shows')
  // After the start, the planner prepares days. Wait until that is done.
  await sources.rest(/\/journeys\//)
}, 60_000)
afterAll(async () => {
  await end(serving)
  await upstream.stop(true)
  rmSync(service.folder, { recursive: true })
  sources.remove()
})

test('a cached board', async () => {
  await board('horizon=90')
  expectWalk('a kept board', await sources.walk(() => board('horizon=90'), 40))
})

test('a fresh board', async () => {
  let number = 0
  expectWalk('a fresh board', await sources.walk(() => board(`horizon=${90 + number++}`), 40))
})

test('a poll', async () => {
  const poll = async () => {
    await polled.promise
    await Bun.sleep(SETTLING_MILLIS)
  }
  await poll()
  const walk = await sources.walk(poll, 3)
  expectWalk(
    'a poll',
    walk.filter((path) => !BESIDE_POLLS.includes(path)),
  )
}, 20_000)

/**
 * Expects a walk to enter exactly the files that the document lists for it, in any order, and no more files than
 * allowed. If the code has changed, the document must be updated.
 */
function expectWalk(name: keyof typeof MOST_FILES, walk: readonly string[]): void {
  expect(walk.toSorted()).toEqual(documentedWalk(name).toSorted())
  expect(walk.length).toBeLessThanOrEqual(MOST_FILES[name])
}

/** The files that a section of the document names. */
function documentedWalk(name: string): string[] {
  const section = DOCUMENT.split(/^## /m).find((text) => text.toLowerCase().startsWith(`${name}\n`)) ?? ''
  return [...section.matchAll(/`((?:src|indexes|loaders)\/[^`]+\.ts)`/g)].map(([, path = '']) => path)
}
