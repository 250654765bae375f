// The gate of a data thread: reserves the units of a call, then charges them to slots of the thread's meter.
import type { HeldUnits } from '../metering/held-units.ts'
import { periodOfCell } from '../metering/limit-cells.ts'
import type { LiveUsage } from '../metering/live-usage.ts'
import type { Meter } from '../metering/meter.ts'
import { utcDayStartMillis } from '../metering/utc-day.ts'
import type { Caller, Gate, LimitRefusal, Reservation, UsageReport } from './gate.ts'
import type { RingChange } from './key-ring.ts'
import { LimitGate, type LimitGateParts } from './limit-gate.ts'
import { toUsageReport } from './usage-report.ts'

/** The objects and settings that a DataGate is built from. */
export interface DataGateParts extends LimitGateParts {
  /** Writes this thread's own slots. */
  readonly meter: Meter
  /** Reads the slots of all threads, and past usage. */
  readonly usage: LiveUsage
  /** Records the reservations of this thread's pending responses. */
  readonly held: HeldUnits
}

/** The refusal if the disk has no room for the key's first slot of the day. */
const NOT_COUNTABLE: LimitRefusal = { reason: 'metering_unavailable', retryAfterSeconds: 5 }

/** The gate of one data thread. */
export class DataGate extends LimitGate implements Gate {
  private readonly meter: Meter
  protected readonly usageOfAll: LiveUsage
  private readonly held: HeldUnits

  constructor(parts: DataGateParts) {
    super(parts)
    this.meter = parts.meter
    this.usageOfAll = parts.usage
    this.held = parts.held
  }

  override apply(change: RingChange): void {
    const { firstOpenDay, freeUses = [] } = change
    if (firstOpenDay !== undefined) this.meter.advance({ atMillis: utcDayStartMillis(firstOpenDay), month: 0n })
    for (const use of freeUses) this.usageOfAll.noteFreeUse(use)
    super.apply(change)
  }

  keyIdOf(authorization: string | null): string | undefined {
    const found = this.authenticate(authorization)
    return found.kind === 'accepted' ? found.caller.keyId : undefined
  }

  holds({ keyId }: Caller): boolean {
    return this.ring.holds(keyId, this.clock.nowMillis())
  }

  override reserve(caller: Caller, units: number): Reservation | LimitRefusal {
    const taken = super.reserve(caller, units)
    return 'reason' in taken || units === 0 ? taken : this.requireSlot(taken)
  }

  /**
   * Returns the reservation if this thread can count the reserved units. Otherwise, releases the reservation and
   * returns the refusal.
   */
  protected requireSlot(taken: Reservation): Reservation | LimitRefusal {
    this.meter.advance(taken)
    if (this.meter.canCharge(taken.caller.keyId)) return taken
    this.release(taken)
    return NOT_COUNTABLE
  }

  hold(taken: Reservation): void {
    this.held.hold(this.cellOf(taken), BigInt(taken.units), taken.month)
  }

  settle(taken: Reservation): void {
    this.held.settle(this.cellOf(taken), BigInt(taken.units), taken.month)
  }

  charge(reservation: Reservation): LimitRefusal | undefined {
    const { meter } = this
    const { caller, units } = reservation
    let taken: Reservation | LimitRefusal = reservation
    // While the call was pending, this thread may have moved to the next month. If so, the reservation moves to that
    // month too.
    while (meter.advance(taken) > taken.month) {
      taken = this.carry(taken, meter.month)
      if ('reason' in taken) return taken
    }
    if (meter.tryCharge(caller.keyId, units, taken.atMillis)) return undefined
    this.release(taken)
    return units === 0 ? undefined : NOT_COUNTABLE // a free call is allowed; only the key's time of last use is lost
  }

  /** Moves a reservation to a later month, or releases it if that month has no units left. */
  private carry(reservation: Reservation, month: bigint): Reservation | LimitRefusal {
    const { caller, units } = reservation
    if (units === 0) return { ...reservation, month }
    const limits = this.limitsOf(caller.accountId, month)
    const limit = BigInt(this.mostUnits(limits, month))
    const cell = this.quota.reserve(limits.cell, BigInt(units), { period: month, limit })
    if (cell !== undefined) return { ...reservation, month: periodOfCell(cell) }
    this.release(reservation)
    const atMillis = this.ledgerMillis
    this.monthAt(atMillis)
    return this.refusalOf(limits, atMillis)
  }

  usage({ accountId }: Caller): UsageReport {
    const { ring, usageOfAll: usage, plans } = this
    return toUsageReport({ ring, usage, plans, accountId, nowMillis: this.ledgerMillis })
  }
}
