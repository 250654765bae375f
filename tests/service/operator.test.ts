// Tests the operator pages of a running service: the facts about its networks, and the explanation of each call at a
// stop. If a call is explained as shown, it must be on the board of the API. Fails if a page lacks something,
// contradicts a board, renders a name from a feed as markup, or responds to the wrong clients.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { canceledTrip, delayedTrip, realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent, SMALL_FEED } from '../feeds/text-feed.ts'
import { slowTest } from '../slow-test.ts'
import { Visit } from '../src/console/visit.ts'
import { hasChromium, openChromium } from '../watched-page.ts'
import { commandOf, end, ServiceFolder, type Serving, until } from './running.ts'

const PORT = 19_160
const ADMIN = `http://127.0.0.1:${PORT + 1}`
const COMMAND = commandOf(process.env['QUAI_BINARY'] === undefined ? 'source' : 'binary')
const NOW_SECONDS = Date.parse('2026-06-10T06:00:00Z') / 1000
const DATE = '20260610'
const HOSTILE = '<script>alert(1)</script>'

let service: ServiceFolder
let serving: Serving
let key = ''

/**
 * The small feed with a stop name that contains markup, a trip with an unknown service, and a trip with too few calls.
 */
const FEED = {
  ...SMALL_FEED,
  'stops.txt': (SMALL_FEED['stops.txt'] ?? '').replace('Stade Élan', `"${HOSTILE}"`),
  'trips.txt': `${SMALL_FEED['trips.txt']}\nA,never,lost,${HOSTILE},0\nA,daily,short,Gare,0`,
  'stop_times.txt': `${SMALL_FEED['stop_times.txt']}\nshort,08:00:00,08:00:00,G,1`,
}

beforeAll(async () => {
  service = new ServiceFolder(
    COMMAND,
    `data_dir = "data"
[[networks]]
id = "ville"
name = "Ville ${HOSTILE}"
gtfs = "ville"
[[networks.feeds]]
id = "trips"
url = "trips.pb"
interval_seconds = 1
[[networks]]
id = "late"
gtfs = "nowhere"
`,
  )
  mkdirSync(join(service.folder, 'ville'))
  for (const [name, text] of Object.entries(FEED)) writeFileSync(join(service.folder, 'ville', name), dedent(text))
  const message = realtimeFeed(NOW_SECONDS, [
    delayedTrip('a2', DATE, { G: 120 }),
    canceledTrip('b1', DATE),
    delayedTrip('r2', '20270610', { P: 60 }),
    delayedTrip(`ghost ${HOSTILE}`, DATE, { G: 60 }),
  ])
  writeFileSync(join(service.folder, 'trips.pb'), message)
  key = await service.makeKey('tests')
  serving = await service.serve({ workers: 2, port: PORT })
  await until(async () => (await overview()).networks[0]?.feeds[0]?.matched === 2, 'the feed is read')
}, 60_000)
afterAll(async () => {
  await end(serving)
  rmSync(service.folder, { recursive: true })
})

/** Requests a page of the admin port and parses it as JSON. */
async function read(path: string) {
  const answer = await fetch(ADMIN + path)
  return { status: answer.status, data: JSON.parse(await answer.text()) }
}

const overview = async () => (await read('/overview.json')).data

const explain = async (question: Record<string, string>) =>
  (await read(`/explain.json?${new URLSearchParams({ network: 'ville', ...question })}`)).data

/** Sends a request to the admin port with headers that `fetch` would not send. Returns the response status. */
function statusOf(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const requested = httpRequest(`${ADMIN}${path}`, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    requested.on('error', reject)
    requested.end()
  })
}

test('the overview shows snapshots, feeds, threads and the ledger', async () => {
  const { networks, threads, ledger, ...rest } = await overview()
  expect(rest).toMatchObject({ is_started: true, is_ready: true, at: '2026-06-10T06:00:00Z' })
  expect(networks[0]).toMatchObject({
    id: 'ville',
    snapshot: {
      first_date: '2026-01-01',
      last_date: '2026-12-31',
      days_left: 205,
      is_begun: true,
      counts: { lines: 2, trips: 7 },
    },
    kept: [{ is_serving: true, is_corrupt: false }],
    imports: { imported: 1, up_to_date: 0, failed: 0 },
    last_error: null,
  })
  expect(networks[0].feeds).toMatchObject([
    {
      id: 'trips',
      state: 'fresh',
      is_failing: false,
      age_seconds: 0,
      trip_updates: 4,
      matched: 2,
      match_rate: 0.5,
      reasons: { no_service_on_date: 1, unknown_trip: 1 },
    },
  ])
  expect(networks[1]).toMatchObject({ id: 'late', snapshot: null, kept: [], last_error: { source: 'gtfs' } })
  expect(threads.map(({ thread }: { thread: number }) => thread)).toEqual([0, 1])
  expect(ledger).toMatchObject({ is_failing: false, unflushed_units: 0, last_fault: null, account_store: 'SQLite' })
})

