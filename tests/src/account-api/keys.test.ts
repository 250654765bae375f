// Tests the keys of an account on the account API. Fails if a race exceeds a limit, if another account's key can be
// used, if a secret is shown twice, or if a change has no event.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OpenGate, openGate } from '../../../src/access/open-gate.ts'
import { ACTIVE_KEY_LIMITS, PLANS } from '../../../src/plans/plans.ts'
import { admitted, answerTo, DAY_MILLIS, makeFolder, NOON_MILLIS, spend } from '../account-fixture.ts'
import { AccountWorld, type Answer, type Browser, GOOD_PASSWORD } from './account-world.ts'

const ADA = 'ada@example.org'
const KEY_TEXT = /^quai_p_[0-9A-Za-z]{49}$/

let folder: string
let world: AccountWorld

beforeEach(async () => {
  folder = makeFolder()
  world = await AccountWorld.open(folder)
})

afterEach(() => world.close())

/** Opens the gate of a data thread, which receives changes as in a service. */
async function openThread(ordinal = 0): Promise<OpenGate> {
  const thread = openGate(structuredClone(await world.accounts.start()), ordinal, world.clock)
  world.accounts.subscribe((change) => thread.apply(structuredClone(change)))
  return thread
}

async function makeKey(browser: Browser, members: Record<string, unknown> = {}): Promise<{ key: string; id: string }> {
  const { status, body } = await browser.post('/v1/keys', {
    name: 'k',
    scopes: ['transit:read'],
    expires_at: null,
    ...members,
  })
  expect(status).toBe(201)
  const { key, listing } = body
  if (typeof key !== 'string' || typeof listing !== 'object' || listing === null || !('id' in listing))
    throw new Error('no key was created')
  return { key, id: String(listing.id) }
}

async function listKeys(browser: Browser): Promise<Record<string, unknown>[]> {
  const { body } = await browser.get('/v1/keys')
  return Array.isArray(body['keys']) ? body['keys'] : []
}

async function eventsOf(browser: Browser): Promise<Record<string, unknown>[]> {
  const { body } = await browser.get('/v1/events?limit=100')
  return Array.isArray(body['events']) ? body['events'] : []
}

