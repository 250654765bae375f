// Tests an account's billing: what a key can read about the account (GET /v1/me), the overage and cap that the owner
// sets, the plan that the operator sets, and the log of these changes. Fails if a unit is granted twice or lost, or if
// a debt can be avoided.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenGate, openGate } from '../../../src/access/open-gate.ts'
import type { AnswerCounts } from '../../../src/metering/route-counts.ts'
import { dayText } from '../../../src/metering/utc-day.ts'
import { admitted, DAY_MILLIS, makeFolder, spend } from '../account-fixture.ts'
import { AccountWorld, type Answer, type Browser, GOOD_PASSWORD } from './account-world.ts'

const ADA = 'ada@example.org'
const BOTH = ['transit:read', 'account:read']
const CONFIG = `currency = "CHF"
[plans.starter]
price_text = "20 francs a month"
self_service = true
[plans.free]
included_units = 20
requests_per_second = 1
burst = 5
[plans.pay_as_you_go]
included_units = 30
overage_unit_amount_decimal = "0.5"
[plans.pro]
included_units = 100
`

let world: AccountWorld
let browser: Browser
let thread: OpenGate
let folder = ''

beforeEach(async () => {
  folder = makeFolder()
  writeFileSync(join(folder, 'quai.toml'), CONFIG)
  world = await AccountWorld.open(folder)
  browser = await world.member(ADA)
  thread = openGate(structuredClone(await world.accounts.start()), 0, world.clock)
  world.accounts.subscribe((change) => thread.apply(structuredClone(change)))
})

afterEach(() => world.close())

async function makeKey(scopes: readonly string[]): Promise<string> {
  const { status, body } = await browser.post('/v1/keys', { name: 'k', scopes })
  expect(status).toBe(201)
  return String(body['key'])
}

/** The response of GET /v1/me for an Authorization header. */
function me(authorization: string | undefined): Promise<Answer> {
  return world.browser().get('/v1/me', { authorization, 'sec-fetch-site': undefined })
}

async function usage(): Promise<Record<string, unknown>> {
  const { body } = await browser.get('/v1/me')
  const { data } = body
  if (typeof data !== 'object' || data === null || !('usage' in data)) throw new Error('the response has no usage')
  return Object(data.usage)
}

/** Makes calls of one unit each until the units are used up; returns how many calls were admitted, at most `bound`. */
function grantedUnits(key: string, bound = 500): number {
  const caller = admitted(thread.gate, key)
  for (let units = 0; units < bound; units++) {
    const taken = thread.gate.reserve(caller, 1)
    if ('reason' in taken) {
      if (taken.reason !== 'rate_limited') return units
      world.clock.millis += 1_000
      units--
    } else expect(thread.gate.charge(taken)).toBeUndefined()
  }
  return bound
}

