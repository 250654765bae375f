// A data thread's gate in a cluster. Requests use units that the database granted to this replica. If too few units are
// left for a request, the request waits while the control thread asks the database for more.
import { DataGate, type DataGateParts } from '../access/data-gate.ts'
import type { FleetRequest, GateNotice } from '../access/fleet-talk.ts'
import type { Caller, LimitRefusal, Reservation } from '../access/gate.ts'
import type { RingChange } from '../access/key-ring.ts'
import type { AccountLimits } from '../access/limit-gate.ts'
import { type AccessStart, gateParts, type OpenGate, toOpenGate } from '../access/open-gate.ts'
import { NO_LIMIT, type RateReading } from '../metering/limit-cells.ts'
import { GrantCells } from './grant-cells.ts'
import { MOST_RATE_DEBT_MICROS } from './peer-counts.ts'
import { type Shortage, UnitWaiters, type Wanted } from './unit-waiters.ts'

/** The longest wait for the usage that other replicas have counted. */
const USAGE_WAIT_MILLIS = 3_000
const NO_LIMIT_UNITS = Number(NO_LIMIT)
/** Minimum time between two messages to the control thread about an account that uses much of its rate. */
const HOT_MILLIS = 2_000
const UNAVAILABLE: LimitRefusal = { reason: 'metering_unavailable', retryAfterSeconds: 1 }

/** A request that waits for units. */
type WaitingCall = Wanted & { readonly reservation: Reservation }

/** The gate on one data thread of a replica. */
export class GrantGate extends DataGate {
  private readonly grants: GrantCells
  private readonly send: (request: FleetRequest) => void
  private readonly waiters: UnitWaiters<Reservation | LimitRefusal, WaitingCall>
  private readonly usageWaiters = new Map<number, () => void>()
  private usageNumber = 0
  /** Account's cell → when the control thread was last informed that the account uses much of its rate. */
  private readonly hotReported = new Map<number, number>()

  /** @param send posts a request to the control thread, whose answer arrives through `notify` */
  constructor(parts: DataGateParts, memory: SharedArrayBuffer, send: (request: FleetRequest) => void) {
    super({ ...parts, mostRateDebtMicros: MOST_RATE_DEBT_MICROS })
    this.grants = new GrantCells(memory)
    this.send = send
    this.waiters = new UnitWaiters({
      nowMillis: () => this.clock.nowMillis(),
      later: (millis, run) => {
        // If the thread was busy, the control thread's answer may be queued behind this timer. `setImmediate` lets the
        // thread read that answer before it calls `run`.
        const timer = setTimeout(() => setImmediate(run), millis)
        return () => clearTimeout(timer)
      },
      send,
      take: ({ reservation }) => {
        const taken = this.takeUnits(reservation)
        return 'reason' in taken ? undefined : this.requireSlot(taken)
      },
      room: ({ reservation: { caller, month } }) => {
        const { cell } = this.limitsOf(caller.accountId, month)
        return this.grants.limit(cell, month) - Number(this.quota.used(cell, month))
      },
    })
  }

  override apply(change: RingChange): void {
    super.apply(change)
    this.waiters.forgetShortages()
  }

  override reserve(caller: Caller, units: number): Reservation | LimitRefusal {
    if (this.isSilenced) return this.refuseAll(caller)
    const taken = super.reserve(caller, units)
    const isShort = 'reason' in taken && (taken.reason === 'quota_exhausted' || taken.reason === 'spend_cap_reached')
    if (!isShort || this.last === undefined) return taken
    const { limits, rate, atMillis } = this.last
    const { month } = limits
    const reservation = { caller, units, atMillis, month, rate }
    const waiting: WaitingCall = { accountId: caller.accountId, month: Number(month), units, reservation }
    const known = this.waiters.findShortage(waiting)
    if (known !== undefined) return this.refusalFor(waiting, known)
    const later = this.waiters.wait(waiting).then((answer) => {
      const settled = 'kind' in answer ? this.refusalFor(waiting, answer) : answer
      return { taken: settled, limits: this.fieldsOf('reason' in settled ? reservation : settled) }
    })
    return { ...UNAVAILABLE, later }
  }

  override charge(reservation: Reservation): LimitRefusal | undefined {
    if (reservation.units === 0 || !this.isSilenced) return super.charge(reservation)
    this.release(reservation)
    return UNAVAILABLE
  }

