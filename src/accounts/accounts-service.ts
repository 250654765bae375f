// The accounts, keys and ledger in one data directory, which this process has locked. Prepares them for the data
// threads, publishes changes, and flushes the slots every second.

import type { KeyGate } from '../access/gate.ts'
import type { RingChange } from '../access/key-ring.ts'
import { type AccessStart, allocateLimitCells, giveBackHeld, type LimitCells } from '../access/open-gate.ts'
import { deriveSecret } from '../keys/pepper.ts'
import { type FlushFault, Ledger, type LedgerLag } from '../metering/ledger.ts'
import { QuotaCells } from '../metering/limit-cells.ts'
import { LiveUsage } from '../metering/live-usage.ts'
import { lastChargedDay, seedCells } from '../metering/quota-seed.ts'
import { dayText, type Period, toUtcText, utcDayOf, utcDayStartMillis } from '../metering/utc-day.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { Clock } from '../system/clock.ts'
import { ClockWatch, spanText } from '../system/clock-watch.ts'
import { type InTurn, makeTurns } from '../system/turns.ts'
import { AccountBook } from './account-book.ts'
import { type AccountOperations, toOperations, type Unconfirmed } from './account-operations.ts'
import { type Account, type AccountStore, StoreUnavailable } from './account-store.ts'
import type { Fleet } from './fleet.ts'
import { openKeyGate } from './key-gate.ts'
import { LapsedAccounts } from './lapsed-accounts.ts'
import { findStatementFaults, MonthClosing, notePlans } from './month-closing.ts'
import { OwnerBook } from './owner-book.ts'
import { RouteUsage } from './route-usage.ts'
import type { ServiceParts } from './service-parts.ts'

/** How often changed slots are flushed to the ledger. */
const FLUSH_MILLIS = 1_000

/** The control thread's part in access control and metering. */
export class AccountsService {
  /** Operations for commands and the account API. Each resolves after its change has reached every subscriber. */
  readonly operations: AccountOperations
  /** Operations for owners. */
  readonly owners: OwnerBook
  readonly store: AccountStore
  /** The other replicas; undefined in a single service. */
  readonly fleet: Fleet | undefined
  /** The queue in which all changes run, one after the other. Changes that are not operations must use it, too. */
  readonly changeInTurn: InTurn = makeTurns()
  /** Removes accounts that were never verified, and the data of deleted accounts. */
  readonly lapsed: LapsedAccounts
  /** Response counts by route, reported by the data threads. */
  readonly routes: RouteUsage
  lastFlushFault: FlushFault | undefined // kept even after flushes succeed again
  private readonly parts: ServiceParts
  private readonly book: AccountBook
  private readonly ledger: Ledger
  private readonly listeners = new Set<(change: RingChange) => void | Promise<void>>()
  private timer: ReturnType<typeof setInterval> | undefined
  private flushing: Promise<unknown> = Promise.resolve()
  private isFlushPaused = false
  private isFailing = false
  private cells: LimitCells | undefined
  private quota: QuotaCells | undefined
  /** The clock that sets the day and the month to which units are charged. It is the same on all threads. */
  readonly ledgerClock: Clock = { nowMillis: () => this.ledgerMillis(this.parts.clock.nowMillis()) }
  private readonly usage: LiveUsage
  private readonly closing: MonthClosing
  private readonly clockWatch: ClockWatch
  private plans: PlanTable
  private isClosing = false
  /** The UTC day after the last day that this process has sealed; 0 if it has sealed none. */
  private firstOpenDay = 0
  /** The last reported error from closing a month. */
  private closingFault: string | undefined
  private closingRun: Promise<unknown> = Promise.resolve()
  private openedGate: Promise<KeyGate> | undefined

