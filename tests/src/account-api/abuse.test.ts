// Tests limits on the data that an owner, or anybody else, can create. Fails if unverified sign-ups stay forever or
// keep the service from starting, if keys and changes can be made without limit, or if a refusal has no explanation.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { KeyRing } from '../../../src/access/key-ring.ts'
import { UNVERIFIED_MILLIS } from '../../../src/accounts/lapsed-accounts.ts'
import { CellNumbers } from '../../../src/metering/limit-cells.ts'
import { makeFolder } from '../account-fixture.ts'
import { storedKey } from '../accounts/stored-records.ts'
import { AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'

const ADA = 'ada@example.org'
const HOUR_MILLIS = 3_600_000
/**
 * Longest time for which an attempt can count against an hourly limit. Attempts are counted in slots of a twelfth of an
 * hour, so an attempt can count for one slot longer than an hour.
 */
const TRY_HOUR_MILLIS = HOUR_MILLIS + HOUR_MILLIS / 12
const NEW_KEY = { name: 'k', scopes: ['transit:read'] }

let folder: string
let world: AccountWorld

beforeEach(async () => {
  folder = makeFolder()
  world = await AccountWorld.open(folder)
})

afterEach(() => world.close())

describe('an unverified account', () => {
  test('is forgotten after a week, and its address is free again', async () => {
    const ada = await world.member(ADA)
    await world.signUp('eve@example.org')
    const [early] = (await world.accounts.store.listAccounts()).filter(({ isVerified }) => !isVerified)
    world.clock.millis += UNVERIFIED_MILLIS
    expect(await world.accounts.lapsed.prune()).toBe(0)
    world.clock.millis += 1
    expect(await world.accounts.lapsed.prune()).toBe(1)
    expect((await world.accounts.store.listAccounts()).map(({ email }) => email)).toEqual([ADA])
    const eve = await world.member('eve@example.org')
    expect((await eve.get('/v1/session')).body).toMatchObject({ account: { email: 'eve@example.org' } })
    expect((await world.accounts.store.findAccount('eve@example.org'))?.id).not.toBe(early?.id)
    expect((await ada.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })).status).toBe(200)
  })

  test('is forgotten while the service runs, in as many transactions as needed', async () => {
    const { store } = world.accounts
    const count = 1_203
    for (let number = 0; number < count; number++) {
      await store.insertAccount({
        ...ACCOUNT,
        id: `acc_${number}`,
        email: `a${number}@example.org`,
        createdAtMillis: world.clock.millis - UNVERIFIED_MILLIS - 1,
      })
    }
    world.accounts.startFlushing()
    for (let tries = 0; (await store.listAccounts()).length > 0; tries++) {
      if (tries > 500) throw new Error('the accounts are still there')
      await Bun.sleep(10)
    }
  })

  test('has no cell and no place in a ring until its first key', async () => {
    const browser = await world.member(ADA)
    await world.signUp('eve@example.org')
    expect((await world.accounts.start()).ring.accounts).toEqual([])
    const reported: string[][] = []
    world.accounts.subscribe(({ accounts }) => void reported.push(accounts.map(({ id }) => id)))
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pay_as_you_go' })
    expect((await browser.send('PATCH', '/v1/billing', { overage_enabled: true, spend_cap_cents: 5 })).status).toBe(200)
    expect((await browser.get('/v1/me')).status).toBe(200)
    expect(reported).toEqual([])
    expect((await browser.post('/v1/keys', NEW_KEY)).status).toBe(201)
    expect(reported).toHaveLength(1)
    const { ring } = await world.accounts.start()
    expect(ring.accounts).toMatchObject([{ cell: 0, isOverageEnabled: true, spendCapCents: 5 }])
    expect(new KeyRing(ring, 'localhost').listKeys(ring.accounts[0]?.id ?? '')).toHaveLength(1)
  })

  test('gets no statement, since statements cannot be removed', async () => {
    await world.member(ADA)
    await world.signUp('eve@example.org')
    world.clock.millis = Date.UTC(2026, 3, 4)
    expect(await world.accounts.closeMonths()).toEqual(['2026-03'])
    const statements = await world.accounts.operations.listStatements({})
    expect(statements.map(({ account }) => account)).toEqual([ADA])
    expect(await world.accounts.lapsed.prune()).toBe(1)
    expect((await world.accounts.operations.verifyLedger({})).faults).toEqual([])
  })
})

