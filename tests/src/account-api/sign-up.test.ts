// Tests sign-up, verification, login and reset over a real port. Fails if a link works twice or too late, if a link can
// be made from the contents of the store, if a request header ends up in an email, or if somebody can log in without
// the password.

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { accountDatabasePath } from '../../../src/accounts/open-account-store.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, GOOD_PASSWORD } from './account-world.ts'

const ADA = 'ada@example.org'
const HOUR_MILLIS = 3_600_000
const OTHER_PASSWORD = 'siebzehn gelbe Fahrkarten'

let folder: string
let world: AccountWorld

beforeEach(async () => {
  folder = makeFolder()
  world = await AccountWorld.open(folder)
})

afterEach(() => world.close())

describe('emails', () => {
  test('are in the language that the request prefers, by default English', async () => {
    const prefer = async (language: string) => {
      const before = world.mails.length
      const email = `${before}@example.org`
      const headers = { 'Accept-Language': language }
      expect((await world.browser().post('/v1/sign-up', { email, password: GOOD_PASSWORD }, headers)).status).toBe(202)
      await world.untilMails(before + 1)
      return world.mails.at(-1)
    }
    const french = await prefer('fr-CH, fr;q=0.9, en;q=0.8')
    expect(french?.subject).toBe('Confirmez votre adresse e-mail')
    expect(french?.text).toMatch(/ouvrez ce lien dans l'heure[\s\S]+\/console#\/verify\?token=\S{20}/)
    expect((await prefer('de, en;q=0.5, fr;q=0.4'))?.subject).toBe('Confirm your email address')
    expect((await prefer('de'))?.subject).toBe('Confirm your email address')
  })
})

describe('sign-up', () => {
  test('leads, through its email, to a session of a verified account', async () => {
    const browser = world.browser()
    const answer = await browser.post('/v1/sign-up', { email: ` ${ADA} `, password: GOOD_PASSWORD })
    expect([answer.status, browser.cookie]).toEqual([202, undefined])
    await world.untilMails(1)
    expect(world.mails[0]).toMatchObject({ to: ADA, subject: 'Confirm your email address' })
    const verified = await browser.post('/v1/verifications', { token: world.lastToken('verify') })
    expect(verified).toMatchObject({
      status: 200,
      body: {
        account: {
          email: ADA,
          plan: 'free',
          state: 'active',
          key_limit: 2,
          active_keys: 0,
          overage_enabled: false,
          spend_cap_cents: 0,
          created_at: '2026-03-10T12:00:00+00:00',
        },
        api_url: 'http://localhost:8080',
        explorer_url: 'http://localhost:8083',
        currency: 'EUR',
        plans: expect.any(Array),
      },
    })
    expect((await browser.get('/v1/session')).body).toEqual(verified.body)
  })

  test('grants no access before its verification, and reveals nothing', async () => {
    const browser = world.browser()
    await browser.post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD })
    const wrong = await browser.post('/v1/sessions', { email: ADA, password: OTHER_PASSWORD })
    expect([wrong.status, wrong.body['reason']]).toEqual([401, 'wrong_credentials'])
    // The responses to the wrong and the right password are the same: they must not reveal whether the account exists.
    const right = await browser.post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
    expect([right.status, right.body['detail']]).toEqual([401, wrong.body['detail']])
    expect(browser.cookie).toBeUndefined()
  })

  test('repeated before verification: each link sets the password of its own sign-up', async () => {
    const browser = world.browser()
    await browser.post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD })
    await world.untilMails(1)
    const own = world.lastToken('verify')
    // An attacker signs up with the same address. If the owner then verified the attacker's sign-up, the attacker would
    // know the password.
    await world.browser().post('/v1/sign-up', { email: ADA.toUpperCase(), password: OTHER_PASSWORD })
    await world.untilMails(2)
    const foreign = world.lastToken('verify')
    expect((await browser.post('/v1/verifications', { token: own, password: GOOD_PASSWORD })).status).toBe(200)
    expect((await browser.post('/v1/verifications', { token: foreign })).status).toBe(400)
    const logIn = (password: string) => world.browser().post('/v1/sessions', { email: ADA, password })
    expect((await logIn(OTHER_PASSWORD)).status).toBe(401)
    expect((await logIn(GOOD_PASSWORD)).status).toBe(200)
  })

  test('by a stranger after the owner’s: the stranger’s link needs the stranger’s password', async () => {
    await world.signUp(ADA)
    const own = world.lastToken('verify')
    world.clock.millis += 60_000
    await world.signUp(ADA, OTHER_PASSWORD)
    const browser = world.browser()
    const use = async (token: string, password?: string) => {
      const { status, body } = await browser.post('/v1/verifications', { token, password })
      return [status, body['reason']]
    }
    const foreign = world.lastToken('verify')
    // The owner opens the link in the newest email, but only has the password of the earlier sign-up.
    expect(await use(foreign)).toEqual([403, 'confirmation_required'])
    expect(await use(foreign, GOOD_PASSWORD)).toEqual([401, 'wrong_credentials'])
    expect(await use(own)).toEqual([403, 'confirmation_required'])
    expect(browser.cookie).toBeUndefined()
    // After the owner's link has expired, the attacker's link still needs the attacker's password.
    world.clock.millis += HOUR_MILLIS - 60_000
    expect(await use(own, GOOD_PASSWORD)).toEqual([400, 'invalid_token_link'])
    expect(await use(foreign)).toEqual([403, 'confirmation_required'])
    await world.signUp(ADA)
    expect(await use(world.lastToken('verify'), GOOD_PASSWORD)).toEqual([200, undefined])
    const logIn = (password: string) => world.browser().post('/v1/sessions', { email: ADA, password })
    expect((await logIn(OTHER_PASSWORD)).status).toBe(401)
    expect((await logIn(GOOD_PASSWORD)).status).toBe(200)
  })

  test('repeated still leaves ten attempts to enter its password', async () => {
    await world.signUp(ADA)
    await world.signUp(ADA, OTHER_PASSWORD)
    const token = world.lastToken('verify')
    const statuses = []
    for (let at = 0; at < 11; at++) {
      const password = `not that of the sign-up ${at}`
      statuses.push((await world.browser().post('/v1/verifications', { token, password })).status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
  })

  test('that starts before a verification and is stored after it changes no password and leaves no link', async () => {
    await world.signUp(ADA)
    const token = world.lastToken('verify')
    const { store } = world.accounts
    const { identity } = store
    const signUp = identity.signUp.bind(identity)
    const browser = world.browser()
    // The owner verifies the address between the attacker's read and the attacker's transaction.
    const stored = spyOn(identity, 'signUp').mockImplementationOnce(async (link, opened, nowMillis) => {
      expect((await browser.post('/v1/verifications', { token })).status).toBe(200)
      return signUp(link, opened, nowMillis)
    })
    try {
      const answer = await world.browser().post('/v1/sign-up', { email: ADA, password: OTHER_PASSWORD })
      expect(answer.status).toBe(202)
    } finally {
      stored.mockRestore()
    }
    await world.untilMails(2)
    expect(world.mails[1]?.subject).toBe('You already have an account')
    const logIn = (password: string) => world.browser().post('/v1/sessions', { email: ADA, password })
    expect((await logIn(OTHER_PASSWORD)).status).toBe(401)
    expect((await logIn(GOOD_PASSWORD)).status).toBe(200)
  })

  test('ten times at once with one address creates one account', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => world.browser().post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(202))
    expect(await world.accounts.store.listAccounts()).toHaveLength(1)
  })

  test.each([
    ['', 'no address'],
    ['ada', 'no domain'],
    ['a@b@c', 'two @'],
    ['ada@example.org, eve@example.org', 'a list'],
    ['ada@example.org\r\nBcc: eve@example.org', 'a header'],
    ['"Ada <eve@example.org>"@example.org', 'a quoted name'],
    ['<ada@example.org>', 'in brackets'],
    [`${'a'.repeat(65)}@example.org`, 'a name that is too long'],
    [`ada@${'example.'.repeat(40)}org`, 'a domain that is too long'],
    ['ada@-example.org', 'an invalid host'],
    ['ada\u0000@example.org', 'a zero'],
  ])('rejects %j: %s', async (email) => {
    const answer = await world.browser().post('/v1/sign-up', { email, password: GOOD_PASSWORD })
    expect([answer.status, answer.body['reason']]).toEqual([400, 'invalid_request'])
    expect(await world.accounts.store.listAccounts()).toEqual([])
  })
})

