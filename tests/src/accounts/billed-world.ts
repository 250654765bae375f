// Accounts that are used, changed and deleted over several months. An independent bookkeeper records the units that
// responses report to clients, and what these units should cost. The bookkeeper uses no slots, ledgers or statements.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gate } from '../../../src/access/gate.ts'
import { type OpenGate, openGate } from '../../../src/access/open-gate.ts'
import type { AccountsService } from '../../../src/accounts/accounts-service.ts'
import { openAccounts } from '../../../src/accounts/open-accounts.ts'
import type { Plan, PlanTable } from '../../../src/plans/plans.ts'
import { type ClerkPlan, MonthlyBill, microCentsOf } from '../../oracles/monthly-bill.ts'
import { makeConfig } from '../account-config.ts'
import { HandClock } from '../account-fixture.ts'

/** Plans with so few units that their limits are reached. Two of them sell units, at prices that need rounding. */
const PLANS_TOML = `[plans.free]
included_units = 4
requests_per_second = 0
[plans.pay_as_you_go]
included_units = 6
requests_per_second = 0
overage_unit_amount_decimal = "0.35"
[plans.starter]
included_units = 12
requests_per_second = 0
[plans.pro]
included_units = 9
requests_per_second = 0
overage_available = true
overage_unit_amount_decimal = "1.125"
[plans.max]
included_units = 60
requests_per_second = 0
`
const THREADS = 2
const HOUR_MILLIS = 3_600_000

/** One action. `who` selects an account and `which` selects a key, each modulo how many there are. */
export type Step =
  | {
      readonly kind: 'use'
      readonly who: number
      readonly which: number
      readonly thread: number
      readonly calls: number
      readonly cost: 1 | 5
    }
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'plan'; readonly who: number; readonly plan: Plan }
  | {
      readonly kind: 'billing'
      readonly who: number
      readonly isOverageEnabled: boolean
      readonly spendCapCents: number
    }
  | { readonly kind: 'new key' | 'revoke' | 'rename'; readonly who: number; readonly which: number }
  | { readonly kind: 'flush' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'delete'; readonly who: number }

/** One account in the bookkeeper's records. */
export interface ClerkAccount {
  readonly id: string
  readonly email: string
  readonly keys: { readonly id: string; readonly text: string; isRevoked: boolean }[]
  plan: Plan
  isOverageEnabled: boolean
  /** Month → its bill, up to the month in which the account was deleted. */
  readonly bills: Map<string, MonthlyBill>
  /** `<date> <key>` → units in responses. */
  readonly reported: Map<string, number>
  isDeleted: boolean
}

/** A service in a folder, and the bookkeeper who checks it. */
export class BilledWorld {
  readonly clock = new HandClock()
  readonly accounts: ClerkAccount[] = []
  readonly problems: string[] = []
  private readonly folder: string
  private readonly flags: Record<string, unknown>
  private opened: AccountsService | undefined
  private threads: OpenGate[] = []

  constructor(folder: string, flags: Record<string, unknown> = {}) {
    this.folder = folder
    this.flags = flags
    writeFileSync(join(folder, 'quai.toml'), PLANS_TOML)
  }

  get service(): AccountsService {
    if (this.opened === undefined) throw new Error('the service is not open')
    return this.opened
  }

  get plans(): PlanTable {
    return makeConfig(this.folder, this.flags).plans
  }

  /** Opens the service. If it has no accounts, creates some, each with one key. */
  async open(accountCount = 3): Promise<void> {
    const onProblem = (problem: string) => this.problems.push(problem)
    this.opened = await openAccounts(makeConfig(this.folder, this.flags), {
      onProblem,
      clock: this.clock,
      threadCount: THREADS,
    })
    const start = structuredClone(await this.opened.start())
    this.threads = Array.from({ length: THREADS }, (_, ordinal) => openGate(start, ordinal, this.clock))
    this.opened.subscribe((change) => this.threads.forEach((thread) => void thread.apply(structuredClone(change))))
    while (this.accounts.length < accountCount) await this.addAccount(`a${this.accounts.length}@example.org`)
  }

  async close(): Promise<void> {
    await this.opened?.close()
    this.opened = undefined
  }

