// `quai accounts list | show | statements | set-plan | suspend | resume | remove-factor | delete`.

import type { AccountDetails, AccountListing, StatementListing } from '../accounts/account-operations.ts'
import type { Config } from '../config/config.ts'
import { findPeriod } from '../metering/utc-day.ts'
import { isPlan } from '../plans/plans.ts'
import { printUnconfirmed, withAccounts } from './account-access.ts'
import { type CommandIo, toTable } from './command-io.ts'
import { USAGE, unknownPlan } from './keys.ts'
import { toPrintable, toPrintableJson, toPrintableRows } from './printable.ts'

/** Lists all accounts, including deleted accounts. */
export async function runAccountsList(config: Config, options: { json?: boolean }, io: CommandIo): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const accounts = await operations.listAccounts({})
    if (options.json === true) {
      io.stdout(`${toPrintableJson(accounts)}\n`)
      return 0
    }
    const rows = accounts.map((account) => [
      account.email ?? `(deleted, ${account.id})`,
      account.plan,
      account.state,
      `${account.active_keys}/${account.key_limit}`,
      account.created_at,
    ])
    io.stdout(toTable(['EMAIL', 'PLAN', 'STATE', 'KEYS', 'CREATED'], toPrintableRows(rows)))
    return 0
  })
}

/** Lists the closed months of all accounts, including deleted accounts. With `month`, lists only that month. */
export async function runAccountsStatements(
  config: Config,
  options: { month?: string | undefined; json?: boolean },
  io: CommandIo,
): Promise<number> {
  const { month } = options
  if (month !== undefined && findPeriod(month) === undefined) {
    io.stderr(`quai: --month is "${month}"; expected a month such as 2026-10\n`)
    return USAGE
  }
  return withAccounts(config, io, async (operations) => {
    const statements = await operations.listStatements(month === undefined ? {} : { month })
    if (options.json === true) {
      io.stdout(`${toPrintableJson(statements)}\n`)
      return 0
    }
    const rows = statements.map((statement) => [
      statement.month,
      statement.account ?? `(deleted, ${statement.account_id})`,
      ...toStatementCells(statement),
    ])
    io.stdout(toTable(['MONTH', 'EMAIL', ...STATEMENT_HEADS], toPrintableRows(rows)))
    return 0
  })
}

/** Shows an account: its keys, usage this month, closed months, and latest events. */
export async function runAccountsShow(
  config: Config,
  options: { email: string; json?: boolean },
  io: CommandIo,
): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const account = await operations.showAccount({ email: options.email })
    io.stdout(options.json === true ? `${toPrintableJson(account)}\n` : describeAccount(account))
    return 0
  })
}

/** Changes an account's plan. The account keeps its keys, even if it has more keys than the new plan allows. */
export async function runAccountsSetPlan(
  config: Config,
  options: { email: string; plan: string },
  io: CommandIo,
): Promise<number> {
  const { email, plan } = options
  if (!isPlan(plan)) {
    io.stderr(`quai: ${unknownPlan(plan)}\n`)
    return USAGE
  }
  return withAccounts(config, io, async (operations) => {
    const account = await operations.setPlan({ email, plan })
    io.stderr(`${summary(account)}\n`)
    printUnconfirmed(account, io)
    if (account.active_keys > account.key_limit) {
      io.stderr(
        `the account has ${account.active_keys} active keys; to create more, revoke keys until it has fewer than ${account.key_limit}\n`,
      )
    }
    return 0
  })
}

/** Suspends an account: requests with its keys fail until the account is resumed. */
export async function runAccountsSuspend(config: Config, options: { email: string }, io: CommandIo): Promise<number> {
  return setSuspended(config, { email: options.email, isSuspended: true }, io)
}

/** Resumes a suspended account: its keys work again. */
export async function runAccountsResume(config: Config, options: { email: string }, io: CommandIo): Promise<number> {
  return setSuspended(config, { email: options.email, isSuspended: false }, io)
}

/**
 * Turns off the second login factor for an account whose owner has lost both the authenticator app and the recovery
 * codes.
 */
export async function runAccountsRemoveFactor(
  config: Config,
  options: { email: string },
  io: CommandIo,
): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const account = await operations.removeFactor({ email: options.email })
    io.stderr(`the second factor for the account ${options.email} (${account.id}) was turned off\n`)
    return 0
  })
}

/** Deletes an account: erases its email address and revokes its keys. Its usage stays in the ledger. */
export async function runAccountsDelete(config: Config, options: { email: string }, io: CommandIo): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const account = await operations.deleteAccount({ email: options.email })
    io.stderr(`deleted account ${options.email} (${account.id}); its usage stays in the ledger\n`)
    printUnconfirmed(account, io)
    return 0
  })
}

async function setSuspended(
  config: Config,
  change: { email: string; isSuspended: boolean },
  io: CommandIo,
): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const account = await operations.setSuspended(change)
    io.stderr(`${summary(account)}\n`)
    printUnconfirmed(account, io)
    return 0
  })
}

function summary(account: AccountListing): string {
  return `account ${toPrintable(account.email ?? account.id)} is ${account.state}, on the ${account.plan} plan`
}

function describeAccount(account: AccountDetails): string {
  const { usage } = account
  const lines = [
    summary(account),
    `${usage.period}: ${usage.units} of ${usage.included_units} units used, ${usage.remaining} remain until ${usage.resets_at}`,
    `${account.active_keys} of ${account.key_limit} active keys`,
  ]
  if (usage.overage_enabled || usage.billable_units > 0) {
    const state = usage.overage_enabled ? `on, up to ${toMoney(usage.spend_cap_cents)}` : 'off'
    lines.push(`overage ${state}: ${usage.billable_units} units, ${toMoney(usage.spent_cents)} so far`)
  }
  const used = new Map(usage.keys.map((key) => [key.id, key]))
  const rows = account.keys.map((key) => [
    key.id,
    key.name,
    `${key.prefix}…${key.last_four}`,
    key.state,
    String(used.get(key.id)?.units_today ?? 0),
    String(used.get(key.id)?.units_period ?? 0),
    used.get(key.id)?.last_used_at ?? 'never',
  ])
  const parts = [
    `${lines.join('\n')}\n`,
    toTable(['ID', 'NAME', 'KEY', 'STATE', 'TODAY', 'MONTH', 'LAST USED'], toPrintableRows(rows)),
  ]
  if (account.statements.length > 0) {
    const months = account.statements.map((statement) => [statement.month, ...toStatementCells(statement)])
    parts.push(toTable(['CLOSED', ...STATEMENT_HEADS], toPrintableRows(months)))
  }
  const events = account.events.map(({ at, kind, actor, key_id, detail }) => [
    ...[at, kind, actor, key_id ?? ''],
    Object.entries(detail)
      .map(([name, value]) => `${name}: ${value}`)
      .join(', '),
  ])
  if (events.length > 0) parts.push(toTable(['AT', 'WHAT', 'BY', 'KEY', ''], toPrintableRows(events)))
  return parts.join('\n')
}

const STATEMENT_HEADS = ['PLAN', 'UNITS', 'INCLUDED', 'BILLED', 'AMOUNT']

function toStatementCells(statement: StatementListing): string[] {
  const { plan, units, included_units: included, overage_units: overage, amount_cents: cents } = statement
  return [plan, `${units}`, `${included}`, `${overage}`, toMoney(cents)]
}

/** Formats cents with two decimals. The operator chooses the currency. */
function toMoney(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}
