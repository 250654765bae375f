// Tests how many requests an IP address may send without a valid key, over HTTP on two data threads. Fails if an
// address can request pages or try wrong keys without a limit, if a client is refused because of another client's
// requests, or if health checks from the machine itself are refused.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADDRESS_RATE } from '../../src/access/address-limits.ts'
import { makeApiKey } from '../../src/keys/api-key.ts'
import { commandOf, end, ServiceFolder, type Serving } from './running.ts'

const PORT = 18_840
const CALLS = 3 * ADDRESS_RATE.burst

let folder: ServiceFolder
let serving: Serving
let key = ''

beforeAll(async () => {
  folder = new ServiceFolder(commandOf('source'))
  const file = join(folder.folder, 'quai.toml')
  writeFileSync(file, `trusted_proxies = ["127.0.0.1"]\n${readFileSync(file, 'utf8')}`)
  key = await folder.makeKey('tests')
  serving = await folder.serve({ workers: 2, port: PORT })
}, 60_000)

afterAll(async () => {
  await end(serving)
  rmSync(folder.folder, { recursive: true })
})

/**
 * Sends three times as many requests as the burst allows, as fast as possible. Checks the refusals. Returns how many
 * requests passed, and how many may pass at most.
 */
async function flood(path: string, headers: Record<string, string>) {
  const started = performance.now()
  const answers = await Promise.all(
    Array.from({ length: CALLS }, async () => {
      const answer = await fetch(serving.base + path, { headers: { connection: 'close', ...headers } })
      return { answer, text: await answer.text() }
    }),
  )
  const limited = answers.filter(({ answer }) => answer.status === 429)
  for (const { answer, text } of limited) {
    expect(JSON.parse(text)).toMatchObject({ reason: 'rate_limited', code: 'QUOT3-1429' })
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(answer.headers.get('ratelimit')).toBeNull()
  }
  const refilled = Math.ceil(((performance.now() - started) / 1000) * ADDRESS_RATE.perSecond)
  return { passed: CALLS - limited.length, atMost: ADDRESS_RATE.burst + refilled }
}

test('public routes and pages are rate limited per address, until the next window', async () => {
  let client = 1
  for (const path of ['/v1/health', '/v1/status', '/docs', '/openapi.json']) {
    for (const more of ['', `Bearer ${key}`]) {
      const forwarded = { 'x-forwarded-for': `203.0.113.${client++}` }
      const { passed, atMost } = await flood(path, more === '' ? forwarded : { ...forwarded, authorization: more })
      expect(passed).toBeGreaterThanOrEqual(ADDRESS_RATE.burst)
      expect(passed).toBeLessThanOrEqual(atMost)
    }
  }
  expect((await flood('/v1/health', { 'x-forwarded-for': '192.0.2.1, 203.0.113.1' })).passed).toBeLessThan(CALLS)
})

test('health and status are not limited for the machine itself; pages are', async () => {
  expect((await flood('/v1/health', {})).passed).toBe(CALLS)
  expect((await flood('/v1/status', {})).passed).toBe(CALLS)
  expect((await flood('/docs', {})).passed).toBeLessThan(CALLS)
})

test('keys cannot be guessed at speed, and this does not stop clients with a valid one', async () => {
  const client = { 'x-forwarded-for': '198.51.100.7' }
  let other = 10
  for (const path of ['/v1/networks', '/v1/journeys', '/v1/lines/ville:line:A/vehicles/stream', '/v1/nothing']) {
    const forwarded = { 'x-forwarded-for': `198.51.100.${other++}` }
    const { passed, atMost } = await flood(path, { ...forwarded, authorization: `Bearer ${makeApiKey()}` })
    expect(passed).toBeLessThanOrEqual(atMost)
    expect(passed).toBeGreaterThanOrEqual(ADDRESS_RATE.burst)
  }
  expect((await flood('/v1/networks', client)).passed).toBeLessThan(CALLS)
  const good = await fetch(`${serving.base}/v1/networks`, { headers: { ...client, authorization: `Bearer ${key}` } })
  expect(good.status).toBe(200)
  expect((await fetch(`${serving.base}/v1/health`, { headers: client })).status).toBe(200)
})