test('the last import’s report is next to the snapshot, each notice with its consequence', async () => {
  const { status, data } = await read('/networks/ville/import.json')
  expect(status).toBe(200)
  expect(data).toMatchObject({
    network: 'ville',
    name: `Ville ${HOSTILE}`,
    later: null,
    serving: { outcome: 'imported' },
  })
  expect(data.serving.notices.map(({ rule, file, action }: Record<string, string>) => [rule, file, action])).toEqual(
    expect.arrayContaining([['foreign_key_violation', 'trips.txt', 'dropped_row']]),
  )
  for (const notice of data.serving.notices) {
    expect(notice.means).not.toBe('')
    expect(notice.effect).not.toBe('')
  }
  expect((await read('/networks/late/import.json')).data).toMatchObject({
    serving: null,
    later: { outcome: 'refused' },
  })
  expect(await statusOf('/networks/none/import', {})).toBe(404)
})

describe('boards are explained', () => {
  test('with what the API returns', async () => {
    const stops = ['stop:G', 'stop:CA', 'stop:CB', 'stop:P', 'stop:T', 'area:S']
    const times = [
      '',
      '2026-06-10T08:09',
      '2026-06-10T23:30',
      '2026-12-31T23:50',
      '2027-01-01T07:00',
      '2025-12-31T23:30',
    ]
    const seen: Record<string, number> = {}
    for (const stop of stops) {
      for (const at of times) {
        for (const limit of ['', '2']) {
          const { answer } = await explain({ stop: `ville:${stop}`, at, limit, horizon: limit === '' ? '30' : '180' })
          const board = await fetch(serving.base + answer.board.request, {
            headers: { authorization: `Bearer ${key}` },
          })
          const { data } = JSON.parse(await board.text())
          const shown = answer.board.departures.filter(({ verdict }: { verdict: string }) => verdict === 'shown')
          shown.sort((a: { row: number }, b: { row: number }) => a.row - b.row)
          const plain = (row: Record<string, unknown>) => [row['trip_id'], row['scheduled_at'], row['expected_at']]
          expect(shown.map(plain)).toEqual(data.map(plain))
          for (const { reason, verdict } of answer.board.departures)
            seen[reason ?? verdict] = (seen[reason ?? verdict] ?? 0) + 1
        }
      }
    }
    expect(Object.keys(seen).sort()).toEqual([
      'after_window',
      'beyond_limit',
      'left_before_window',
      'outside_calendar',
      'shown',
      'trip_ends_here',
    ])
  })

  test('each departure has its deciding reason, and the live update that was ignored', async () => {
    const { answer } = await explain({ stop: 'CB', horizon: '60' })
    const of = (trip: string) =>
      answer.board.departures.find((row: { feed_trip_id: string }) => row.feed_trip_id === trip)
    expect(of('b1')).toMatchObject({
      verdict: 'shown',
      status: 'canceled',
      because: 'Row 2 of the board, shown as canceled by feed trips.',
    })
    expect(of('b2')).toMatchObject({ verdict: 'hidden', reason: 'after_window' })
    expect(of('b2').checks.at(-1)).toEqual({ check: 'window', passed: false })
    expect(of('r2')).toMatchObject({
      verdict: 'shown',
      because: 'Row 3 of the board, as scheduled: no live update matches this trip.',
      unmatched_updates: [{ feed: 'trips', reason: 'no_service_on_date', start_date: '20270610' }],
    })
    const moved = await explain({ stop: 'G', at: '2026-06-10T08:11', horizon: '5' })
    const late = moved.answer.board.departures.find((row: { feed_trip_id: string }) => row.feed_trip_id === 'a2')
    expect(late).toMatchObject({ verdict: 'shown', expected_at: '2026-06-10T08:12:00+02:00' })
  })

  test('a trip is explained if it calls elsewhere, is unknown, or was dropped by the import', async () => {
    const elsewhere = (await explain({ trip: 'b1', stop: 'G' })).answer.trip
    expect(elsewhere).toMatchObject({ is_known: true, line_code: '7' })
    expect(elsewhere.because).toContain('It does not call at Gare; its calls are listed below.')
    expect(elsewhere.calls.map(({ stop }: { stop: { id: string } }) => stop.id)).toEqual(['CB', 'T'])
    const unknown = (await explain({ trip: 'ville:trip:20260610:a9' })).answer.trip
    expect(unknown).toMatchObject({ is_known: false, nearest: expect.arrayContaining(['a1', 'a2', 'a3']) })
    const dropped = (await explain({ trip: 'short' })).answer.trip
    expect(dropped).toMatchObject({
      is_known: false,
      because: expect.arrayContaining([expect.stringContaining('names it')]),
    })
    expect(dropped.import_notices[0].example).toContain('short')
  })

  test('an unknown name gets suggestions', async () => {
    expect((await explain({ stop: 'centre' })).fault.suggestions).toContainEqual({ id: 'ville:area:S', name: 'Centre' })
    expect((await explain({ stop: 'nowhere' })).fault).toMatchObject({ field: 'stop', suggestions: [] })
    expect((await explain({ stop: 'G', at: 'soon' })).fault.field).toBe('at')
    expect((await explain({ stop: 'G', line: 'B' })).fault.suggestions).toHaveLength(2)
    expect((await explain({ stop: 'G', limit: '51' })).fault.field).toBe('limit')
    expect((await explain({ stop: 'G', network: 'late' })).fault.field).toBe('network')
    expect(await statusOf('/explain?network=ville&stop=nowhere', {})).toBe(400)
  })
})

