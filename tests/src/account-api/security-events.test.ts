// Tests how logins, failed logins and ended sessions are recorded in an account's activity and in the log. Fails if a
// failure is missing, if failures fill the store, or if the service does different work for addresses with and without
// an account.
import { expect, spyOn, test } from 'bun:test'
import { totpCode } from '../../../src/account-api/totp.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'
import { ADA, describeWorlds, EVE, logIn } from './owner-worlds.ts'

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const DAY_MILLIS = 86_400_000
const FAILURES_A_DAY = 10

async function listEvents(owner: Browser): Promise<{ kind: string; detail: unknown }[]> {
  return Object((await owner.get('/v1/events?limit=100')).body['events'])
}

describeWorlds('the activity', (opened) => {
  const tryWrong = (email: string, headers = {}) =>
    opened.world.browser().post('/v1/sessions', { email, password: 'a wrong password' }, headers)

  test('has logins with their devices, failed ones, and the end of sessions', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    await tryWrong(ADA.toUpperCase(), FIREFOX)
    await tryWrong(EVE)
    await world.browser().post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD }, FIREFOX)
    await owner.delete('/v1/sessions/others')
    await owner.delete('/v1/sessions/others') // there is no other session to end, so no event
    const secret = String((await owner.post('/v1/factor/setups', undefined)).body['secret'])
    await owner.put('/v1/factor', { code: totpCode(secret, world.clock.millis) })
    await world.browser().post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD, code: '000000' })
    const events = await listEvents(owner)
    expect(events.map(({ kind, detail }) => [kind, detail])).toEqual([
      ['log_in_failed', { wrong: 'code', device: null }],
      ['factor_enabled', {}],
      ['sessions_ended', { ended: 'others' }],
      ['logged_in', { device: 'Firefox on Linux' }],
      ['log_in_failed', { wrong: 'password', device: 'Firefox on Linux' }],
      ['logged_in', { device: null }],
      ['verified', {}],
      ['signed_up', {}],
    ])
  })

  test('has wrong current passwords, which a session thief might try', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const wrong = { password: 'a wrong password' }
    expect((await owner.post('/v1/sessions/current/confirmations', wrong, FIREFOX)).status).toBe(401)
    await owner.put('/v1/password', { current_password: wrong.password, password: 'acht neue Fahrräder' })
    const events = await listEvents(owner)
    expect(events.slice(0, 2).map(({ kind, detail }) => [kind, detail])).toEqual([
      ['log_in_failed', { wrong: 'present_password', device: null }],
      ['log_in_failed', { wrong: 'present_password', device: 'Firefox on Linux' }],
    ])
  })

  test('has at most ten failed logins a day, only the account’s own', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const eve = await world.member(EVE)
    const failuresOf = async (browser: Browser) =>
      (await listEvents(browser)).filter(({ kind }) => kind === 'log_in_failed').length
    for (let round = 0; round < 3; round++) {
      for (let count = 0; count < FAILURES_A_DAY; count++) await tryWrong(ADA)
      world.clock.millis += 16 * 60_000
    }
    expect([await failuresOf(owner), await failuresOf(eve)]).toEqual([FAILURES_A_DAY, 0])
    world.clock.millis += DAY_MILLIS + 3 * 3_600_000
    await tryWrong(ADA)
    expect(await failuresOf(await logIn(world))).toBe(FAILURES_A_DAY + 1)
  })

  test('is logged, without addresses and passwords; a failure for an unknown address too', async () => {
    const { world } = opened
    const lines: unknown[] = []
    const log = spyOn(world.listener.api.logger, 'info').mockImplementation((line: unknown) => void lines.push(line))
    try {
      await world.member(ADA)
      await tryWrong(ADA)
      await tryWrong('none@example.org')
    } finally {
      log.mockRestore()
    }
    const { id } = (await world.accounts.store.findAccount(ADA)) ?? {}
    expect(lines).toEqual([
      { kind: 'verified', account_id: id, client: '127.0.0.1' },
      { kind: 'logged_in', account_id: id, client: '127.0.0.1', device: null },
      { kind: 'log_in_failed', account_id: id, client: '127.0.0.1', wrong: 'password', device: null },
      { kind: 'log_in_failed', account_id: null, client: '127.0.0.1', wrong: 'password', device: null },
    ])
  })

  test('needs the same number of transactions whether or not an address has an account', async () => {
    const { world } = opened
    await world.member(ADA)
    await world.signUp('waiting@example.org')
    const record = spyOn(world.accounts.store.identity, 'recordFailure')
    const counts: number[] = []
    for (const email of [ADA, 'none@example.org', 'waiting@example.org']) {
      record.mockClear()
      for (let count = 0; count < FAILURES_A_DAY + 1; count++) await tryWrong(email)
      counts.push(record.mock.calls.length)
    }
    record.mockRestore()
    expect(counts).toEqual([10, 10, 10])
  })
})

test('changing to an address with an account takes as long as to one without', async () => {
  const world = await AccountWorld.open(makeFolder())
  try {
    const owner = await world.member(ADA)
    const [known, unknown]: [number[], number[]] = [[], []]
    const rounds = 20
    for (let round = 0; round < rounds; round++) {
      world.clock.millis += 2 * 60_000
      await world.signUp(`known-${round}@example.org`)
    }
    const time = async (email: string) => {
      world.clock.millis += 2 * 60_000
      await owner.post('/v1/sessions/current/confirmations', { password: GOOD_PASSWORD })
      const start = performance.now()
      const { status } = await owner.post('/v1/email-changes', { email })
      expect(status).toBe(202)
      return performance.now() - start
    }
    for (let round = 0; round < rounds; round++) {
      known.push(await time(`known-${round}@example.org`))
      unknown.push(await time(`none-${round}@example.org`))
    }
    expect(Math.abs(median(known) - median(unknown))).toBeLessThan(5)
  } finally {
    await world.close()
  }
}, 120_000)

test('a failed login takes as long for a known address as for an unknown one', async () => {
  const world = await AccountWorld.open(makeFolder(), { isCostly: true })
  try {
    const apart: number[] = []
    const rounds = 40
    for (let round = 0; round < rounds; round++) {
      await world.signUp(`known-${round}@example.org`)
      world.clock.millis += 2 * 60_000
    }
    const time = async (email: string) => {
      const start = performance.now()
      const { status } = await world.browser().post('/v1/sessions', { email, password: 'a wrong password' })
      expect(status).toBe(401)
      return performance.now() - start
    }
    await time('first@example.org')
    // A difference in the code affects every series of measurements, but other work on the machine affects only some.
    // So the series is repeated if it shows a difference.
    for (let series = 0; series < 4 && (series === 0 || Math.abs(median(apart)) >= 5); series++) {
      apart.length = 0
      for (let round = 0; round < rounds; round++) {
        // Known and unknown addresses alternate, so other work affects both. The clock is moved to stay below all
        // limits on attempts.
        world.clock.millis += 60_000
        const known = await time(`known-${round}@example.org`)
        apart.push(known - (await time(`none-${round}@example.org`)))
      }
    }
    expect(Math.abs(median(apart))).toBeLessThan(5)
  } finally {
    await world.close()
  }
}, 120_000)

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
