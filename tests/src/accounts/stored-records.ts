// Records for the store contracts.
import type { Account, StoredKey } from '../../../src/accounts/account-store.ts'
import type { UsageRow } from '../../../src/metering/usage-store.ts'
import { NOON_MILLIS } from '../account-fixture.ts'

/** An account with ordinary values. */
export const ACCOUNT: Account = {
  id: 'acc_1',
  email: 'Ada@Example.org',
  plan: 'free',
  isVerified: true,
  suspendedAtMillis: null,
  deletedAtMillis: null,
  isOverageEnabled: false,
  spendCapCents: 0,
  createdAtMillis: NOON_MILLIS,
}

/** A key that belongs to ACCOUNT by default. */
export function storedKey(id: string, members: Partial<StoredKey> = {}): StoredKey {
  return {
    id,
    accountId: ACCOUNT.id,
    name: 'test',
    scopes: ['transit:read', 'account:read'],
    audience: 'localhost',
    prefix: 'quai_p_abcd',
    lastFour: 'wxyz',
    digest: Bun.SHA256.hash(id, 'hex'),
    pepperId: 'p',
    createdAtMillis: NOON_MILLIS,
    expiresAtMillis: null,
    revokedAtMillis: null,
    ...members,
  }
}

/** A row of the ledger: the units and calls of one key on one day. */
export function usageRow(units: number, members: Partial<UsageRow> = {}): UsageRow {
  const lastUsedMillis = NOON_MILLIS + units
  return { writerId: 'w1', keyId: 'key_00000001', utcDay: 20_000, units, calls: units, lastUsedMillis, ...members }
}

/** Strings that break some databases, or programs that read from them. */
export const HOSTILE_TEXTS: readonly string[] = [
  `'; DROP TABLE quai.keys; --`,
  `" OR "1"="1`,
  '$1 $2 ? :name @p %s {0}',
  '\\x00 \\u0000 \\ \\\\ \\n',
  `a\tb\nc\r\nd\u0001\u001f\u007f`,
  'Ünïcödé ẞ İ ǅ ﬀ',
  'e\u0301 é \u202e\u200b\ufeff',
  '👩‍👩‍👧‍👦 \u{10ffff}',
  'NULL',
  '{"a":[1,"b"]}',
  'ж'.repeat(250),
  ' leading and trailing ',
]
/** Strings that at least one of the databases cannot store unchanged. */
export const UNSTORABLE_TEXTS = ['a\0b', '\0', 'a\ud800b', '\udfff']
