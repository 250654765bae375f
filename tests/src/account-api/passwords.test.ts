// Tests the rules for accepting and comparing passwords. Numbers in test titles refer to OWASP ASVS 5.0, V6.2. Fails if
// a password has to be anything but long and uncommon, or if a password is truncated or case-folded.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commonPasswordCount } from '../../../src/account-api/common-passwords.ts'
import { passwordProblem } from '../../../src/account-api/password-rules.ts'
import { commonPasswordsFile, listCommonPasswords } from '../../../src/build/common-passwords.ts'
import { makeFolder } from '../account-fixture.ts'
import { AccountWorld, GOOD_PASSWORD } from './account-world.ts'

const ADA = 'ada.lovelace@example.org'
const HOST = 'tram.example.org'

describe('a new password', () => {
  test.each([
    ['6.2.1: of 8 characters', 'qzvkpwjx'],
    ['6.2.5: of one kind of character only', 'wwwwwwkwwwwww'],
    ['6.2.5: of digits only', '7394028561'],
    ['6.2.5: with spaces at both ends', '  green tram  '],
    ['6.2.5: of any script', 'мойтрамвай'],
    ['6.2.5: of emoji, each one character', '🚊🚋🚌🚎🚏🚇🚈🚉'],
    ['6.2.9: of 64 characters', 'ab'.repeat(32)],
    ['6.2.9: of 1000 characters', 'xy'.repeat(500)],
    ['6.2.11: of a known word and eight digits', 'quai73940285'],
    ['6.2.11: of known words and another', 'lovelace at the quai'],
  ])('%s is accepted', (_, password) => {
    expect(passwordProblem(password, ADA, HOST)).toBeUndefined()
  })

  test.each([
    ['6.2.1: of 7 characters', 'qzvkpwj'],
    ['6.2.1: of 7 emoji, which are 14 units', '🚊🚋🚌🚎🚏🚇🚈'],
    ['of 1001 characters', 'x'.repeat(1_001)],
    ['6.2.4: that is the most common', 'password'],
    ['6.2.4: that is common in other letters', 'PassWord'],
    ['6.2.4: of eight blanks', ' '.repeat(8)],
    ['6.2.4: of one emoji, repeated', '🚊'.repeat(12)],
    ['6.2.11: that is the address', 'Ada.Lovelace@example.org'],
    ['6.2.11: that is its name', 'ada.lovelace'],
    ['6.2.11: that is made of it', 'Lovelace-Ada-1815'],
    ['6.2.11: that is made of the name of the service', 'Quai!2026'],
    ['6.2.11: that is made of the host name of the console', 'tram.example.org'],
    ['6.2.11: that is made of both', 'quaitram7394'],
  ])('%s is rejected', (_, password) => {
    expect(passwordProblem(password, ADA, HOST)?.reason).toBe('password_refused')
  })

  test('6.2.4: is compared with all common passwords, words and names of sufficient length', () => {
    const listed = listCommonPasswords()
    expect([listed.length, commonPasswordCount()]).toEqual([46_605, 46_605])
    const file = join(import.meta.dir, '..', '..', '..', 'src', 'account-api', 'common-passwords.bin')
    expect(commonPasswordsFile(listed).equals(readFileSync(file))).toBe(true)
    expect(listed.filter((password) => passwordProblem(password, ADA)?.reason !== 'password_refused')).toEqual([])
    // With a suffix, these passwords are no longer in the list, so all of them must be accepted. This shows that the
    // list, and not another rule, refused them without the suffix.
    const others = listed.map((password) => `${password}, ${password.length}`)
    expect(others.filter((password) => passwordProblem(password, 'q@zv.tk') !== undefined)).toEqual([])
  })
})

describe('a password', () => {
  let world: AccountWorld

  beforeEach(async () => {
    world = await AccountWorld.open(makeFolder())
  })

  afterEach(() => world.close())

  test.each([
    [' leading and trailing ', 'leading and trailing'],
    ['Capital Letters', 'capital letters'],
    [`${'long'.repeat(30)}A`, `${'long'.repeat(30)}B`],
    ['d\u00e9j\u00e0 vu hier', 'de\u0301ja\u0300 vu hier'],
    ['a\u0000b and the rest', 'a\u0000b and a rest'],
  ])('6.2.8: %j is not %j', async (password, other) => {
    await world.member(ADA, password)
    const logIn = (tried: string) => world.browser().post('/v1/sessions', { email: ADA, password: tried })
    expect((await logIn(other)).status).toBe(401)
    expect((await logIn(password)).status).toBe(200)
  })

  test('6.2.2, 6.2.3: is changed by its owner, with the same rules', async () => {
    const browser = await world.member(ADA)
    const change = (password: unknown) => browser.put('/v1/password', { current_password: GOOD_PASSWORD, password })
    expect((await change('password')).body['reason']).toBe('password_refused')
    expect((await change(12345678)).body['reason']).toBe('invalid_request')
    expect((await change('\ud800'.repeat(8))).body['reason']).toBe('invalid_request')
    expect((await change('elf grüne Haltestellen')).status).toBe(204)
    const logIn = (password: string) => world.browser().post('/v1/sessions', { email: ADA, password })
    expect((await logIn(GOOD_PASSWORD)).status).toBe(401)
    expect((await logIn('elf grüne Haltestellen')).status).toBe(200)
    // Requirement 6.3.7: the owner is notified.
    await world.untilMails(2)
    expect(world.mails[1]).toMatchObject({ to: ADA, subject: 'Your password was changed' })
  })

  test('may be rejected at sign-up and reset too, and the reset link still works', async () => {
    const signUp = await world.browser().post('/v1/sign-up', { email: ADA, password: 'iloveyou' })
    expect([signUp.status, signUp.body['reason']]).toEqual([400, 'password_refused'])
    const local = await world.browser().post('/v1/sign-up', { email: ADA, password: 'localhost:8081' })
    expect([local.status, local.body['reason']]).toEqual([400, 'password_refused'])
    await world.member(ADA)
    await world.browser().post('/v1/password-resets', { email: ADA })
    await world.untilMails(2)
    const token = world.lastToken('reset')
    const confirm = (password: string) => world.browser().post('/v1/password-resets/confirm', { token, password })
    expect((await confirm('sunshine')).body['reason']).toBe('password_refused')
    expect((await confirm(ADA.toUpperCase())).body['reason']).toBe('password_refused')
    expect((await confirm('zwölf blaue Busse')).status).toBe(200)
  })
})