test('pages name networks and errors in words', async () => {
  const page = async (path: string) => await (await fetch(ADMIN + path)).text()
  expect(await page('/networks/ville/import')).toContain('<h1>Imports for Ville ')
  const overviewText = await page('/')
  expect(overviewText).toContain('<strong>Import failed</strong>')
  expect(overviewText).not.toContain('static_import_failed')
})

test('no name from a feed becomes markup, and pages have a strict policy', async () => {
  for (const path of [
    '/',
    '/explain?network=ville&stop=T',
    '/explain?network=ville&stop=CB',
    '/networks/ville/import',
  ]) {
    const answer = await fetch(ADMIN + path)
    const text = await answer.text()
    expect(answer.status).toBe(200)
    expect(text).not.toContain('<script')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'none'")
    expect(policy).not.toContain('unsafe')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  }
  const requested = `${ADMIN}/explain?${new URLSearchParams({ network: 'ville', stop: `"><img src=x onerror=alert(1)>` })}`
  expect(await (await fetch(requested)).text()).not.toContain('<img')
})

test('other host names and forwarded requests are rejected', async () => {
  expect(await statusOf('/', { host: 'evil.example' })).toBe(403)
  expect(await statusOf('/overview.json', { host: 'localhost.evil.example:18981' })).toBe(403)
  expect(await statusOf('/overview.json', { host: 'a b' })).toBeOneOf([400, 403])
  expect(await statusOf('/', { 'x-forwarded-for': '127.0.0.1' })).toBe(403)
  expect(await statusOf('/', { host: 'localhost:1' })).toBe(200)
  // Any host name is accepted for probes and scrapes.
  expect(await statusOf('/livez', { host: 'quai' })).toBe(200)
})

test('an untrusted proxy is reported once, with the setting to change', async () => {
  expect((await overview()).untrusted_proxies).toEqual([])
  const forwarded = { 'x-forwarded-for': '203.0.113.9', connection: 'close' }
  // Sends enough requests to reach every data thread, and one request to the account API.
  for (let count = 0; count < 20; count++) await fetch(`${serving.base}/v1/health`, { headers: forwarded })
  const [, accountPort] = /the console is at \S+:(\d+)/.exec(serving.output()) ?? []
  await fetch(`http://127.0.0.1:${accountPort}/v1/health`, { headers: forwarded })
  await until(async () => (await overview()).untrusted_proxies.length > 0, 'the proxy is known')
  expect((await overview()).untrusted_proxies).toEqual([{ address: '127.0.0.1', header: 'X-Forwarded-For' }])
  const advice = 'set trusted_proxies = ["127.0.0.1"]'
  expect(await (await fetch(`${ADMIN}/`)).text()).toContain(advice.replaceAll('"', '&quot;'))
  expect(serving.output().split(advice)).toHaveLength(2)
})

describe.if(hasChromium())('in a browser', () => {
  slowTest(
    'pages are accessible, on a screen of any width',
    async () => {
      const browser = await openChromium()
      try {
        for (const looks of [
          { width: 1280, colorScheme: 'light' },
          { width: 390, colorScheme: 'dark' },
        ] as const) {
          const visit = await Visit.open(browser, ADMIN, looks)
          await visit.page.goto('/')
          await visit.press('link', 'Explain a board')
          await visit.fill('Stop or area: id or name', 'centre')
          await visit.press('button', 'Explain')
          await visit.press('link', 'Centre')
          await visit.untilText('On the board')
          expect(await visit.allFindings()).toEqual([])
          expect(await visit.overflowPixels()).toBeLessThanOrEqual(0)
          for (const path of ['/', '/networks/ville/import', '/explain?network=ville&trip=b1&stop=G']) {
            await visit.page.goto(path)
            expect(await visit.allFindings()).toEqual([])
            expect(await visit.overflowPixels()).toBeLessThanOrEqual(0)
          }
          expect([visit.foreign, visit.faults]).toEqual([[], []])
          await visit.close()
        }
      } finally {
        await browser.close()
      }
    },
    60_000,
  )
})
