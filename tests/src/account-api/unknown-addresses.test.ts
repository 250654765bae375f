// Tests that the API limits attempts and does not reveal who has an account (ASVS 5.0, 6.3). Fails if the response, the
// work or the time depends on whether an address is known, or if an eleventh attempt in fifteen minutes is possible.
// log-in-tries.test.ts tests how password attempts are counted.
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { bySize } from '../../size.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, type Answer, GOOD_PASSWORD, type WorldOptions } from './account-world.ts'

/**
 * Longest time for which an attempt can count against the fifteen-minute limit. Attempts are counted in slots of a
 * twelfth of the window, so an attempt can count for one slot longer than the window.
 */
const WINDOW_MILLIS = 15 * 60_000 + (15 * 60_000) / 12
const WRONG_PASSWORD = 'siebzehn gelbe Fahrkarten'
/**
 * How many logins are timed for each kind of address, known and unknown, and the fraction by which the medians of the
 * two kinds may differ.
 */
const TIMED = bySize({ quick: 12, ci: 60, full: 300 })
const TOLERANCE = bySize({ quick: 0.5, ci: 0.2, full: 0.05 })

/** The addresses of an ordinary account, an unverified account, a suspended account, and no account. */
const EMAILS = ['known@example.org', 'waiting@example.org', 'closed@example.org', 'none@example.org']

/** Settings with a trusted proxy, so that tests can set the address of each request. */
const BEHIND_PROXY: WorldOptions = { flags: { trusted_proxies: ['127.0.0.1'] } }

let world: AccountWorld

beforeEach(async () => {
  world = await AccountWorld.open(makeFolder())
})

afterEach(() => world.close())

/** Creates the accounts: an ordinary one, an unverified one, and a suspended one. */
async function openAccounts(): Promise<void> {
  await world.member('known@example.org')
  await world.signUp('waiting@example.org')
  await world.member('closed@example.org')
  await world.accounts.operations.setSuspended({ email: 'closed@example.org', isSuspended: true })
  world.clock.millis += WINDOW_MILLIS
}

/** The parts of a response that do not differ from request to request. */
function comparable({ status, headers, text }: Answer): unknown {
  const kept = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
  return { status, headers: kept, text: text.replaceAll(headers.get('x-request-id') ?? 'none', '') }
}

describe('known and unknown addresses', () => {
  const REQUESTED: readonly (readonly [path: string, more: object, status: number, hashes: number])[] = [
    ['/v1/sign-up', { password: WRONG_PASSWORD }, 202, 1],
    ['/v1/password-resets', {}, 202, 0],
    ['/v1/sessions', { password: WRONG_PASSWORD }, 401, 1],
  ]

  test.each(REQUESTED)('%s gets the same response, after the same work', async (path, more, status, hashes) => {
    await openAccounts()
    // At the first comparison, the service creates the hash that it uses for unknown addresses. This login causes that
    // extra work before the work is counted.
    await world.browser().post('/v1/sessions', { email: 'first@example.org', password: WRONG_PASSWORD })
    const hash = spyOn(Bun.password, 'hash')
    const verify = spyOn(Bun.password, 'verify')
    const changes = spyOn(world.accounts.store.identity, path === '/v1/sign-up' ? 'signUp' : 'insertLink')
    try {
      const answers: unknown[] = []
      const work: { hashed: number; costs: unknown; transactions: number }[] = []
      for (const email of EMAILS) {
        for (const spy of [hash, verify, changes]) spy.mockClear()
        answers.push(comparable(await world.browser().post(path, { email, ...more })))
        // The cost parameters of the hash, which determine how long a comparison takes.
        const costs = verify.mock.calls.map(
          ([, compared]) => /^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$/.exec(String(compared))?.[0],
        )
        const hashed = hash.mock.calls.length + verify.mock.calls.length
        work.push({ hashed, costs, transactions: changes.mock.calls.length })
      }
      expect(answers).toEqual(Array(EMAILS.length).fill(answers[0]))
      expect(answers[0]).toMatchObject({ status })
      expect(work).toEqual(Array(EMAILS.length).fill(work[0]))
      expect(work[0]?.hashed).toBe(hashes)
    } finally {
      for (const spy of [hash, verify, changes]) spy.mockRestore()
    }
  })

  test('are not revealed by signing up and then logging in', async () => {
    await openAccounts()
    const answers: unknown[] = []
    for (const email of EMAILS.filter((one) => one !== 'closed@example.org')) {
      await world.browser().post('/v1/sign-up', { email, password: WRONG_PASSWORD })
      answers.push(comparable(await world.browser().post('/v1/sessions', { email, password: WRONG_PASSWORD })))
    }
    expect(answers).toEqual(Array(3).fill(answers[0]))
    expect(answers[0]).toMatchObject({ status: 401 })
    // The number of allowed attempts must not reveal whether the account exists.
    world.clock.millis += WINDOW_MILLIS
    const statuses: number[][] = []
    for (const email of ['known@example.org', 'waiting@example.org']) {
      const body = { email, password: WRONG_PASSWORD }
      // All attempts are sent at the same time, so their order is unknown.
      const tries = Array.from({ length: 11 }, () => world.browser().post('/v1/sessions', body))
      statuses.push((await Promise.all(tries)).map(({ status }) => status).sort())
      world.clock.millis += WINDOW_MILLIS
    }
    expect(statuses).toEqual(Array(2).fill([...Array(10).fill(401), 429]))
  })

  test('get their emails after the response', async () => {
    await openAccounts()
    const before = world.mails.length
    const { identity } = world.listener.api
    const given = { email: 'new@example.org', password: GOOD_PASSWORD, client: '::1', language: 'en' } as const
    expect(await identity.signUp(given)).toBeUndefined()
    expect(await identity.requestReset('known@example.org', given)).toBeUndefined()
    expect(world.mails.length).toBeLessThanOrEqual(before + 1) // the response must not wait until the email is sent
    await world.untilMails(before + 2)
    expect(world.mails.slice(before).map(({ to }) => to)).toEqual(['new@example.org', 'known@example.org'])
  })

  test('are revealed only to the mailbox', async () => {
    await openAccounts()
    const before = world.mails.length
    for (const email of EMAILS) await world.browser().post('/v1/password-resets', { email })
    world.clock.millis += WINDOW_MILLIS
    for (const email of EMAILS) await world.browser().post('/v1/sign-up', { email, password: WRONG_PASSWORD })
    await world.untilMails(before + 6)
    const sent = world.mails.slice(before).map(({ to, subject }) => `${to}: ${subject}`)
    expect(sent).toEqual([
      'known@example.org: Choose a new password',
      'waiting@example.org: Choose a new password',
      'known@example.org: You already have an account',
      'waiting@example.org: Confirm your email address',
      'closed@example.org: You already have an account',
      'none@example.org: Confirm your email address',
    ])
  })

  test(`get the response for a wrong password in the same time (${TIMED} of each)`, async () => {
    await reopen({ isCostly: true })
    await openAccounts()
    const timed: Record<'known' | 'none', number[]> = { known: [], none: [] }
    const tryIt = async (kind: 'known' | 'none') => {
      const started = performance.now()
      const answer = await world.browser().post('/v1/sessions', {
        email: `${kind}@example.org`,
        password: WRONG_PASSWORD,
      })
      timed[kind].push(performance.now() - started)
      expect(answer.status).toBe(401)
      world.clock.millis += WINDOW_MILLIS / 2
    }
    await tryIt('none')
    await tryIt('known')
    timed.known = []
    timed.none = []
    // The two kinds of addresses alternate, so other work on the machine affects both.
    for (let count = 0; count < TIMED; count++) {
      for (const kind of count % 2 === 0 ? (['known', 'none'] as const) : (['none', 'known'] as const))
        await tryIt(kind)
    }
    const [known, none] = [median(timed.known), median(timed.none)]
    expect(Math.abs(known - none) / none).toBeLessThan(TOLERANCE)
  }, 120_000)
})