describe('a key', () => {
  test('is shown once with a command to try it, works at once, is listed with its use, renamed and revoked', async () => {
    const browser = await world.member(ADA)
    const { gate } = await openThread()
    const made = await browser.post('/v1/keys', {
      name: ' first <img src=x onerror=alert(1)> ',
      scopes: ['transit:read'],
      expires_at: null,
    })
    const { key } = made.body
    expect(made.status).toBe(201)
    expect(made.headers.get('cache-control')).toBe('no-store')
    expect(key).toMatch(KEY_TEXT)
    const text = String(key)
    const listing = {
      id: expect.stringMatching(/^key_[0-9a-f]{8}$/),
      account: ADA,
      name: 'first <img src=x onerror=alert(1)>',
      prefix: text.slice(0, 11),
      last_four: text.slice(-4),
      state: 'active',
      scopes: ['transit:read'],
      audience: 'localhost',
      created_at: '2026-03-10T12:00:00+00:00',
      expires_at: null,
      revoked_at: null,
    }
    expect(made.body).toEqual({
      key: text,
      listing,
      curl: `curl -H 'Authorization: Bearer ${text}' http://localhost:8080/v1/networks`,
    })
    spend(gate, admitted(gate, text), 5)
    const listed = await browser.get('/v1/keys')
    const used = { ...listing, last_used_at: '2026-03-10T12:00:00+00:00', units_today: 5, units_this_month: 5 }
    expect(listed.body).toEqual({ keys: [used], revoked_not_shown: 0 })
    expect(listed.text).not.toContain(text.slice(11, -4))
    const [{ id }] = await listKeys(browser)
    const renamed = await browser.send('PATCH', `/v1/keys/${id}`, { name: '=cmd()' })
    expect([renamed.status, renamed.body]).toEqual([200, { ...listing, name: '=cmd()' }])
    expect((await browser.delete(`/v1/keys/${id}`)).status).toBe(204)
    expect(answerTo(gate, `Bearer ${text}`)).toBe('invalid_token')
    expect((await browser.delete(`/v1/keys/${id}`)).status).toBe(204) // revoked again, without effect
    const [{ state, revoked_at }] = await listKeys(browser)
    expect([state, revoked_at]).toEqual(['revoked', '2026-03-10T12:00:00+00:00'])
    const events = (await eventsOf(browser)).filter(({ kind }) => String(kind).startsWith('key_'))
    const event = { id: expect.any(String), at: '2026-03-10T12:00:00+00:00', key_id: id, actor: 'owner' }
    expect(events).toEqual([
      { ...event, kind: 'key_revoked', detail: {} },
      { ...event, kind: 'key_renamed', detail: { from: 'first <img src=x onerror=alert(1)>', to: '=cmd()' } },
      { ...event, kind: 'key_created', detail: { name: 'first <img src=x onerror=alert(1)>', scopes: 'transit:read' } },
    ])
  })

  test('of another account is not found, whatever the request', async () => {
    const [ada, eve] = [await world.member(ADA), await world.member('eve@example.org')]
    const { id, key } = await makeKey(ada)
    const { gate } = await openThread()
    for (const answer of [
      await eve.send('PATCH', `/v1/keys/${id}`, { name: 'mine' }),
      await eve.delete(`/v1/keys/${id}`),
      await eve.delete('/v1/keys/key_00000000'),
      await eve.delete(`/v1/keys/${encodeURIComponent("' OR 1=1 --")}`),
      await eve.delete('/v1/keys/%00'),
    ]) {
      expect([answer.status, answer.body['reason']]).toEqual([404, 'not_found'])
    }
    expect((await eve.get('/v1/keys')).body).toEqual({ keys: [], revoked_not_shown: 0 })
    expect(answerTo(gate, `Bearer ${key}`)).toBe('accepted')
    expect((await eventsOf(eve)).filter(({ key_id }) => key_id === id)).toEqual([])
  })

  test('is rejected if its name, scopes or expiry are invalid', async () => {
    const browser = await world.member(ADA)
    const good = { name: 'k', scopes: ['transit:read'], expires_at: null }
    const bad = [
      { ...good, name: '' },
      { ...good, name: ' \t ' },
      { ...good, name: 'x'.repeat(101) },
      { ...good, name: 'a\u0000b' },
      { ...good, name: 'a\u0007b' },
      { ...good, name: 'a\ud800b' },
      { ...good, name: 'a\u0085b' },
      { ...good, name: 'a\u2028b' },
      { ...good, name: '\u202etxt.yek' }, // the name contains a right-to-left override
      { ...good, name: '\u200b' }, // the name contains only an invisible character
      { ...good, name: 7 },
      { ...good, scopes: [] },
      { ...good, scopes: ['transit:write'] },
      { ...good, scopes: ['transit:read', 'TRANSIT:READ'] },
      { ...good, scopes: 'transit:read' },
      { ...good, expires_at: 'tomorrow' },
      { ...good, expires_at: '2027-01-01' },
      { ...good, expires_at: '2026-03-10T12:00:00Z' }, // expires now
      { ...good, expires_at: '2026-13-40T12:00:00Z' },
      { ...good, expires_at: '9999-12-31T23:59:59-23:59' }, // in UTC, this is in the year 10000
      { ...good, more: 1 },
      { name: 'k' },
      [],
      null,
    ]
    for (const body of bad) {
      const answer = await browser.post('/v1/keys', body)
      expect([body, answer.status, answer.body['reason']]).toEqual([body, 400, 'invalid_request'])
    }
    expect((await browser.get('/v1/keys')).body).toEqual({ keys: [], revoked_not_shown: 0 })
    const { id } = await makeKey(browser, {
      scopes: ['account:read', 'transit:read', 'account:read'],
      expires_at: '2026-03-10T13:00:01+01:00',
    })
    expect((await browser.send('PATCH', `/v1/keys/${id}`, { name: '' })).status).toBe(400)
    expect((await browser.send('PATCH', `/v1/keys/${id}`, {})).status).toBe(400)
    const one = { scopes: ['account:read', 'transit:read'], expires_at: '2026-03-10T12:00:01+00:00', name: 'k' }
    expect((await browser.get('/v1/keys')).body).toMatchObject({ keys: [{ ...one, state: 'active' }] })
    world.clock.millis += 1_000
    expect((await browser.get('/v1/keys')).body).toMatchObject({ keys: [{ ...one, state: 'expired' }] })
  })

  test('is nowhere in the data directory', async () => {
    const { key } = await makeKey(await world.member(ADA))
    await world.accounts.flush()
    for (const name of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!name.isFile()) continue
      expect(readFileSync(join(name.parentPath, name.name)).includes(key.slice(12, 50))).toBe(false)
    }
    expect(existsSync(join(folder, 'quai.db'))).toBe(true)
  })
})