describe('GET /v1/me', () => {
  test('shows a key with account:read its account, and a session too', async () => {
    const key = await makeKey(['account:read'])
    const other = await makeKey(BOTH)
    spend(thread.gate, admitted(thread.gate, other), 7)
    const { status, headers, body } = await me(`Bearer ${key}`)
    const account = {
      id: expect.stringMatching(/^acc_[0-9a-f]{32}$/),
      email: ADA,
      plan: 'free',
      state: 'active',
      active_keys: 2,
      key_limit: 2,
      overage_enabled: false,
      spend_cap_cents: 0,
      created_at: '2026-03-10T12:00:00+00:00',
    }
    const data = { account, usage: thread.gate.usage(admitted(thread.gate, other)) }
    expect(body).toEqual({ data, meta: { generated_at: '2026-03-10T12:00:00Z', units: 0 } })
    expect(body).toMatchObject({ data: { usage: { units: 7, remaining: 13, included_units: 20 } } })
    expect([status, headers.get('cache-control'), headers.get('content-type')]).toEqual([
      200,
      'no-store',
      'application/json',
    ])
    expect(headers.get('ratelimit-policy')).toBe('"burst";q=1;w=1, "units";q=20;w=2592000')
    expect((await browser.get('/v1/me')).body).toEqual(body)
    expect((await browser.get('/v1/session')).body).toEqual({
      account,
      csrf_token: expect.any(String),
      api_url: 'http://localhost:8080',
      explorer_url: 'http://localhost:8083',
      currency: 'CHF',
      plans: expect.any(Array),
    })
    const { plans } = Object((await browser.get('/v1/session')).body)
    expect(plans.map((each: { plan: string; price_text: string }) => [each.plan, each.price_text])).toEqual([
      ['free', ''],
      ['pay_as_you_go', ''],
      ['starter', '20 francs a month'],
      ['pro', ''],
      ['max', ''],
    ])
    expect(plans[1]).toMatchObject({ key_limit: 5, overage_available: true, overage_unit_amount_decimal: '0.5' })
  })

  test('rejects credentials like the data API, except for the scope', async () => {
    const [key, reader] = [await makeKey(BOTH), await makeKey(['transit:read'])]
    const table: [number, string, string | undefined][] = [
      [401, 'authentication_required', undefined],
      [401, 'invalid_token', ''],
      [401, 'invalid_token', key],
      [401, 'invalid_token', `Basic ${key}`],
      [401, 'invalid_token', `Bearer ${key}x`],
      [401, 'invalid_token', `Bearer ${browser.token}`],
      [403, 'insufficient_scope', `Bearer quai_s_${key.slice(7)}`],
      [403, 'insufficient_scope', `Bearer ${reader}`],
    ]
    for (const [status, reason, header] of table) {
      const answer = await me(header)
      expect([header, answer.status, answer.body['reason']]).toEqual([header, status, reason])
      expect(answer.headers.get('www-authenticate')).toStartWith('Bearer realm=')
    }
    expect((await me(`Bearer ${reader}`)).headers.get('www-authenticate')).toContain('scope="account:read"')
    await world.accounts.operations.setSuspended({ email: ADA, isSuspended: true })
    expect((await me(`Bearer ${key}`)).body['reason']).toBe('invalid_token')
    await world.accounts.operations.setSuspended({ email: ADA, isSuspended: false })
    expect((await me(`Bearer ${key}`)).status).toBe(200)
    const listed = await world.accounts.operations.listKeys({})
    const { id = '' } = listed.find(({ last_four }) => key.endsWith(last_four)) ?? {}
    await world.accounts.operations.revokeKey({ id })
    expect((await me(`Bearer ${key}`)).body['reason']).toBe('invalid_token')
  })

  test('counts as a use of its key, visible everywhere and after a restart, and is free', async () => {
    const key = await makeKey(BOTH)
    const lastUses = async ({ gate }: OpenGate) => {
      const { body } = await browser.get('/v1/keys')
      const [listed] = Array.isArray(body['keys']) ? body['keys'] : []
      const [used] = gate.usage(admitted(gate, key)).keys
      return [listed?.last_used_at, listed?.units_today, used?.last_used_at, used?.units_period]
    }
    expect(await lastUses(thread)).toEqual([null, 0, null, 0])
    expect((await me(`Bearer ${key}`)).status).toBe(200)
    const noon = ['2026-03-10T12:00:00+00:00', 0, '2026-03-10T12:00:00+00:00', 0]
    expect(await lastUses(thread)).toEqual(noon)
    world.clock.millis += 60_000
    await me(`Bearer ${key}x`)
    expect(await lastUses(thread)).toEqual(noon)
    await me(`Bearer ${key}`)
    const later = ['2026-03-10T12:01:00+00:00', 0, '2026-03-10T12:01:00+00:00', 0]
    expect(await lastUses(thread)).toEqual(later)
    expect(await lastUses(openGate(structuredClone(await world.accounts.start()), 0, world.clock))).toEqual(later)
    await world.close()
    world = await AccountWorld.open(folder, { clock: world.clock })
    thread = openGate(structuredClone(await world.accounts.start()), 0, world.clock)
    browser = world.browser()
    await logInAgain()
    expect(await lastUses(thread)).toEqual(later)
  })

  test('counts toward the account’s rate on the data API', async () => {
    const key = await makeKey(BOTH)
    spend(thread.gate, admitted(thread.gate, key), 1)
    const answers = []
    for (let call = 0; call < 5; call++) answers.push(await me(`Bearer ${key}`))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429])
    expect(answers[4].body['reason']).toBe('rate_limited')
    expect(answers[4].headers.get('retry-after')).toBe('1')
    expect(thread.gate.reserve(admitted(thread.gate, key), 1)).toMatchObject({ reason: 'rate_limited' })
    expect((await browser.get('/v1/me')).status).toBe(200) // not limited: the console does not use a key
  })
})

