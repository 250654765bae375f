// Tests creating, using and removing passkeys. Fails if a challenge works twice, or for another account or site, if a
// passkey logs in although its device did not check the user, or if another account's passkey can be removed.
import { expect, spyOn, test } from 'bun:test'
import { CHALLENGE_LIFE_MILLIS, PASSKEY_LIMIT } from '../../../src/account-api/passkeys.ts'
import { CONFIRMED_MILLIS } from '../../../src/account-api/session-book.ts'
import { totpCode } from '../../../src/account-api/totp.ts'
import { toUtcText } from '../../../src/metering/utc-day.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, type Browser } from './account-world.ts'
import { ADA, describeWorlds, EVE } from './owner-worlds.ts'
import { type AnswerFaults, SoftPasskey } from './soft-passkey.ts'

function softPasskey(world: AccountWorld): SoftPasskey {
  const { hostname, origin } = new URL(world.listener.api.addresses.consoleUrl)
  return new SoftPasskey({ id: hostname, origin })
}

async function challengeOf(browser: Browser, path: string): Promise<string> {
  const { status, body } = await browser.post(path, undefined)
  expect(status).toBe(200)
  return String(Object(body['options']).challenge)
}

/** Adds a passkey to an account. */
async function add(owner: Browser, passkey: SoftPasskey, faults: AnswerFaults = {}) {
  const answer = passkey.make(await challengeOf(owner, '/v1/passkeys/setups'), faults)
  return owner.post('/v1/passkeys', { name: 'laptop', answer })
}

