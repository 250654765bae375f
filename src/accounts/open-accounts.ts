// Opens the accounts, keys and ledger in a data directory: takes the lock, opens the store, loads the peppers, and
// flushes counts that crashed processes left behind.
import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-file.ts'
import { loadPeppers, type Pepper } from '../keys/pepper.ts'
import { findPast } from '../metering/ledger.ts'
import { segmentFolder } from '../metering/segment.ts'
import { recoverSegments } from '../metering/segment-recovery.ts'
import { periodOf, utcDayOf } from '../metering/utc-day.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import { type DataDirLock, holdFolder } from '../system/data-dir-lock.ts'
import { type AccountStore, mayPass, StoreDamaged } from './account-store.ts'
import { AccountsService } from './accounts-service.ts'
import { refuseUsedSlots, type StorePlace } from './missing-store.ts'
import { findFirstOpenDay, notePlans } from './month-closing.ts'
import { databaseName, explainDamage, openAccountStore, openNewStore } from './open-account-store.ts'
import { RevocationFile } from './revocation-file.ts'

/** Reports also load the month that was current this long ago. They therefore stay correct if the clock is set back. */
const REPORT_MONTH_MILLIS = 31 * 86_400_000

/** Options for opening the accounts. */
export interface AccountsOptions {
  /** Called with problems for the operator: damaged or retired segments, failing flushes. */
  onProblem(message: string): void
  /** Called when another process has taken the data directory; this process must exit. */
  onLost?(error: Error): void
  /** The system clock by default; replaced only in tests. */
  readonly clock?: Clock
  /** A monotonic clock in milliseconds, used to detect changes of the system clock; the process's own if absent. */
  readonly steady?: () => number
  /** Number of data threads that will write; if absent, the configured number of workers. */
  readonly threadCount?: number
  /** Creates a new store if the database is missing, empty or damaged, even if keys were used before. */
  readonly isNewStore?: boolean
}

/**
 * Locks and prepares the data directory: database, peppers, and a segment for each data thread. Throws DataDirBusy if
 * another process holds the directory, and PepperUnavailable if stored keys cannot be checked.
 */
export async function openAccounts(config: Config, options: AccountsOptions): Promise<AccountsService> {
  const { onProblem, onLost = (error: Error) => onProblem(error.message) } = options
  const lock = await holdFolder(config.dataDir, { onProblem, onLost })
  try {
    const onAside = (path: string) => onProblem(`the previous database was moved to ${path}; starting with a new one`)
    const store = options.isNewStore === true ? await openNewStore(config, onAside) : await openAccountStore(config)
    try {
      return await openOverStore(config, options, { lock, store })
    } catch (error) {
      await store.close()
      throw error instanceof StoreDamaged ? explainDamage(error, config) : error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function openOverStore(
  config: Config,
  options: AccountsOptions,
  held: { lock: Pick<DataDirLock, 'release'>; store: AccountStore },
): Promise<AccountsService> {
  const { store } = held
  const clock = options.clock ?? TRUE_CLOCK
  const peppers = await loadUsedPeppers(store, config)
  const folder = segmentFolder(config.dataDir)
  const recovery = {
    folder,
    store,
    today: utcDayOf(clock.nowMillis()),
    mayPass,
    onProblem: ({ ordinal, message }: { ordinal: number; message: string }) =>
      options.onProblem(`metering on data thread ${ordinal}: ${message}`),
  }
  const segments = await recoverSegments(recovery, options.threadCount ?? config.workers)
  const past = findPast(await store.listUsage(), segments, firstReportDay(clock))
  await notePlans({ store, clock, plans: config.plans })
  // If the clock was set back, units must not be charged to a closed month.
  const firstOpenDay = await findFirstOpenDay(store)
  const open = segments.map((one) => ({ ...one, lastUtcDay: Math.max(one.lastUtcDay, firstOpenDay) }))
  const { onProblem, steady } = options
  return new AccountsService({
    config,
    ...held,
    revocations: new RevocationFile(config.dataDir),
    clock,
    peppers,
    folder,
    segments: open,
    past,
    steady,
    onProblem,
  })
}

/**
 * Loads the peppers. Throws if a key that is not revoked needs a missing pepper, or if the slots contain usage but the
 * store has no keys.
 */
export async function loadUsedPeppers(store: AccountStore, place: StorePlace): Promise<Pepper[]> {
  refuseMissingPepper(place)
  const keys = await store.listKeys()
  if (keys.length === 0) refuseUsedSlots(place, databaseName(place))
  const live = keys.filter((key) => key.revokedAtMillis === null)
  return loadPeppers(place.pepperFile, new Set(live.map((key) => key.pepperId)))
}

/**
 * Throws ConfigError if the pepper file is missing in a cluster. Otherwise, two replicas that start for the first time
 * would each create a pepper.
 */
export function refuseMissingPepper({ cluster, pepperFile }: StorePlace): void {
  if (cluster === undefined || existsSync(pepperFile)) return
  throw new ConfigError(
    `the pepper file ${pepperFile} does not exist; all replicas need the same file: create it once with \`quai pepper make FILE\`, then copy it to all replicas`,
  )
}

/** The first UTC day that reports need: the first day of the month that was current REPORT_MONTH_MILLIS ago. */
export function firstReportDay(clock: Clock): number {
  return periodOf(clock.nowMillis() - REPORT_MONTH_MILLIS).firstDay
}
