// Tests the overview of hundreds of networks, which has problems first, a search, and a list in pages. Fails if the
// size of a page grows with the number of networks, if a problem is hard to find, or if a search misses a matching
// network.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkConfig } from '../../../src/config/config.ts'
import { importNetwork } from '../../../src/imports/import-network.ts'
import type { NetworkInside } from '../../../src/imports/network-states.ts'
import { NetworksControl } from '../../../src/imports/networks-control.ts'
import { allocateCounts } from '../../../src/metrics/count-memory.ts'
import { DEFAULT_JOURNEYS, type FeedStatus } from '../../../src/networks/network.ts'
import type { OperatorSources } from '../../../src/operator/operator-sources.ts'
import { overviewJson, readOverview } from '../../../src/operator/overview.ts'
import { overviewPage } from '../../../src/operator/overview-page.ts'
import { dedent, SMALL_FEED } from '../../feeds/text-feed.ts'

const NOW = Date.parse('2026-06-10T06:00:00Z')
const CLOCK = { nowMillis: () => NOW }
const COUNT = 400
/** The maximum size of a page. A single page with everything about 400 networks would have 621 kB. */
const MOST_BYTES = 120_000

let folder = ''
let networks: NetworksControl
let inside: NetworkInside

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quai-overview-'))
  const feed = join(folder, 'feed')
  mkdirSync(feed)
  for (const [name, text] of Object.entries(SMALL_FEED)) writeFileSync(join(feed, name), dedent(text))
  const feeds = [{ source: feed, prefix: '' }]
  const order = { network: 'ville', feeds, timezone: undefined, dataDir: folder, force: false }
  expect((await importNetwork(order, CLOCK)).outcome).toBe('imported')
  const settings = { id: 'ville', name: 'Ville', city: '', attribution: [] }
  const controlled = { settings, sources: [feed], feeds, timezone: undefined, refreshSeconds: 0 }
  networks = new NetworksControl({
    dataDir: folder,
    networks: [controlled],
    clock: CLOCK,
    onChange: async () => undefined,
    log: () => {},
  })
  networks.open()
  const found = networks.find('ville')
  if (found === undefined) throw new Error('the network is not served')
  inside = found
})
afterAll(() => {
  networks.close()
  rmSync(folder, { recursive: true })
})

function configOf(at: number): NetworkConfig {
  const id = `n${String(at).padStart(3, '0')}`
  return {
    id,
    name: `Network ${at}`,
    city: at === 250 ? 'Kaysersberg' : 'Ville',
    gtfs: [{ source: 'feed', prefix: '' }],
    refreshSeconds: 0,
    attribution: [],
    timezone: undefined,
    scheduledVehicles: false,
    streets: false,
    journeys: DEFAULT_JOURNEYS,
    feeds: [],
  }
}

const staleFeed: FeedStatus = {
  id: 'trips',
  fetchedAtMillis: NOW - 999_000,
  timestampMillis: NOW - 999_000,
  freshMillis: 90_000,
  maxAgeMillis: 300_000,
  carries: { trips: true, vehicles: false, alerts: false },
  matchRate: 0.4,
  lastError: undefined,
  budget: undefined,
}

/**
 * 400 networks. All of them are healthy except n300, which is not served, n301, whose import failed, and n302, whose
 * feed is stale.
 */
