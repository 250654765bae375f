// Tests limits on password attempts. Strangers must not be able to lock out an owner. Fails if attempts from one
// address lock out others, if attempts from a browser of the owner are counted with those of strangers, if a cookie
// that the service did not sign is accepted, or if responses for an account differ from those for an unknown address.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DEVICE_LIFE_MILLIS } from '../../../src/account-api/device-cookie.ts'
import { TRY_LIMITS } from '../../../src/account-api/tries.ts'
import { StoreUnavailable } from '../../../src/accounts/account-store.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, type Answer, type Browser, GOOD_PASSWORD, type WorldOptions } from './account-world.ts'

const ADA = 'ada@example.org'
const EVE = 'eve@example.org'
const NOBODY = 'none@example.org'
const WRONG_PASSWORD = 'siebzehn gelbe Fahrkarten'
const OTHER_PASSWORD = 'acht graue Schienen'
/**
 * Longest time for which an attempt can count, against the fifteen-minute limit and against the daily limit. Attempts
 * are counted in slots of a twelfth of the window, so an attempt can count for one slot longer than the window.
 */
const WINDOW_MILLIS = (TRY_LIMITS.pair.windowMillis * 13) / 12
const DAY_MILLIS = (TRY_LIMITS.strangers.windowMillis * 13) / 12
/** Settings with a trusted proxy, so that tests can set the address of each request. */
const BEHIND_PROXY: WorldOptions = { flags: { trusted_proxies: ['127.0.0.1'] } }

let folder: string
let world: AccountWorld
/** Ada's browser, which has logged in. */
let own: Browser

beforeEach(async () => {
  folder = makeFolder()
  world = await AccountWorld.open(folder, BEHIND_PROXY)
  own = await world.member(ADA)
  world.clock.millis += WINDOW_MILLIS
})

afterEach(() => world.close())

interface LogInTry {
  readonly email?: string
  readonly password?: string
  /** Network address of the request. */
  readonly from?: string
  /** The browser; a new one by default. */
  readonly by?: Browser
}

function logIn({ email = ADA, password = WRONG_PASSWORD, from = '203.0.113.1', by }: LogInTry): Promise<Answer> {
  return (by ?? world.browser()).post('/v1/sessions', { email, password }, { 'x-forwarded-for': from })
}

async function statuses(count: number, requested: (number: number) => LogInTry): Promise<number[]> {
  const found: number[] = []
  for (let number = 0; number < count; number++) found.push((await logIn(requested(number))).status)
  return found
}

/** Tries `count` wrong passwords, five from each network address. */
async function guess(count: number, email = ADA): Promise<void> {
  const found = await statuses(count, (number) => ({ email, from: `198.51.100.${Math.floor(number / 5)}` }))
  expect(found).toEqual(Array(count).fill(401))
}

describe.each([
  ['an account', ADA, 200],
  ['no account', NOBODY, 401],
] as const)('attempts for %s', (_, email, right) => {
  test('ten in fifteen minutes lock out their address, for this account only', async () => {
    expect(await statuses(10, () => ({ email }))).toEqual(Array(10).fill(401))
    const refused = await logIn({ email, password: GOOD_PASSWORD })
    expect([refused.status, refused.body['reason'], refused.headers.get('retry-after')]).toEqual([
      429,
      'too_many_tries',
      `${WINDOW_MILLIS / 1_000}`,
    ])
    expect((await logIn({ email, password: GOOD_PASSWORD, from: '203.0.113.2' })).status).toBe(right)
    expect((await logIn({ email: EVE })).status).toBe(401)
    world.clock.millis += WINDOW_MILLIS - 1_500
    expect((await logIn({ email, password: GOOD_PASSWORD })).headers.get('retry-after')).toBe('2')
    world.clock.millis += 1_500
    expect((await logIn({ email, password: GOOD_PASSWORD })).status).toBe(right)
  })

  test('after a hundred by strangers in a day, only an emailed link works', async () => {
    await guess(100, email)
    const refused = await logIn({ email, password: GOOD_PASSWORD })
    expect([refused.status, refused.body['reason']]).toEqual([403, 'mail_link_required'])
    expect(refused.headers.getSetCookie()).toEqual([])
    expect((await logIn({ email: EVE })).status).toBe(401)
    world.clock.millis += TRY_LIMITS.strangers.windowMillis - 1
    expect((await logIn({ email, password: GOOD_PASSWORD })).status).toBe(403)
    world.clock.millis += DAY_MILLIS - TRY_LIMITS.strangers.windowMillis + 1
    expect((await logIn({ email, password: GOOD_PASSWORD })).status).toBe(right)
  })

  test('spellings of an address count together', async () => {
    const [name = '', host = ''] = email.split('@')
    const spellings = [email, email.toUpperCase(), ` ${email} `, `${name.toUpperCase()}@${host}`]
    const found = await statuses(12, (number) => ({ email: spellings[number % spellings.length] }))
    expect(found).toEqual([...Array(10).fill(401), 429, 429])
  })
})

