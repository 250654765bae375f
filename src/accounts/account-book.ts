// What operators can do with accounts and keys. An operator identifies an account by its email address.
import type { Plan } from '../plans/plans.ts'
import { type AccountBookParts, AccountChanges } from './account-changes.ts'
import { type EventKind, makeEvent } from './account-event.ts'
import { toAccountListing, toEventListing, toKeyListing, toStatementListing } from './account-listing.ts'
import type {
  AccountDetails,
  AccountListing,
  AccountStatementListing,
  CreatedKey,
  KeyListing,
  OperationInput,
} from './account-operations.ts'
import { checkEmail, checkName, checkScopes } from './account-rules.ts'
import { type Account, AccountRefusal } from './account-store.ts'

/** Maximum number of events shown with an account. */
const SHOWN_EVENTS = 20

/** The operator's operations. `toOperations` in account-operations.ts runs changes one after the other. */
export class AccountBook {
  readonly changes: AccountChanges
  private readonly parts: AccountBookParts

  constructor(parts: AccountBookParts) {
    this.parts = parts
    this.changes = new AccountChanges(parts)
  }

  /** Creates a key. If the address is new, also creates a verified account. */
  async createKey(input: OperationInput<'createKey'>): Promise<CreatedKey> {
    const { store, clock } = this.parts
    const email = checkEmail(input.email)
    // `addKey` checks the name and the scopes too, but by then a new account may already be stored.
    checkName(input.name)
    checkScopes(input.scopes)
    const found = await store.findAccount(email)
    const account = found ?? (await this.openAccount(email, input.plan))
    if (input.plan !== undefined && input.plan !== account.plan) {
      const change = `quai accounts set-plan ${email} ${input.plan}`
      throw new AccountRefusal(
        'not_allowed',
        `the account ${email} is on the ${account.plan} plan; to change the plan, run: ${change}`,
      )
    }
    const { text, key } = await this.changes.addKey(account, input, 'operator')
    const listing = toKeyListing(key, account, clock.nowMillis())
    return { key: text, listing, plan: account.plan, isNewAccount: found === undefined }
  }

  async listKeys(): Promise<KeyListing[]> {
    const { store, clock } = this.parts
    const accounts = new Map((await store.listAccounts()).map((account) => [account.id, account]))
    return this.changes
      .withPending(await store.listKeys())
      .map((key) => toKeyListing(key, accounts.get(key.accountId), clock.nowMillis()))
  }

  async revokeKey(input: OperationInput<'revokeKey'>): Promise<KeyListing> {
    const { store, clock } = this.parts
    const found = await store.findKey(input.id)
    if (found === undefined) throw new AccountRefusal('not_found', `there is no key ${input.id}`)
    const account = await store.findAccountById(found.accountId)
    if (account === undefined)
      throw new Error(`key ${found.id} belongs to account ${found.accountId}, which does not exist`)
    const key = await this.changes.revokeKey(account, found.id, 'operator')
    return toKeyListing(key, account, clock.nowMillis())
  }

  async listAccounts(): Promise<AccountListing[]> {
    const { store, clock } = this.parts
    const keys = await store.listKeys()
    return (await store.listAccounts()).map((account) => toAccountListing(account, keys, clock.nowMillis()))
  }

  async showAccount(input: OperationInput<'showAccount'>): Promise<AccountDetails> {
    const { store, clock } = this.parts
    const account = await this.requireAccount(input.email)
    const keys = await store.listKeys(account.id)
    const nowMillis = clock.nowMillis()
    return {
      ...toAccountListing(account, keys, nowMillis),
      keys: keys.map((key) => toKeyListing(key, account, nowMillis)),
      usage: await this.changes.report(account, keys),
      statements: (await store.billing.listStatements(account.id)).map(toStatementListing),
      events: (await store.billing.listEvents(account.id, { limit: SHOWN_EVENTS })).map(toEventListing),
    }
  }

