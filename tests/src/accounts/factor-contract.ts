// The contract for a store's second factors and passkeys, as tests that every kind of store must pass. A store fails if
// a code works twice, if a limit is exceeded, if an account reaches another's data, or if a change is stored in part.
import { expect, test } from 'bun:test'
import { type EventKind, makeEvent } from '../../../src/accounts/account-event.ts'
import type { AccountStore } from '../../../src/accounts/account-store.ts'
import type { FactorStart } from '../../../src/accounts/factor-store.ts'
import type { StoredPasskey } from '../../../src/accounts/passkey-store.ts'
import { NOON_MILLIS } from '../account-fixture.ts'
import { ACCOUNT, HOSTILE_TEXTS } from './stored-records.ts'

const OTHER = { ...ACCOUNT, id: 'acc_other', email: 'eve@example.org' }
const SECRET = 'sealed'
const STEP = 59_000_000
const CODES = ['a', 'b', 'c'].map(digest)
const AT_ONCE = 8

/**
 * Declares the tests for a kind of store.
 * @param open returns an empty store
 */
export function testFactorContract(open: () => Promise<AccountStore>): void {
  const openWithAccounts = async () => {
    const store = await open()
    await store.insertAccount(ACCOUNT)
    await store.insertAccount(OTHER)
    return store
  }
  testFactors(openWithAccounts)
  testCodes(openWithAccounts)
  testPasskeys(openWithAccounts)
  testPasskeyLimits(openWithAccounts)
}

function testFactors(open: () => Promise<AccountStore>): void {
  test('a factor can be prepared repeatedly, and is enabled once, with the last secret', async () => {
    const store = await open()
    const { factors } = store
    expect(await factors.find(ACCOUNT.id)).toBeUndefined()
    expect(await factors.enable(startOf(), SECRET)).toBe(false)
    expect([await factors.prepare(ACCOUNT.id, 'first'), await factors.prepare(ACCOUNT.id, SECRET)]).toEqual([
      true,
      true,
    ])
    expect(await factors.find(ACCOUNT.id)).toEqual({
      sealedSecret: SECRET,
      enabledAtMillis: null,
      recoveryCodeCount: 0,
    })
    expect(await factors.enable(startOf(), 'first')).toBe(false)
    expect(await kinds(store)).toEqual([])
    const enabled = await Promise.all(Array.from({ length: AT_ONCE }, () => factors.enable(startOf(), SECRET)))
    expect(enabled.filter((isEnabled) => isEnabled)).toHaveLength(1)
    expect(await factors.prepare(ACCOUNT.id, 'other')).toBe(false)
    expect(await factors.find(ACCOUNT.id)).toEqual({
      sealedSecret: SECRET,
      enabledAtMillis: NOON_MILLIS,
      recoveryCodeCount: CODES.length,
    })
    expect(await kinds(store)).toEqual(['factor_enabled'])
    expect(await factors.find(OTHER.id)).toBeUndefined()
  })

  test('a factor is removed with its codes, once, and can be set up again', async () => {
    const store = await open()
    const { factors } = store
    await factors.prepare(ACCOUNT.id, SECRET)
    expect(await factors.remove(eventOf('factor_disabled'))).toBe(false) // the factor is not enabled yet
    await factors.enable(startOf(), SECRET)
    expect(await factors.remove(eventOf('factor_disabled', OTHER.id))).toBe(false)
    expect(await factors.remove(eventOf('factor_disabled'))).toBe(true)
    expect(await factors.remove(eventOf('factor_disabled'))).toBe(false)
    expect(await factors.find(ACCOUNT.id)).toBeUndefined()
    expect(await factors.useRecoveryCode(CODES[0] ?? '', eventOf('recovery_code_used'))).toBe(false)
    expect(await kinds(store)).toEqual(['factor_disabled', 'factor_enabled'])
    expect(await factors.prepare(ACCOUNT.id, 'again')).toBe(true)
    expect(await factors.find(ACCOUNT.id)).toMatchObject({ sealedSecret: 'again', enabledAtMillis: null })
  })
}