describe('overage', () => {
  test('can be switched by the owner if the plan sells units; the plan itself cannot', async () => {
    const patch = (body: unknown) => browser.send('PATCH', '/v1/billing', body)
    const refused = await patch({ overage_enabled: true })
    expect([refused.status, refused.body['reason']]).toEqual([403, 'not_allowed'])
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pay_as_you_go' })
    const bad = [
      {},
      { overage_enabled: 1 },
      { spend_cap_cents: -1 },
      { spend_cap_cents: 1.5 },
      { spend_cap_cents: 100_000_001 },
      { spend_cap_cents: '5' },
      { plan: 'max' },
      { spend_cap_cents: 5, plan: 'max' },
      [],
    ]
    for (const body of bad) expect([body, (await patch(body)).status]).toEqual([body, 400])
    const done = await patch({ overage_enabled: true, spend_cap_cents: 100_000_000 })
    expect([done.status, done.body]).toEqual([
      200,
      expect.objectContaining({ plan: 'pay_as_you_go', overage_enabled: true, spend_cap_cents: 100_000_000 }),
    ])
    expect((await patch({ spend_cap_cents: 0 })).body).toMatchObject({ overage_enabled: true, spend_cap_cents: 0 })
    expect((await browser.get('/v1/session')).body).toMatchObject({ account: { overage_enabled: true } })
  })

  test('allows units up to the cap on every thread at once; with a cap of 0, none', async () => {
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pay_as_you_go' })
    const key = await makeKey(BOTH)
    expect(grantedUnits(key)).toBe(30)
    await browser.send('PATCH', '/v1/billing', { overage_enabled: true })
    expect(grantedUnits(key)).toBe(0)
    await browser.send('PATCH', '/v1/billing', { spend_cap_cents: 7 })
    expect(grantedUnits(key)).toBe(14)
    expect(await usage()).toMatchObject({ units: 44, billable_units: 14, spent_cents: 7, spend_cap_cents: 7 })
    await browser.send('PATCH', '/v1/billing', { spend_cap_cents: 8 })
    expect(grantedUnits(key)).toBe(2)
  })

  test('that is switched off sells no more, and sold units are still due', async () => {
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pay_as_you_go' })
    const key = await makeKey(BOTH)
    await browser.send('PATCH', '/v1/billing', { overage_enabled: true, spend_cap_cents: 10 })
    expect(grantedUnits(key)).toBe(50)
    await browser.send('PATCH', '/v1/billing', { overage_enabled: false })
    expect(grantedUnits(key)).toBe(0)
    expect(await usage()).toMatchObject({ overage_enabled: false, units: 50, billable_units: 20, spent_cents: 10 })
    await world.accounts.operations.setPlan({ email: ADA, plan: 'free' })
    expect(await usage()).toMatchObject({
      plan: 'free',
      units: 50,
      included_units: 30,
      billable_units: 20,
      spent_cents: 10,
    })
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pro' })
    expect(await usage()).toMatchObject({ units: 50, included_units: 100, billable_units: 0, spent_cents: 0 })
  })
})

