// Tests the second factor against the rules of RFC 6238 and OWASP ASVS 5.0, V6.5. Fails if there is any way to start a
// session without the second factor, if a code works twice, or if a code can be guessed.
import { describe, expect, test } from 'bun:test'
import { makeRecoveryCodes, RECOVERY_CODE_COUNT, recoveryCodeDigest } from '../../../src/account-api/recovery-codes.ts'
import { openText, sealText } from '../../../src/account-api/sealed-text.ts'
import { CONFIRMED_MILLIS } from '../../../src/account-api/session-book.ts'
import { findTotpStep, isTotpCode, totpCode, totpUri } from '../../../src/account-api/totp.ts'
import { type AccountWorld, type Browser, GOOD_PASSWORD } from './account-world.ts'
import { ADA, describeWorlds, EVE, logIn } from './owner-worlds.ts'

const STEP_MILLIS = 30_000
const OTHER_PASSWORD = 'siebzehn gelbe Fahrkarten'

/** An owner whose second factor is on. */
interface Protected {
  readonly owner: Browser
  readonly secret: string
  readonly recoveryCodes: readonly string[]
}

/** Turns on the second factor of an account, and moves the clock until the app shows a new code. */
async function enable(world: AccountWorld, owner: Browser): Promise<Protected> {
  const secret = String((await owner.post('/v1/factor/setups', undefined)).body['secret'])
  const before = world.mails.length
  const { status, body } = await owner.put('/v1/factor', { code: totpCode(secret, world.clock.millis) })
  expect(status).toBe(200)
  await world.untilMails(before + 1)
  world.clock.millis += 2 * STEP_MILLIS
  return { owner, secret, recoveryCodes: Object(body['recovery_codes']) }
}