  get month(): string {
    return new Date(this.clock.millis).toISOString().slice(0, 7)
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'flush') return void (await this.service.flush())
    if (step.kind === 'wait') return this.wait(step.hours)
    if (step.kind === 'restart') {
      await this.close()
      return this.open()
    }
    const account = this.accounts[step.who % this.accounts.length]
    if (account === undefined || account.isDeleted) return
    switch (step.kind) {
      case 'use':
        return this.use(account, step)
      case 'plan':
        await this.service.operations.setPlan({ email: account.email, plan: step.plan })
        account.plan = step.plan
        return this.noteTerms(account)
      case 'billing':
        if (!this.plans[account.plan].overageAvailable) return
        await this.service.owners.setBilling(account.id, step)
        account.isOverageEnabled = step.isOverageEnabled
        return this.noteTerms(account)
      case 'delete':
        await this.service.operations.deleteAccount({ email: account.email })
        account.isDeleted = true
        return
      default:
        return this.changeKey(account, step)
    }
  }

  /** The bill of the current month. If it does not exist yet, it is created with the account's current terms. */
  billOf(account: ClerkAccount): MonthlyBill {
    return account.bills.getOrInsertComputed(
      this.month,
      () => new MonthlyBill(this.clerkPlan(account.plan), account.isOverageEnabled),
    )
  }

  private async addAccount(email: string): Promise<void> {
    const input = { email, plan: 'free', name: 'first', scopes: ['transit:read'], expiresAtMillis: null } as const
    const { key, listing } = await this.service.operations.createKey({ ...input, scopes: [...input.scopes] })
    const { id } = await this.service.operations.showAccount({ email })
    const keys = [{ id: listing.id, text: key, isRevoked: false }]
    const account: ClerkAccount = {
      ...{ id, email, keys, plan: 'free', isOverageEnabled: false },
      ...{ bills: new Map(), reported: new Map(), isDeleted: false },
    }
    this.accounts.push(account)
    this.billOf(account)
  }

  private wait(hours: number): void {
    // The clock moves hour by hour, so that no month is skipped and each month gets its bill.
    for (let hour = 0; hour < hours; hour++) {
      this.clock.millis += HOUR_MILLIS
      for (const account of this.accounts) if (!account.isDeleted) this.billOf(account)
    }
  }

  private use(account: ClerkAccount, step: Extract<Step, { kind: 'use' }>): void {
    const key = account.keys[step.which % account.keys.length]
    const gate: Gate | undefined = this.threads[step.thread % THREADS]?.gate
    if (key === undefined || gate === undefined) throw new Error('there is no key or no thread')
    for (let call = 0; call < step.calls; call++) {
      const authentication = gate.authenticate(`Bearer ${key.text}`)
      if (authentication.kind === 'refused') {
        if (!key.isRevoked) throw new Error(`a key was rejected: ${authentication.reason}`)
        return
      }
      const taken = gate.reserve(authentication.caller, step.cost)
      if ('reason' in taken) return
      if (gate.charge(taken) !== undefined) throw new Error('a reserved call was rejected')
      this.billOf(account).use(step.cost)
      const name = `${new Date(this.clock.millis).toISOString().slice(0, 10)} ${key.id}`
      account.reported.set(name, (account.reported.get(name) ?? 0) + step.cost)
    }
  }

  private async changeKey(account: ClerkAccount, step: { kind: string; which: number }): Promise<void> {
    const { owners } = this.service
    const key = account.keys[step.which % account.keys.length]
    if (key === undefined) throw new Error('there is no key')
    if (step.kind === 'rename') await owners.renameKey(account.id, key.id, `=name, "${step.which}";=1+1; +a<b>`)
    else if (step.kind === 'revoke') {
      await owners.revokeKey(account.id, key.id)
      key.isRevoked = true
    } else if (account.keys.filter(({ isRevoked }) => !isRevoked).length < 2) {
      const wish = { name: `key ${step.which}`, scopes: ['transit:read'], expiresAtMillis: null }
      const made = await owners.createKey(account.id, wish)
      account.keys.push({ id: made.listing.id, text: made.key, isRevoked: false })
    }
  }

  private noteTerms(account: ClerkAccount): void {
    this.billOf(account).change(this.clerkPlan(account.plan), account.isOverageEnabled)
  }

  private clerkPlan(plan: Plan): ClerkPlan {
    const { includedUnits, overageAvailable, overageUnitAmountDecimal } = this.plans[plan]
    return { includedUnits, overageMicroCents: overageAvailable ? microCentsOf(overageUnitAmountDecimal) : undefined }
  }
}
