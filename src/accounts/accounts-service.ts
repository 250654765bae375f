// Accounts, keys and the ledger of one data directory, for as long as this process holds it: made ready for the data
// threads, kept up to date for them, flushed each second.

import type { KeyGate } from '../access/gate.ts'
import type { RingChange } from '../access/key-ring.ts'
import { type AccessStart, allocateLimitCells, heldBy, type LimitCells } from '../access/open-gate.ts'
import type { Config } from '../config/config.ts'
import { deriveSecret, type Pepper } from '../keys/pepper.ts'
import { type FlushFault, Ledger, type LedgerLag } from '../metering/ledger.ts'
import { QuotaCells } from '../metering/limit-cells.ts'
import { LiveUsage, type PastUsage } from '../metering/live-usage.ts'
import { lastChargedDay, seedQuotaCells } from '../metering/quota-seed.ts'
import type { RecoveredSegment } from '../metering/segment-recovery.ts'
import { dayText, type Period, toUtcText, utcDayOf, utcDayStartMillis } from '../metering/utc-day.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { Clock } from '../system/clock.ts'
import { ClockWatch, spanText } from '../system/clock-watch.ts'
import type { DataDirLock } from '../system/data-dir-lock.ts'
import { type InTurn, makeTurns } from '../system/turns.ts'
import { AccountBook } from './account-book.ts'
import { type AccountOperations, toOperations } from './account-operations.ts'
import type { Account, AccountStore } from './account-store.ts'
import { openKeyGate } from './key-gate.ts'
import { findStatementFaults, MonthClosing, notePlans } from './month-closing.ts'
import { OwnerBook } from './owner-book.ts'
import type { RevocationFile } from './revocation-file.ts'
import { UnverifiedAccounts } from './unverified-accounts.ts'

/** How often changed slots go to the ledger. */
const FLUSH_MILLIS = 1_000
/** What a service is made of. */
export interface ServiceParts {
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