function sources(): OperatorSources {
  const configs = Array.from({ length: COUNT }, (_, at) => configOf(at))
  const feed = { id: 'trips', url: 'https://feeds.example/t', intervalSeconds: 15, headers: {}, prefix: undefined }
  const fed = configs.map((config) =>
    config.id === 'n302'
      ? {
          ...config,
          feeds: [{ ...feed, budget: undefined, maxAgeSeconds: undefined, provides: undefined, derivesSeverity: true }],
        }
      : config,
  )
  const lastError = { atMillis: NOW, source: 'gtfs', reason: 'disk_full', message: 'no space left' }
  return {
    dataDir: folder,
    accountStore: 'SQLite',
    streets: { state: undefined },
    configured: () => fed,
    networks: {
      find: (id) => ({
        ...inside,
        id,
        served: id === 'n300' ? undefined : inside.served,
        lastError: id === 'n301' ? lastError : undefined,
      }),
    },
    live: {
      listFeeds: () => [{ network: 'n302', status: staleFeed }],
      overlayOf: () => undefined,
      listUnmatched: async () => [],
    },
    counts: allocateCounts(1),
    openStreams: () => 0,
    replacedThreads: () => 0,
    ledgerLag: () => ({ seconds: 0, units: 0 }),
    isFlushFailing: () => false,
    lastFlushFault: () => undefined,
    listForwarders: () => [],
    isStarted: () => true,
    isReady: () => true,
    clock: CLOCK,
    startedAtMillis: NOW,
  }
}

test('networks with problems come first and in full; the others are a list in pages', () => {
  const overview = readOverview(sources())
  const first = overviewPage(overview, 1)
  expect(first.length).toBeLessThan(MOST_BYTES)
  const sections = [...first.matchAll(/id="network-(\w+)"/g)].map(([, id]) => id)
  expect(sections).toEqual(['n300', 'n301', 'n302'])
  const listed = (page: string) => [...page.matchAll(/<a href="\/\?q=(n\d+)">/g)].map(([, id]) => id)
  expect(listed(first).slice(0, 4)).toEqual(['n300', 'n301', 'n302', 'n000'])
  const pages = [1, 2, 3, 4].flatMap((page) => listed(overviewPage(overview, page)))
  expect([pages.length, new Set(pages).size]).toEqual([COUNT, COUNT])
  expect(listed(overviewPage(overview, 99))).toEqual(listed(overviewPage(overview, 4)))
  expect(first).toContain('400 networks, 399 served')
  expect(first).toContain('3 with problems')
  const summary = /<section class="problems"[\s\S]*?<\/section>/.exec(first)?.[0] ?? ''
  expect([...summary.matchAll(/href="#network-(\w+)"/g)].map(([, id]) => id)).toEqual(['n300', 'n301', 'n302'])
  expect(['not served', 'Disk full', '40% matched'].every((problem) => summary.includes(problem))).toBe(true)
  expect(first.indexOf('class="problems"')).toBeLessThan(first.indexOf('<form'))
  const calm = overviewPage({ ...overview, problem_count: 0, found: [] }, 1)
  expect([calm.includes('class="problems"'), calm.includes('No problems')]).toEqual([false, true])
})

test('a search matches id, name, city and problem', () => {
  const found = (search: string) => overviewJson(readOverview(sources(), search)).networks.map(({ id }) => id)
  expect(found('n123')).toEqual(['n123'])
  expect(found('kaysersberg')).toEqual(['n250'])
  expect(found('NETWORK 17 ville').length).toBe(14)
  expect(found('disk_full')).toEqual(['n301'])
  expect(found('40% matched')).toEqual(['n302'])
  expect(found('nowhere')).toEqual([])
  const page = overviewPage(readOverview(sources(), 'nowhere'), 1)
  expect(page).toContain('No network has all these words')
  expect(overviewPage(readOverview(sources(), 'kaysersberg'), 1)).toContain('id="network-n250"')
})

test('its JSON has every network, with its problems', () => {
  const { networks: all, network_count, served_count, problem_count } = overviewJson(readOverview(sources()))
  expect([all.length, network_count, served_count, problem_count]).toEqual([COUNT, COUNT, COUNT - 1, 3])
  const problems = all.flatMap(({ id, problems: words }) => (words.length === 0 ? [] : [`${id}: ${words.join('; ')}`]))
  expect(problems).toEqual(['n300: not served', 'n301: disk_full', 'n302: feed trips: dropped, 40% matched'])
})