describe('an owner', () => {
  /** Creates and revokes a key; returns the status of the creation. */
  async function churn(browser: Browser): Promise<number> {
    const { status, body } = await browser.post('/v1/keys', NEW_KEY)
    const { listing } = body
    if (typeof listing === 'object' && listing !== null && 'id' in listing) {
      expect((await browser.delete(`/v1/keys/${listing.id}`)).status).toBe(204)
    }
    return status
  }

  test('may create and revoke twenty keys an hour', async () => {
    const browser = await world.member(ADA)
    const statuses: number[] = []
    for (let count = 0; count < 20; count++) {
      statuses.push(await churn(browser))
      world.clock.millis += 60_000
      await confirm(browser)
    }
    expect(statuses).toEqual(Array(20).fill(201))
    const refused = await browser.post('/v1/keys', NEW_KEY)
    expect([refused.status, refused.body['reason'], refused.headers.get('retry-after')]).toEqual([
      429,
      'too_many_changes',
      `${40 * 60}`,
    ])
    world.clock.millis += 40 * 60_000
    await confirm(browser)
    expect(await churn(browser)).toBe(201)
    expect(await churn(browser)).toBe(429)
  })

  test('may log in a hundred times an hour: each leaves an event', async () => {
    const browser = await world.member(ADA)
    const statuses: number[] = []
    for (let count = 0; count < 101; count++) {
      statuses.push((await browser.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })).status)
    }
    expect(statuses).toEqual([...Array(100).fill(200), 429])
    world.clock.millis += TRY_HOUR_MILLIS
    expect((await browser.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })).status).toBe(200)
  })

  test('sees the last thousand revoked keys and how many others there are', async () => {
    const browser = await world.member(ADA)
    const account = await world.accounts.store.findAccount(ADA)
    for (let number = 1; number <= 1_003; number++) {
      const at = world.clock.millis - 10 * HOUR_MILLIS + number
      const members = { accountId: account?.id ?? '', createdAtMillis: at, revokedAtMillis: at }
      await world.accounts.store.insertKey(storedKey(`key_${`${number}`.padStart(8, '0')}`, members), 2)
    }
    expect((await browser.post('/v1/keys', NEW_KEY)).status).toBe(201)
    const { body } = await browser.get('/v1/keys')
    const keys: { id: string; state: string }[] = Array.isArray(body['keys']) ? body['keys'] : []
    expect([keys.length, body['revoked_not_shown']]).toEqual([1_001, 3])
    expect([keys[0]?.id, keys.at(-1)?.state]).toEqual(['key_00000004', 'active'])
  })

  test('may change names and overage a hundred and twenty times an hour: each change is kept forever', async () => {
    const browser = await world.member(ADA)
    await world.accounts.operations.setPlan({ email: ADA, plan: 'pay_as_you_go' })
    const switched = async (count: number) => {
      const statuses: number[] = []
      for (let number = 0; number < count; number++) {
        const body = { overage_enabled: number % 2 === 0, spend_cap_cents: number }
        statuses.push((await browser.send('PATCH', '/v1/billing', body)).status)
      }
      return statuses
    }
    expect(await switched(121)).toEqual([...Array(120).fill(200), 429])
    world.clock.millis += TRY_HOUR_MILLIS
    expect(await switched(1)).toEqual([200])
  })
})

test('an error is a full sentence', async () => {
  const browser = await world.member(ADA)
  await browser.post('/v1/keys', NEW_KEY)
  await browser.post('/v1/keys', NEW_KEY)
  const refused = [
    await browser.post('/v1/keys', NEW_KEY),
    await browser.post('/v1/keys', { ...NEW_KEY, name: '' }),
    await browser.post('/v1/keys', { ...NEW_KEY, scopes: [] }),
    await browser.post('/v1/keys', { ...NEW_KEY, expires_at: '2020-01-01T00:00:00Z' }),
    await browser.delete('/v1/keys/key_00000001'),
    await browser.send('PATCH', '/v1/billing', { overage_enabled: true }),
  ]
  for (const { status, body } of refused) {
    expect(status).toBeGreaterThanOrEqual(400)
    expect(body['detail']).toMatch(/^\p{Lu}.*[^.]\.$/u)
  }
})

test('a process has cells for a million accounts, and reports if there are more', () => {
  const cells = new CellNumbers()
  for (let number = 0; number < 1 << 20; number++) cells.of(`${number}`)
  expect(cells.of('7')).toBe(7)
  expect(() => cells.of('one more')).toThrow('the maximum')
})

const ACCOUNT = {
  plan: 'free',
  isVerified: false,
  suspendedAtMillis: null,
  deletedAtMillis: null,
  isOverageEnabled: false,
  spendCapCents: 0,
} as const

/** Sends the password again, since creating a key requires it every 15 minutes. */
async function confirm(browser: Browser): Promise<void> {
  expect((await browser.post('/v1/sessions/current/confirmations', { password: GOOD_PASSWORD })).status).toBe(204)
}
