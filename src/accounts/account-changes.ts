// Changes to accounts and keys. Each change and its event are stored in one transaction; then every thread's key ring
// is updated. account-book.ts and owner-book.ts decide who may request a change.

import type { UsageReport } from '../access/gate.ts'
import { KeyRing, type RingAccount, type RingChange } from '../access/key-ring.ts'
import { toUsageReport } from '../access/usage-report.ts'
import { keyLastFour, keyPrefix, makeApiKey } from '../keys/api-key.ts'
import { makeKeyNumber, toKeyId } from '../keys/key-number.ts'
import { KeyHasher, type Pepper } from '../keys/pepper.ts'
import { CellNumbers } from '../metering/limit-cells.ts'
import type { LiveUsage } from '../metering/live-usage.ts'
import { periodOf, utcDayOf } from '../metering/utc-day.ts'
import { ACTIVE_KEY_LIMITS, type PlanTable } from '../plans/plans.ts'
import type { Clock } from '../system/clock.ts'
import { type AccountEvent, type Actor, makeEvent } from './account-event.ts'
import { checkName, checkScopes } from './account-rules.ts'
import { type Account, AccountRefusal, type AccountStore, type StoredKey, StoreUnavailable } from './account-store.ts'
import { lastMonthTerms } from './account-terms.ts'
import type { TermChange } from './billing-store.ts'
import type { RevocationFile } from './revocation-file.ts'

/** Dependencies of AccountBook and AccountChanges. */
export interface AccountBookParts {
  readonly store: AccountStore
  /**
   * Returns the peppers; the first one hashes new keys. Called only when a key is created, so all other changes work
   * without peppers.
   */
  peppers(): Promise<readonly Pepper[]>
  /** API host name for which new keys are valid. */
  readonly audience: string
  readonly plans: PlanTable
  /** The system clock. */
  readonly clock: Clock
  /** The clock that sets the day and the month to which units are charged (see QuotaCells.ledgerMillis). */
  readonly ledgerClock: Clock
  readonly usage: LiveUsage
  /** Stores revocations while the database is unavailable. */
  readonly revocations?: RevocationFile
  /** Sends a change to every thread; resolves when all threads have applied it. */
  publish(change: RingChange): Promise<void>
  /** In a cluster, fetches the usage that other replicas have counted for these keys. Called before `usage` is read. */
  refreshUsage?(accountId: string, keyIds: readonly string[]): Promise<void>
}

/** Values for a new key. */
export interface KeyValues {
  readonly name: string
  readonly scopes: readonly string[]
  /** When the key expires, in Unix milliseconds; null if it never expires. */
  readonly expiresAtMillis: number | null
}

/** Placeholder for an account's limit-cell number in usage reports, which do not read limit cells. */
const NO_CELL = -1

/** Changes the accounts and keys in one data directory. Callers must run changes one after the other. */
export class AccountChanges {
  readonly parts: AccountBookParts
  private readonly cells = new CellNumbers()

  constructor(parts: AccountBookParts) {
    this.parts = parts
  }

  /** The initial key ring: all keys, and the accounts that have a key. */
  async ringContent(): Promise<RingChange> {
    const { store } = this.parts
    // Read the keys before the accounts: an account is always stored before its keys, so every key's account is found.
    const keys = this.withPending(await store.listKeys())
    const changes = new Map<string, TermChange[]>()
    for (const change of await store.billing.listTermChanges()) {
      changes.getOrInsertComputed(change.accountId, () => []).push(change)
    }
    const holders = new Set(keys.map(({ accountId }) => accountId))
    const accounts = (await store.listAccounts()).filter(({ id }) => holders.has(id))
    return {
      accounts: accounts.map((account) => {
        return toRingAccount(account, { changes: changes.get(account.id) ?? [], cell: this.cells.of(account.id) })
      }),
      keys,
    }
  }

