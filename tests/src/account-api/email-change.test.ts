// Tests changes of the email address. Fails if the address changes before the new one is confirmed, if a response or
// its timing reveals an account, or if another account can be changed.
import { expect, test } from 'bun:test'
import { LINK_LIFE_MILLIS } from '../../../src/account-api/mail-links.ts'
import { CONFIRMED_MILLIS } from '../../../src/account-api/session-book.ts'
import { type AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'
import { ADA, describeWorlds, EVE } from './owner-worlds.ts'

const NEW = 'ada@new.example'

/** Requests a change of address; returns the emails that the request causes, and the text of the response. */
async function ask(world: AccountWorld, owner: Browser, email = NEW) {
  const before = world.mails.length
  const answer = await owner.post('/v1/email-changes', { email })
  expect(answer.status).toBe(202)
  await world.untilMails(before + 2)
  return { mails: world.mails.slice(before), text: answer.text }
}

const canLogIn = async (world: AccountWorld, email: string) =>
  (await world.browser().post('/v1/sessions', { email, password: GOOD_PASSWORD })).status === 200

const emailOf = async (browser: Browser) => Object((await browser.get('/v1/session')).body['account']).email

describeWorlds('an address change', (opened) => {
  test('takes effect when the new one is confirmed, once; both get emails', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const { mails } = await ask(world, owner, ` ${NEW} `)
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      [ADA, 'Your email address is about to change'],
      [NEW, 'Confirm your new email address'],
    ])
    expect([await emailOf(owner), await canLogIn(world, ADA), await canLogIn(world, NEW)]).toEqual([ADA, true, false])
    const token = world.lastToken('new-address')
    expect(mails[0]?.text).not.toContain(token)
    const before = world.mails.length
    const visitor = world.browser()
    const confirmed = await visitor.post('/v1/email-changes/confirm', { token })
    expect([confirmed.status, confirmed.headers.getSetCookie()]).toEqual([200, []])
    await world.untilMails(before + 1)
    expect(world.mails.at(-1)).toMatchObject({ to: ADA, subject: 'Your email address was changed' })
    expect([await emailOf(owner), await canLogIn(world, ADA), await canLogIn(world, NEW)]).toEqual([NEW, false, true])
    const again = await visitor.post('/v1/email-changes/confirm', { token })
    expect([again.status, again.body['reason']]).toEqual([400, 'invalid_token_link'])
    const kinds = Object((await owner.get('/v1/events')).body['events']).map(({ kind }: { kind: string }) => kind)
    expect(kinds).toContain('email_changed')
    expect(kinds).toContain('email_change_requested')
    // Another account can now use the former address.
    await world.member(ADA)
  })

  test('to an address with an account gets the same response, and its email has no link', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const eve = await world.member(EVE)
    const free = await ask(world, owner)
    const taken = await ask(world, owner, EVE.toUpperCase())
    expect(taken.text).toBe(free.text)
    expect(taken.mails.map(({ to }) => to)).toEqual([ADA, EVE.toUpperCase()])
    expect(taken.mails[1]?.text).not.toContain('token=')
    expect([await emailOf(owner), await emailOf(eve)]).toEqual([ADA, EVE])
  })

  test('fails if the address is taken in the meantime, the password changes, or an hour passes', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const confirm = async (token: string) =>
      (await world.browser().post('/v1/email-changes/confirm', { token })).body['reason']
    await ask(world, owner)
    const first = world.lastToken('new-address')
    await world.member(NEW)
    expect(await confirm(first)).toBe('invalid_token_link')
    await ask(world, owner, 'other@new.example')
    const second = world.lastToken('new-address')
    const password = 'siebzehn gelbe Fahrkarten'
    expect((await owner.put('/v1/password', { current_password: GOOD_PASSWORD, password })).status).toBe(204)
    expect(await confirm(second)).toBe('invalid_token_link')
    await ask(world, owner, 'other@new.example')
    const third = world.lastToken('new-address')
    world.clock.millis += LINK_LIFE_MILLIS
    expect(await confirm(third)).toBe('invalid_token_link')
    expect(await emailOf(owner)).toBe(ADA)
  })

  test('needs the session, its CSRF token and a recent password; its link works for nothing else', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const body = { email: NEW }
    const reason = async (browser: Browser, headers: Record<string, string | undefined> = {}, sent: unknown = body) =>
      (await browser.post('/v1/email-changes', sent, headers)).body['reason']
    expect(await reason(world.browser())).toBe('session_required')
    expect(await reason(owner, { 'x-csrf-token': undefined })).toBe('csrf_failed')
    expect(await reason(owner, { 'sec-fetch-site': 'cross-site' })).toBe('csrf_failed')
    expect(await reason(owner, {}, { email: 'none' })).toBe('invalid_request')
    expect(await reason(owner, {}, { email: ADA.toUpperCase() })).toBe('invalid_request')
    expect(await reason(owner, {}, { email: NEW, account_id: 'acc_1' })).toBe('invalid_request')
    await ask(world, owner)
    const token = world.lastToken('new-address')
    const verified = await world.browser().post('/v1/verifications', { token })
    const reset = await world.browser().post('/v1/password-resets/confirm', { token, password: GOOD_PASSWORD })
    expect([verified.body['reason'], reset.body['reason']]).toEqual(['invalid_token_link', 'invalid_token_link'])
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await world.browser().post('/v1/email-changes/confirm', { token }, foreign)).body['reason']).toBe(
      'csrf_failed',
    )
    world.clock.millis += CONFIRMED_MILLIS
    expect(await reason(owner)).toBe('confirmation_required')
    expect(await emailOf(owner)).toBe(ADA)
  })

  test('is limited to ten requests in 15 minutes per address, and to ten guesses of tokens', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    const eve = await world.member(EVE)
    for (let count = 0; count < 8; count++) await ask(world, owner, 'third@new.example')
    let refused = 0
    for (let count = 0; count < 6; count++) {
      const { status } = await eve.post('/v1/email-changes', { email: 'third@new.example' })
      if (status === 429) refused++
    }
    expect(refused).toBeGreaterThanOrEqual(4)
    const reasons: unknown[] = []
    for (let count = 0; count < 11; count++) {
      reasons.push((await world.browser().post('/v1/email-changes/confirm', { token: `${count}` })).body['reason'])
    }
    expect(reasons).toEqual([...Array(10).fill('invalid_token_link'), 'too_many_tries'])
  })
})