describe('attempts', () => {
  test('a hundred at once count as ten', async () => {
    const tries = Array.from({ length: 100 }, () =>
      world.browser().post('/v1/sessions', { email: 'none@example.org', password: WRONG_PASSWORD }),
    )
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(90).fill(429)])
  })

  test('with the right password do not count', async () => {
    await world.member('known@example.org')
    const body = { email: 'known@example.org', password: GOOD_PASSWORD }
    for (let count = 0; count < 15; count++) expect((await world.browser().post('/v1/sessions', body)).status).toBe(200)
  })

  test('at the current password count too, since a session may be stolen', async () => {
    const browser = await world.member('known@example.org')
    const body = { current_password: WRONG_PASSWORD, password: 'acht graue Schienen' }
    for (let count = 0; count < 10; count++) expect((await browser.put('/v1/password', body)).status).toBe(401)
    const refused = await browser.put('/v1/password', { ...body, current_password: GOOD_PASSWORD })
    expect([refused.status, refused.body['reason']]).toEqual([429, 'too_many_tries'])
  })

  test('to request emails and to use links are limited to ten as well', async () => {
    const statuses = async (path: string, body: object) => {
      const found: number[] = []
      for (let count = 0; count < 11; count++) found.push((await world.browser().post(path, body)).status)
      return found
    }
    const body = { email: 'known@example.org' }
    expect(await statuses('/v1/password-resets', body)).toEqual([...Array(10).fill(202), 429])
    expect((await world.browser().post('/v1/sign-up', { ...body, password: GOOD_PASSWORD })).status).toBe(429)
    expect(await statuses('/v1/verifications', { token: 'x' })).toEqual([...Array(10).fill(400), 429])
    // An attacker who guesses passwords does not keep the owner from resetting the password.
    world.clock.millis += WINDOW_MILLIS
    await world.member('known@example.org')
    await statuses('/v1/sessions', { ...body, password: WRONG_PASSWORD })
    const before = world.mails.length
    await world.browser().post('/v1/password-resets', body)
    await world.untilMails(before + 1)
    const reset = { token: world.lastToken('reset'), password: WRONG_PASSWORD }
    expect((await world.browser().post('/v1/password-resets/confirm', reset)).status).toBe(200)
    expect((await world.browser().post('/v1/sessions', { ...body, password: WRONG_PASSWORD })).status).toBe(429)
  })
})

test('each address may send fifty requests at once and ten a second; this machine has no limit', async () => {
  const ask = async (count: number, headers: Readonly<Record<string, string>> = {}) => {
    const answers = Array.from({ length: count }, () => world.browser().get('/v1/session', headers))
    return (await Promise.all(answers)).map(({ status }) => status).sort()
  }
  expect(await ask(100)).toEqual(Array(100).fill(401))
  await reopen(BEHIND_PROXY)
  const from = { 'x-forwarded-for': '203.0.113.1' }
  expect(await ask(60, from)).toEqual([...Array(50).fill(401), ...Array(10).fill(429)])
  expect(await ask(5, { 'x-forwarded-for': '203.0.113.2' })).toEqual(Array(5).fill(401))
  world.clock.millis += 1_000
  expect(await ask(11, from)).toEqual([...Array(10).fill(401), 429])
})

/** Reopens the world with the same accounts and other options. */
async function reopen(options: WorldOptions): Promise<void> {
  const { dataDir, clock } = world
  await world.close()
  world = await AccountWorld.open(dataDir, { clock, ...options })
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
