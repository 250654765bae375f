// Accounts with one key each, created in a data directory before its service starts. Creating many accounts here
// takes no longer than creating a single account with a command.
import { join } from 'node:path'
import { openAccountStore } from '../../src/accounts/open-account-store.ts'
import { openAccounts } from '../../src/accounts/open-accounts.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Plan } from '../../src/plans/plans.ts'

/** The properties of an account to create, and of its key. */
export interface AccountWish {
  readonly email: string
  readonly plan: Plan
  /** If given, overage is turned on with this cap in cents. */
  readonly spendCapCents?: number
  readonly isVerified?: boolean
  /** The default is `transit:read`. */
  readonly scopes?: readonly string[]
  readonly expiresAtMillis?: number
  /** The audience of the key; by default, the service's own host. */
  readonly audience?: string
}

/** A created key. */
export interface MadeKey {
  readonly id: string
  readonly key: string
}

/** Creates a key for each wish, in order, in the folder of a `quai.toml`. No service may be running there. */
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
