// What an owner can do with the account of the session: keys, usage, plan, overage, closed months and deletion.
import type { UsageReport } from '../access/gate.ts'
import { dayText, type Period, periodOf, toUtcText, utcDayOf } from '../metering/utc-day.ts'
import { ACTIVE_KEY_LIMITS, type Plan } from '../plans/plans.ts'
import type { InTurn } from '../system/turns.ts'
import type { AccountChanges, KeyValues } from './account-changes.ts'
import { makeEvent } from './account-event.ts'
import { isActive, toAccountListing, toEventListing, toKeyListing, toStatementListing } from './account-listing.ts'
import type {
  AccountListing,
  Confirm,
  EventListing,
  KeyListing,
  StatementListing,
  Unconfirmed,
} from './account-operations.ts'
import { SPEND_CAP_CENTS } from './account-rules.ts'
import { type Account, AccountRefusal, type StoredKey } from './account-store.ts'
import type { DayRange } from './billing-store.ts'
import type { RouteUsage } from './route-usage.ts'

/** A key with its usage. */
export interface UsedKeyListing extends KeyListing {
  /** Null if the key was never used. */
  readonly last_used_at: string | null
  readonly units_today: number
  readonly units_this_month: number
}

/** The keys shown to an owner. */
export interface ListedKeys {
  readonly keys: readonly UsedKeyListing[]
  /** Number of older revoked keys that are not in `keys`. */
  readonly hiddenRevokedCount: number
}

/**
 * Maximum number of keys that were created in the last hour and are no longer active. The plan limits the number of
 * active keys.
 */
export const ENDED_KEYS_AN_HOUR = 20
/** Maximum number of revoked keys shown. */
export const SHOWN_REVOKED_KEYS = 1_000
const HOUR_MILLIS = 3_600_000

/** A key's usage on a UTC day. */
export interface DayListing {
  readonly date: string
  readonly key_id: string
  readonly key_name: string
  readonly units: number
  readonly calls: number
}

/** Response counts for a key on a route, by status class (metering/route-counts.ts). */
export interface RouteListing {
  readonly key_id: string
  readonly key_name: string
  readonly route: string
  readonly answered: number
  readonly refused: number
  readonly over_limit: number
  readonly failed: number
}

/** Overage settings to change; absent ones stay unchanged. */
export interface BillingChange {
  readonly isOverageEnabled?: boolean | undefined
  /** In cents. */
  readonly spendCapCents?: number | undefined
}

/** Dependencies of the owner's operations. */
export interface OwnerParts {
  readonly changes: AccountChanges
  /** The queue in which all account changes run. */
  readonly inTurn: InTurn
  readonly confirm: Confirm
  /** Flushes all counts to the ledger. */
  flush(): Promise<unknown>
  readonly routes: Pick<RouteUsage, 'flush'>
}

/** The owner's operations. Methods may be called at any time, because changes are queued. */
export class OwnerBook {
  private readonly parts: OwnerParts

  constructor(parts: OwnerParts) {
    this.parts = parts
  }

  /** The account as it appears in listings. */
  async showAccount(accountId: string): Promise<AccountListing> {
    return this.toListing(await this.requireAccount(accountId))
  }

  /** The Usage object for the current month. */
  async report(accountId: string): Promise<UsageReport> {
    const { changes } = this.parts
    return changes.report(await this.requireAccount(accountId), await changes.parts.store.listKeys(accountId))
  }

  /** The account's keys, oldest first. Of the revoked keys, only the latest SHOWN_REVOKED_KEYS are included. */
  async listKeys(accountId: string): Promise<ListedKeys> {
    const { store, clock, ledgerClock, usage } = this.parts.changes.parts
    const account = await this.requireAccount(accountId)
    const [nowMillis, atMillis] = [clock.nowMillis(), ledgerClock.nowMillis()]
    const when = { period: periodOf(atMillis), utcDay: utcDayOf(atMillis) }
    const all = await store.listKeys(accountId)
    await this.parts.changes.refreshUsage(accountId, all)
    const revoked = all.filter((key) => key.revokedAtMillis !== null)
    revoked.sort((a, b) => (b.revokedAtMillis ?? 0) - (a.revokedAtMillis ?? 0))
    const hidden = new Set(revoked.slice(SHOWN_REVOKED_KEYS))
    const shown = hidden.size === 0 ? all : all.filter((key) => !hidden.has(key))
    const keys = shown.map((key) => {
      const { lastUsedMillis, unitsToday, unitsInPeriod } = usage.totals(key.id, when)
      return {
        ...toKeyListing(key, account, nowMillis),
        last_used_at: lastUsedMillis === 0 ? null : toUtcText(lastUsedMillis),
        units_today: unitsToday,
        units_this_month: unitsInPeriod,
      }
    })
    return { keys, hiddenRevokedCount: hidden.size }
  }

