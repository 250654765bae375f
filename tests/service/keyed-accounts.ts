// Creates accounts with one key each in a data directory, before its service starts. Creating many accounts in this way
// takes no longer than creating one with a command.
import { join } from 'node:path'
import { openAccountStore } from '../../src/accounts/open-account-store.ts'
import { openAccounts } from '../../src/accounts/open-accounts.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Plan } from '../../src/plans/plans.ts'

/** An account to create, and the properties of its key. */
export interface AccountWish {
  readonly email: string
  readonly plan: Plan
  /** If given, overage is turned on for the account, with this spend cap in cents. */
  readonly spendCapCents?: number
  readonly isVerified?: boolean
  /** Scopes of the key; by default, only `transit:read`. */
  readonly scopes?: readonly string[]
  readonly expiresAtMillis?: number
  /** The host for which the key is valid; by default, the service's own host. */
  readonly audience?: string
}

/** A created key. */
export interface MadeKey {
  readonly id: string
  readonly key: string
}

/**
 * Creates an account and a key for each wish, in order. No service may be running.
 * @param folder folder that contains `quai.toml`
 */
export async function makeAccounts(folder: string, wishes: readonly AccountWish[]): Promise<MadeKey[]> {
  const made: MadeKey[] = []
  for (const wish of wishes) {
    const baseUrl = wish.audience === undefined ? {} : { base_url: `http://${wish.audience}` }
    const config = loadConfig({ file: join(folder, 'quai.toml'), currentFolder: folder, env: {}, flags: baseUrl })
    const accounts = await openAccounts(config, { onProblem: (problem) => console.error(problem) })
    const { email, plan, scopes = ['transit:read'], expiresAtMillis = null } = wish
    const { key, listing } = await accounts.operations.createKey({
      email,
      plan,
      name: email,
      scopes: [...scopes],
      expiresAtMillis,
    })
    await accounts.close()
    made.push({ id: listing.id, key })
  }
  await setSwitches(folder, wishes)
  return made
}

async function setSwitches(folder: string, wishes: readonly AccountWish[]): Promise<void> {
  const store = await openAccountStore(loadConfig({ file: join(folder, 'quai.toml'), currentFolder: folder, env: {} }))
  for (const { email, spendCapCents, isVerified } of wishes) {
    if (spendCapCents === undefined && isVerified === undefined) continue
    const account = await store.findAccount(email)
    if (account === undefined) throw new Error(`there is no account ${email}`)
    const changed = {
      ...account,
      isVerified: isVerified ?? account.isVerified,
      isOverageEnabled: spendCapCents !== undefined,
      spendCapCents: spendCapCents ?? account.spendCapCents,
    }
    await store.updateAccount(changed, { events: [], terms: { atMillis: account.createdAtMillis, fromUnits: 0 } })
  }
  await store.close()
}