  /** Creates a key for an account. The full key, `text`, is only in this result. */
  async addKey(account: Account, given: KeyValues, actor: Actor): Promise<{ text: string; key: StoredKey }> {
    const { store, clock } = this.parts
    const name = checkName(given.name)
    const scopes = checkScopes(given.scopes)
    if (account.suspendedAtMillis !== null || account.deletedAtMillis !== null) {
      throw new AccountRefusal(
        'not_allowed',
        `the account ${account.email ?? account.id} is ${account.deletedAtMillis === null ? 'suspended' : 'deleted'}, so no key can be created for it`,
      )
    }
    const text = makeApiKey()
    const id = await this.freeKeyId()
    const createdAtMillis = clock.nowMillis()
    const key = await this.toStoredKey(text, { ...given, id, accountId: account.id, name, scopes, createdAtMillis })
    const about = { accountId: account.id, atMillis: createdAtMillis, actor, keyId: id }
    const event = makeEvent('key_created', about, { name, scopes: scopes.join(' ') })
    await store.insertKey(key, ACTIVE_KEY_LIMITS[account.plan], { events: [event] })
    await this.publish(account, [key])
    return { text, key }
  }

  /** Renames a key. */
  async renameKey(account: Account, key: StoredKey, to: { name: string; actor: Actor }): Promise<StoredKey> {
    const { store, clock } = this.parts
    const name = checkName(to.name)
    if (name === key.name) return key
    const about = { accountId: account.id, atMillis: clock.nowMillis(), actor: to.actor, keyId: key.id }
    await store.renameKey(key.id, name, { events: [makeEvent('key_renamed', about, { from: key.name, to: name })] })
    const renamed = { ...key, name }
    await this.publish(account, [renamed])
    return renamed
  }

  /** Revokes a key. If it is already revoked, keeps the earlier time. */
  async revokeKey(account: Account, keyId: string, actor: Actor): Promise<StoredKey> {
    const { store, clock, revocations } = this.parts
    const atMillis = clock.nowMillis()
    const event = makeEvent('key_revoked', { accountId: account.id, atMillis, actor, keyId })
    try {
      await store.revokeKey(keyId, atMillis, { events: [event] })
    } catch (error) {
      const isKept =
        error instanceof StoreUnavailable && revocations?.add({ keyId, accountId: account.id, atMillis, actor })
      if (isKept !== true) throw error
    }
    const [key] = this.withPending((await store.listKeys(account.id)).filter(({ id }) => id === keyId))
    if (key === undefined) throw new Error(`key ${keyId} was revoked, but is not in the store`)
    await this.publish(account, [key])
    return key
  }

  /** Moves revocations from the file to the database. Throws StoreUnavailable if the database is still unavailable. */
  async bringRevocations(): Promise<void> {
    const { store, revocations } = this.parts
    for (const { keyId, accountId, atMillis, actor } of revocations?.list() ?? []) {
      const event = makeEvent('key_revoked', { accountId, atMillis, actor, keyId })
      await store.revokeKey(keyId, atMillis, { events: [event] })
      revocations?.remove(keyId)
    }
  }

  /** Returns the keys, including revocations that are not in the database yet. */
  withPending(keys: readonly StoredKey[]): StoredKey[] {
    const { revocations } = this.parts
    return keys.map((key) => ({
      ...key,
      revokedAtMillis: key.revokedAtMillis ?? revocations?.revokedAt(key.id) ?? null,
    }))
  }

  /** Updates an account and returns it. */
  async change(account: Account, members: Partial<Account>, events: readonly AccountEvent[]): Promise<Account> {
    const { store, ledgerClock } = this.parts
    const changed: Account = { ...account, ...members }
    const isPricedAnew = changed.plan !== account.plan || changed.isOverageEnabled !== account.isOverageEnabled
    const terms = { atMillis: ledgerClock.nowMillis(), fromUnits: isPricedAnew ? await this.monthUnits(account.id) : 0 }
    await store.updateAccount(changed, { events, terms }, members)
    await this.publish(changed, this.withPending(await store.listKeys(account.id)))
    return changed
  }