describeWorlds('a passkey', (opened) => {
  const use = async (passkey: SoftPasskey, faults: AnswerFaults = {}) => {
    const browser = opened.world.browser()
    const answer = passkey.use(await challengeOf(browser, '/v1/passkey-challenges'), faults)
    return { browser, answer: await browser.post('/v1/passkey-sessions', { answer }) }
  }

  test('logs in without a password or code, in a new session', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const passkey = softPasskey(world)
    const before = world.mails.length
    expect((await add(owner, passkey)).status).toBe(201)
    await world.untilMails(before + 1)
    expect(world.mails.at(-1)).toMatchObject({ to: ADA, subject: 'A passkey was added' })
    const secret = String((await owner.post('/v1/factor/setups', undefined)).body['secret'])
    await owner.put('/v1/factor', { code: totpCode(secret, world.clock.millis) })
    world.clock.millis += 1_000
    const { browser, answer } = await use(passkey)
    expect(answer.status).toBe(200)
    expect(Object(answer.body['account']).email).toBe(ADA)
    expect(browser.cookie).not.toBe(owner.cookie)
    expect((await browser.get('/v1/session')).status).toBe(200)
    const { passkeys } = Object((await owner.get('/v1/passkeys')).body)
    expect(passkeys).toEqual([
      {
        id: passkey.id,
        name: 'laptop',
        created_at: expect.any(String),
        last_used_at: toUtcText(world.clock.millis),
      },
    ])
  })

  test('responds to a challenge once, within five minutes, on this site, after a check by its device', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const passkey = softPasskey(world)
    await add(owner, passkey)
    const browser = world.browser()
    const challenge = await challengeOf(browser, '/v1/passkey-challenges')
    const reason = async (answer: object) => {
      const { status, body, headers } = await browser.post('/v1/passkey-sessions', { answer })
      if (status !== 200) expect(headers.getSetCookie()).toEqual([])
      return status === 200 ? 'in' : body['reason']
    }
    expect(await reason(passkey.use(challenge))).toBe('in')
    expect(await reason(passkey.use(challenge))).toBe('passkey_refused')
    expect(await reason(passkey.use('made-up'))).toBe('passkey_refused')
    const own = await challengeOf(owner, '/v1/passkeys/setups')
    expect(await reason(passkey.use(own))).toBe('passkey_refused')
    const faults: AnswerFaults[] = [
      { origin: 'https://evil.example' },
      { flags: 0x01 },
      { flags: 0x04 },
      { counter: 0 },
      { type: 'webauthn.create' },
    ]
    for (const fault of faults) {
      world.clock.millis += 16 * 60_000
      expect([fault, (await use(passkey, fault)).answer.body['reason']]).toEqual([fault, 'passkey_refused'])
    }
    const late = await challengeOf(browser, '/v1/passkey-challenges')
    world.clock.millis += CHALLENGE_LIFE_MILLIS
    expect(await reason(passkey.use(late))).toBe('passkey_refused')
    const stranger = softPasskey(world)
    expect((await use(stranger)).answer.body['reason']).toBe('passkey_refused')
    const forged = { ...stranger.use(await challengeOf(browser, '/v1/passkey-challenges')), id: passkey.id }
    expect(await reason(forged)).toBe('passkey_refused')
    expect((await use(passkey)).answer.status).toBe(200)
  })

  test('is created for the requesting account, after a recent login, and can be removed only by it', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const eve = await world.member(EVE)
    const passkey = softPasskey(world)
    const challenge = await challengeOf(owner, '/v1/passkeys/setups')
    const body = { name: 'hers', answer: passkey.make(challenge) }
    expect((await eve.post('/v1/passkeys', body)).body['reason']).toBe('passkey_refused')
    expect((await owner.post('/v1/passkeys', body, { 'x-csrf-token': eve.csrf })).body['reason']).toBe('csrf_failed')
    expect((await owner.post('/v1/passkeys', body)).status).toBe(201)
    expect((await owner.post('/v1/passkeys', body)).body['reason']).toBe('passkey_refused')
    expect((await add(owner, passkey)).body['reason']).toBe('not_allowed') // the passkey is already known
    expect((await add(owner, softPasskey(world), { origin: 'https://evil.example' })).body['reason']).toBe(
      'passkey_refused',
    )
    expect((await add(owner, softPasskey(world), { flags: 0x41 })).body['reason']).toBe('passkey_refused')
    expect((await owner.post('/v1/passkeys', { ...body, name: ' ' })).body['reason']).toBe('invalid_request')
    const path = `/v1/passkeys/${passkey.id}`
    expect((await eve.delete(path)).body['reason']).toBe('not_found')
    expect((await owner.delete(path, { 'sec-fetch-site': 'cross-site' })).body['reason']).toBe('csrf_failed')
    world.clock.millis += CONFIRMED_MILLIS
    expect((await owner.delete(path)).body['reason']).toBe('confirmation_required')
    expect((await owner.post('/v1/passkeys/setups', undefined)).body['reason']).toBe('confirmation_required')
    const { browser } = await use(passkey)
    const before = world.mails.length
    expect((await browser.delete(path)).status).toBe(204)
    await world.untilMails(before + 1)
    expect(world.mails.slice(before)).toMatchObject([{ to: ADA, subject: 'A passkey was removed' }])
    expect((await use(passkey)).answer.body['reason']).toBe('passkey_refused')
    const kinds = Object((await browser.get('/v1/events')).body['events']).map(({ kind }: { kind: string }) => kind)
    expect(kinds.slice(0, 3)).toEqual(['passkey_removed', 'logged_in', 'passkey_added'])
  })

  test('when rejected, is in the activity and the log, with its account if known', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const [passkey, stranger] = [softPasskey(world), softPasskey(world)]
    await add(owner, passkey)
    const lines: unknown[] = []
    const log = spyOn(world.listener.api.logger, 'info').mockImplementation((line: unknown) => void lines.push(line))
    const details: unknown[] = []
    try {
      for (const [used, faults] of [
        [passkey, { origin: 'https://evil.example' }],
        [stranger, {}],
        [stranger, { origin: 'https://evil.example' }],
      ] as const)
        details.push((await use(used, faults)).answer.body['detail'])
      details.push((await world.browser().post('/v1/passkey-sessions', { answer: passkey.use('used') })).body['detail'])
    } finally {
      log.mockRestore()
    }
    const { id } = (await world.accounts.store.findAccount(ADA)) ?? {}
    const line = (account_id: string | null | undefined) => {
      return { kind: 'log_in_failed', account_id, client: '127.0.0.1', wrong: 'passkey', device: null }
    }
    expect(lines).toEqual([line(id), line(null), line(null), line(id)])
    // The first three errors are the same, so they do not reveal whether a passkey is known.
    expect(new Set(details.slice(0, 3)).size).toBe(1)
    const { body } = await owner.get('/v1/events')
    const failed = Object(body['events']).filter(({ kind }: { kind: string }) => kind === 'log_in_failed')
    expect(failed.map(({ detail }: { detail: unknown }) => detail)).toEqual([
      { wrong: 'passkey', device: null },
      { wrong: 'passkey', device: null },
    ])
  })

  test('when rejected, counts toward its account’s ten daily failures; an unknown one counts as often', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const [passkey, stranger] = [softPasskey(world), softPasskey(world)]
    await add(owner, passkey)
    await world.browser().post('/v1/sessions', { email: ADA, password: 'a wrong password' })
    const record = spyOn(world.accounts.store.identity, 'recordFailure')
    const counts: number[] = []
    for (const used of [passkey, stranger]) {
      record.mockClear()
      for (let count = 0; count < 12; count++) {
        world.clock.millis += 2 * 60_000
        expect((await use(used, { type: 'webauthn.create' })).answer.status).toBe(400)
      }
      counts.push(record.mock.calls.length)
    }
    record.mockRestore()
    expect(counts).toEqual([9, 10])
  })

  test('challenges are limited to sixty in 15 minutes per network address', async () => {
    const { world } = opened
    const statuses: number[] = []
    for (let count = 0; count < 61; count++) {
      statuses.push((await world.browser().post('/v1/passkey-challenges', undefined)).status)
    }
    expect(statuses).toEqual([...Array(60).fill(200), 429])
  })

  test('of a suspended or deleted account does not log in; an account may have ten', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const passkeys = Array.from({ length: PASSKEY_LIMIT + 1 }, () => softPasskey(world))
    const statuses: number[] = []
    for (const passkey of passkeys) statuses.push((await add(owner, passkey)).status)
    expect(statuses).toEqual([...Array(PASSKEY_LIMIT).fill(201), 403])
    const [first = softPasskey(world)] = passkeys
    await world.accounts.operations.setSuspended({ email: ADA, isSuspended: true })
    expect((await use(first)).answer.body['reason']).toBe('account_suspended')
    await world.accounts.operations.setSuspended({ email: ADA, isSuspended: false })
    const { browser } = await use(first)
    expect((await browser.delete('/v1/account')).status).toBe(204)
    expect((await use(first)).answer.body['reason']).toBe('passkey_refused')
  })
})

test('a rejected passkey takes equally long whether known or unknown', async () => {
  const world = await AccountWorld.open(makeFolder())
  try {
    const owner = await world.member(ADA)
    const [passkey, stranger] = [softPasskey(world), softPasskey(world)]
    await add(owner, passkey)
    const time = async (id: string) => {
      const browser = world.browser()
      // At most ten failures are recorded per day. The clock is moved so that each attempt here is recorded, and all
      // attempts do the same work.
      world.clock.millis += 3 * 3_600_000
      // The response has the given id, but is always signed with the key of the unknown passkey.
      const answer = { ...stranger.use(await challengeOf(browser, '/v1/passkey-challenges')), id }
      const start = performance.now()
      const { status } = await browser.post('/v1/passkey-sessions', { answer })
      expect(status).toBe(400)
      return performance.now() - start
    }
    await time(passkey.id)
    const apart: number[] = []
    for (let round = 0; round < 40; round++) apart.push((await time(passkey.id)) - (await time(stranger.id)))
    expect(Math.abs(apart.toSorted((a, b) => a - b)[20])).toBeLessThan(5)
  } finally {
    await world.close()
  }
}, 120_000)
