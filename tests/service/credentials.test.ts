// Tests every kind of credential on every route, and on unknown paths. Each invalid credential must get exactly the
// refusal that the contract defines, before anything else about the request is checked, and nothing may be charged. New
// routes are included automatically, because the test reads the route table.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { ROUTE_LIST } from '../../src/contract/routes.ts'
import { makeApiKey } from '../../src/keys/api-key.ts'
import { readBody } from '../event-stream.ts'
import { makeAccounts } from './keyed-accounts.ts'
import { commandOf, end, ServiceFolder, type Serving } from './running.ts'

const PORT = 18_820
const DAY_MILLIS = 86_400_000

const REQUIRED = { status: 401, reason: 'authentication_required', code: 'SCTY3-1401' }
const INVALID = { status: 401, reason: 'invalid_token', code: 'SCTY3-2401' }
const SCOPE = { status: 403, reason: 'insufficient_scope', code: 'SCTY3-2403' }
const UNVERIFIED = { status: 403, reason: 'email_verification_required', code: 'MAIL3-1403' }

/** Kind of credential → the refusal of requests with it; undefined if they are accepted. */
const EXPECTED = {
  none: REQUIRED,
  'in the query': REQUIRED,
  'another scheme': INVALID,
  'a session token': INVALID,
  'a key with a typo': INVALID,
  'an unknown key': INVALID,
  'a revoked key': INVALID,
  'an expired key': INVALID,
  'a key of a suspended account': INVALID,
  'a key for another host': SCOPE,
  'a key without transit:read': SCOPE,
  "an organization's token": SCOPE,
  'a key of an unverified account': UNVERIFIED,
  'a good key': undefined,
  'a good key with account:read too': undefined,
} as const
type Kind = keyof typeof EXPECTED

const IDS: Readonly<Record<string, string>> = {
  network: 'ville',
  line_id: 'ville:line:A',
  stop_id: 'ville:stop:CA',
  trip_id: 'ville:trip:20260610:a1',
}
const addressOf = (path: string) => path.replace(/:(\w+)/, (_, name: string) => IDS[name] ?? '')

let folder: ServiceFolder
let serving: Serving
let headers: Readonly<Record<Kind, string | undefined>>

beforeAll(async () => {
  folder = new ServiceFolder(commandOf('source'))
  const [good, both, narrow, revoked, expired, foreign, unverified, suspended] = await makeAccounts(folder.folder, [
    { email: 'good@a.example', plan: 'max' },
    { email: 'both@a.example', plan: 'max', scopes: ['transit:read', 'account:read'] },
    { email: 'narrow@a.example', plan: 'max', scopes: ['account:read'] },
    { email: 'revoked@a.example', plan: 'max' },
    { email: 'expired@a.example', plan: 'max', expiresAtMillis: Date.now() - DAY_MILLIS },
    { email: 'foreign@a.example', plan: 'max', audience: 'api.elsewhere.example' },
    { email: 'unverified@a.example', plan: 'max', isVerified: false },
    { email: 'suspended@a.example', plan: 'max' },
  ])
  serving = await folder.serve({ workers: 2, port: PORT })
  for (const words of [
    ['keys', 'revoke', revoked?.id ?? ''],
    ['accounts', 'suspend', 'suspended@a.example'],
  ]) {
    const done = await folder.run(...words)
    if (done.status !== 0) throw new Error(done.stderr)
  }
  const bearer = (made: { key: string } | undefined) => `Bearer ${made?.key}`
  headers = {
    none: undefined,
    'in the query': undefined,
    'another scheme': `Basic ${btoa(`user:${good?.key}`)}`,
    'a session token': 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyIn0.dGhpc19pc19ub3RfYV9zaWduYXR1cmU',
    'a key with a typo': `${bearer(good).slice(0, -1)}${bearer(good).endsWith('0') ? '1' : '0'}`,
    'an unknown key': `Bearer ${makeApiKey()}`,
    'a revoked key': bearer(revoked),
    'an expired key': bearer(expired),
    'a key of a suspended account': bearer(suspended),
    'a key for another host': bearer(foreign),
    'a key without transit:read': bearer(narrow),
    "an organization's token": `Bearer quai_s_${'a'.repeat(49)}`,
    'a key of an unverified account': bearer(unverified),
    'a good key': bearer(good),
    'a good key with account:read too': bearer(both),
  }
}, 60_000)

afterAll(async () => {
  await end(serving)
  rmSync(folder.folder, { recursive: true })
})

async function ask(kind: Kind, address: string, method: string) {
  const authorization = headers[kind]
  const key = headers['a good key']?.slice('Bearer '.length)
  const path = kind === 'in the query' ? `${address}?key=${key}&api_key=${key}&access_token=${key}` : address
  const answer = await fetch(serving.base + path, {
    method,
    headers: authorization === undefined ? {} : { authorization },
  })
  return { status: answer.status, headers: answer.headers, text: await readBody(answer) }
}

/** The units that the account of a valid key has used, according to the service. */
async function unitsOf(kind: Kind): Promise<number> {
  return JSON.parse((await ask(kind, '/v1/usage', 'GET')).text).data.units
}

const KINDS = Object.keys(EXPECTED).filter((kind): kind is Kind => kind in EXPECTED)
/** Requests that no route handles: an unknown path, another method, or a URL that is too long or malformed. */
const BESIDE = [
  ['GET', '/v1/nothing'],
  ['GET', '/nothing'],
  ['POST', '/v1/networks'],
  ['DELETE', '/v1/usage'],
  ['GET', `/v1/networks/${'n'.repeat(5_000)}`],
  ['GET', '/v1/stops/%ff/departures'],
] as const

describe.each(KINDS)('%s', (kind) => {
  const expected = EXPECTED[kind]

  test('for every route', async () => {
    const wrong: unknown[] = []
    for (const { path, access } of ROUTE_LIST) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers: reported, text } = await ask(kind, addressOf(path), method)
        const refusal = access === 'public' ? undefined : expected
        if (refusal === undefined) {
          if (status === 401 || status === 403 || (access === 'public' && status !== 200)) wrong.push([path, status])
          continue
        }
        const challenge = reported.get('www-authenticate') ?? ''
        const isReported =
          status === refusal.status &&
          reported.get('ratelimit') === null &&
          challenge.startsWith('Bearer realm=') &&
          challenge.includes('error="invalid_token"') === (refusal === INVALID) &&
          challenge.includes('error="insufficient_scope", scope="transit:read"') === (refusal === SCOPE)
        if (!isReported) wrong.push([method, path, status, challenge])
        if (method === 'GET') expect(JSON.parse(text)).toMatchObject(refusal)
      }
    }
    expect(wrong).toEqual([])
  })

  test('for other paths', async () => {
    for (const [method, address] of BESIDE) {
      const { status, text } = await ask(kind, address, method)
      if (expected !== undefined) expect(JSON.parse(text)).toMatchObject(expected)
      else expect([400, 404, 405, 414]).toContain(status)
    }
  })
})

test('a rejected request costs nobody anything', async () => {
  const before = await unitsOf('a good key')
  for (const kind of KINDS) if (EXPECTED[kind] !== undefined) await ask(kind, '/v1/networks', 'GET')
  expect(await unitsOf('a good key')).toBe(before)
  const shown = JSON.parse((await folder.run('accounts', 'show', 'revoked@a.example', '--json')).stdout)
  expect(shown.usage.units).toBe(0)
})
