// Tests the format of keys, the key ring and the gate. Fails if a wrong credential is accepted, if a right one is
// refused, or if reasons for refusal are checked in a different order from the contract's.
import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { KeyRing, type RingAccount, type RingKey } from '../../src/access/key-ring.ts'
import { isApiKeyText, isServiceTokenText, keyLastFour, keyPrefix, makeApiKey } from '../../src/keys/api-key.ts'
import { KeyHasher, loadPeppers, type Pepper, PepperUnavailable, parsePeppers } from '../../src/keys/pepper.ts'
import { makeFolder, NOON_MILLIS } from './account-fixture.ts'

const secretBytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const PEPPER: Pepper = { id: 'a', secret: new Uint8Array(32).fill(7) }
const OLD_PEPPER: Pepper = { id: 'b', secret: new Uint8Array(32).fill(9) }
const AUDIENCE = 'api.example.org'

const ACCOUNT: RingAccount = {
  id: 'acc_1',
  plan: 'free',
  isVerified: true,
  isSuspended: false,
  isOverageEnabled: false,
  spendCapCents: 0,
  cell: 0,
}

function ringKey(text: string, members: Partial<RingKey> = {}, pepper = PEPPER): RingKey {
  return {
    id: 'key_00000001',
    accountId: ACCOUNT.id,
    name: 'test',
    prefix: keyPrefix(text),
    lastFour: keyLastFour(text),
    digest: new KeyHasher(pepper).digest(text).toHex(),
    pepperId: pepper.id,
    scopes: ['transit:read'],
    audience: AUDIENCE,
    createdAtMillis: 0,
    expiresAtMillis: null,
    revokedAtMillis: null,
    ...members,
  }
}

describe('a key', () => {
  test('has the pinned form, whatever the random bytes are', () => {
    fc.assert(
      fc.property(secretBytes, (bytes) => {
        const key = makeApiKey(bytes)
        expect(key).toMatch(/^quai_p_[0-9A-Za-z]{49}$/)
        expect(isApiKeyText(key)).toBe(true)
      }),
    )
  })

  test('contains all 256 bits: the 43 characters decode from base 62 to the bytes', () => {
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    fc.assert(
      fc.property(secretBytes, (bytes) => {
        let value = 0n
        for (const character of makeApiKey(bytes).slice(7, 50))
          value = value * 62n + BigInt(alphabet.indexOf(character))
        expect(value.toString(16).padStart(64, '0')).toBe(bytes.toHex())
      }),
    )
  })

  test('is rejected if any character is changed: a CRC-32 detects every error within 32 bits', () => {
    const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_ é'
    fc.assert(
      fc.property(secretBytes, fc.nat({ max: 55 }), fc.constantFrom(...characters), (bytes, at, character) => {
        const key = makeApiKey(bytes)
        const changed = key.slice(0, at) + character + key.slice(at + 1)
        expect(isApiKeyText(changed)).toBe(changed === key)
      }),
      { numRuns: 2_000 },
    )
  })

  test('no other string is accepted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => expect(isApiKeyText(text)).toBe(false)),
    )
  })

  test('two keys created one after the other differ', () => {
    expect(makeApiKey()).not.toBe(makeApiKey())
  })

  test('a service token is recognized by its prefix', () => {
    expect(isServiceTokenText('quai_s_abc')).toBe(true)
    expect(isServiceTokenText('quai_s_')).toBe(false)
    expect(isServiceTokenText(makeApiKey())).toBe(false)
  })
})

