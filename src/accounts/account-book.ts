// Accounts and keys under their rules: who may have how many, what a change means for the key rings.
import { keyLastFour, keyPrefix, makeApiKey } from '../access/api-key.ts'
import type { Plan } from '../access/gate.ts'
import { makeKeyNumber, toKeyId } from '../access/key-number.ts'
import { KeyRing, READ_SCOPE, type RingAccount, type RingChange } from '../access/key-ring.ts'
import { KeyHasher, type Pepper } from '../access/pepper.ts'
import { ACTIVE_KEY_LIMITS, type PlanTable } from '../access/plans.ts'
import { toUsageReport } from '../access/usage-report.ts'
import type { Clock } from '../clock.ts'
import type { LiveUsage } from '../metering/live-usage.ts'
import { CellNumbers } from '../metering/quota-cells.ts'
import { toUtcText } from '../metering/utc-day.ts'
import type { AccountDetails, AccountListing, CreatedKey, KeyListing, OperationInput } from './account-operations.ts'
import { type Account, AccountRefusal, type AccountStore, type StoredKey } from './account-store.ts'

/** The scopes a key can have. */
export const KEY_SCOPES: readonly string[] = [READ_SCOPE, 'account:read']

const EMAIL = /^[^\s@]+@[^\s@]+$/
const EMAIL_CHARACTERS = 254
const NAME_CHARACTERS = 100
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a name must not have
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/

/** What an account book works with. */
export interface AccountBookParts {
  readonly store: AccountStore
  /** Peppers; the first hashes new keys. Asked for only where a key is made, so that the rest works without them. */
  peppers(): Promise<readonly Pepper[]>
  /** Host name that new keys are made for. */
  readonly audience: string
  readonly plans: PlanTable
  /** True time. */
  readonly clock: Clock
  readonly usage: LiveUsage
  /** Awaited after each change: done when every thread has it. */
  publish(change: RingChange): Promise<void>
}

/** The accounts and keys of one data directory. Its changing methods are called one after the other (`toOperations`). */
export class AccountBook {
  private readonly parts: AccountBookParts
  private readonly cells = new CellNumbers()

  constructor(parts: AccountBookParts) {
    this.parts = parts
  }

  /** All accounts and keys, as a key ring begins with them. */
  async ringContent(): Promise<RingChange> {
    const keys = await this.parts.store.listKeys() // before the accounts, so that each key finds its own among them
    return { accounts: (await this.parts.store.listAccounts()).map((account) => this.toRingAccount(account)), keys }
  }

  /** Makes a key, and its account (verified) where the address is new. */
  async createKey(input: OperationInput<'createKey'>): Promise<CreatedKey> {
    const { store, clock } = this.parts
    const email = checkEmail(input.email)
    const name = checkName(input.name)
    for (const scope of input.scopes) {
      if (KEY_SCOPES.includes(scope)) continue
      throw new AccountRefusal('invalid', `"${scope}" is no scope; a key can have ${KEY_SCOPES.join(' and ')}`)
    }
    if (input.scopes.length === 0) throw new AccountRefusal('invalid', 'a key needs a scope')
    const found = await store.findAccount(email)
    const account = found ?? (await this.openAccount(email, input.plan))
    if (input.plan !== undefined && input.plan !== account.plan) {
      const change = `quai accounts set-plan ${email} ${input.plan}`
      throw new AccountRefusal(
        'not_allowed',
        `the account ${email} is on the plan ${account.plan}; to change it: ${change}`,
      )
    }
    if (account.suspendedAtMillis !== null) throw new AccountRefusal('not_allowed', `the account ${email} is suspended`)
    const text = makeApiKey()
    const made = {
      ...input,
      id: await this.freeKeyId(),
      name,
      accountId: account.id,
      createdAtMillis: clock.nowMillis(),
    }
    const key = await this.toStoredKey(text, made)
    await store.insertKey(key, ACTIVE_KEY_LIMITS[account.plan])
    await this.parts.publish({ accounts: [this.toRingAccount(account)], keys: [key] })
    const listing = toKeyListing(key, account, clock.nowMillis())
    return { key: text, listing, plan: account.plan, isNewAccount: found === undefined }
  }

  async listKeys(): Promise<KeyListing[]> {
    const { store, clock } = this.parts
    const accounts = new Map((await store.listAccounts()).map((account) => [account.id, account]))
    return (await store.listKeys()).map((key) => toKeyListing(key, accounts.get(key.accountId), clock.nowMillis()))
  }

  async revokeKey(input: OperationInput<'revokeKey'>): Promise<KeyListing> {
    const { store, clock } = this.parts
    await store.revokeKey(input.id, clock.nowMillis())
    const key = await store.findKey(input.id)
    if (key === undefined) throw new AccountRefusal('not_found', `there is no key ${input.id}`)
    await this.parts.publish({ accounts: [], keys: [key] })
    const account = (await store.listAccounts()).find((one) => one.id === key.accountId)
    return toKeyListing(key, account, clock.nowMillis())
  }

  async listAccounts(): Promise<AccountListing[]> {
    const { store } = this.parts
    const keys = await store.listKeys()
    return (await store.listAccounts()).map((account) => this.toListing(account, keys))
  }

  async showAccount(input: OperationInput<'showAccount'>): Promise<AccountDetails> {
    const { store, clock, usage, plans, audience } = this.parts
    const account = await this.requireAccount(input.email)
    const keys = await store.listKeys(account.id)
    const nowMillis = clock.nowMillis()
    const ring = new KeyRing({ peppers: [], accounts: [this.toRingAccount(account)], keys }, audience)
    return {
      ...this.toListing(account, keys),
      keys: keys.map((key) => toKeyListing(key, account, nowMillis)),
      usage: toUsageReport({ ring, usage, plans, accountId: account.id, nowMillis }),
    }
  }

