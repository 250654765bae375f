// `quai ledger late list | bill | waive`.
import { LateUsage } from '../accounts/late-usage.ts'
import { type Config, isReplicaConfig } from '../config/config.ts'
import { findPeriod } from '../metering/utc-day.ts'
import { TRUE_CLOCK } from '../system/clock.ts'
import { countText } from '../system/count-text.ts'
import { FAILED, reportingFaults } from './account-access.ts'
import { type CommandIo, toTable } from './command-io.ts'
import { USAGE } from './keys.ts'
import { toPrintable, toPrintableJson, toPrintableRows } from './printable.ts'

/** The actions of the command. */
export const LATE_ACTIONS = ['list', 'bill', 'waive'] as const

/** The command line. */
interface LateOptions {
  readonly action: string
  readonly account: string | undefined
  readonly month: string | undefined
  readonly json: boolean
}

/**
 * Depending on the action, lists all late units, bills an account's late units in a month, or waives them. The
 * configuration doesn't need [cluster]: a single service on PostgreSQL may still have late units if it was a cluster
 * before.
 */
export async function runLedgerLate(config: Config, options: LateOptions, io: CommandIo): Promise<number> {
  const { action, account, month } = options
  const problem = findProblem(options)
  if (problem !== undefined) {
    io.stderr(`quai: ${problem}\n`)
    return USAGE
  }
  const { databaseUrl } = config
  if (databaseUrl === undefined) {
    io.stderr('quai: the configuration has no database_url; only clusters have late units\n')
    return FAILED
  }
  return reportingFaults(io, async () => {
    const late = new LateUsage(databaseUrl, isReplicaConfig(config) && !config.cluster.hasPreparedStatements)
    try {
      if (account === undefined || month === undefined) return await list(late, options, io)
      return await decide(late, { account, month, isBilled: action === 'bill', json: options.json }, io)
    } finally {
      await late.close()
    }
  })
}

function findProblem({ action, account, month }: LateOptions): string | undefined {
  if (!LATE_ACTIONS.some((each) => each === action))
    return `"${action}" is not an action; expected "list", "bill" or "waive"`
  if (action === 'list') return account === undefined ? undefined : '"ledger late list" takes no account and no month'
  if (account === undefined || month === undefined) return `"ledger late ${action}" needs an account and a month`
  return findPeriod(month) === undefined ? `the month is "${month}"; expected a month such as 2026-10` : undefined
}

async function list(late: LateUsage, { json }: LateOptions, io: CommandIo): Promise<number> {
  const months = await late.list()
  if (json) io.stdout(`${toPrintableJson(months)}\n`)
  else {
    const rows = months.map(({ account_id, email, month, units }) => [
      month,
      email ?? `(deleted, ${account_id})`,
      String(units),
    ])
    io.stdout(toTable(['MONTH', 'ACCOUNT', 'LATE UNITS'], toPrintableRows(rows)))
  }
  return 0
}

async function decide(
  late: LateUsage,
  options: { readonly account: string; readonly month: string; readonly isBilled: boolean; readonly json: boolean },
  io: CommandIo,
): Promise<number> {
  const { account, month, isBilled, json } = options
  const id = await late.findAccount(account)
  if (id === undefined) {
    io.stderr(`quai: no account has the address or id ${toPrintable(account)}\n`)
    return FAILED
  }
  const units = await late.decide(id, month, isBilled ? 'billed' : 'waived', TRUE_CLOCK.nowMillis())
  if (json) io.stdout(`${toPrintableJson({ account_id: id, month, units })}\n`)
  if (units === 0) {
    io.stderr(`quai: ${toPrintable(account)} has no late units for ${month}\n`)
    return FAILED
  }
  if (!json)
    io.stderr(
      `${countText(units, 'late unit')} for ${month} ${isBilled ? 'added to the month that is still open' : 'waived'}\n`,
    )
  return 0
}
