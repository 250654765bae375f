// Tests how owners delete their account. Fails if a key or a session still works, if the address or a name is kept for
// more than two weeks, if the address can be used again within these two weeks, or if a response reveals that the
// address had an account.
import { expect, test } from 'bun:test'
import { openGate } from '../../../src/access/open-gate.ts'
import { CONFIRMED_MILLIS } from '../../../src/account-api/session-book.ts'
import { ERASED_AFTER_MILLIS } from '../../../src/accounts/lapsed-accounts.ts'
import { admitted, spend } from '../account-fixture.ts'
import { type AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'
import { ADA, describeWorlds, EVE, logIn } from './owner-worlds.ts'

async function makeKey(owner: Browser, name = 'The board of Ada'): Promise<{ id: string; key: string }> {
  const { body } = await owner.post('/v1/keys', { name, scopes: ['transit:read', 'account:read'] })
  return { id: String(Object(body['listing']).id), key: String(body['key']) }
}

/** Whether a key with account:read still works. */
async function works(world: AccountWorld, key: string): Promise<boolean> {
  const { status } = await world.browser().get('/v1/me', { authorization: `Bearer ${key}` })
  return status === 200
}

describeWorlds('a deletion', (opened) => {
  test('ends keys and sessions at once, for that account only; the owner gets an email', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const other = await logIn(world)
    const eve = await world.member(EVE)
    const { key } = await makeKey(owner)
    const { key: key2 } = await makeKey(owner, 'second')
    const { key: hers } = await makeKey(eve)
    expect([await works(world, key), await works(world, key2), await works(world, hers)]).toEqual([true, true, true])
    const before = world.mails.length
    const answer = await owner.delete('/v1/account')
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([
      204,
      ['quai_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'],
    ])
    await world.untilMails(before + 1)
    expect(world.mails.at(-1)).toMatchObject({ to: ADA, subject: 'Your account was deleted' })
    expect([await works(world, key), await works(world, key2), await works(world, hers)]).toEqual([false, false, true])
    const statuses: number[] = []
    for (const browser of [owner, other, eve]) statuses.push((await browser.get('/v1/session')).status)
    expect(statuses).toEqual([401, 401, 200])
    const gone = await world.browser().post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD })
    expect([gone.status, gone.body['reason']]).toEqual([401, 'wrong_credentials'])
  })

  test('reserves the address for 14 days without revealing it, then erases it and all names; statements stay', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const { id, key } = await makeKey(owner)
    await owner.send('PATCH', `/v1/keys/${id}`, { name: 'Renamed by Ada' })
    const { gate } = openGate(structuredClone(await world.accounts.start()), 0, world.clock)
    spend(gate, admitted(gate, key), 7)
    await world.accounts.flush()
    const accountId = String(Object((await owner.get('/v1/session')).body['account']).id)
    const first = world.mails.length
    expect((await owner.delete('/v1/account')).status).toBe(204)
    await world.untilMails(first + 1)
    const { store } = world.accounts
    const sends = async (path: string, email: string, more = {}) => {
      const { status, text } = await world.browser().post(path, { email, ...more })
      return { status, text }
    }
    const before = world.mails.length
    const password = { password: GOOD_PASSWORD }
    expect(await sends('/v1/sign-up', ADA, password)).toEqual(await sends('/v1/sign-up', 'new@example.org', password))
    await world.untilMails(before + 2)
    const mailed = world.mails.slice(before).filter(({ to }) => to === ADA)
    expect(mailed.map(({ subject }) => subject)).toContain('This address can be used again later')
    const count = world.mails.length
    expect(await sends('/v1/password-resets', ADA)).toEqual(await sends('/v1/password-resets', 'none@example.org'))
    expect(world.mails).toHaveLength(count)
    world.clock.millis += ERASED_AFTER_MILLIS - 1
    expect(await world.accounts.lapsed.erase()).toBe(0)
    world.clock.millis += 1
    expect([await world.accounts.lapsed.erase(), await world.accounts.lapsed.erase()]).toEqual([1, 0])
    const account = await store.findAccountById(accountId)
    expect(account).toMatchObject({ id: accountId, email: null })
    expect((await store.listKeys(accountId)).map(({ name }) => name)).toEqual([''])
    const events = await store.billing.listEvents(accountId, { limit: 100 })
    expect(JSON.stringify(events)).not.toContain('Ada')
    expect(events.map(({ kind }) => kind)).toContain('key_renamed')
    expect(await store.findAccount(ADA)).toBeUndefined()
    // The address can be used for a new account, which gets no data of the deleted one.
    const again = await world.member(ADA)
    const renewed = Object((await again.get('/v1/session')).body['account'])
    expect(renewed.id).not.toBe(accountId)
    expect((await again.get('/v1/keys')).body).toMatchObject({ keys: [] })
    // The monthly statement has the account's id, but not the address.
    world.clock.millis += 35 * 86_400_000
    await world.accounts.closeMonths()
    const statements = await store.billing.listStatements(accountId)
    expect(statements.map(({ units }) => units)).toEqual([7])
    expect((await store.billing.findStatement(accountId, statements[0]?.month ?? ''))?.document).not.toContain('Ada')
  })

  test('by an operator erases the names after the same time', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    await makeKey(owner)
    await world.accounts.operations.deleteAccount({ email: ADA })
    world.clock.millis += ERASED_AFTER_MILLIS
    expect(await world.accounts.lapsed.erase()).toBe(1)
  })

  test('lets an operator see the account until then, and erase its address at once', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    await owner.delete('/v1/account')
    expect(await world.accounts.operations.showAccount({ email: ADA })).toMatchObject({ state: 'deleted', email: ADA })
    const key = { email: ADA, name: 'one', scopes: ['transit:read'], expiresAtMillis: null }
    await expect(world.accounts.operations.createKey(key)).rejects.toThrow('is deleted')
    await world.accounts.operations.deleteAccount({ email: ADA })
    expect(await world.accounts.store.findAccount(ADA)).toBeUndefined()
  })

  test('needs the session, its CSRF token and a recent password', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const eve = await world.member(EVE)
    const reason = async (browser: Browser, headers: Record<string, string | undefined> = {}) =>
      (await browser.delete('/v1/account', headers)).body['reason']
    expect(await reason(world.browser())).toBe('session_required')
    expect(await reason(owner, { 'x-csrf-token': undefined })).toBe('csrf_failed')
    expect(await reason(owner, { 'x-csrf-token': eve.csrf })).toBe('csrf_failed')
    expect(await reason(owner, { 'sec-fetch-site': 'cross-site' })).toBe('csrf_failed')
    world.clock.millis += CONFIRMED_MILLIS
    expect(await reason(owner)).toBe('confirmation_required')
    expect((await owner.get('/v1/session')).status).toBe(200)
  })
})