describe('a known browser', () => {
  test('can log in, whatever strangers try, even from its own address', async () => {
    await statuses(10, () => ({ from: '203.0.113.9' }))
    expect((await logIn({ from: '203.0.113.9', password: GOOD_PASSWORD })).status).toBe(429)
    expect((await logIn({ from: '203.0.113.9', password: GOOD_PASSWORD, by: own })).status).toBe(200)
    await guess(90)
    expect((await logIn({ password: GOOD_PASSWORD })).status).toBe(403)
    expect((await logIn({ password: GOOD_PASSWORD, by: own })).status).toBe(200)
    // The account still recognizes a browser that has logged out.
    expect((await own.delete('/v1/sessions/current')).status).toBe(204)
    expect((await logIn({ password: GOOD_PASSWORD, by: own })).status).toBe(200)
  })

  test('has its own ten in fifteen minutes, separate from those of strangers', async () => {
    expect(await statuses(11, (number) => ({ by: own, from: `203.0.113.${number}` }))).toEqual([
      ...Array(10).fill(401),
      429,
    ])
    expect((await logIn({ password: GOOD_PASSWORD, by: own })).status).toBe(429)
    expect((await logIn({ password: GOOD_PASSWORD })).status).toBe(200)
    expect(await statuses(10, () => ({}))).toEqual(Array(10).fill(401))
    world.clock.millis += WINDOW_MILLIS
    expect((await logIn({ password: GOOD_PASSWORD, by: own })).status).toBe(200)
  })

  test('is a stranger to other accounts', async () => {
    await world.member(EVE)
    expect(await statuses(11, () => ({ email: EVE, by: own }))).toEqual([...Array(10).fill(401), 429])
  })

  test('is known to four accounts: the last ones it logged in to', async () => {
    const emails = [ADA, 'b@example.org', 'c@example.org', 'd@example.org', 'e@example.org']
    for (const email of emails.slice(1)) {
      world.clock.millis += WINDOW_MILLIS
      await world.member(email)
      expect((await logIn({ email, password: GOOD_PASSWORD, by: own })).status).toBe(200)
    }
    const known: number[] = []
    for (const email of emails) {
      world.clock.millis += WINDOW_MILLIS
      await statuses(10, () => ({ email }))
      known.push((await logIn({ email, by: own })).status)
    }
    expect(known).toEqual([429, 401, 401, 401, 401])
  })

  test('is also known after a reset or a verification, and after a restart', async () => {
    const verified = await world.member(EVE)
    await guess(100)
    const before = world.mails.length
    await world.browser().post('/v1/password-resets', { email: ADA })
    await world.untilMails(before + 1)
    const other = world.browser()
    const reset = { token: world.lastToken('reset'), password: OTHER_PASSWORD }
    expect((await other.post('/v1/password-resets/confirm', reset)).status).toBe(200)
    // The browser that used the link is logged in. The attempts of strangers still count, because strangers would
    // otherwise notice that the account exists.
    expect((await logIn({ password: OTHER_PASSWORD })).status).toBe(403)
    expect((await logIn({ password: OTHER_PASSWORD, by: other })).status).toBe(200)
    await world.close()
    world = await AccountWorld.open(folder, { ...BEHIND_PROXY, clock: world.clock })
    await statuses(10, () => ({}))
    await statuses(10, () => ({ email: EVE }))
    expect((await logIn({ password: OTHER_PASSWORD, by: again(other) })).status).toBe(200)
    expect((await logIn({ email: EVE, password: GOOD_PASSWORD, by: again(verified) })).status).toBe(200)
  })

  test('is unknown after 180 days', async () => {
    world.clock.millis += DEVICE_LIFE_MILLIS - 2 * WINDOW_MILLIS
    await statuses(10, () => ({}))
    expect((await logIn({ by: own })).status).toBe(401)
    world.clock.millis += 2 * WINDOW_MILLIS
    await statuses(10, () => ({}))
    expect((await logIn({ password: GOOD_PASSWORD, by: own })).status).toBe(429)
  })

  test('has a cookie that nobody can forge', async () => {
    const [name, value = ''] = own.device?.split('=') ?? []
    const [id = '', end = '', signature = ''] = value.split('.')
    const stolen = (await world.member(EVE)).device?.split('=')[1] ?? ''
    const forged = [
      `${id}.${Number(end) + 1}.${signature}`,
      `${id.toLowerCase()}.${end}.${signature}`,
      `${id}.${end}.${signature.slice(0, -2)}AA`,
      `${id}.${end}.${'A'.repeat(43)}`,
      `${id}.${end}`,
      `${id}.9999999999.${stolen.split('.')[2]}`,
      stolen,
      Array(5).fill(value).join('~'),
      `${value}~`,
      '',
    ].filter((text) => text !== value)
    await statuses(10, () => ({}))
    for (const text of forged) {
      const browser = world.browser()
      browser.device = `${name}=${text}`
      expect([text, (await logIn({ password: GOOD_PASSWORD, by: browser })).status]).toEqual([text, 429])
    }
    const several = world.browser()
    several.device = `${name}=${stolen}~${value}`
    expect((await logIn({ password: GOOD_PASSWORD, by: several })).status).toBe(200)
  })
})