describe('a link', () => {
  test('works once', async () => {
    await world.member(ADA)
    const replay = await world.browser().post('/v1/verifications', { token: world.lastToken('verify') })
    expect([replay.status, replay.body['reason']]).toEqual([400, 'invalid_token_link'])
    expect(replay.headers.getSetCookie()).toEqual([])
  })

  test('works once, even if used ten times at once', async () => {
    await world.signUp(ADA)
    const token = world.lastToken('verify')
    const uses = Array.from({ length: 10 }, () => world.browser().post('/v1/verifications', { token }))
    const statuses = (await Promise.all(uses)).map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array(9).fill(400)])
  })

  test('works for an hour', async () => {
    await world.signUp(ADA)
    const first = world.lastToken('verify')
    world.clock.millis += HOUR_MILLIS
    expect((await world.browser().post('/v1/verifications', { token: first })).status).toBe(400)
    await world.browser().post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD })
    await world.untilMails(2)
    world.clock.millis += HOUR_MILLIS - 1
    const second = { token: world.lastToken('verify'), password: GOOD_PASSWORD }
    expect((await world.browser().post('/v1/verifications', second)).status).toBe(200)
  })

  test('is invalidated together with its account’s other links', async () => {
    const requested = world.browser()
    await world.member(ADA)
    await requested.post('/v1/password-resets', { email: ADA })
    await world.untilMails(2)
    const first = world.lastToken('reset')
    await requested.post('/v1/password-resets', { email: ADA })
    await world.untilMails(3)
    const body = { token: world.lastToken('reset'), password: OTHER_PASSWORD }
    expect((await requested.post('/v1/password-resets/confirm', body)).status).toBe(200)
    expect((await requested.post('/v1/password-resets/confirm', { ...body, token: first })).status).toBe(400)
  })

  test('works only for its purpose', async () => {
    await world.signUp(ADA)
    const body = { token: world.lastToken('verify'), password: OTHER_PASSWORD }
    expect((await world.browser().post('/v1/password-resets/confirm', body)).status).toBe(400)
  })

  test('and a session are stored only as digests, a password as argon2id', async () => {
    await world.close()
    world = await AccountWorld.open(folder, { isCostly: true })
    const browser = await world.member(ADA)
    await browser.post('/v1/password-resets', { email: ADA })
    await world.untilMails(2)
    const secrets = [world.lastToken('reset'), browser.token, browser.csrf ?? '', GOOD_PASSWORD]
    expect(secrets.map((secret) => secret.length >= 22)).toEqual([true, true, true, true]) // more than 128 bits
    const database = new Database(accountDatabasePath(folder), { readonly: true })
    const everything = JSON.stringify(
      database
        .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
        .all()
        .map(({ name }) => database.query(`SELECT * FROM "${name}"`).all()),
    )
    database.close()
    expect(secrets.filter((secret) => everything.includes(secret))).toEqual([])
    expect(everything).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
    // A digest from the store cannot be used as a link.
    const [digest] = /[0-9a-f]{64}/.exec(everything) ?? []
    expect((await world.browser().post('/v1/verifications', { token: digest })).status).toBe(400)
  })
})