  /** Applies an answer from the control thread. */
  notify(notice: GateNotice): void {
    if (notice.kind === 'units') return this.waiters.notify(notice)
    if (notice.past !== undefined) this.usageOfAll.replacePast(notice.past.keyIds, notice.past.rows)
    this.usageWaiters.get(notice.number)?.()
  }

  /**
   * Updates the usage that other replicas have counted. If the database does not respond, the usage stays unchanged.
   */
  async refreshUsage({ accountId }: Caller): Promise<void> {
    const number = ++this.usageNumber
    const answered = Promise.withResolvers<void>()
    this.usageWaiters.set(number, answered.resolve)
    const timer = setTimeout(answered.resolve, USAGE_WAIT_MILLIS)
    this.send({ kind: 'usage', number, accountId })
    await answered.promise
    clearTimeout(timer)
    this.usageWaiters.delete(number)
  }

  /**
   * Counts a request against the account's rate limit. While the database does not answer, a replica admits only its
   * share of the rate. While the database answers, the rate cell also contains the requests that other replicas
   * admitted.
   */
  protected override takeRate(limits: AccountLimits, nowMicros: number, caller: Caller): RateReading | undefined {
    const { cell, rate } = limits
    if (rate === undefined) return undefined
    const { rateShare: share, replicaCount } = this.grants
    const part = { perSecond: rate.perSecond * share, burst: Math.max(1, rate.burst * share) }
    const reading = this.rates.take(cell, share === 1 ? rate : part, nowMicros)
    if (reading.isAllowed) this.grants.countAdmitted(cell)
    if (reading.left < rate.burst * (1 - 1 / replicaCount)) this.noteHot(caller.accountId, cell)
    return reading
  }

  private noteHot(accountId: string, cell: number): void {
    const nowMillis = this.clock.nowMillis()
    if (nowMillis - (this.hotReported.get(cell) ?? 0) < HOT_MILLIS) return
    this.hotReported.set(cell, nowMillis)
    this.send({ kind: 'hot', accountId })
  }

  protected override takeUnits(wanted: Reservation): Reservation | LimitRefusal {
    const counted = this.quota.periodCounted(this.cellOf(wanted))
    const taken = super.takeUnits(wanted)
    if ('reason' in taken || taken.month === wanted.month || taken.month === counted) return taken
    this.release(taken) // another thread has begun the next month: these units were taken under the old month's limit
    return this.takeUnits(wanted)
  }

  protected override mostUnits(limits: AccountLimits, month: bigint): number {
    if (limits.mostUnits === NO_LIMIT_UNITS) return NO_LIMIT_UNITS
    // If another thread has begun the next month, the cell already counts units for that month.
    const counted = this.quota.periodCounted(limits.cell)
    return this.grants.limit(limits.cell, counted > month ? counted : month)
  }

  protected override unitsElsewhere({ cell }: AccountLimits): number {
    return this.grants.unitsElsewhere(cell)
  }

  /**
   * Whether the database has been silent for too long. Another process may then have this replica's units, and keys may
   * have been revoked.
   */
  private get isSilenced(): boolean {
    return this.clock.nowMillis() >= this.grants.deadlineMillis
  }

  /** Refuses a request. The request uses no units and does not count against the rate limit. */
  private refuseAll({ accountId }: Caller): LimitRefusal {
    const atMillis = this.ledgerMillis
    const limits = this.limitsOf(accountId, this.monthAt(atMillis))
    this.last = { limits, rate: undefined, used: 0, atMillis }
    return UNAVAILABLE
  }

  private refusalFor({ reservation }: WaitingCall, shortage: Shortage): LimitRefusal {
    if (shortage.kind === 'unavailable') return UNAVAILABLE
    const { caller, month, atMillis } = reservation
    const { beyond: reason } = this.limitsOf(caller.accountId, month)
    return { reason, retryAfterSeconds: shortage.retryAfterSeconds ?? this.secondsToReset(atMillis) }
  }
}

/** Opens the gate on one data thread of a replica. @param send posts a request to the control thread */
export function openGrantGate(start: AccessStart, ordinal: number, send: (request: FleetRequest) => void): OpenGate {
  const { grantCells } = start
  if (grantCells === undefined) throw new Error("the shared array for the replica's grants is missing")
  const parts = gateParts(start, ordinal)
  const gate = new GrantGate(parts, grantCells, send)
  return { ...toOpenGate(gate, parts), notify: (notice) => gate.notify(notice) }
}