function testCodes(open: () => Promise<AccountStore>): void {
  test('a step is used once, however many use it at the same time, and no earlier step after it', async () => {
    const { factors } = await open()
    expect(await factors.useStep(ACCOUNT.id, STEP)).toBe(false)
    for (const { id } of [ACCOUNT, OTHER]) {
      await factors.prepare(id, SECRET)
      await factors.enable(startOf(id), SECRET)
    }
    // The code that enabled the factor cannot be used again.
    expect([await factors.useStep(ACCOUNT.id, STEP), await factors.useStep(ACCOUNT.id, STEP - 1)]).toEqual([
      false,
      false,
    ])
    const used = await Promise.all(Array.from({ length: AT_ONCE }, () => factors.useStep(ACCOUNT.id, STEP + 2)))
    expect(used.filter((isUsed) => isUsed)).toHaveLength(1)
    expect(await factors.useStep(ACCOUNT.id, STEP + 1)).toBe(false)
    expect(await factors.useStep(OTHER.id, STEP + 1)).toBe(true)
  })

  test('a recovery code is used once, by its own account, and all are replaced together', async () => {
    const store = await open()
    const { factors } = store
    const [first = '', second = ''] = CODES
    const used = (code: string, accountId = ACCOUNT.id) =>
      factors.useRecoveryCode(code, eventOf('recovery_code_used', accountId))
    const count = async () => (await factors.find(ACCOUNT.id))?.recoveryCodeCount
    expect(await factors.replaceRecoveryCodes(CODES, eventOf('recovery_codes_replaced'))).toBe(false)
    await factors.prepare(ACCOUNT.id, SECRET)
    expect(await factors.replaceRecoveryCodes(CODES, eventOf('recovery_codes_replaced'))).toBe(false)
    await factors.enable(startOf(), SECRET)
    expect(await used(first, OTHER.id)).toBe(false)
    const atOnce = await Promise.all(Array.from({ length: AT_ONCE }, () => used(first)))
    expect(atOnce.filter((isUsed) => isUsed)).toHaveLength(1)
    expect([await used(digest('none')), await count()]).toEqual([false, CODES.length - 1])
    const fresh = [digest('d'), digest('e')]
    expect(await factors.replaceRecoveryCodes(fresh, eventOf('recovery_codes_replaced'))).toBe(true)
    expect([await used(second), await count(), await used(fresh[0] ?? '')]).toEqual([false, 2, true])
    expect(await kinds(store)).toEqual([
      'recovery_code_used',
      'recovery_codes_replaced',
      'recovery_code_used',
      'factor_enabled',
    ])
  })
}

