// Accounts, keys and the ledger of one data directory, for as long as this process holds it: made ready for the data
// threads, kept up to date for them, flushed each second.

import type { KeyGate } from '../access/gate.ts'
import type { RingChange } from '../access/key-ring.ts'
import { type AccessStart, allocateLimitCells, heldBy, type LimitCells } from '../access/open-gate.ts'
import type { Config } from '../config/config.ts'
import { deriveSecret, loadPeppers, type Pepper } from '../keys/pepper.ts'
import { type FlushFault, findPast, Ledger, type LedgerLag } from '../metering/ledger.ts'
import { QuotaCells } from '../metering/limit-cells.ts'
import { LiveUsage, type PastUsage } from '../metering/live-usage.ts'
import { lastChargedDay, seedQuotaCells } from '../metering/quota-seed.ts'
import { segmentFolder } from '../metering/segment.ts'
import { type RecoveredSegment, recoverSegments } from '../metering/segment-recovery.ts'
import { dayText, type Period, periodOf, toUtcText, utcDayOf, utcDayStartMillis } from '../metering/utc-day.ts'
import type { PlanTable } from '../plans/plans.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import { ClockWatch, spanText } from '../system/clock-watch.ts'
import { type DataDirLock, holdFolder } from '../system/data-dir-lock.ts'
import { type InTurn, makeTurns } from '../system/turns.ts'
import { AccountBook } from './account-book.ts'
import { type AccountOperations, toOperations } from './account-operations.ts'
import { type Account, type AccountStore, mayPass } from './account-store.ts'
import { openKeyGate } from './key-gate.ts'
import { refuseUsedSlots, type StorePlace } from './missing-store.ts'
import { findFirstOpenDay, findStatementFaults, MonthClosing, notePlans } from './month-closing.ts'
import { databaseName, openAccountStore, openNewStore } from './open-account-store.ts'
import { OwnerBook } from './owner-book.ts'
import { RevocationFile } from './revocation-file.ts'
import { UnverifiedAccounts } from './unverified-accounts.ts'

/** How often changed slots go to the ledger. */
const FLUSH_MILLIS = 1_000
/** A month's rows stay known this long after it, so that a clock set back still reports right. */
const REPORT_MONTH_MILLIS = 31 * 86_400_000

/** What a service is told at its opening. */
export interface AccountsOptions {
  /** Told of what an operator should know: damaged or retired segments, failing flushes. */
  onProblem(message: string): void
  /** Another process has taken the data directory: this one has to end. */
  onLost?(error: Error): void
  /** True time; another only in tests. */
  readonly clock?: Clock
  /** Milliseconds that only grow, by which a clock that is set is noticed; the process's own where absent. */
  readonly steady?: () => number
  /** Data threads that will write; the configured workers where absent. */
  readonly threadCount?: number
  /** Begins a new store if the database is missing, empty or damaged, also where keys were used before. */
  readonly isNewStore?: boolean
}

/**
 * Takes the data directory and makes it ready: database, peppers, a segment for each data thread. Throws DataDirBusy
 * where another process has it, PepperUnavailable where stored keys can't be checked.
 */