describe('the key ring', () => {
  const text = makeApiKey()
  const open = (account: Partial<RingAccount>, key: Partial<RingKey>) =>
    new KeyRing({ peppers: [PEPPER], accounts: [{ ...ACCOUNT, ...account }], keys: [ringKey(text, key)] }, AUDIENCE)
  const answer = (ring: KeyRing, token = text): string => {
    const authentication = ring.authenticate(token, NOON_MILLIS)
    return authentication.kind === 'refused' ? authentication.reason : 'accepted'
  }

  test('rejects in the contract’s order: token, then audience and scope, then the address', () => {
    const table: [string, Partial<RingAccount>, Partial<RingKey>][] = [
      ['accepted', {}, {}],
      ['accepted', {}, { expiresAtMillis: NOON_MILLIS + 1 }],
      ['accepted', {}, { scopes: ['account:read', 'transit:read'] }],
      ['invalid_token', {}, { expiresAtMillis: NOON_MILLIS }],
      ['invalid_token', {}, { revokedAtMillis: 1 }],
      ['invalid_token', { isSuspended: true }, {}],
      ['invalid_token', { isSuspended: true, isVerified: false }, { audience: 'other.example.org' }],
      ['invalid_token', { isVerified: false }, { revokedAtMillis: 1, scopes: [] }],
      ['insufficient_scope', {}, { audience: 'other.example.org' }],
      ['insufficient_scope', {}, { scopes: ['account:read'] }],
      ['insufficient_scope', { isVerified: false }, { scopes: ['account:read'] }],
      ['email_verification_required', { isVerified: false }, {}],
    ]
    expect(table.map(([, account, key]) => answer(open(account, key)))).toEqual(table.map(([expected]) => expected))
  })

  test('contains only its own keys', () => {
    expect(answer(open({}, {}), makeApiKey())).toBe('invalid_token')
    expect(answer(open({}, {}), 'quai_p_')).toBe('invalid_token')
    expect(answer(open({}, {}), '')).toBe('invalid_token')
  })

  test('applies changes: revoked, suspended, resumed, moved to another plan', () => {
    const ring = open({}, {})
    ring.apply({ accounts: [{ ...ACCOUNT, isSuspended: true }], keys: [] })
    expect(answer(ring)).toBe('invalid_token')
    ring.apply({ accounts: [{ ...ACCOUNT, plan: 'max' }], keys: [] })
    expect(ring.authenticate(text, NOON_MILLIS)).toEqual({
      kind: 'accepted',
      caller: { keyId: 'key_00000001', accountId: 'acc_1', plan: 'max' },
    })
    ring.apply({ accounts: [], keys: [ringKey(text, { revokedAtMillis: NOON_MILLIS })] })
    expect(answer(ring)).toBe('invalid_token')
    expect(ring.listKeys('acc_1')).toHaveLength(1)
  })

  test('checks keys with both active peppers', () => {
    const old = makeApiKey()
    const keys = [ringKey(text), ringKey(old, { id: 'key_00000002' }, OLD_PEPPER)]
    const ring = new KeyRing({ peppers: [PEPPER, OLD_PEPPER], accounts: [ACCOUNT], keys }, AUDIENCE)
    expect([answer(ring, text), answer(ring, old)]).toEqual(['accepted', 'accepted'])
    const without = new KeyRing({ peppers: [PEPPER], accounts: [ACCOUNT], keys }, AUDIENCE)
    expect([answer(without, text), answer(without, old)]).toEqual(['accepted', 'invalid_token'])
  })

  test('a digest is the HMAC-SHA-256 that node computes', () => {
    const expected = createHmac('sha256', PEPPER.secret).update(text).digest('hex')
    const hasher = new KeyHasher(PEPPER)
    expect([hasher.digest(text).toHex(), hasher.digest(text).toHex()]).toEqual([expected, expected])
  })
})

describe('the pepper file', () => {
  test('is created at first use, readable by its owner only, and read back unchanged', () => {
    const path = join(makeFolder(), 'deep', 'pepper')
    const made = loadPeppers(path, new Set())
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(loadPeppers(path, new Set([made[0].id]))).toEqual(made)
  })

  test('is never replaced while keys are stored, and another pepper is rejected', () => {
    const path = join(makeFolder(), 'pepper')
    const [made] = loadPeppers(path, new Set())
    rmSync(path)
    expect(() => loadPeppers(path, new Set([made.id]))).toThrow(PepperUnavailable)
    loadPeppers(path, new Set())
    expect(() => loadPeppers(path, new Set([made.id]))).toThrow(/has no pepper/)
  })

  test('has one or two peppers, and errors name the line', () => {
    const line = (id: string) => `${id} ${'0f'.repeat(32)}`
    expect(parsePeppers(`# talk\n${line('new')}\n${line('old')}\n`, 'p').map((pepper) => pepper.id)).toEqual([
      'new',
      'old',
    ])
    expect(() => parsePeppers('', 'p')).toThrow('empty')
    expect(() => parsePeppers(`${line('a')}\nnot a pepper`, 'p')).toThrow('p:2')
    expect(() => parsePeppers(`${line('a')}\n${line('a')}`, 'p')).toThrow('repeats the pepper id')
    expect(() => parsePeppers([line('a'), line('b'), line('c')].join('\n'), 'p')).toThrow('at most 2')
  })

  test('may be read-only', () => {
    const path = join(makeFolder(), 'pepper')
    writeFileSync(path, `x ${'ab'.repeat(32)}\n`)
    chmodSync(path, 0o400)
    expect(loadPeppers(path, new Set())[0].id).toBe('x')
    expect(readFileSync(path, 'utf8')).toStartWith('x ')
  })
})
