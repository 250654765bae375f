// Tests the pages of the API port that need no key and are for people: the front page and the status page. They must be
// HTML that anybody can read, name every network, report failing live data, and show feed names as text. Other paths,
// except those below /docs, need a key.
import { expect, test } from 'bun:test'
import { smallFeed } from '../../feeds/text-feed.ts'
import { openApi } from './api-under-test.ts'

/** A content security policy that forbids everything by default, including plugins. */
const NOTHING = /^default-src 'none'/
const HOSTILE = '<script>alert(1)</script>'

test('the front page and the status are public pages', async () => {
  const api = await openApi()
  for (const path of ['/', '/status']) {
    const { status, headers, text } = await api.call('GET', path)
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toContain('ville name')
  }
  expect((await api.call('GET', '/')).text).toMatch(/href="\/docs"[\s\S]*href="\/status"/)
  expect((await api.call('POST', '/')).status).toBe(405)
})

test('3.4.3, 3.4.5, 3.4.6: no page loads plugins, can be framed, or sends referrers', async () => {
  const api = await openApi()
  for (const path of [
    '/',
    '/status',
    '/docs',
    '/docs/guides',
    '/docs/guides/security',
    '/docs/errors',
    '/docs/nothing',
  ]) {
    const { headers } = await api.call('GET', path, { accept: 'text/html' })
    const policy = headers.get('content-security-policy') ?? ''
    const rules = ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]
    const missing = rules.filter(
      (rule) => !policy.includes(rule) && !(rule.startsWith('object') && NOTHING.test(policy)),
    )
    expect([path, missing, headers.get('referrer-policy')]).toEqual([path, [], 'no-referrer'])
  }
})

test('the front page links to the map and the console, if there are any', async () => {
  const pages = { explorerUrl: 'https://map.test', consoleUrl: 'https://accounts.test/console' }
  const { text } = await (await openApi({ pages })).call('GET', '/')
  expect([text.includes(pages.explorerUrl), text.includes(pages.consoleUrl)]).toEqual([true, true])
})

test('unknown paths below /docs are not found, without a key; elsewhere a key is required first', async () => {
  const api = await openApi()
  for (const path of ['/docs/nothing', '/docs/guides/nothing', '/docs/']) {
    expect([path, (await api.call('GET', path)).status]).toEqual([path, 404])
    const page = await api.call('GET', path, { accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  }
  expect((await api.call('POST', '/docs/nothing')).status).toBe(405)
  for (const path of ['/nothing', '/docsx', '/status/x', '/favicon.ico', '/v1/docs']) {
    expect([path, (await api.call('GET', path)).status]).toEqual([path, 401])
  }
})

test('the status shows which network and feed has problems, whatever their names', async () => {
  const api = await openApi({ networks: [{ id: 'ville', name: HOSTILE, feed: smallFeed() }] })
  const [network] = api.networks.list
  if (network === undefined) throw new Error('there is no network')
  const feed = {
    id: 'trips',
    fetchedAtMillis: api.service.nowMillis,
    freshMillis: 90_000,
    maxAgeMillis: 300_000,
    carries: { trips: true, vehicles: false, alerts: false },
    matchRate: 0.25,
    lastError: undefined,
    budget: undefined,
  }
  const capabilities = { trips: true, alerts: false, vehicles: 'none' } as const
  network.live = {
    capabilities,
    feeds: [
      { ...feed, timestampMillis: api.service.nowMillis - 600_000 },
      { ...feed, id: 'never', timestampMillis: undefined, backOffMillis: 16_000 },
      { ...feed, id: 'first', timestampMillis: undefined },
    ],
    overlay: undefined,
  }
  const { text } = await api.call('GET', '/status')
  expect(text).not.toContain(HOSTILE)
  expect(text).toContain(
    `One network has problems: ${Bun.escapeHTML(HOSTILE)} (trips down, never down, first no data yet).`,
  )
  expect(text).toMatch(
    /trips<\/th><td data-head="State"><span class="state bad">down<\/span><\/td><td data-head="Updated">10 min ago/,
  )
})

test('the status says that a timetable is not loaded yet, and why', async () => {
  const error = {
    atMillis: Date.parse('2026-06-10T05:57:00Z'),
    source: 'gtfs',
    reason: 'static_import_failed',
    message: 'x',
  }
  const api = await openApi({ networks: [{ id: 'late', name: 'Late', lastError: error }] })
  const { text } = await api.call('GET', '/status')
  expect(text).toContain('One network has problems: Late (timetable not loaded yet).')
  expect(text).toMatch(/Last error at <time [^>]+>[^<]+<\/time>: the timetable could not be imported\.<\/p>/)
})