describeWorlds('a second factor', (opened) => {
  const attempt = (more: Record<string, unknown>) =>
    opened.world.browser().post('/v1/sessions', { email: ADA, password: GOOD_PASSWORD, ...more })
  const reasonOf = async (more: Record<string, unknown>) => {
    const { status, body, headers } = await attempt(more)
    if (status !== 200) expect(headers.getSetCookie()).toEqual([])
    return status === 200 ? 'in' : body['reason']
  }

  test('is required only after the right password, and each code works once', async () => {
    const { world } = opened
    const { secret } = await enable(world, await world.member(ADA))
    const code = totpCode(secret, world.clock.millis)
    expect(await reasonOf({ password: OTHER_PASSWORD })).toBe('wrong_credentials')
    expect(await reasonOf({ password: OTHER_PASSWORD, code })).toBe('wrong_credentials')
    expect(await reasonOf({})).toBe('factor_required')
    expect(await reasonOf({ code: '' })).toBe('wrong_code')
    expect(await reasonOf({ code: code === '000000' ? '000001' : '000000' })).toBe('wrong_code')
    expect(await reasonOf({ code })).toBe('in')
    expect(await reasonOf({ code })).toBe('wrong_code')
    // Since clocks differ, the codes for the previous, the current and the next step are accepted, but no older ones. A
    // code that is earlier than a used code is always invalid.
    expect(await reasonOf({ code: totpCode(secret, world.clock.millis - STEP_MILLIS) })).toBe('wrong_code')
    expect(await reasonOf({ code: totpCode(secret, world.clock.millis + STEP_MILLIS) })).toBe('in')
    world.clock.millis += 10 * STEP_MILLIS
    expect(await reasonOf({ code: totpCode(secret, world.clock.millis - 2 * STEP_MILLIS) })).toBe('wrong_code')
    expect(await reasonOf({ code: totpCode(secret, world.clock.millis - STEP_MILLIS) })).toBe('in')
  })

  test('can be replaced by the account’s recovery codes, each once', async () => {
    const { world } = opened
    const { owner, recoveryCodes } = await enable(world, await world.member(ADA))
    const eve = await enable(world, await world.member(EVE))
    expect(new Set([...recoveryCodes, ...eve.recoveryCodes]).size).toBe(2 * RECOVERY_CODE_COUNT)
    const [first = '', second = ''] = recoveryCodes
    expect(await reasonOf({ code: eve.recoveryCodes[0] })).toBe('wrong_code')
    expect(await reasonOf({ code: ` ${first.toUpperCase().replaceAll('-', ' ')}` })).toBe('in')
    expect(await reasonOf({ code: first })).toBe('wrong_code')
    await world.untilMails(5)
    expect(world.mails.at(-1)).toMatchObject({ to: ADA, subject: 'A recovery code was used' })
    expect((await owner.get('/v1/factor')).body).toMatchObject({ recovery_codes_left: RECOVERY_CODE_COUNT - 1 })
    // If several requests use a recovery code at the same time, only one of them may log in.
    const answers = await Promise.all(Array.from({ length: 8 }, () => attempt({ code: second })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const { body } = await owner.post('/v1/factor/recovery-codes', undefined)
    const [renewed] = Object(body['recovery_codes'])
    expect(await reasonOf({ code: recoveryCodes[2] })).toBe('wrong_code')
    expect(await reasonOf({ code: renewed })).toBe('in')
    const kinds = Object((await owner.get('/v1/events')).body['events']).map(({ kind }: { kind: string }) => kind)
    expect(kinds.filter((kind: string) => kind === 'recovery_code_used')).toHaveLength(3)
    expect(kinds).toContain('recovery_codes_replaced')
  })

  test('is required for a password-reset link, which a wrong code does not use up', async () => {
    const { world } = opened
    const { secret, owner } = await enable(world, await world.member(ADA))
    const before = world.mails.length
    await world.browser().post('/v1/password-resets', { email: ADA })
    await world.untilMails(before + 1)
    const token = world.lastToken('reset')
    const reset = (more: Record<string, unknown>) =>
      world.browser().post('/v1/password-resets/confirm', { token, password: OTHER_PASSWORD, ...more })
    expect((await reset({})).body['reason']).toBe('factor_required')
    expect((await reset({ code: '12345' })).body['reason']).toBe('wrong_code')
    expect((await owner.get('/v1/session')).status).toBe(200)
    expect(await reasonOf({ password: OTHER_PASSWORD })).toBe('wrong_credentials')
    expect((await reset({ code: totpCode(secret, world.clock.millis) })).status).toBe(200)
    expect((await owner.get('/v1/session')).status).toBe(401)
    expect(await reasonOf({ password: OTHER_PASSWORD })).toBe('factor_required')
  })

  test('allows ten wrong codes in 15 minutes and fifty in a day, then only recovery codes', async () => {
    const { world } = opened
    const { secret, recoveryCodes } = await enable(world, await world.member(ADA))
    const wrong = () => [1, 2, 3].map((step) => totpCode(secret, world.clock.millis + (9 + step) * STEP_MILLIS))
    let refusedCount = 0
    for (let round = 0; round < 6; round++) {
      for (let count = 0; count < 11; count++) {
        if ((await reasonOf({ code: wrong()[count % 3] })) === 'too_many_tries') refusedCount++
      }
      world.clock.millis += 20 * 60_000
    }
    expect(refusedCount).toBe(5 + 11)
    expect(await reasonOf({ code: totpCode(secret, world.clock.millis) })).toBe('too_many_tries')
    expect(await reasonOf({ code: recoveryCodes[0] })).toBe('in')
    world.clock.millis += 26 * 3_600_000
    expect(await reasonOf({ code: totpCode(secret, world.clock.millis) })).toBe('in')
  })

  test('is turned on with a code from the app, and off, after the password; the owner gets an email', async () => {
    const { world } = opened
    const owner = await world.member(ADA)
    expect((await owner.get('/v1/factor')).body).toEqual({ enabled_at: null, recovery_codes_left: 0 })
    expect((await owner.put('/v1/factor', { code: '123456' })).body['reason']).toBe('not_allowed')
    expect((await owner.delete('/v1/factor')).body['reason']).toBe('not_allowed')
    expect((await owner.post('/v1/factor/recovery-codes', undefined)).body['reason']).toBe('not_allowed')
    const earlier = String((await owner.post('/v1/factor/setups', undefined)).body['secret'])
    const { secret, uri } = Object((await owner.post('/v1/factor/setups', undefined)).body)
    expect(uri).toBe(totpUri(secret, ADA))
    expect((await owner.put('/v1/factor', { code: totpCode(earlier, world.clock.millis) })).body['reason']).toBe(
      'wrong_code',
    )
    expect((await owner.put('/v1/factor', { code: 'abc' })).body['reason']).toBe('wrong_code')
    // The factor is not on until a code from the app has confirmed it, so the login needs no code.
    await logIn(world)
    const before = world.mails.length
    expect((await owner.put('/v1/factor', { code: totpCode(secret, world.clock.millis) })).status).toBe(200)
    await world.untilMails(before + 1)
    expect(world.mails.at(-1)).toMatchObject({ to: ADA, subject: 'Your second factor is on' })
    expect((await owner.post('/v1/factor/setups', undefined)).body['reason']).toBe('not_allowed')
    // The code that turned the factor on cannot be used again.
    expect(await reasonOf({ code: totpCode(secret, world.clock.millis) })).toBe('wrong_code')
    expect((await owner.delete('/v1/factor')).status).toBe(204)
    await world.untilMails(before + 2)
    expect(world.mails.at(-1)?.subject).toBe('Your second factor is off')
    expect(await reasonOf({})).toBe('in')
  })

  test('changes only with the session, its CSRF token and a recent password', async () => {
    const { world } = opened
    const { owner } = await enable(world, await world.member(ADA))
    const changes = [
      ['POST', '/v1/factor/setups', undefined],
      ['PUT', '/v1/factor', { code: '123456' }],
      ['POST', '/v1/factor/recovery-codes', undefined],
      ['DELETE', '/v1/factor', undefined],
    ] as const
    const reasons = async (browser: Browser, headers: Record<string, string | undefined>) => {
      const found = new Set<unknown>()
      for (const [method, path, body] of changes)
        found.add((await browser.send(method, path, body, headers)).body['reason'])
      return [...found]
    }
    expect(await reasons(world.browser(), {})).toEqual(['session_required'])
    expect(await reasons(owner, { 'x-csrf-token': undefined })).toEqual(['csrf_failed'])
    expect(await reasons(owner, { 'sec-fetch-site': 'cross-site' })).toEqual(['csrf_failed'])
    const eve = await world.member(EVE)
    expect(await reasons(eve, { 'x-csrf-token': owner.csrf })).toEqual(['csrf_failed'])
    world.clock.millis += CONFIRMED_MILLIS
    expect(await reasons(owner, {})).toEqual(['confirmation_required'])
    expect((await owner.get('/v1/factor')).body).toMatchObject({ recovery_codes_left: RECOVERY_CODE_COUNT })
  })

  test('can be turned off by the operator, if the owner has lost the app and the codes', async () => {
    const { world } = opened
    const { owner } = await enable(world, await world.member(ADA))
    await world.accounts.operations.removeFactor({ email: ADA })
    expect(await reasonOf({})).toBe('in')
    const [event] = Object((await owner.get('/v1/events')).body['events']).filter(
      ({ kind }: { kind: string }) => kind === 'factor_disabled',
    )
    expect(event).toMatchObject({ actor: 'operator', detail: {} })
    const again = world.accounts.operations.removeFactor({ email: ADA })
    await expect(again).rejects.toThrow('the second factor for the account ada@example.org is already off')
  })

  test('is stored encrypted, and deleted with the account', async () => {
    const { world } = opened
    const { owner, secret, recoveryCodes } = await enable(world, await world.member(ADA))
    const { account } = Object((await owner.get('/v1/session')).body)
    const stored = await world.accounts.store.factors.find(account.id)
    expect(stored?.recoveryCodeCount).toBe(RECOVERY_CODE_COUNT)
    expect(JSON.stringify(stored)).not.toContain(secret)
    await world.accounts.operations.deleteAccount({ email: ADA })
    expect(await world.accounts.store.factors.find(account.id)).toBeUndefined()
    const event = { id: 'evt_1', accountId: account.id, atMillis: 1, kind: 'recovery_code_used', keyId: null } as const
    const digest = recoveryCodeDigest(account.id, recoveryCodes[0] ?? '')
    const isUsed = world.accounts.store.factors.useRecoveryCode(digest, { ...event, actor: 'owner', detail: {} })
    expect(await isUsed).toBe(false)
  })
})

describe('the parts of a factor', () => {
  test('codes follow RFC 6238, appendix B, with six digits', () => {
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' // "12345678901234567890" in base 32
    const seconds = [59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000]
    const codes = ['287082', '081804', '050471', '005924', '279037', '353130']
    expect(seconds.map((at) => totpCode(secret, at * 1_000))).toEqual(codes)
    expect(seconds.map((at, index) => findTotpStep(secret, codes[index] ?? '', at * 1_000))).toEqual(
      seconds.map((at) => Math.floor(at / 30)),
    )
    expect(['12345', '1234567', '12345a', '１２３４５６', ''].filter(isTotpCode)).toEqual([])
  })

  test('6.5.2: a recovery code has 120 random bits, and tolerates how people type it', () => {
    const codes = makeRecoveryCodes()
    expect(codes.filter((code) => !/^[0-9a-hjkmnp-tv-z]{4}(?:-[0-9a-hjkmnp-tv-z]{4}){5}$/.test(code))).toEqual([])
    expect(recoveryCodeDigest('a', '0oOl-1iI1')).toBe(recoveryCodeDigest('a', '0001 1111'))
    expect(recoveryCodeDigest('a', '0000')).not.toBe(recoveryCodeDigest('b', '0000'))
  })

  test('an encrypted secret can be opened only with its key and for its account', () => {
    const [key, other] = [crypto.getRandomValues(new Uint8Array(32)), crypto.getRandomValues(new Uint8Array(32))]
    const sealed = sealText('secret', key, 'acc_1')
    expect(sealText('secret', key, 'acc_1')).not.toBe(sealed)
    expect(openText(sealed, [other, key], 'acc_1')).toBe('secret')
    expect(openText(sealed, [key], 'acc_2')).toBeUndefined()
    expect(openText(sealed, [other], 'acc_1')).toBeUndefined()
    expect(openText(sealed.slice(0, 20), [key], 'acc_1')).toBeUndefined()
    const changed = Buffer.from(sealed, 'base64url')
    changed[changed.length - 1] ^= 1
    expect(openText(changed.toString('base64url'), [key], 'acc_1')).toBeUndefined()
  })
})