describe('an owner', () => {
  const choose = (plan: unknown) => browser.send('PUT', '/v1/plan', { plan })

  test('may choose only a plan that the operator offers', async () => {
    const { plans } = Object((await browser.get('/v1/session')).body)
    const choosable = plans.filter((each: { self_service: boolean }) => each.self_service)
    expect(choosable.map((each: { plan: string }) => each.plan)).toEqual(['starter'])
    for (const plan of ['pro', 'free']) expect((await choose(plan)).body).toMatchObject({ reason: 'not_allowed' })
    for (const plan of ['gold', '', 5, null, '__proto__'])
      expect([plan, (await choose(plan)).status]).toEqual([plan, 400])
    const key = await makeKey(BOTH)
    const done = await choose('starter')
    expect([done.status, done.body]).toEqual([200, expect.objectContaining({ plan: 'starter', key_limit: 5 })])
    expect(thread.gate.usage(admitted(thread.gate, key))).toMatchObject({ plan: 'starter', included_units: 250_000 })
    expect((await choose('starter')).status).toBe(200) // nothing changes, and nothing is recorded
    const { body } = await browser.get('/v1/events?limit=100')
    const changes = Object(body)['events'].filter((event: { kind: string }) => event.kind === 'plan_changed')
    expect(changes).toMatchObject([{ actor: 'owner', detail: { from: 'free', to: 'starter' } }])
    expect((await choose('free')).status).toBe(403)
  })

  test('keeps a plan if the new one allows fewer keys than are in use, until enough are revoked', async () => {
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pro' })
    const keys: string[] = []
    for (let count = 0; count < 6; count++) {
      const made = await browser.post('/v1/keys', { name: 'k', scopes: BOTH })
      keys.push(String(Object(made.body['listing']).id))
    }
    const refused = await choose('starter')
    expect([refused.status, refused.body['reason']]).toEqual([409, 'key_limit_reached'])
    expect(refused.body['detail']).toBe(
      'The starter plan allows 5 active keys, and the account has 6; revoke some first.',
    )
    await browser.delete(`/v1/keys/${keys[0]}`)
    expect((await choose('starter')).status).toBe(200)
  })
})

describe('a plan change', () => {
  test('applies from then on, with the larger number of included units for the month', async () => {
    const key = await makeKey(BOTH)
    expect(grantedUnits(key)).toBe(20)
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pro' })
    expect(grantedUnits(key)).toBe(80)
    await world.accounts.operations.setPlan({ email: ADA, plan: 'free' })
    expect(await usage()).toMatchObject({ plan: 'free', included_units: 100, units: 100, remaining: 0 })
    world.clock.millis = Date.UTC(2026, 3, 1)
    expect(thread.gate.usage(admitted(thread.gate, key))).toMatchObject({ plan: 'free', included_units: 20, units: 0 })
    expect(grantedUnits(key)).toBe(20)
  })

  test('survives a restart', async () => {
    const key = await makeKey(BOTH)
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pro' })
    await world.accounts.operations.setPlan({ email: ADA, plan: 'free' })
    const start = structuredClone(await world.accounts.start())
    const other = openGate(start, 1, world.clock)
    expect(other.gate.usage(admitted(other.gate, key))).toMatchObject({ plan: 'free', included_units: 100 })
  })
})