test('strangers who sign up repeatedly with an address do not block the link that logs in', async () => {
  await guess(100)
  const first = world.mails.length
  for (let count = 0; count < 11; count++) {
    const headers = { 'x-forwarded-for': `198.51.100.${count}` }
    await world.browser().post('/v1/sign-up', { email: ADA, password: OTHER_PASSWORD }, headers)
  }
  const before = first + 10
  await world.untilMails(before)
  expect((await world.browser().post('/v1/password-resets', { email: ADA })).status).toBe(202)
  await world.untilMails(before + 1)
  const reset = { token: world.lastToken('reset'), password: OTHER_PASSWORD }
  expect((await world.browser().post('/v1/password-resets/confirm', reset)).status).toBe(200)
})

test('a valid link works, however many invalid ones were tried from its address', async () => {
  const before = world.mails.length
  await world.browser().post('/v1/password-resets', { email: ADA })
  await world.untilMails(before + 1)
  const token = world.lastToken('reset')
  await world.browser().post('/v1/sign-up', { email: EVE, password: GOOD_PASSWORD })
  await world.untilMails(before + 2)
  const verification = world.lastToken('verify')
  const junk = { token: 'x'.repeat(43), password: OTHER_PASSWORD }
  const tried: number[] = []
  for (let count = 0; count < 11; count++) {
    tried.push((await world.browser().post('/v1/password-resets/confirm', junk)).status)
  }
  expect(tried).toEqual([...Array(10).fill(400), 429])
  const reset = { token, password: OTHER_PASSWORD }
  expect((await world.browser().post('/v1/password-resets/confirm', reset)).status).toBe(200)
  expect((await world.browser().post('/v1/verifications', { token: verification })).status).toBe(200)
  expect((await world.browser().post('/v1/verifications', { token })).status).toBe(429)
})

describe('a restart', () => {
  const reopen = async () => {
    await world.close()
    world = await AccountWorld.open(folder, { ...BEHIND_PROXY, clock: world.clock })
  }

  test('keeps strangers’ attempts in the last 24 hours, for as long as they count', async () => {
    await guess(99)
    world.clock.millis += TRY_LIMITS.strangers.windowMillis / 2
    await reopen()
    expect((await logIn({})).status).toBe(401)
    expect((await logIn({ password: GOOD_PASSWORD })).status).toBe(403)
    await reopen()
    expect((await logIn({ password: GOOD_PASSWORD })).status).toBe(403)
    world.clock.millis += DAY_MILLIS - TRY_LIMITS.strangers.windowMillis / 2
    await reopen()
    expect((await logIn({ password: GOOD_PASSWORD })).status).toBe(200)
  })

  test('continues without them if their file is damaged or has another pepper, and reports it', async () => {
    for (const damage of [
      (bytes: Buffer) => bytes.subarray(0, bytes.length / 2),
      (bytes: Buffer) => bytes.fill(0),
      () => Buffer.alloc(0),
      () => Buffer.from(Bun.zstdCompressSync(new Uint8Array(100))),
    ]) {
      await guess(100, EVE)
      await world.close()
      const file = join(folder, 'log-in-tries')
      writeFileSync(file, damage(readFileSync(file)))
      world = await AccountWorld.open(folder, { ...BEHIND_PROXY, clock: world.clock })
      expect(world.problems).toEqual([expect.stringContaining('log-in-tries cannot be used')])
      expect((await logIn({ email: EVE })).status).toBe(401)
      world.clock.millis += DAY_MILLIS
    }
  })
})