export async function openAccounts(config: Config, options: AccountsOptions): Promise<AccountsService> {
  const { onProblem, onLost = (error: Error) => onProblem(error.message) } = options
  const lock = await holdFolder(config.dataDir, { onProblem, onLost })
  try {
    const onAside = (path: string) => onProblem(`a new store begins; what was there before is ${path} now`)
    const store = options.isNewStore === true ? await openNewStore(config, onAside) : await openAccountStore(config)
    try {
      return await openOverStore(config, options, { lock, store })
    } catch (error) {
      await store.close()
      throw error
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
      options.onProblem(`metering of data thread ${ordinal}: ${message}`),
  }
  const segments = await recoverSegments(recovery, options.threadCount ?? config.workers)
  const past = findPast(await store.listUsage(), segments, firstReportDay(clock))
  await notePlans({ store, clock, plans: config.plans })
  // A clock that was set back must not bring units into a month whose statement is made.
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

/** The peppers of the file; refused if a key that still could work was hashed with another, or slots name keys and none is stored. */
export async function loadUsedPeppers(store: AccountStore, place: StorePlace): Promise<Pepper[]> {
  const keys = await store.listKeys()
  if (keys.length === 0) refuseUsedSlots(place, databaseName(place))
  const live = keys.filter((key) => key.revokedAtMillis === null)
  return loadPeppers(place.pepperFile, new Set(live.map((key) => key.pepperId)))
}

/** The first UTC day whose rows reports need: of the month before the present one. */
export function firstReportDay(clock: Clock): number {
  return periodOf(clock.nowMillis() - REPORT_MONTH_MILLIS).firstDay
}

interface ServiceParts {
  readonly config: Config
  readonly lock: Pick<DataDirLock, 'release'>
  readonly revocations: RevocationFile
  readonly store: AccountStore
  readonly clock: Clock
  readonly peppers: readonly Pepper[]
  readonly folder: string
  readonly segments: readonly RecoveredSegment[]
  readonly past: readonly PastUsage[]
  readonly steady: (() => number) | undefined
  onProblem(message: string): void
}

/** The control thread's side of access and metering. */
export class AccountsService {
  /** What commands and the account API may ask; their changes are with every subscriber when they answer. */
  readonly operations: AccountOperations
  /** What who holds an account may ask of it. */
  readonly owners: OwnerBook
  readonly store: AccountStore
  /** Runs a change of accounts that is no operation in turn with those that are. */
  readonly changeInTurn: InTurn = makeTurns()
  /** Those that wait for their verification. */
  readonly unverified: UnverifiedAccounts
  lastFlushFault: FlushFault | undefined // also when all is well again
  private readonly parts: ServiceParts
  private readonly book: AccountBook
  private readonly ledger: Ledger
  private readonly listeners = new Set<(change: RingChange) => void | Promise<void>>()
  private timer: ReturnType<typeof setInterval> | undefined
  private flushing: Promise<unknown> = Promise.resolve()
  private isFailing = false
  private cells: LimitCells | undefined
  private quota: QuotaCells | undefined
  /** The instant by which units are counted, on all threads alike. */
  readonly ledgerClock: Clock = { nowMillis: () => this.ledgerMillis(this.parts.clock.nowMillis()) }
  private readonly usage: LiveUsage
  private readonly closing: MonthClosing
  private readonly clockWatch: ClockWatch
  private plans: PlanTable
  private isClosing = false
  /** Days before it belong to months that were closed since the opening. */
  private firstOpenDay = 0
  /** What was last told of a closing that failed. */
  private closingFault: string | undefined
  private closingRun: Promise<unknown> = Promise.resolve()
  private openedGate: Promise<KeyGate> | undefined

  constructor(parts: ServiceParts) {
    this.parts = parts
    this.store = parts.store
    const { config, store, peppers, clock, folder, past } = parts
    const ordinals = parts.segments.map((segment) => segment.ordinal)
    const listPlans = () => this.plans
    this.plans = config.plans
    this.ledger = new Ledger(folder, ordinals, store)
    this.usage = new LiveUsage({ folder, ordinals, past })
    this.book = new AccountBook({
      store,
      peppers: async () => peppers,
      audience: config.audience,
      get plans() {
        return listPlans()
      },
      clock,
      ledgerClock: this.ledgerClock,
      usage: this.usage,
      revocations: parts.revocations,
      publish: (change) => this.publish(change),
    })
    this.owners = new OwnerBook({
      changes: this.book.changes,
      inTurn: this.changeInTurn,
      flush: () => this.flush(),
    })
    const beforeClosing = (period: Period) => this.sealMonth(period)
    this.clockWatch = new ClockWatch(clock, parts.steady)
    this.closing = new MonthClosing({ store, clock, plans: listPlans, beforeClosing })
    const { onProblem } = parts
    this.unverified = new UnverifiedAccounts({ store, clock, inTurn: this.changeInTurn, onProblem })
    const verify = async () => {
      const found = await this.ledger.verify(utcDayOf(clock.nowMillis()), () => this.flush())
      return { ...found, faults: [...found.faults, ...(await findStatementFaults(store))] }
    }
    this.operations = toOperations(this.book, verify, this.changeInTurn)
  }

  /** What data threads begin with. Subscribe before asking, so that no change falls between. */
  async start(): Promise<AccessStart> {
    const { config, peppers, folder, segments, past } = this.parts
    const content = await this.book.changes.ringContent()
    return {
      ring: { peppers, ...content },
      cells: this.openCells(content),
      audience: config.audience,
      plans: this.plans,
      folder,
      lastUtcDays: segments.map((segment) => Math.max(segment.lastUtcDay, this.firstOpenDay)),
      past,
    }
  }

  private ledgerMillis(nowMillis: number): number {
    if (this.quota !== undefined) return this.quota.ledgerMillis(nowMillis)
    return Math.max(nowMillis, utcDayStartMillis(lastChargedDay(this.parts)))
  }

  /** The cells, filled once with what the accounts have used this month. */
  private openCells({ accounts, keys }: RingChange): LimitCells {
    if (this.cells !== undefined) return this.cells
    const cells = allocateLimitCells(this.parts.segments.length)
    this.quota = new QuotaCells(cells.quota)
    const { clock } = this.parts
    const lastUtcDay = Math.max(lastChargedDay(this.parts), this.firstOpenDay)
    seedQuotaCells(cells.quota, { accounts, keys, usage: this.usage, lastUtcDay, nowMillis: clock.nowMillis() })
    this.cells = cells
    return cells
  }

  /** A data thread has died: what it had reserved and not charged is given back. */
  giveBack(ordinal: number): void {
    if (this.ledger.restoreSlots(ordinal))
      this.parts.onProblem(`the slot file of data thread ${ordinal} was removed; written again with all its counts`)
    if (this.cells !== undefined) heldBy(this.cells, ordinal).giveBack(new QuotaCells(this.cells.quota))
  }

  /** The gate by which keys with the scope account:read are let in on the account API. */
  keyGate(): Promise<KeyGate> {
    this.openedGate ??= this.makeKeyGate().catch((error: unknown) => {
      this.openedGate = undefined // the next who asks tries again
      throw error
    })
    return this.openedGate
  }

  /** Secrets for a purpose, one of each pepper: the first is for what is new. They stay through restarts. */
  deriveSecrets(purpose: string): Uint8Array[] {
    return this.parts.peppers.map((pepper) => deriveSecret(pepper, purpose))
  }

  /** Other plans hold from now on, on every thread when it settles; months that end later are billed by them. */
  async replacePlans(plans: PlanTable): Promise<void> {
    await notePlans({ store: this.store, clock: this.parts.clock, plans })
    this.plans = plans
    await this.publish({ accounts: [], keys: [], plans })
  }

  /** Tells every data thread of an account as the store has it; the account. Asked for in turn. */
  republish(accountId: string): Promise<Account | undefined> {
    return this.book.changes.republish(accountId)
  }

  /** Tells a listener of every change from now on. A change is answered once all listeners' promises are fulfilled. */
  subscribe(listener: (change: RingChange) => void | Promise<void>): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Flushes each second until `close`. A failing store is told of once, and tried again. */
  startFlushing(): void {
    let isFlushing = false // a slow store's flushes would queue up, and `close` waits for all of them
    this.timer ??= setInterval(() => {
      if (isFlushing) return
      isFlushing = true
      this.flush()
        .catch((error: unknown) => {
          if (!this.isFailing)
            this.parts.onProblem(`the ledger can't be written: ${error}; counting goes on in the slots`)
          this.isFailing = true
          this.lastFlushFault = { atMillis: this.parts.clock.nowMillis(), message: `${error}` }
        })
        .finally(() => {
          isFlushing = false
        })
      this.watchClock()
      // A clock that was just set may be set back: what was removed or closed by then would stay so.
      if (!this.clockWatch.isSettled) return
      this.closeInBackground()
      this.unverified.pruneInBackground()
    }, FLUSH_MILLIS)
  }

  /** Says once that the clock was set, and where units are counted from then on. */
  private watchClock(): void {
    const jump = this.clockWatch.look()
    if (jump === 0) return
    const nowMillis = this.parts.clock.nowMillis()
    const atMillis = this.ledgerMillis(nowMillis)
    const until = atMillis > nowMillis ? ', the last day charged, until the clock reaches it' : ''
    const way = `${jump > 0 ? 'forward' : 'back'} by ${spanText(jump)} to ${toUtcText(nowMillis)}`
    this.parts.onProblem(`the system clock was set ${way}; units are counted on ${dayText(utcDayOf(atMillis))}${until}`)
  }

  /** Gives every account its statement of the months that ended three days ago or earlier; the months closed now. */
  async closeMonths(): Promise<string[]> {
    await this.flush() // what was counted in them has to be in the ledger
    return this.closing.closeDue()
  }

  /** From here on no thread charges to a month: its statements are made of what the ledger has then, and stay. */
  private async sealMonth({ endDay }: Period): Promise<void> {
    this.firstOpenDay = endDay
    this.quota?.goOn(endDay)
    await this.publish({ accounts: [], keys: [], firstOpenDay: endDay })
    await this.flush()
  }

  private closeInBackground(): void {
    if (this.isClosing || !this.closing.isDue) return
    this.isClosing = true
    this.closingRun = this.closeMonths()
      .then(() => {
        this.closingFault = undefined
      })
      .catch((error: unknown) => {
        if (this.closingFault !== `${error}`) this.parts.onProblem(`a month can't be closed: ${error}; tried again`)
        this.closingFault = `${error}`
      })
      .finally(() => {
        this.isClosing = false
      })
  }

  /** Whether the last flush failed: what is counted since is in the slots only. */
  get isFlushFailing(): boolean {
    return this.isFailing
  }

  ledgerLag(): LedgerLag {
    return this.ledger.lag()
  }

  /** Brings every changed slot to the ledger; flushes never overlap. */
  flush(): Promise<number> {
    const flush = this.flushing.then(async () => {
      this.usage.refresh()
      await this.book.changes.bringRevocations()
      const rows = await this.ledger.flush()
      this.isFailing = false
      return rows
    })
    this.flushing = flush.catch(() => undefined) // the next flush doesn't fail for this one; the caller sees it
    return flush
  }

  /** Flushes a last time, once no data thread charges any more, and gives the data directory back. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    this.closing.stop()
    await this.closingRun
    await this.unverified.stop()
    try {
      await this.flush()
    } finally {
      await this.parts.store.close()
      this.parts.lock.release()
    }
  }

  private async makeKeyGate(): Promise<KeyGate> {
    const { config, peppers, clock } = this.parts
    return openKeyGate({
      audience: config.audience,
      plans: this.plans,
      clock,
      cells: this.openCells(await this.book.changes.ringContent()),
      load: async () => ({ peppers, ...(await this.book.changes.ringContent()) }),
      subscribe: (listener) => void this.subscribe(listener),
    })
  }

  private async publish(change: RingChange): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => listener(change)))
  }
}
