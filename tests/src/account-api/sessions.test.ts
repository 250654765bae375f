// Tests sessions. Numbers in test titles refer to OWASP ASVS 5.0, chapter V7. Fails if a token can be guessed, can be
// chosen by an attacker, stays the same at a login, or can be used after its end.
import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { SESSION_IDLE_MILLIS, SESSION_LIFE_MILLIS } from '../../../src/account-api/session-book.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'

const ADA = 'ada@example.org'
const EVE = 'eve@example.org'
const OTHER_PASSWORD = 'siebzehn gelbe Fahrkarten'

let folder: string
let world: AccountWorld

beforeEach(async () => {
  folder = makeFolder()
  world = await AccountWorld.open(folder)
})

afterEach(() => world.close())

/** Logs in; returns a browser with a session. */
async function logIn(browser: Browser, email = ADA, password = GOOD_PASSWORD): Promise<Browser> {
  expect((await browser.post('/v1/sessions', { email, password })).status).toBe(200)
  return browser
}

/** Whether the session that a cookie belongs to still exists, tested with a new browser. */
async function isOpen(cookie: string | undefined): Promise<boolean> {
  const { status } = await world.browser().get('/v1/session', { cookie })
  return status === 200
}

describe('a token', () => {
  test('7.2.1, 7.2.2: is created and checked here; invented ones do not work', async () => {
    const browser = await world.member(ADA)
    const { token } = browser
    const changed = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA')
    for (const tried of [changed, token.slice(0, -1), `${token}A`, token.toLowerCase(), '', 'undefined', '*']) {
      expect([tried, await isOpen(`quai_session=${tried}`)]).toEqual([tried, false])
    }
    expect(await isOpen(`other=1; quai_session=${token} ; more=2`)).toBe(true)
    expect(await isOpen(`xquai_session=${token}`)).toBe(false)
  })

  test('7.2.3: has 256 random bits, and changes at each login', async () => {
    await world.member(ADA)
    const tokens: string[] = []
    for (let count = 0; count < 20; count++) tokens.push((await logIn(world.browser())).token)
    expect(new Set(tokens).size).toBe(tokens.length)
    const bytes = tokens.map((token) => Buffer.from(token, 'base64url'))
    expect(bytes.map(({ byteLength }) => byteLength)).toEqual(Array(20).fill(32))
    // If bytes are random, the chance that seven of twenty tokens have the same byte at a position is below 1e-9.
    for (let place = 0; place < 32; place++) {
      const values = bytes.map((token) => token[place])
      const alike = Math.max(...values.map((value) => values.filter((other) => other === value).length))
      expect(alike).toBeLessThan(7)
    }
  })

  test('7.2.4: a login starts a new one and ends the previous one; a token set before login is not adopted', async () => {
    const browser = await world.member(ADA)
    const before = browser.cookie
    await logIn(browser)
    expect(browser.cookie).not.toBe(before)
    expect([await isOpen(before), await isOpen(browser.cookie)]).toEqual([false, true])
    // Session fixation: after the login, the victim must not have a token that an attacker chose or obtained.
    const chosen = Buffer.alloc(32, 7).toString('base64url')
    const victim = world.browser()
    victim.cookie = `quai_session=${chosen}`
    await logIn(victim)
    expect([victim.token === chosen, await isOpen(`quai_session=${chosen}`)]).toEqual([false, false])
  })

  test('without one, the client is a visitor, which is not an error; with one, it gets its session', async () => {
    const browser = await world.member(ADA)
    const stranger = world.browser()
    stranger.cookie = `quai_session=${Buffer.alloc(32, 7).toString('base64url')}`
    for (const each of [world.browser(), stranger]) {
      const { status, body, headers } = await each.get('/v1/visitor')
      expect([status, body, headers.get('cache-control')]).toEqual([200, { session: null }, 'no-store'])
    }
    expect((await browser.get('/v1/visitor')).body).toEqual({ session: (await browser.get('/v1/session')).body })
  })

  test('7.2.4: a link that starts one ends the browser’s previous one', async () => {
    const browser = await world.member(ADA)
    const before = browser.cookie
    await world.signUp(EVE)
    expect((await browser.post('/v1/verifications', { token: world.lastToken('verify') })).status).toBe(200)
    expect([await isOpen(before), await isOpen(browser.cookie)]).toEqual([false, true])
    expect((await browser.get('/v1/session')).body['account']).toMatchObject({ email: EVE })
  })

  test('7.4.3: none starts with a password that changes during the comparison', async () => {
    const browser = await world.member(ADA)
    const { store } = world.accounts
    const findPassword = store.identity.findPassword.bind(store.identity)
    let looks = 0
    const find = spyOn(store.identity, 'findPassword').mockImplementation(async (accountId) => {
      const hash = await findPassword(accountId)
      // Changes the password immediately after the login has read the old hash.
      if (++looks === 1)
        await browser.put('/v1/password', { current_password: GOOD_PASSWORD, password: OTHER_PASSWORD })
      return hash
    })
    const late = await world.browser().post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
    find.mockRestore()
    expect([late.status, late.headers.getSetCookie()]).toEqual([401, []])
    expect(await isOpen(browser.cookie)).toBe(true)
  })

  test('7.2.4: changing the password, which requires the current one, starts a new one too', async () => {
    const browser = await world.member(ADA)
    const before = browser.cookie
    const body = { current_password: GOOD_PASSWORD, password: OTHER_PASSWORD }
    expect((await browser.put('/v1/password', body)).status).toBe(204)
    expect([await isOpen(before), await isOpen(browser.cookie)]).toEqual([false, true])
    // The browser that changed the password can continue, with its new CSRF token.
    expect((await browser.delete('/v1/sessions/current')).status).toBe(204)
  })
})