function testPasskeys(open: () => Promise<AccountStore>): void {
  test('keeps passkeys unchanged, with their latest use, and lists an account’s passkeys oldest first', async () => {
    const store = await open()
    const { passkeys } = store
    const [oldest, newer] = [
      passkeyOf('z', { name: HOSTILE_TEXTS.join('') }),
      passkeyOf('a', { createdAtMillis: NOON_MILLIS + 1 }),
    ]
    const others = passkeyOf('o', { accountId: OTHER.id, counter: 2 ** 32 - 1 })
    for (const passkey of [newer, others, oldest]) {
      expect(await passkeys.insert(passkey, 10, eventOf('passkey_added', passkey.accountId))).toBe(true)
    }
    expect(await passkeys.list(ACCOUNT.id)).toEqual([oldest, newer])
    expect([await passkeys.find(others.id), await passkeys.find('none')]).toEqual([others, undefined])
    await passkeys.use(oldest.id, { counter: 7, atMillis: NOON_MILLIS + 5 })
    await passkeys.use('none', { counter: 9, atMillis: NOON_MILLIS })
    expect(await passkeys.find(oldest.id)).toEqual({ ...oldest, counter: 7, usedAtMillis: NOON_MILLIS + 5 })
    expect(await passkeys.find(newer.id)).toEqual(newer)
    expect(await kinds(store)).toEqual(['passkey_added', 'passkey_added'])
  })

  test('removes an account’s own passkey, once, and all when the account is forgotten', async () => {
    const store = await open()
    const { passkeys, factors } = store
    const [mine, others] = [passkeyOf('mine'), passkeyOf('others', { accountId: OTHER.id })]
    for (const passkey of [mine, others])
      await passkeys.insert(passkey, 10, eventOf('passkey_added', passkey.accountId))
    expect(await passkeys.remove(others.id, eventOf('passkey_removed'))).toBe(false)
    expect(await passkeys.remove(mine.id, eventOf('passkey_removed'))).toBe(true)
    expect(await passkeys.remove(mine.id, eventOf('passkey_removed'))).toBe(false)
    expect(await kinds(store)).toEqual(['passkey_removed', 'passkey_added'])
    await factors.prepare(OTHER.id, SECRET)
    await factors.enable(startOf(OTHER.id), SECRET)
    await store.identity.forget(OTHER.id)
    expect([await passkeys.find(others.id), await factors.find(OTHER.id)]).toEqual([undefined, undefined])
    expect(await factors.useRecoveryCode(CODES[0] ?? '', eventOf('recovery_code_used', OTHER.id))).toBe(false)
  })
}

function testPasskeyLimits(open: () => Promise<AccountStore>): void {
  test('rejects duplicate passkeys, those without an account, and more than the limit, even at the same time', async () => {
    const store = await open()
    const { passkeys } = store
    const added = (passkey: StoredPasskey, limit = 3) =>
      passkeys.insert(passkey, limit, eventOf('passkey_added', passkey.accountId))
    expect(await added(passkeyOf('first'))).toBe(true)
    expect(await added(passkeyOf('first', { name: 'again' }))).toBe(false)
    expect(await added(passkeyOf('first', { accountId: OTHER.id }))).toBe(false)
    await expect(added(passkeyOf('nobody', { accountId: 'acc_gone' }))).rejects.toThrow()
    const atOnce = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => added(passkeyOf(`key ${at}`))))
    expect(atOnce.filter((isAdded) => isAdded)).toHaveLength(2)
    expect(await passkeys.list(ACCOUNT.id)).toHaveLength(3)
    expect([await passkeys.list(OTHER.id), await passkeys.find('nobody')]).toEqual([[], undefined])
    expect(await kinds(store)).toEqual(['passkey_added', 'passkey_added', 'passkey_added'])
  })
}

/** The SHA-256 of a name, in place of the digest of a real code. */
function digest(name: string): string {
  return new Bun.CryptoHasher('sha256').update(name).digest('hex')
}

function eventOf(kind: EventKind, accountId = ACCOUNT.id) {
  return makeEvent(kind, { accountId, atMillis: NOON_MILLIS, actor: 'owner' })
}

function startOf(accountId = ACCOUNT.id): FactorStart {
  return { accountId, step: STEP, codeDigests: CODES, event: eventOf('factor_enabled', accountId) }
}

function passkeyOf(name: string, members: Partial<StoredPasskey> = {}): StoredPasskey {
  return {
    id: Buffer.from(name).toString('base64url'),
    accountId: ACCOUNT.id,
    publicKey: 'pQECAyYgASFYIA',
    counter: 0,
    name,
    createdAtMillis: NOON_MILLIS,
    usedAtMillis: null,
    ...members,
  }
}

/** The kinds of an account's events, newest first. */
async function kinds({ billing }: Pick<AccountStore, 'billing'>): Promise<string[]> {
  return (await billing.listEvents(ACCOUNT.id, { limit: 100 })).map(({ kind }) => kind)
}