  constructor(parts: ServiceParts) {
    this.parts = parts
    this.store = parts.store
    this.fleet = parts.fleet
    const { config, store, peppers, clock, folder, past } = parts
    const ordinals = parts.segments.map((segment) => segment.ordinal)
    const listPlans = () => this.plans
    this.plans = config.plans
    this.ledger = new Ledger(folder, ordinals, parts.fleet?.usageStore ?? store)
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
      refreshUsage: (accountId, keyIds) => this.refreshUsage(accountId, keyIds),
    })
    this.routes = new RouteUsage({ store: store.routes, clock, onProblem: (message) => parts.onProblem(message) })
    this.owners = new OwnerBook({
      changes: this.book.changes,
      inTurn: this.changeInTurn,
      confirm: (change) => this.confirm(change),
      flush: () => this.flush(),
      routes: this.routes,
    })
    const beforeClosing = (period: Period) => this.sealMonth(period)
    this.clockWatch = new ClockWatch(clock, parts.steady)
    const { currency } = parts.config.offers
    this.closing = new MonthClosing({ store, clock, currency, plans: listPlans, beforeClosing })
    const { onProblem } = parts
    this.lapsed = new LapsedAccounts({ store, clock, inTurn: this.changeInTurn, onProblem })
    const verify = async () => {
      const found = await this.ledger.verify(utcDayOf(clock.nowMillis()), () => this.flush())
      return { ...found, faults: [...found.faults, ...(await findStatementFaults(store))] }
    }
    this.operations = toOperations(this.book, {
      verifyLedger: verify,
      inTurn: this.changeInTurn,
      confirm: (change) => this.confirm(change),
    })
  }

  /** The initial state of a data thread. Call `subscribe` for the thread first, so that the thread misses no change. */
  async start(): Promise<AccessStart> {
    const { config, peppers, folder, segments, past } = this.parts
    const content = await this.book.changes.ringContent()
    this.fleet?.note(content)
    return {
      ring: { peppers, ...content },
      cells: this.openCells(content),
      audience: config.audience,
      plans: this.plans,
      grantCells: this.fleet?.grantCells,
      folder,
      lastUtcDays: segments.map((segment) => Math.max(segment.lastUtcDay, this.firstOpenDay)),
      past: [...past, ...this.usage.listFreeUses().map((use) => ({ ...use, utcDay: 0, units: 0 }))],
    }
  }

  private ledgerMillis(nowMillis: number): number {
    if (this.quota !== undefined) return this.quota.ledgerMillis(nowMillis)
    return Math.max(nowMillis, utcDayStartMillis(lastChargedDay(this.parts)))
  }

  /** The limit cells. The first call initializes them: in a single service, with this month's usage. */
  private openCells({ accounts, keys }: RingChange): LimitCells {
    if (this.cells !== undefined) return this.cells
    const cells = this.fleet?.limitCells ?? allocateLimitCells(this.parts.segments.length)
    this.quota = new QuotaCells(cells.quota)
    const { clock } = this.parts
    const lastUtcDay = Math.max(lastChargedDay(this.parts), this.firstOpenDay)
    // In a cluster, cells start at 0: they count only what this replica reserves.
    const seeds = this.fleet === undefined ? { accounts, keys } : { accounts: [], keys: [] }
    seedCells(cells, { ...seeds, usage: this.usage, lastUtcDay, nowMillis: clock.nowMillis() })
    this.cells = cells
    return cells
  }

  /** Restores a crashed data thread's slot file if it was removed. Releases units that the thread had only reserved. */
  giveBack(ordinal: number): void {
    if (this.ledger.restoreSlots(ordinal))
      this.parts.onProblem(`the slot file of data thread ${ordinal} was removed; it was rewritten with all counts`)
    if (this.cells !== undefined) giveBackHeld(this.cells, ordinal)
  }

  /** The account API's gate, for keys with the scope `account:read`. */
  keyGate(): Promise<KeyGate> {
    this.openedGate ??= this.makeKeyGate().catch((error: unknown) => {
      this.openedGate = undefined // the next caller retries
      throw error
    })
    return this.openedGate
  }

  /** Records that a key was used on the account API, which costs no units. */
  noteUse(keyId: string): void {
    const use = { keyId, lastUsedMillis: this.parts.clock.nowMillis() }
    if (!this.usage.noteFreeUse(use)) return
    this.ledger.noteUse({ ...use, utcDay: utcDayOf(this.ledgerClock.nowMillis()) })
    const failed = (error: unknown) =>
      this.parts.onProblem(`the last-used time of key ${keyId} was not sent to all threads: ${error}`)
    this.publish({ accounts: [], keys: [], freeUses: [use] }).catch(failed)
  }

  /** Derives one secret per pepper for a purpose. The first secret is for new data. The secrets survive a restart. */
  deriveSecrets(purpose: string): Uint8Array[] {
    return this.parts.peppers.map((pepper) => deriveSecret(pepper, purpose))
  }

  /** Applies new plans; resolves when every thread has them. Months that end later are billed under the new plans. */
  async replacePlans(plans: PlanTable): Promise<void> {
    await notePlans({ store: this.store, clock: this.parts.clock, plans })
    this.plans = plans
    await this.publish({ accounts: [], keys: [], plans })
  }

  /** In a cluster, applies plans that another process has stored. */
  async takePlans(plans: PlanTable): Promise<void> {
    this.plans = plans
    await this.publish({ accounts: [], keys: [], plans })
  }

  /** The plans in force. */
  get currentPlans(): PlanTable {
    return this.plans
  }

  /** Reads these accounts from the store and publishes them to every data thread. */
  republishSome(accountIds: readonly string[]): Promise<void> {
    return this.changeInTurn(async () => {
      for (const accountId of accountIds) await this.republish(accountId)
    })
  }

  /** Reads all accounts and keys and publishes them to every data thread. */
  republishAll(): Promise<void> {
    return this.changeInTurn(async () => this.publish(await this.book.changes.ringContent()))
  }

  /** Reads an account from the store and publishes it to every data thread. Call it only in `changeInTurn`. */
  republish(accountId: string): Promise<Account | undefined> {
    return this.book.changes.republish(accountId)
  }

  /** Subscribes to changes. Returns a function that unsubscribes. `publish` waits for the promises of all listeners. */
  subscribe(listener: (change: RingChange) => void | Promise<void>): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Flushes every second until `close`. If flushes fail repeatedly, only the first failure is reported. */
  startFlushing(): void {
    this.routes.start()
    let isFlushing = false // with a slow store, flushes must not queue up, since `close` waits for all of them
    this.timer ??= setInterval(() => {
      if (isFlushing || this.isFlushPaused || this.fleet?.isFlushDue === false) return
      isFlushing = true
      this.flush()
        .catch((error: unknown) => {
          if (!this.isFailing)
            this.parts.onProblem(`the ledger can't be written: ${error}; units are still counted in the slot files`)
          this.isFailing = true
          this.fleet?.onFault(error)
          this.lastFlushFault = { atMillis: this.parts.clock.nowMillis(), message: `${error}` }
        })
        .finally(() => {
          isFlushing = false
        })
      this.watchClock()
      // A clock change may soon be undone. Closing months and removing data are final, so these steps wait until the
      // clock settles.
      if (!this.clockWatch.isSettled) return
      this.closeInBackground()
      this.lapsed.pruneInBackground()
    }, FLUSH_MILLIS)
  }

  /** Reports each change of the clock once, with the day to which units are now charged. */
  private watchClock(): void {
    const jump = this.clockWatch.look()
    if (jump === 0) return
    const nowMillis = this.parts.clock.nowMillis()
    const atMillis = this.ledgerMillis(nowMillis)
    const until = atMillis > nowMillis ? ', the last day with charges, until the clock reaches that day' : ''
    const way = `${jump > 0 ? 'forward' : 'back'} by ${spanText(jump)} to ${toUtcText(nowMillis)}`
    this.parts.onProblem(`the system clock was set ${way}; units are charged to ${dayText(utcDayOf(atMillis))}${until}`)
  }

  /** Closes the months that ended at least three days ago. Returns these months. */
  async closeMonths(): Promise<string[]> {
    await this.flush() // before a month is closed, all its units must be in the ledger
    return this.closing.closeDue()
  }

  /** Seals a month. After that, no units are charged to the month, so its statements are final. */
  private async sealMonth({ endDay }: Period): Promise<void> {
    if (this.fleet === undefined) await this.sealDays(endDay)
    else await this.fleet.closeDays(endDay)
  }

  /**
   * Seals the days before `endDay`. After that, no thread of this process charges units to these days, and all their
   * counts are in the ledger.
   */
  async sealDays(endDay: number): Promise<void> {
    this.firstOpenDay = endDay
    this.quota?.advanceTo(endDay)
    await this.publish({ accounts: [], keys: [], firstOpenDay: endDay })
    await this.flush()
  }

  private closeInBackground(): void {
    if (this.isClosing || !this.closing.isDue || this.fleet?.isFirst === false) return
    this.isClosing = true
    this.closingRun = this.closeMonths()
      .then(() => {
        this.closingFault = undefined
      })
      .catch((error: unknown) => {
        if (this.closingFault !== `${error}`) this.parts.onProblem(`a month cannot be closed: ${error}; retrying`)
        this.closingFault = `${error}`
      })
      .finally(() => {
        this.isClosing = false
      })
  }

  /** Whether the last flush failed. If so, newer counts are only in the slots. */
  get isFlushFailing(): boolean {
    return this.isFailing
  }

  ledgerLag(): LedgerLag {
    return this.ledger.lag()
  }

  /** Makes `flush` fail until `resumeFlushes`; resolves when no flush is in progress. */
  async pauseFlushes(): Promise<void> {
    this.isFlushPaused = true
    await this.flushing
  }

  resumeFlushes(): void {
    this.isFlushPaused = false
  }

  /** Flushes every slot, whether or not it has changed. Call it while flushes are paused. */
  async flushAll(): Promise<void> {
    this.ledger.forgetFlushed()
    await this.ledger.flush()
  }

  /** Flushes all changed slots to the ledger; flushes never overlap. */
  flush(): Promise<number> {
    if (this.isFlushPaused)
      return Promise.reject(
        new StoreUnavailable(
          'the ledger cannot be written now, because all counts are being sent to the database again; try again soon',
        ),
      )
    const flush = this.flushing.then(async () => {
      this.usage.refresh()
      await this.book.changes.bringRevocations()
      const rows = await this.ledger.flush()
      this.isFailing = false
      return rows
    })
    this.flushing = flush.catch(() => undefined) // only the caller sees the failure; the next flush still runs
    return flush
  }

  /** Flushes once more and releases the data directory. Call it after the data threads have stopped. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    this.closing.stop()
    await this.closingRun
    await this.lapsed.stop()
    try {
      await (this.isFlushPaused ? this.flushAll() : this.flush())
      await this.routes.close()
      await this.fleet?.leave()
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
      mostRateDebtMicros: this.fleet?.mostRateDebtMicros,
      load: async () => ({ peppers, ...(await this.book.changes.ringContent()) }),
      subscribe: (listener) => void this.subscribe(listener),
    })
  }

  /** In a cluster, fetches the usage that other replicas have counted for these keys. */
  private async refreshUsage(accountId: string, keyIds: readonly string[]): Promise<void> {
    if (this.fleet !== undefined) this.usage.replacePast(keyIds, await this.fleet.usageElsewhere(accountId))
  }

  /** In a cluster, waits at most a second for all replicas to apply a change. The result names those that have not. */
  private async confirm<Result extends object>(change: Promise<Result>): Promise<Result & Unconfirmed> {
    const result = await change
    const names = (await this.fleet?.listUnconfirmed()) ?? []
    if (names.length === 0) return result
    this.parts.onProblem(
      `a change to accounts or keys is stored, but these replicas have not confirmed it yet: ${names.join(', ')}`,
    )
    return { ...result, unconfirmed: names }
  }

  private async publish(change: RingChange): Promise<void> {
    this.fleet?.note(change)
    await Promise.all([...this.listeners].map((listener) => listener(change)))
  }
}