describe('a session ends', () => {
  test('7.3.1: after inactivity', async () => {
    const browser = await world.member(ADA)
    for (let use = 0; use < 3; use++) {
      world.clock.millis += SESSION_IDLE_MILLIS - 1
      expect(await isOpen(browser.cookie)).toBe(true)
    }
    world.clock.millis += SESSION_IDLE_MILLIS
    expect(await isOpen(browser.cookie)).toBe(false)
    world.clock.millis -= SESSION_IDLE_MILLIS
    expect(await isOpen(browser.cookie)).toBe(false) // an ended session does not return if the clock is set back
  })

  test('7.3.2: at a certain age, however often it is used', async () => {
    const browser = await world.member(ADA)
    const endMillis = world.clock.millis + SESSION_LIFE_MILLIS
    while (world.clock.millis + SESSION_IDLE_MILLIS / 2 < endMillis) {
      world.clock.millis += SESSION_IDLE_MILLIS / 2
      expect(await isOpen(browser.cookie)).toBe(true)
    }
    world.clock.millis = endMillis - 1
    expect(await isOpen(browser.cookie)).toBe(true)
    world.clock.millis = endMillis
    expect(await isOpen(browser.cookie)).toBe(false)
  })

  test('7.4.1: permanently at logout, which deletes the cookie', async () => {
    const browser = await world.member(ADA)
    const other = await logIn(world.browser())
    const { cookie, csrf } = browser
    const answer = await browser.delete('/v1/sessions/current')
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([
      204,
      ['quai_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'],
    ])
    expect([await isOpen(cookie), await isOpen(other.cookie)]).toEqual([false, true])
    const again = await world.browser().delete('/v1/sessions/current', { cookie, 'x-csrf-token': csrf })
    expect([again.status, again.body['reason']]).toEqual([401, 'session_required'])
  })

  test('7.4.2, 7.4.5: with all others of an account that an operator suspends or deletes', async () => {
    const browser = await world.member(ADA)
    const other = await logIn(world.browser())
    const unused = await logIn(world.browser())
    const stranger = await world.member(EVE)
    await world.accounts.operations.setSuspended({ email: ADA, isSuspended: true })
    expect([await isOpen(browser.cookie), await isOpen(other.cookie)]).toEqual([false, false])
    const refused = await world.browser().post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
    expect([refused.status, refused.body['reason']]).toEqual([403, 'account_suspended'])
    await world.accounts.operations.setSuspended({ email: ADA, isSuspended: false })
    expect([await isOpen(browser.cookie), await isOpen(unused.cookie)]).toEqual([false, false])
    const back = await logIn(world.browser())
    await world.accounts.operations.deleteAccount({ email: ADA })
    expect([await isOpen(back.cookie), await isOpen(stranger.cookie)]).toEqual([false, true])
    const gone = await world.browser().post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
    expect([gone.status, gone.body['reason']]).toEqual([401, 'wrong_credentials'])
  })

  test('7.4.3: if the password is changed in another one', async () => {
    const browser = await world.member(ADA)
    const other = await logIn(world.browser())
    await browser.put('/v1/password', { current_password: GOOD_PASSWORD, password: OTHER_PASSWORD })
    expect([await isOpen(browser.cookie), await isOpen(other.cookie)]).toEqual([true, false])
  })

  test('7.5.2: with all others at the owner’s request', async () => {
    const browser = await world.member(ADA)
    const other = await logIn(world.browser())
    const stranger = await world.member(EVE)
    const { cookie } = browser
    expect((await browser.delete('/v1/sessions')).status).toBe(204)
    const open = await Promise.all([cookie, other.cookie, stranger.cookie].map(isOpen))
    expect(open).toEqual([false, false, true])
  })
})

describe('the current password', () => {
  test('7.5.1: is required to set another', async () => {
    const browser = await world.member(ADA)
    const body = { current_password: OTHER_PASSWORD, password: OTHER_PASSWORD }
    const wrong = await browser.put('/v1/password', body)
    expect([wrong.status, wrong.body['reason']]).toEqual([401, 'wrong_credentials'])
    expect(await isOpen(browser.cookie)).toBe(true)
    const absent = await browser.put('/v1/password', { password: OTHER_PASSWORD })
    expect([absent.status, absent.body['reason']]).toEqual([400, 'invalid_request'])
  })
})

test('sessions survive a restart', async () => {
  const browser = await world.member(ADA)
  await world.close()
  world = await AccountWorld.open(folder, { clock: world.clock })
  expect(await isOpen(browser.cookie)).toBe(true)
})
