// `quai accounts list | show | set-plan | suspend | resume | delete`.
import { isPlan } from '../access/plans.ts'
import type { AccountDetails, AccountListing } from '../accounts/account-operations.ts'
import type { Config } from '../config.ts'
import { withAccounts } from './account-access.ts'
import { type CommandIo, toTable } from './command-io.ts'
import { USAGE, unknownPlan } from './keys.ts'

/** Lists all accounts, deleted ones included. */
export async function runAccountsList(config: Config, options: { json?: boolean }, io: CommandIo): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const accounts = await operations.listAccounts({})
    if (options.json === true) {
      io.stdout(`${JSON.stringify(accounts, null, 2)}\n`)
      return 0
    }
    const rows = accounts.map((account) => [
      account.email ?? `(deleted, ${account.id})`,
      account.plan,
      account.state,
      `${account.active_keys}/${account.key_limit}`,
      account.created_at,
    ])
    io.stdout(toTable(['EMAIL', 'PLAN', 'STATE', 'KEYS', 'CREATED'], rows))
    return 0
  })
}

/** Shows one account: its keys, and its use of the month. */
export async function runAccountsShow(
  config: Config,
  options: { email: string; json?: boolean },
  io: CommandIo,
): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const account = await operations.showAccount({ email: options.email })
    io.stdout(options.json === true ? `${JSON.stringify(account, null, 2)}\n` : describeAccount(account))
    return 0
  })
}

/** Moves an account to another plan. Its keys stay, even beyond the new plan's bound. */
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
    if (account.active_keys > account.key_limit) {
      io.stderr(
        `it has ${account.active_keys} active keys; new ones can be made once it has under ${account.key_limit}\n`,
      )
    }
    return 0
  })
}

/** Suspends an account: its keys fail at the next request, until it is resumed. */
export async function runAccountsSuspend(config: Config, options: { email: string }, io: CommandIo): Promise<number> {
  return setSuspended(config, { email: options.email, isSuspended: true }, io)
}

/** Lets a suspended account's keys work again. */
export async function runAccountsResume(config: Config, options: { email: string }, io: CommandIo): Promise<number> {
  return setSuspended(config, { email: options.email, isSuspended: false }, io)
}

/** Deletes an account: its address is forgotten and its keys are revoked; what it used stays in the ledger. */
export async function runAccountsDelete(config: Config, options: { email: string }, io: CommandIo): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    const account = await operations.deleteAccount({ email: options.email })
    io.stderr(`the account ${options.email} (${account.id}) is deleted; its usage stays in the ledger\n`)
    return 0
  })
}

async function setSuspended(
  config: Config,
  change: { email: string; isSuspended: boolean },
  io: CommandIo,
): Promise<number> {
  return withAccounts(config, io, async (operations) => {
    io.stderr(`${summary(await operations.setSuspended(change))}\n`)
    return 0
  })
}

function summary(account: AccountListing): string {
  return `the account ${account.email} is ${account.state}, on the plan ${account.plan}`
}

function describeAccount(account: AccountDetails): string {
  const { usage } = account
  const lines = [
    summary(account),
    `${usage.period}: ${usage.units} of ${usage.included_units} units used, ${usage.remaining} remain until ${usage.resets_at}`,
    `${account.active_keys} of ${account.key_limit} active keys`,
  ]
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
  return `${lines.join('\n')}\n${toTable(['ID', 'NAME', 'KEY', 'STATE', 'TODAY', 'MONTH', 'LAST USED'], rows)}`
}