test('a known browser does not wait for strangers’ password checks', async () => {
  const hashing = Array.from({ length: 400 }, (_, number) => logIn({ email: `a${number}@example.org`, from: '::1' }))
  await Bun.sleep(20) // by then, logins are queued
  expect((await logIn({ password: GOOD_PASSWORD, by: own })).status).toBe(200)
  const found = (await Promise.all(hashing)).map(({ status }) => status)
  expect(new Set(found)).toEqual(new Set([401, 503]))
}, 30_000)

test('addresses of one IPv6 /64 network count together, apart from others', async () => {
  const found = await statuses(12, (number) => ({ from: `2001:db8:1:2:${number}::${number}` }))
  expect(found).toEqual([...Array(10).fill(401), 429, 429])
  expect((await logIn({ from: '2001:db8:1:3::1' })).status).toBe(401)
  // An IPv4 address that is written as IPv6 counts as the same address.
  expect(await statuses(11, (number) => ({ from: number % 2 === 0 ? '::ffff:203.0.113.7' : '203.0.113.7' }))).toEqual([
    ...Array(10).fill(401),
    429,
  ])
  expect((await logIn({ from: '::ffff:203.0.113.8' })).status).toBe(401)
})

test('a public address may be wrong a hundred times in fifteen minutes; a local one may be that of a proxy', async () => {
  const names = (from: string) => (number: number) => {
    world.clock.millis += 100 // stays below the request rate limit of one address
    return { email: `a${number}@example.org`, from }
  }
  const found = await statuses(101, names('203.0.113.1'))
  expect(found).toEqual([...Array(100).fill(401), 429])
  expect((await logIn({ by: own, password: GOOD_PASSWORD })).status).toBe(200)
  expect((await logIn({ from: '203.0.113.2' })).status).toBe(401)
  for (const from of ['10.1.2.3', '::1', 'fd00::1']) {
    const local = await statuses(101, (number) => ({ ...names(from)(number), email: `b${number}${from}@example.org` }))
    expect([from, ...new Set(local)]).toEqual([from, 401])
  }
}, 30_000)

test('behind an untrusted proxy, attempts for one account lock no other', async () => {
  await world.close()
  world = await AccountWorld.open(folder, { clock: world.clock })
  const found = await statuses(11, (number) => ({ from: `203.0.113.${number}` }))
  expect(found).toEqual([...Array(10).fill(401), 429])
  expect((await logIn({ password: GOOD_PASSWORD, by: again(own) })).status).toBe(200)
  expect(await statuses(10, () => ({ email: EVE }))).toEqual(Array(10).fill(401))
})

test('a password that was not compared does not count as an attempt', async () => {
  const { identity } = world.accounts.store
  const findPassword = identity.findPassword
  identity.findPassword = () => Promise.reject(new StoreUnavailable('away'))
  expect(await statuses(10, () => ({}))).toEqual(Array(10).fill(503))
  identity.findPassword = findPassword
  expect(await statuses(11, () => ({}))).toEqual([...Array(10).fill(401), 429])
})

test('the current password may be tried ten times, whatever strangers try', async () => {
  await guess(100)
  const change = (current_password: string) =>
    own.put('/v1/password', { current_password, password: OTHER_PASSWORD }, { 'x-forwarded-for': '198.51.100.1' })
  for (let count = 0; count < 9; count++) expect((await change(WRONG_PASSWORD)).status).toBe(401)
  expect((await change(GOOD_PASSWORD)).status).toBe(204)
})

/** A new browser with the cookies of an earlier one, for the current world. */
function again({ cookie, device }: Browser): Browser {
  const browser = world.browser()
  browser.cookie = cookie
  browser.device = device
  return browser
}