  /**
   * Changes the plan immediately. The included units of the current month are those of the largest plan that the
   * account has had since the month began.
   */
  async setPlan(input: OperationInput<'setPlan'>): Promise<AccountListing> {
    const account = await this.requireAccount(input.email)
    if (input.plan === account.plan) return this.toListing(account)
    const event = this.eventOf('plan_changed', account, { from: account.plan, to: input.plan })
    return this.toListing(await this.changes.change(account, { plan: input.plan }, [event]))
  }

  /** Suspends or resumes an account. Suspending ends the owner's sessions; resuming does not restore them. */
  async setSuspended(input: OperationInput<'setSuspended'>): Promise<AccountListing> {
    const account = await this.requireAccount(input.email)
    if (input.isSuspended === (account.suspendedAtMillis !== null)) return this.toListing(account)
    const suspendedAtMillis = input.isSuspended ? this.parts.clock.nowMillis() : null
    const event = this.eventOf(input.isSuspended ? 'suspended' : 'resumed', account)
    const changed = await this.changes.change(account, { suspendedAtMillis }, [event])
    if (input.isSuspended) await this.parts.store.identity.deleteSessions(account.id)
    return this.toListing(changed)
  }

  /** Turns off the second factor for an owner who has lost the app and the recovery codes. */
  async removeFactor(input: OperationInput<'removeFactor'>): Promise<AccountListing> {
    const account = await this.requireAccount(input.email)
    if (!(await this.parts.store.factors.remove(this.eventOf('factor_disabled', account)))) {
      throw new AccountRefusal('not_allowed', `the second factor for the account ${input.email} is already off`)
    }
    return this.toListing(account)
  }

  /** Erases the owner's address and revokes the keys. Usage stays in the ledger under the key ids. */
  async deleteAccount(input: OperationInput<'deleteAccount'>): Promise<AccountListing> {
    const { store, clock } = this.parts
    const account = await this.requireAccount(input.email)
    for (const key of await store.listKeys(account.id)) await this.changes.revokeKey(account, key.id, 'operator')
    await store.identity.forget(account.id)
    const members = { email: null, deletedAtMillis: clock.nowMillis() }
    return this.toListing(await this.changes.change(account, members, [this.eventOf('deleted', account)]))
  }

  /** The statements of all accounts, for one month or for all months, newest month first. */
  async listStatements(input: OperationInput<'listStatements'>): Promise<AccountStatementListing[]> {
    const { store } = this.parts
    const emails = new Map((await store.listAccounts()).map(({ id, email }) => [id, email]))
    return (await store.billing.listAllStatements(input.month)).map((statement) => {
      const { accountId } = statement
      return { account_id: accountId, account: emails.get(accountId) ?? null, ...toStatementListing(statement) }
    })
  }

  private eventOf(kind: EventKind, account: Account, detail: Readonly<Record<string, string>> = {}) {
    const atMillis = this.parts.clock.nowMillis()
    return makeEvent(kind, { accountId: account.id, atMillis, actor: 'operator' }, detail)
  }

  private async toListing(account: Account): Promise<AccountListing> {
    const keys = await this.parts.store.listKeys(account.id)
    return toAccountListing(account, keys, this.parts.clock.nowMillis())
  }

  private async requireAccount(email: string): Promise<Account> {
    const account = await this.parts.store.findAccount(email)
    if (account === undefined) throw new AccountRefusal('not_found', `there is no account for ${email}`)
    return account
  }

  private async openAccount(email: string, plan: Plan | undefined): Promise<Account> {
    if (plan === undefined)
      throw new AccountRefusal(
        'invalid',
        `there is no account for ${email} yet; to create an account, choose a plan with --plan`,
      )
    const createdAtMillis = this.parts.clock.nowMillis()
    const account: Account = {
      id: `acc_${Bun.randomUUIDv7().replaceAll('-', '')}`,
      email,
      plan,
      isVerified: true,
      suspendedAtMillis: null,
      deletedAtMillis: null,
      isOverageEnabled: false,
      spendCapCents: 0,
      createdAtMillis,
    }
    try {
      await this.parts.store.insertAccount(account, { events: [this.eventOf('signed_up', account, { plan })] })
      return account
    } catch (error) {
      if (!(error instanceof AccountRefusal && error.reason === 'already_exists')) throw error
      return this.requireAccount(email) // a concurrent request has created it
    }
  }
}