describe('a plan’s key limit', () => {
  test.each(PLANS.map((plan) => [plan, ACTIVE_KEY_LIMITS[plan]] as const))(
    '%s: %i keys, even in races',
    async (plan, limit) => {
      const browser = await world.member(ADA)
      if (plan !== 'free') await world.accounts.operations.setPlan({ email: ADA, plan })
      const ask = () => browser.post('/v1/keys', { name: 'k', scopes: ['transit:read'], expires_at: null })
      const answers = await Promise.all(Array.from({ length: limit + 10 }, ask))
      expect(countOf(answers, 201)).toBe(limit)
      const refused = answers.filter(({ status }) => status !== 201)
      expect(refused.map(({ status, body }) => [status, body['reason'], body['code']])).toEqual(
        Array(10).fill([409, 'key_limit_reached', 'SCTY3-1409']),
      )
      expect((await browser.get('/v1/session')).body).toMatchObject({
        account: { active_keys: limit, key_limit: limit },
      })
      // One key is revoked, and ten requests compete to create a key in its place.
      const [{ id }] = await listKeys(browser)
      expect((await browser.delete(`/v1/keys/${id}`)).status).toBe(204)
      expect(countOf(await Promise.all(Array.from({ length: 10 }, ask)), 201)).toBe(1)
      const kinds = (await eventsOf(browser)).map(({ kind }) => kind).filter((kind) => kind === 'key_created')
      expect(kinds).toHaveLength(limit + 1)
    },
  )

  test('is that of the smaller plan after a change; extra keys stay', async () => {
    const browser = await world.member(ADA)
    const { gate } = await openThread()
    await world.accounts.operations.setPlan({ email: ADA, plan: 'starter' })
    const keys = await Promise.all([1, 2, 3].map(() => makeKey(browser)))
    await world.accounts.operations.setPlan({ email: ADA, plan: 'free' })
    expect(keys.map(({ key }) => answerTo(gate, `Bearer ${key}`))).toEqual(['accepted', 'accepted', 'accepted'])
    expect((await browser.post('/v1/keys', { name: 'k', scopes: ['transit:read'] })).status).toBe(409)
    for (const { id } of keys.slice(0, 2)) await browser.delete(`/v1/keys/${id}`)
    await makeKey(browser)
  })
})

