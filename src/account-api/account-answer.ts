// An account as its owner sees it.
import { ACTIVE_KEY_LIMITS } from '../access/plans.ts'
import type { Account } from '../accounts/account-store.ts'
import { toUtcText } from '../metering/utc-day.ts'
import type { AccountApi } from './account-api.ts'

/** An account in an answer. The instant is RFC 3339 in UTC. */
export interface AccountAnswer {
  readonly id: string
  readonly email: string | null
  readonly plan: string
  readonly state: 'active' | 'unverified' | 'suspended' | 'deleted'
  readonly key_limit: number
  readonly active_keys: number
  readonly overage_enabled: boolean
  readonly spend_cap_cents: number
  readonly created_at: string
}

/** The account with its keys counted. */
export async function toAccountAnswer(
  { accounts, clock }: Pick<AccountApi, 'accounts' | 'clock'>,
  account: Account,
): Promise<AccountAnswer> {
  const nowMillis = clock.nowMillis()
  const keys = await accounts.store.listKeys(account.id)
  const active = keys.filter(
    ({ revokedAtMillis, expiresAtMillis }) =>
      revokedAtMillis === null && (expiresAtMillis === null || expiresAtMillis > nowMillis),
  )
  return {
    id: account.id,
    email: account.email,
    plan: account.plan,
    state: stateOf(account),
    key_limit: ACTIVE_KEY_LIMITS[account.plan],
    active_keys: active.length,
    overage_enabled: account.isOverageEnabled,
    spend_cap_cents: account.spendCapCents,
    created_at: toUtcText(account.createdAtMillis),
  }
}

function stateOf(account: Account): AccountAnswer['state'] {
  if (account.deletedAtMillis !== null) return 'deleted'
  if (account.suspendedAtMillis !== null) return 'suspended'
  return account.isVerified ? 'active' : 'unverified'
}