  /** Publishes an account to every thread if it has a key; threads do not store accounts without keys. */
  async publish(account: Account, keys: readonly StoredKey[]): Promise<void> {
    if (keys.length === 0) return
    const changes = await this.parts.store.billing.listTermChanges(account.id)
    const cell = this.cells.of(account.id)
    await this.parts.publish({ accounts: [toRingAccount(account, { changes, cell })], keys })
  }

  /** Reads an account and publishes it to every thread. Returns the account; undefined if it does not exist. */
  async republish(accountId: string): Promise<Account | undefined> {
    const { store } = this.parts
    const account = await store.findAccountById(accountId)
    if (account !== undefined) await this.publish(account, this.withPending(await store.listKeys(accountId)))
    return account
  }

  /** An account's usage in the current month, including units that are not flushed yet. */
  async report(account: Account, keys: readonly StoredKey[]): Promise<UsageReport> {
    const { store, ledgerClock, usage, plans, audience } = this.parts
    await this.refreshUsage(account.id, keys)
    const changes = await store.billing.listTermChanges(account.id)
    const accounts = [toRingAccount(account, { changes, cell: NO_CELL })]
    const ring = new KeyRing({ peppers: [], accounts, keys }, audience)
    return toUsageReport({ ring, usage, plans, accountId: account.id, nowMillis: ledgerClock.nowMillis() })
  }

  private async monthUnits(accountId: string): Promise<number> {
    const { store, ledgerClock, usage } = this.parts
    const keys = await store.listKeys(accountId)
    await this.refreshUsage(accountId, keys)
    const atMillis = ledgerClock.nowMillis()
    const when = { period: periodOf(atMillis), utcDay: utcDayOf(atMillis) }
    return keys.reduce((sum, key) => sum + usage.totals(key.id, when).unitsInPeriod, 0)
  }

  /** In a cluster, fetches the usage that other replicas have counted for these keys. */
  async refreshUsage(accountId: string, keys: readonly StoredKey[]): Promise<void> {
    const keyIds = keys.map(({ id }) => id)
    await this.parts.refreshUsage?.(accountId, keyIds)
  }

  private async freeKeyId(): Promise<string> {
    for (;;) {
      const id = toKeyId(makeKeyNumber())
      if ((await this.parts.store.findKey(id)) === undefined) return id
    }
  }

  private async toStoredKey(
    text: string,
    made: Pick<StoredKey, 'id' | 'accountId' | 'name' | 'scopes' | 'expiresAtMillis' | 'createdAtMillis'>,
  ): Promise<StoredKey> {
    const [pepper] = await this.parts.peppers()
    if (pepper === undefined) throw new Error('there is no pepper to create a key with')
    return {
      id: made.id,
      accountId: made.accountId,
      name: made.name,
      scopes: made.scopes,
      audience: this.parts.audience,
      prefix: keyPrefix(text),
      lastFour: keyLastFour(text),
      digest: new KeyHasher(pepper).digest(text).toHex(),
      pepperId: pepper.id,
      createdAtMillis: made.createdAtMillis,
      expiresAtMillis: made.expiresAtMillis,
      revokedAtMillis: null,
    }
  }
}

function toRingAccount(
  account: Account,
  { changes, cell }: { readonly changes: readonly TermChange[]; readonly cell: number },
): RingAccount {
  return {
    id: account.id,
    plan: account.plan,
    isVerified: account.isVerified,
    isSuspended: account.suspendedAtMillis !== null || account.deletedAtMillis !== null,
    isOverageEnabled: account.isOverageEnabled,
    monthTerms: lastMonthTerms(changes, account),
    spendCapCents: account.spendCapCents,
    cell,
  }
}