  /** Creates a key. The full key is only in this result. */
  createKey(accountId: string, values: KeyValues): Promise<{ key: string; listing: KeyListing } & Unconfirmed> {
    const { changes } = this.parts
    return this.change(async () => {
      const nowMillis = changes.parts.clock.nowMillis()
      const { expiresAtMillis } = values
      if (expiresAtMillis !== null && expiresAtMillis <= nowMillis) {
        throw new AccountRefusal('invalid', "the key's expiry is in the past; choose a later time")
      }
      const account = await this.requireAccount(accountId)
      await this.requirePause(accountId, nowMillis)
      const { text, key } = await changes.addKey(account, values, 'owner')
      return { key: text, listing: toKeyListing(key, account, nowMillis) }
    })
  }

  /** Renames one of the account's keys. */
  renameKey(accountId: string, keyId: string, name: string): Promise<KeyListing & Unconfirmed> {
    const { changes } = this.parts
    return this.change(async () => {
      const { account, key } = await this.requireKey(accountId, keyId)
      const renamed = await changes.renameKey(account, key, { name, actor: 'owner' })
      return toKeyListing(renamed, account, changes.parts.clock.nowMillis())
    })
  }

  /** Revokes one of the account's keys. Requests with the key fail from now on. */
  revokeKey(accountId: string, keyId: string): Promise<KeyListing & Unconfirmed> {
    const { changes } = this.parts
    return this.change(async () => {
      const { account, key } = await this.requireKey(accountId, keyId)
      const revoked = await changes.revokeKey(account, key.id, 'owner')
      return toKeyListing(revoked, account, changes.parts.clock.nowMillis())
    })
  }

  /**
   * Changes the plan immediately. The included units of the current month are those of the largest plan that the
   * account has had since the month began. The caller has checked that owners can choose the plan. Refuses a plan that
   * allows fewer active keys than the account has.
   */
  choosePlan(accountId: string, plan: Plan): Promise<AccountListing & Unconfirmed> {
    const { changes } = this.parts
    return this.change(async () => {
      const { store, clock } = changes.parts
      const account = await this.requireAccount(accountId)
      if (plan === account.plan) return this.toListing(account)
      const nowMillis = clock.nowMillis()
      const active = (await store.listKeys(accountId)).filter((key) => isActive(key, nowMillis)).length
      const limit = ACTIVE_KEY_LIMITS[plan]
      if (active > limit) {
        const message = `the ${plan} plan allows ${limit} active keys, and the account has ${active}; revoke some first`
        throw new AccountRefusal('key_limit_reached', message)
      }
      const about = { accountId, atMillis: nowMillis, actor: 'owner' } as const
      const event = makeEvent('plan_changed', about, { from: account.plan, to: plan })
      return this.toListing(await changes.change(account, { plan }, [event]))
    })
  }

  /** Sets overage and the spend cap. Overage that was used before the change is still billed. */
  setBilling(accountId: string, values: BillingChange): Promise<AccountListing & Unconfirmed> {
    const { changes } = this.parts
    return this.change(async () => {
      const account = await this.requireAccount(accountId)
      const { plans, clock } = changes.parts
      if (!plans[account.plan].overageAvailable) {
        throw new AccountRefusal('not_allowed', `the ${account.plan} plan does not allow overage`)
      }
      const isOverageEnabled = values.isOverageEnabled ?? account.isOverageEnabled
      const spendCapCents = values.spendCapCents ?? account.spendCapCents
      if (!Number.isSafeInteger(spendCapCents) || spendCapCents < 0 || spendCapCents > SPEND_CAP_CENTS) {
        throw new AccountRefusal(
          'invalid',
          `the spend cap is not valid; expected a whole number of cents from 0 to ${SPEND_CAP_CENTS}`,
        )
      }
      if (isOverageEnabled === account.isOverageEnabled && spendCapCents === account.spendCapCents) {
        return this.toListing(account)
      }
      const about = { accountId, atMillis: clock.nowMillis(), actor: 'owner' } as const
      const detail = { overage_enabled: isOverageEnabled, spend_cap_cents: spendCapCents }
      const event = makeEvent('overage_changed', about, detail)
      return this.toListing(await changes.change(account, { isOverageEnabled, spendCapCents }, [event]))
    })
  }

