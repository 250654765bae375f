// The units that this replica holds for an account in a month. `taken` is the number in the account's quota cell.
//
//   data threads take from the cell, up to `granted`       taken = used + reserved + returned
//   the database counts, per account, month and replica    granted, returned, used: these numbers only grow
import type { QuotaCells } from '../metering/limit-cells.ts'
import type { Grant } from './fleet-store.ts'
import type { GrantCells } from './grant-cells.ts'
import type { UsePace } from './use-pace.ts'

/** The memory that holds the units of all accounts. */
export interface UnitMemory {
  readonly cells: GrantCells
  readonly quota: QuotaCells
}

/** The units that this replica holds for one account in one month. */
export class Holding {
  readonly accountId: string
  /** Months since the year 0. */
  readonly month: number
  readonly pace: UsePace
  granted = 0
  returned = 0
  /** Units that waiting requests need. */
  need = 0
  /** When each data thread's waiting requests began to wait, in monotonic milliseconds. */
  readonly waitingSince: number[] = []
  /** Units to request in advance; 0 for none. */
  size = 0
  /** The version of the account's terms (`termsMark`) at the last request. */
  requestedMark = 0
  /** Whether `granted`, `returned` or `used` has changed in a way that must be reported to the database. */
  hasUnreported = false
  /**
   * Whether the database had too few units for this replica's last request, or for a later request from another
   * replica.
   */
  isExhausted = false
  private readonly cell: number
  private readonly memory: UnitMemory
  /**
   * Size of the last grant if it was smaller than requested; otherwise infinity. Near the account's cap, grants get
   * smaller.
   */
  private lastChunk = Number.POSITIVE_INFINITY

  constructor(
    of: { readonly accountId: string; readonly month: number; readonly cell: number },
    pace: UsePace,
    memory: UnitMemory,
  ) {
    this.accountId = of.accountId
    this.month = of.month
    this.cell = of.cell
    this.pace = pace
    this.memory = memory
  }

  /** Units that requests on this replica may still take. */
  get room(): number {
    return this.memory.cells.limit(this.cell, BigInt(this.month)) - this.taken
  }

  /** Units used and reserved. */
  get used(): number {
    return this.taken - this.returned
  }

  /**
   * Whether so few units are left that more should be requested.
   * @param size number of units to request ahead of need
   */
  isLow(size: number): boolean {
    return this.room < Math.min(size, this.lastChunk) / 2
  }

  /** Adds units that the database granted. @param requested number of units requested ahead of need */
  take(
    { granted, grantedNow, usedElsewhere }: Grant,
    { requested, isCurrent }: { requested: number; isCurrent: boolean },
  ): void {
    this.granted = Math.max(this.granted, granted)
    this.memory.cells.raiseLimit(this.cell, BigInt(this.month), this.granted)
    if (isCurrent) this.memory.cells.setUnitsElsewhere(this.cell, usedElsewhere - this.returned)
    if (requested > 0) this.lastChunk = grantedNow < requested ? Math.max(grantedNow, 1) : Number.POSITIVE_INFINITY
  }

  /** Called when the account's terms have changed. Discards what this replica has learned about the cap. */
  forgetCap(): void {
    this.isExhausted = false
    this.lastChunk = Number.POSITIVE_INFINITY
  }

  /** Takes all unused units from the cell, so that no thread can use them. These units count as returned. */
  giveBack(): void {
    const { cells, quota } = this.memory
    const month = BigInt(this.month)
    const limit = BigInt(cells.limit(this.cell, month))
    const free = Number(quota.takeRest(this.cell, { period: month, limit }))
    this.returned += free
    if (free > 0) this.hasUnreported = true
  }

  /** Adds units from the outage share. The next request reports them to the database. */
  takeShare(units: number): void {
    this.granted += units
    this.memory.cells.raiseLimit(this.cell, BigInt(this.month), this.granted)
    if (units > 0) this.hasUnreported = true
  }

  private get taken(): number {
    return Number(this.memory.quota.used(this.cell, BigInt(this.month)))
  }
}