test('the log has everything, newest first, in pages', async () => {
  const { operations } = world.accounts
  const key = await makeKey(BOTH)
  await operations.setPlan({ email: ADA, plan: 'pay_as_you_go' })
  await operations.setPlan({ email: ADA, plan: 'pay_as_you_go' }) // no change, no event
  await browser.send('PATCH', '/v1/billing', { overage_enabled: true, spend_cap_cents: 5 })
  await browser.send('PATCH', '/v1/billing', { overage_enabled: true })
  await operations.setSuspended({ email: ADA, isSuspended: true })
  await operations.setSuspended({ email: ADA, isSuspended: false })
  const { body } = await world.browser().post('/v1/sessions', { email: ADA, password: 'wrong, surely' })
  expect(body['reason']).toBe('wrong_credentials')
  await logInAgain()
  const all = (await browser.get('/v1/events?limit=100')).body
  const events = Array.isArray(all['events']) ? all['events'] : []
  const reported = events.map(({ kind, actor, detail }) => [kind, actor, detail])
  expect(reported.filter(([kind]) => !['logged_in'].includes(kind))).toEqual([
    ['log_in_failed', 'owner', { wrong: 'password', device: null }],
    ['resumed', 'operator', {}],
    ['suspended', 'operator', {}],
    ['overage_changed', 'owner', { overage_enabled: true, spend_cap_cents: 5 }],
    ['plan_changed', 'operator', { from: 'free', to: 'pay_as_you_go' }],
    ['key_created', 'owner', { name: 'k', scopes: 'transit:read account:read' }],
    ['verified', 'owner', {}],
    ['signed_up', 'owner', {}],
  ])
  expect(all['next_cursor']).toBeNull()
  const paged: unknown[] = []
  for (let cursor = ''; ; ) {
    const { body: page } = await browser.get(`/v1/events?limit=2${cursor}`)
    paged.push(...Object(page['events']))
    if (page['next_cursor'] === null) break
    cursor = `&cursor=${page['next_cursor']}`
  }
  expect(paged).toEqual(events)
  expect((await browser.get(`/v1/events?limit=${events.length}`)).body['next_cursor']).toBeNull()
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=1e1',
    'limit=',
    'cursor=',
    'cursor=evt_1',
    "cursor=' OR 1=1 --",
  ]) {
    expect([query, (await browser.get(`/v1/events?${query}`)).status]).toEqual([query, 400])
  }
  expect((await browser.get('/v1/events?limit=101')).body['detail']).toBe(
    'The parameter "limit" is "101"; expected an integer from 1 to 100.',
  )
  expect((await browser.get('/v1/usage?from=2026-02-30')).body['detail']).toBe(
    'The parameter "from" is "2026-02-30"; expected one day as YYYY-MM-DD.',
  )
  expect(JSON.stringify(all)).not.toContain(key.slice(12, 50))
})

async function logInAgain(): Promise<void> {
  const { status } = await browser.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
  expect(status).toBe(200)
}

describe('requests by route', () => {
  test('are listed by key, most used first, for the requested days', async () => {
    const { body } = await browser.post('/v1/keys', { name: 'board', scopes: BOTH, expires_at: null })
    const keyId = String(Object(body['listing']).id)
    const utcDay = Math.floor(world.clock.millis / DAY_MILLIS)
    const count = (route: string, answers: AnswerCounts) => ({ keyId, route, answers })
    world.accounts.routes.add({ utcDay, counts: [count('/v1/places', [1, 2, 3, 4]), count('other', [0, 99, 0, 0])] })
    world.accounts.routes.add({ utcDay: utcDay - 1, counts: [count('/v1/places', [1, 0, 0, 0])] })
    const named = { key_id: keyId, key_name: 'board' }
    const other = { ...named, route: 'other', answered: 0, refused: 99, over_limit: 0, failed: 0 }
    const places = { ...named, route: '/v1/places', answered: 2, refused: 2, over_limit: 3, failed: 4 }
    expect((await browser.get('/v1/usage/routes')).body).toMatchObject({ routes: [other, places] })
    const [yesterday, today] = [utcDay - 1, utcDay].map(dayText)
    expect((await browser.get(`/v1/usage/routes?from=${today}&to=${today}`)).body).toEqual({
      from: today,
      to: today,
      routes: [other, { ...places, answered: 1 }],
    })
    const before = await browser.get(`/v1/usage/routes?to=${yesterday}`)
    expect(before.body).toMatchObject({ routes: [{ ...places, answered: 1, refused: 0, over_limit: 0, failed: 0 }] })
    expect((await browser.get('/v1/usage/routes?from=yesterday')).status).toBe(400)
    expect((await world.browser().get('/v1/usage/routes')).status).toBe(401)
    const eve = await world.member('eve@example.org')
    expect((await eve.get('/v1/usage/routes')).body).toMatchObject({ routes: [] })
  })
})