describe('usage by day', () => {
  test('is listed by day and key, including unflushed units and revoked keys', async () => {
    const browser = await world.member(ADA)
    const [one, two] = [await makeKey(browser, { name: 'one' }), await makeKey(browser, { name: 'two' })]
    const threads = [await openThread(0), await openThread(1)]
    for (const { gate } of threads) spend(gate, admitted(gate, one.key), 5)
    spend(threads[1].gate, admitted(threads[1].gate, two.key), 1)
    world.clock.millis += DAY_MILLIS
    expect((await browser.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })).status).toBe(200)
    spend(threads[0].gate, admitted(threads[0].gate, two.key), 3)
    await browser.delete(`/v1/keys/${two.id}`)
    const { body, status } = await browser.get('/v1/usage')
    const days = [
      { date: '2026-03-10', key_id: one.id, key_name: 'one', units: 10, calls: 2 },
      { date: '2026-03-10', key_id: two.id, key_name: 'two', units: 1, calls: 1 },
      { date: '2026-03-11', key_id: two.id, key_name: 'two', units: 3, calls: 1 },
    ].sort((a, b) => (`${a.date}${a.key_id}` < `${b.date}${b.key_id}` ? -1 : 1))
    expect([status, body['from'], body['to'], body['days']]).toEqual([200, '2026-03-01', '2026-03-31', days])
    expect(body['usage']).toEqual(threads[0].gate.usage(admitted(threads[0].gate, one.key)))
    expect(body['usage']).toMatchObject({ units: 14, period: '2026-03' })
    const daysOf = async (query: string) => (await browser.get(`/v1/usage?${query}`)).body['days']
    expect(await daysOf('from=2026-03-11&to=2026-03-11')).toEqual(days.slice(2))
    expect(await daysOf('from=2026-03-01&to=2026-03-10')).toEqual(days.slice(0, 2))
    expect(await daysOf('from=2025-03-11&to=2026-03-11')).toEqual(days) // a span of 366 days
    expect((await world.accounts.operations.verifyLedger({})).faults).toEqual([])
  })

  test('is rejected for invalid or too many days', async () => {
    const browser = await world.member(ADA)
    const bad = [
      'from=2026-02-30',
      'from=',
      'to=now',
      'from=2026-03-02&to=2026-03-01',
      'from=2025-03-10&to=2026-03-11',
      'from=2026-03-01&from=2026-03-02',
    ]
    for (const query of bad) {
      const { status, body } = await browser.get(`/v1/usage?${query}`)
      expect([query, status, body['reason']]).toEqual([query, 400, 'invalid_request'])
    }
    expect((await browser.get('/v1/usage?to=2026-02-10')).body).toMatchObject({ from: '2026-02-01', to: '2026-02-10' })
  })
})

describe('without a session', () => {
  test('no part of an account is shown or changed', async () => {
    const browser = await world.member(ADA)
    const { id } = await makeKey(browser)
    const stranger = world.browser()
    const asks = [
      stranger.get('/v1/keys'),
      stranger.post('/v1/keys', { name: 'k', scopes: ['transit:read'] }),
      stranger.send('PATCH', `/v1/keys/${id}`, { name: 'k' }),
      stranger.delete(`/v1/keys/${id}`),
      stranger.get('/v1/usage'),
      stranger.send('PATCH', '/v1/billing', { overage_enabled: true }),
      stranger.get('/v1/statements'),
      stranger.get('/v1/statements/2026-02.json'),
      stranger.get('/v1/events'),
    ]
    for (const { status, body } of await Promise.all(asks)) {
      expect([status, body['reason']]).toEqual([401, 'session_required'])
    }
    const withoutToken = { 'x-csrf-token': undefined }
    const forged = [
      browser.post('/v1/keys', { name: 'k', scopes: ['transit:read'] }, withoutToken),
      browser.send('PATCH', `/v1/keys/${id}`, { name: 'k2' }, withoutToken),
      browser.delete(`/v1/keys/${id}`, withoutToken),
      browser.send('PATCH', '/v1/billing', { overage_enabled: true }, withoutToken),
    ]
    for (const { status, body } of await Promise.all(forged)) {
      expect([status, body['reason']]).toEqual([403, 'csrf_failed'])
    }
    expect((await browser.get('/v1/keys')).body).toMatchObject({ keys: [{ id, name: 'k', state: 'active' }] })
    expect(NOON_MILLIS).toBe(world.clock.millis)
  })
})

function countOf(answers: readonly Answer[], status: number): number {
  return answers.filter((answer) => answer.status === status).length
}