  /**
   * Deletes the account. Its keys fail from the next request on. Its password, factor and sessions are deleted. Its
   * address stays taken until `LapsedAccounts` erases it together with the key names. Usage stays in the ledger under
   * the key ids.
   */
  deleteAccount(accountId: string): Promise<Unconfirmed> {
    const { changes } = this.parts
    const { store, clock } = changes.parts
    return this.change(async () => {
      const account = await this.requireAccount(accountId)
      const deletedAtMillis = clock.nowMillis()
      const event = makeEvent('deleted', { accountId, atMillis: deletedAtMillis, actor: 'owner' })
      // Do this first, because it stops all keys and sessions at once. The later steps may be interrupted.
      const deleted = await changes.change(account, { deletedAtMillis }, [event])
      for (const key of await store.listKeys(accountId)) {
        if (key.revokedAtMillis === null) await changes.revokeKey(deleted, key.id, 'owner')
      }
      await store.identity.forget(accountId)
      return {}
    })
  }

  /** Usage by UTC day and key. Flushes all counts to the ledger first. */
  async listDays(accountId: string, days: DayRange): Promise<DayListing[]> {
    const { store } = this.parts.changes.parts
    await this.parts.flush()
    const names = new Map((await store.listKeys(accountId)).map((key) => [key.id, key.name]))
    return (await store.billing.listDailyUse(accountId, days)).map((use) => ({
      date: dayText(use.utcDay),
      key_id: use.keyId,
      key_name: names.get(use.keyId) ?? '',
      units: use.units,
      calls: use.calls,
    }))
  }

  /**
   * Response counts by key, route and status class, largest first. Responses from the last ten seconds may be missing.
   */
  async listRoutes(accountId: string, days: DayRange): Promise<RouteListing[]> {
    const { store } = this.parts.changes.parts
    await this.parts.routes.flush()
    const names = new Map((await store.listKeys(accountId)).map((key) => [key.id, key.name]))
    return (await store.routes.listRoutes(accountId, days)).map(({ keyId, route, answers }) => {
      const [answered, refused, overLimit, failed] = answers
      const named = { key_id: keyId, key_name: names.get(keyId) ?? '', route }
      return { ...named, answered, refused, over_limit: overLimit, failed }
    })
  }

  /** Closed months, newest first. */
  async listStatements(accountId: string): Promise<StatementListing[]> {
    const { store } = this.parts.changes.parts
    return (await store.billing.listStatements(accountId)).map(toStatementListing)
  }

  /** A month's statement as stored JSON; undefined if there is none. */
  async findStatement(accountId: string, period: Period): Promise<string | undefined> {
    const { store } = this.parts.changes.parts
    return (await store.billing.findStatement(accountId, period.name))?.document
  }

  /** The account's events, newest first; if `beforeId` is given, only those before it. */
  async listEvents(accountId: string, page: { limit: number; beforeId?: string }): Promise<EventListing[]> {
    const { store } = this.parts.changes.parts
    return (await store.billing.listEvents(accountId, page)).map(toEventListing)
  }

  private change<Result extends object>(run: () => Promise<Result>): Promise<Result & Unconfirmed> {
    const { inTurn, confirm } = this.parts
    return confirm(inTurn(run))
  }

  private async toListing(account: Account): Promise<AccountListing> {
    const { store, clock } = this.parts.changes.parts
    return toAccountListing(account, await store.listKeys(account.id), clock.nowMillis())
  }

  private async requireAccount(accountId: string): Promise<Account> {
    const account = await this.parts.changes.parts.store.findAccountById(accountId)
    if (account === undefined) throw new Error(`account ${accountId} has a session, but is not in the store`)
    return account
  }

  /**
   * Refuses another key if too many keys were created and ended within an hour. Keys are stored permanently and sent to
   * every thread, so their number must be limited.
   */
  private async requirePause(accountId: string, nowMillis: number): Promise<void> {
    const made = (await this.parts.changes.parts.store.listKeys(accountId))
      .filter((key) => !isActive(key, nowMillis))
      // If the clock was set back, a key can have a creation time in the future. It counts as created now.
      .map(({ createdAtMillis }) => Math.min(createdAtMillis, nowMillis))
      .filter((atMillis) => atMillis > nowMillis - HOUR_MILLIS)
      .sort((a, b) => a - b)
    if (made.length < ENDED_KEYS_AN_HOUR) return
    const freeMillis = made[made.length - ENDED_KEYS_AN_HOUR] + HOUR_MILLIS
    throw new AccountRefusal(
      'too_many_changes',
      `${ENDED_KEYS_AN_HOUR} keys, the maximum, were created and revoked within an hour; wait, then try again`,
      Math.max(1, Math.ceil((freeMillis - nowMillis) / 1_000)),
    )
  }

  private async requireKey(accountId: string, keyId: string): Promise<{ account: Account; key: StoredKey }> {
    const key = await this.parts.changes.parts.store.findKey(keyId)
    // Do not reveal whether another account has a key with this id.
    if (key?.accountId !== accountId) throw new AccountRefusal('not_found', `there is no key ${keyId}`)
    return { account: await this.requireAccount(accountId), key }
  }
}