  async setPlan(input: OperationInput<'setPlan'>): Promise<AccountListing> {
    return this.change(await this.requireAccount(input.email), { plan: input.plan })
  }

  async setSuspended(input: OperationInput<'setSuspended'>): Promise<AccountListing> {
    const account = await this.requireAccount(input.email)
    const since = account.suspendedAtMillis ?? this.parts.clock.nowMillis()
    return this.change(account, { suspendedAtMillis: input.isSuspended ? since : null })
  }

  /** Forgets who an account belonged to and revokes its keys. What it used stays in the ledger, under the keys' ids. */
  async deleteAccount(input: OperationInput<'deleteAccount'>): Promise<AccountListing> {
    const { store, clock } = this.parts
    const account = await this.requireAccount(input.email)
    const nowMillis = clock.nowMillis()
    for (const key of await store.listKeys(account.id)) await store.revokeKey(key.id, nowMillis)
    return this.change(account, { email: null, deletedAtMillis: nowMillis })
  }

  private async change(account: Account, members: Partial<Account>): Promise<AccountListing> {
    const changed: Account = { ...account, ...members }
    await this.parts.store.updateAccount(changed)
    const keys = await this.parts.store.listKeys(account.id)
    await this.parts.publish({ accounts: [this.toRingAccount(changed)], keys })
    return this.toListing(changed, keys)
  }

  private async requireAccount(email: string): Promise<Account> {
    const account = await this.parts.store.findAccount(email)
    if (account === undefined) throw new AccountRefusal('not_found', `there is no account for ${email}`)
    return account
  }

  private async openAccount(email: string, plan: Plan | undefined): Promise<Account> {
    if (plan === undefined) throw new AccountRefusal('invalid', `${email} is new: give its plan`)
    const account: Account = {
      id: `acc_${Bun.randomUUIDv7().replaceAll('-', '')}`,
      email,
      plan,
      isVerified: true,
      suspendedAtMillis: null,
      deletedAtMillis: null,
      isOverageEnabled: false,
      spendCapCents: 0,
      createdAtMillis: this.parts.clock.nowMillis(),
    }
    try {
      await this.parts.store.insertAccount(account)
      return account
    } catch (error) {
      if (!(error instanceof AccountRefusal && error.reason === 'already_exists')) throw error
      return this.requireAccount(email) // made by another request since this one looked
    }
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
    if (pepper === undefined) throw new Error('a key can only be made with a pepper')
    return {
      id: made.id,
      accountId: made.accountId,
      name: made.name,
      scopes: [...new Set(made.scopes)],
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

  private toRingAccount(account: Account): RingAccount {
    return {
      id: account.id,
      plan: account.plan,
      isVerified: account.isVerified,
      isSuspended: account.suspendedAtMillis !== null || account.deletedAtMillis !== null,
      isOverageEnabled: account.isOverageEnabled,
      spendCapCents: account.spendCapCents,
      cell: this.cells.of(account.id),
    }
  }

  private toListing(account: Account, keys: readonly StoredKey[]): AccountListing {
    const nowMillis = this.parts.clock.nowMillis()
    const active = keys.filter((key) => key.accountId === account.id && isActive(key, nowMillis))
    return {
      id: account.id,
      email: account.email,
      plan: account.plan,
      state: accountState(account),
      active_keys: active.length,
      key_limit: ACTIVE_KEY_LIMITS[account.plan],
      created_at: toUtcText(account.createdAtMillis),
    }
  }
}

function checkEmail(email: string): string {
  const trimmed = email.trim()
  if (trimmed.length <= EMAIL_CHARACTERS && EMAIL.test(trimmed)) return trimmed
  throw new AccountRefusal('invalid', `"${email}" is no e-mail address`)
}

function checkName(name: string): string {
  const trimmed = name.trim()
  if (trimmed !== '' && trimmed.length <= NAME_CHARACTERS && !CONTROL_CHARACTERS.test(trimmed)) return trimmed
  throw new AccountRefusal('invalid', `a key's name has 1 to ${NAME_CHARACTERS} characters and no control characters`)
}

function isActive(key: StoredKey, nowMillis: number): boolean {
  return key.revokedAtMillis === null && (key.expiresAtMillis === null || key.expiresAtMillis > nowMillis)
}

function accountState(account: Account): AccountListing['state'] {
  if (account.deletedAtMillis !== null) return 'deleted'
  if (account.suspendedAtMillis !== null) return 'suspended'
  return account.isVerified ? 'active' : 'unverified'
}

function toKeyListing(key: StoredKey, account: Account | undefined, nowMillis: number): KeyListing {
  const state = (): KeyListing['state'] => {
    if (key.revokedAtMillis !== null) return 'revoked'
    if (!isActive(key, nowMillis)) return 'expired'
    return account?.suspendedAtMillis === null ? 'active' : 'suspended'
  }
  return {
    id: key.id,
    account: account?.email ?? null,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    state: state(),
    scopes: key.scopes,
    audience: key.audience,
    created_at: toUtcText(key.createdAtMillis),
    expires_at: key.expiresAtMillis === null ? null : toUtcText(key.expiresAtMillis),
    revoked_at: key.revokedAtMillis === null ? null : toUtcText(key.revokedAtMillis),
  }
}