describe('an emailed link', () => {
  const FORGED = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }

  test('is built from the configuration, regardless of Host and X-Forwarded-Host', async () => {
    const browser = world.browser()
    const forged = { ...FORGED, forwarded: 'host=evil.example', 'x-original-host': 'evil.example', origin: undefined }
    await browser.post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD }, forged)
    await world.untilMails(1)
    await browser.post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD }, forged)
    await world.untilMails(2)
    await browser.post('/v1/verifications', { token: world.lastToken('verify') }, forged)
    await browser.post('/v1/password-resets', { email: ADA }, forged)
    await world.untilMails(3)
    const link = `http://localhost:${world.listener.port}/console#/`
    for (const { text } of world.mails) {
      expect(text).not.toContain('evil')
      expect(text).toContain(link)
    }
  })

  test('starts with account_console_url, if that is set', async () => {
    await world.close()
    const flags = { account_console_url: 'https://console.example.org/accounts' }
    world = await AccountWorld.open(folder, { flags })
    await world.browser().post('/v1/sign-up', { email: ADA, password: GOOD_PASSWORD }, { ...FORGED, origin: undefined })
    await world.untilMails(1)
    const links = world.mails[0]?.text.match(/\S+#\S+/g)
    expect(links).toEqual([
      expect.stringMatching(/^https:\/\/console\.example\.org\/accounts\/console#\/verify\?token=[\w-]{43}$/),
    ])
  })

  test('an invalid Host is rejected', async () => {
    const answer = await world.browser().get('/v1/health', { host: 'a, b' })
    expect([answer.status, answer.body['reason']]).toEqual([400, 'malformed_request'])
  })
})

