// Tests the closing of a month while one replica is dead, one is frozen and one is cut off, each with units that the
// database does not have yet. Each account must get one statement with the units that are in the ledger at the closing.
// Units that arrive afterwards must be stored as late units.
import { afterEach, describe, expect, test } from 'bun:test'
import { hasOwnPostgres, OwnPostgres } from '../../databases/own-postgres.ts'
import { canShiftTime, ShiftedTime } from '../../databases/shifted-time.ts'
import { SIZE } from '../../size.ts'
import { until } from '../running.ts'
import { Fleet } from './fleet.ts'
import { type AccountCount, callOnce, FleetCallers } from './fleet-callers.ts'

const PORT = 19_900
const DATABASE = 'month_end'
const ACCOUNTS = 5
const LOST_SECONDS = 10
const TRAFFIC_MILLIS = 5_000
const DAY_MILLIS = 86_400_000
/** Number of days from the end of a month until it is closed. */
const CLOSING_DAYS = 3

const isRun = SIZE === 'full' && hasOwnPostgres() && canShiftTime()
if (SIZE === 'full' && !isRun) console.log('left out: the end of a month (PostgreSQL or libfaketime is not installed)')

let time: ShiftedTime
let postgres: OwnPostgres
let fleet: Fleet

afterEach(async () => {
  await fleet.remove()
  await postgres.remove()
  time.remove()
})

describe.skipIf(!isRun)("a month's end", () => {
  test('makes one statement for each account, and keeps late units', async () => {
    const now = new Date()
    const endMillis = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
    time = new ShiftedTime()
    time.set(endMillis - 3_600_000)
    postgres = await OwnPostgres.start([], time.env)
    await postgres.query(`CREATE DATABASE ${DATABASE}`)
    fleet = new Fleet({
      databaseUrl: postgres.url(DATABASE),
      count: 4,
      port: PORT,
      // The flush interval is longer, so that some units are counted only in the slots.
      cluster: `lost_after_seconds = ${LOST_SECONDS}\nflush_seconds = 5`,
      tables: '[plans.max]\nincluded_units = 100000000\nrequests_per_second = 0\n',
      env: time.env,
    })
    await fleet.start()
    const accounts: AccountCount[] = []
    for (let number = 0; number < ACCOUNTS; number++)
      accounts.push({ key: await fleet.makeKey(`a${number}@ville.example`, 'max'), reported: 0, unanswered: 0 })
    const callers = new FleetCallers(fleet.replicas, accounts, { each: 2, pauseMillis: 50 })
    await Bun.sleep(TRAFFIC_MILLIS)
    const [closer, dead, frozen, late] = fleet.replicas
    dead.child?.kill('SIGKILL')
    frozen.child?.kill('SIGSTOP')
    late.link.set('silent')
    await callers.stop()
    const reported = accounts.map((account) => account.reported)
    const most = accounts.map((account) => account.reported + account.unanswered)
    // For an hour after its clock was set forward, a replica does not close a month. So the replica that closes the
    // month is restarted after the jump.
    expect(await fleet.end(closer)).toBe(0)
    time.set(endMillis + CLOSING_DAYS * DAY_MILLIS + 60_000)
    await Bun.sleep(1_500)
    fleet.spawn(closer)
    await fleet.untilReady(closer)
    await until(async () => (await statements()).length === ACCOUNTS, 'the month is closed')
    const closed = await statements()
    const atClosing = await ledgerUnits()
    expect(closed.map(({ units }) => units)).toEqual(atClosing)
    // The other replicas return with units that they had not flushed.
    await fleet.end(dead, 'SIGKILL')
    fleet.spawn(dead)
    frozen.child?.kill('SIGCONT')
    late.link.set('passes')
    for (const replica of [frozen, late]) {
      await until(() => replica.child?.exitCode != null, `replica ${replica.index} has ended itself`)
      fleet.spawn(replica)
    }
    await fleet.untilAllReady()
    await until(async () => (await allUnits()).every((units, at) => units >= reported[at]), 'all counts are there')
    const [ledger, all] = [await ledgerUnits(), await allUnits()]
    const verified = await verify()
    console.log(
      `month's end: reported ${reported} <= ledger and late ${all} <= ${most}; statements ${closed.map(({ units }) => units)}, late ${all.map((units, at) => units - ledger[at])}; ${JSON.stringify(verified)}`,
    )
    expect(ledger).toEqual(atClosing)
    expect(await statements()).toEqual(closed)
    expect(all.some((units, at) => units > ledger[at])).toBe(true)
    for (const [at, units] of all.entries()) expect(units).toBeLessThanOrEqual(most[at])
    expect(verified.faults).toEqual([])
    for (const replica of fleet.replicas) expect(await callOnce(replica, accounts[0], false)).toBe('200')
  }, 300_000)
})

async function verify() {
  return await (await fleet.operations()).verifyLedger({})
}

/** All statements for the month, sorted by account. */
async function statements(): Promise<{ email: string; units: number }[]> {
  return await postgres.query(
    `SELECT a.email, s.units::float8 AS units FROM quai.statements s JOIN quai.accounts a ON a.id = s.account_id
     ORDER BY a.email`,
    DATABASE,
  )
}

/** The units in the ledger, one number per account. */
async function ledgerUnits(): Promise<number[]> {
  return await sums('u.units')
}

/** The units in the ledger plus late units, one number per account. */
async function allUnits(): Promise<number[]> {
  return await sums('greatest(u.units, l.units)')
}

async function sums(units: string): Promise<number[]> {
  const rows = await postgres.query<{ units: number }>(
    `SELECT coalesce(sum(${units}), 0)::float8 AS units FROM quai.accounts a JOIN quai.keys k ON k.account_id = a.id
     LEFT JOIN (quai.usage u FULL JOIN quai.late_usage l USING (writer_id, key_id, utc_day)) ON key_id = k.id
     GROUP BY a.email ORDER BY a.email`,
    DATABASE,
  )
  return rows.map((row) => row.units)
}