describe('a reset', () => {
  test('sets the password, ends all sessions, starts one and notifies the owner', async () => {
    const before = await world.member(ADA)
    const browser = world.browser()
    await browser.post('/v1/password-resets', { email: ADA })
    await world.untilMails(2)
    const body = { token: world.lastToken('reset'), password: OTHER_PASSWORD }
    expect(await browser.post('/v1/password-resets/confirm', body)).toMatchObject({
      status: 200,
      body: { account: { email: ADA } },
    })
    expect((await before.get('/v1/session')).status).toBe(401)
    expect((await browser.get('/v1/session')).status).toBe(200)
    const logIn = (password: string) => world.browser().post('/v1/sessions', { email: ADA, password })
    expect((await logIn(GOOD_PASSWORD)).status).toBe(401)
    expect((await logIn(OTHER_PASSWORD)).status).toBe(200)
    await world.untilMails(3)
    expect(world.mails[2]?.subject).toBe('Your password was changed')
  })

  test.each(['reset', 'deletion'])('a password change in progress fails after a %s', async (kind) => {
    const thief = await world.member(ADA)
    await world.browser().post('/v1/password-resets', { email: ADA })
    await world.untilMails(2)
    const token = world.lastToken('reset')
    const account = await world.accounts.store.findAccount(ADA)
    const owner = world.browser()
    const hash = Bun.password.hash.bind(Bun.password)
    // At this point, the current password has been compared, and the new one is about to be hashed.
    const hashing = spyOn(Bun.password, 'hash').mockImplementationOnce(async (password, algorithm) => {
      const body = { token, password: OTHER_PASSWORD }
      if (kind === 'deletion') await world.accounts.operations.deleteAccount({ email: ADA })
      else expect((await owner.post('/v1/password-resets/confirm', body)).status).toBe(200)
      return hash(password, algorithm)
    })
    try {
      const body = { current_password: GOOD_PASSWORD, password: 'acht graue Schienen' }
      expect((await thief.put('/v1/password', body)).status).toBe(401)
    } finally {
      hashing.mockRestore()
    }
    expect((await thief.get('/v1/session')).status).toBe(401)
    const { identity } = world.accounts.store
    if (kind === 'deletion') expect(await identity.findPassword(account?.id ?? '')).toBeUndefined()
    else expect((await owner.get('/v1/session')).status).toBe(200)
  })

  test('verifies the address, since its email arrived there', async () => {
    await world.signUp(ADA)
    await world.browser().post('/v1/password-resets', { email: ADA })
    await world.untilMails(2)
    const body = { token: world.lastToken('reset'), password: OTHER_PASSWORD }
    expect(await world.browser().post('/v1/password-resets/confirm', body)).toMatchObject({
      status: 200,
      body: { account: { state: 'active' } },
    })
  })

  test('gives a password to an account created by a command', async () => {
    await world.accounts.operations.createKey({
      email: ADA,
      plan: 'pro',
      name: 'k',
      scopes: ['transit:read'],
      expiresAtMillis: null,
    })
    expect((await world.browser().post('/v1/sessions', { email: ADA, password: '' })).status).toBe(401)
    await world.browser().post('/v1/password-resets', { email: ADA })
    await world.untilMails(1)
    const body = { token: world.lastToken('reset'), password: GOOD_PASSWORD }
    const answer = await world.browser().post('/v1/password-resets/confirm', body)
    expect(answer.body['account']).toMatchObject({ plan: 'pro', active_keys: 1, key_limit: 20 })
  })
})
