// A gate that checks keys, rate limits and monthly limits. The state of the limits is in cells that all threads share.
// Units are reserved before a call is answered, and released if the call is refused. The account API uses this gate;
// data-gate.ts extends it to charge units.

import { isServiceTokenText } from '../keys/api-key.ts'
import {
  monthNumber,
  periodOfCell,
  QuotaCells,
  RateCells,
  type RateReading,
  unitsOfCell,
} from '../metering/limit-cells.ts'
import { periodOf, utcDayOf, utcDayStartMillis } from '../metering/utc-day.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { Clock } from '../system/clock.ts'
import type { Authentication, Caller, KeyGate, LimitFields, LimitRefusal, Reservation } from './gate.ts'
import type { KeyRing, RingChange } from './key-ring.ts'
import { type PlanLimits, planLimitsOf } from './plan-limits.ts'

/** The objects and settings that a gate is built from. */
export interface LimitGateParts {
  readonly ring: KeyRing
  readonly plans: PlanTable
  /** The limit cells, in memory shared by all threads. */
  readonly cells: { readonly quota: SharedArrayBuffer; readonly rates: SharedArrayBuffer }
  /**
   * In a cluster: the largest debt, in microseconds, that requests on other replicas may add to an empty rate bucket.
   */
  readonly mostRateDebtMicros?: number | undefined
  /** System time. Keys, days and months never follow the replay clock. */
  readonly clock: Clock
}

/** An account's limits, and the index of its cell in shared memory. */
export interface AccountLimits extends PlanLimits {
  readonly cell: number
  /** `unitLimit` as a number, at most 48 bits. */
  readonly mostUnits: number
  /** The month of these limits, in months since year 0. */
  readonly month: bigint
}

/** A string that ends in a number of seconds. It is cached, because many calls need the same string. */
interface SecondsText {
  seconds: number
  text: string
}

/** The limits that are reported for a call. */
interface ReportedLimits {
  limits: AccountLimits
  rate: RateReading | undefined
  /** Units used and reserved in the month. */
  used: number
  atMillis: number
}

const NO_CREDENTIAL: Authentication = { kind: 'refused', reason: 'authentication_required' }
const INVALID: Authentication = { kind: 'refused', reason: 'invalid_token' }
const NOT_PERSONAL: Authentication = { kind: 'refused', reason: 'insufficient_scope' }
/** RFC 6750: the scheme in upper or lower case, then the token. */
const BEARER = /^bearer +([^ ]+) *$/i

const MICROS_PER_MILLI = 1_000
const MILLIS_PER_SECOND = 1_000

/** A gate that checks keys, rates and monthly limits but charges nothing. */
export class LimitGate implements KeyGate {
  protected readonly ring: KeyRing
  protected readonly clock: Clock
  protected plans: PlanTable
  protected readonly quota: QuotaCells
  protected readonly rates: RateCells
  private readonly limits = new Map<string, AccountLimits>()
  private month = { number: 0n, startMillis: Number.POSITIVE_INFINITY, endMillis: Number.NEGATIVE_INFINITY }
  /** The end of the latest day that `advanceTo` was called for. Before this time, `advanceTo` has nothing to do. */
  private dayEndMillis = Number.NEGATIVE_INFINITY
  /** The limits of the last call. */
  protected last: ReportedLimits | undefined
  /** The object that `noteTaken` fills and stores in `last`. */
  private taken: ReportedLimits | undefined
  /** Cached parts of the RateLimit field. */
  private unitsEnd: SecondsText = { seconds: Number.NaN, text: '' }
  private burstEnd: SecondsText = { seconds: Number.NaN, text: '' }

  constructor({ ring, plans, cells, clock, mostRateDebtMicros }: LimitGateParts) {
    this.ring = ring
    this.plans = plans
    this.clock = clock
    this.quota = new QuotaCells(cells.quota)
    this.rates = new RateCells(cells.rates, mostRateDebtMicros)
  }

  /** Applies changes; they take effect at the next call. */
  apply(change: RingChange): void {
    this.ring.apply(change)
    if (change.plans !== undefined) {
      this.plans = change.plans
      this.limits.clear()
    }
    for (const { id } of change.accounts) this.limits.delete(id)
  }

  authenticate(authorization: string | null): Authentication {
    if (authorization === null) return NO_CREDENTIAL
    const { ring } = this
    const nowMillis = this.clock.nowMillis()
    const known = ring.recall(authorization, nowMillis)
    if (known !== undefined) return known
    const token = BEARER.exec(authorization)?.[1]
    if (token === undefined) return INVALID
    if (isServiceTokenText(token)) return NOT_PERSONAL
    return ring.authenticate(token, nowMillis, authorization)
  }

  /**
   * Reserves units for a call, or returns why the call is refused. A call of 0 units counts toward the rate limit only.
   */
  reserve(caller: Caller, units: number): Reservation | LimitRefusal {
    const { quota } = this
    const nowMillis = this.clock.nowMillis()
    const atMillis = quota.ledgerMillis(nowMillis)
    const month = this.monthAt(atMillis)
    const limits = this.limitsOf(caller.accountId, month)
    const rate = this.takeRate(limits, nowMillis * MICROS_PER_MILLI, caller)
    if (rate?.isAllowed === false) {
      this.last = { limits, rate, used: this.unitsUsed(limits, month), atMillis }
      return { reason: 'rate_limited', retryAfterSeconds: rate.seconds }
    }
    if (units === 0) {
      this.advanceTo(atMillis) // like any other call, a free call moves all threads to its day
      this.last = { limits, rate, used: this.unitsUsed(limits, month), atMillis }
      return { caller, units, atMillis, month, rate }
    }
    const taken = quota.take(limits.cell, units, month, this.mostUnits(limits, month))
    if (taken !== undefined) {
      this.advanceTo(atMillis)
      this.noteTaken({ limits, rate, used: taken, atMillis })
      return { caller, units, atMillis, month, rate }
    }
    return this.takeUnits({ caller, units, atMillis, month, rate })
  }

  /** Sets `last`, reusing one object for all calls. */
  private noteTaken({ limits, rate, used, atMillis }: Readonly<ReportedLimits>): void {
    this.taken ??= { limits, rate, used, atMillis }
    this.taken.limits = limits
    this.taken.rate = rate
    this.taken.used = used
    this.taken.atMillis = atMillis
    this.last = this.taken
  }

  /**
   * Counts a request in the account's rate-limit bucket and returns the bucket's state; undefined if the account has no
   * rate limit.
   */
  protected takeRate({ cell, rate }: AccountLimits, nowMicros: number, _caller: Caller): RateReading | undefined {
    return rate === undefined ? undefined : this.rates.take(cell, rate, nowMicros)
  }

  /** Reserves units for a call, even if other threads change the same cell at the same time. */
  protected takeUnits(wanted: Reservation): Reservation | LimitRefusal {
    const { caller, units, atMillis, month, rate } = wanted
    const limits = this.limitsOf(caller.accountId, month)
    const limit = BigInt(this.mostUnits(limits, month))
    const cell = this.quota.reserve(limits.cell, BigInt(units), { period: month, limit })
    const used = cell === undefined ? this.unitsUsed(limits, month) : Number(unitsOfCell(cell))
    this.last = { limits, rate, used, atMillis }
    if (cell === undefined) return this.refusalOf(limits, atMillis)
    this.advanceTo(atMillis)
    return { caller, units, atMillis, month: periodOfCell(cell), rate }
  }

  /** The most units that may be used and reserved in a month. */
  protected mostUnits(limits: AccountLimits, _month: bigint): number {
    return limits.mostUnits
  }

  /** Units of the account that are not counted in its cell. */
  protected unitsElsewhere(_limits: AccountLimits): number {
    return 0
  }

  private unitsUsed({ cell }: AccountLimits, month: bigint): number {
    return Number(this.quota.used(cell, month))
  }

  /** The index of the cell that a reservation counts in. */
  protected cellOf({ caller, month }: Reservation): number {
    return this.limitsOf(caller.accountId, month).cell
  }

  /** Releases the reservation of a call that is not charged. Returns the RateLimit header fields. */
  release(reservation: Reservation): LimitFields {
    const { units, month } = reservation
    if (units > 0) this.quota.release(this.cellOf(reservation), BigInt(units), month)
    return this.fieldsOf(reservation)
  }

  /** The RateLimit header fields of a call, even if other calls have been made since. */
  protected fieldsOf({ caller, month, rate, atMillis }: Reservation): LimitFields {
    const limits = this.limitsOf(caller.accountId, month)
    return this.toFields({ limits, rate, used: this.unitsUsed(limits, month), atMillis })
  }

  /** The RateLimit header fields of the last `reserve` (draft-ietf-httpapi-ratelimit-headers). */
  limitFields(): LimitFields {
    if (this.last === undefined) throw new Error('limitFields was called before the first call to reserve')
    return this.toFields(this.last)
  }

  private toFields({ limits, rate, used, atMillis }: ReportedLimits): LimitFields {
    // Numbers, not bigints: formatting a bigint takes four times as long.
    const left = Math.max(0, limits.mostUnits - used - this.unitsElsewhere(limits))
    const reset = this.secondsToReset(atMillis)
    if (this.unitsEnd.seconds !== reset) this.unitsEnd = { seconds: reset, text: `;t=${reset}` }
    const units = left + this.unitsEnd.text
    if (rate === undefined) return { policy: limits.policyField, limit: `"units";r=${units}` }
    const { seconds } = rate
    if (this.burstEnd.seconds !== seconds) this.burstEnd = { seconds, text: `;t=${seconds}, "units";r=` }
    return { policy: limits.policyField, limit: `"burst";r=${rate.left}${this.burstEnd.text}${units}` }
  }

  protected limitsOf(accountId: string, month: bigint): AccountLimits {
    const known = this.limits.get(accountId)
    if (known?.month === month) return known
    const account = this.ring.findAccount(accountId)
    if (account === undefined) throw new Error(`account ${accountId} was not loaded`)
    const planLimits = planLimitsOf(this.plans, account, Number(month))
    const made = { ...planLimits, cell: account.cell, mostUnits: Number(planLimits.unitLimit), month }
    this.limits.set(accountId, made)
    return made
  }

  /** The time that determines the day and month that units count toward. */
  protected get ledgerMillis(): number {
    return this.quota.ledgerMillis(this.clock.nowMillis())
  }

  protected monthAt(atMillis: number): bigint {
    const { month } = this
    if (atMillis < month.endMillis && atMillis >= month.startMillis) return month.number
    const { firstDay, endDay } = periodOf(atMillis)
    const [startMillis, endMillis] = [utcDayStartMillis(firstDay), utcDayStartMillis(endDay)]
    this.month = { number: monthNumber(atMillis), startMillis, endMillis }
    return this.month.number
  }

  /** Makes all threads charge to the day of this time, or to a later day. */
  private advanceTo(atMillis: number): void {
    if (atMillis < this.dayEndMillis) return
    const utcDay = utcDayOf(atMillis)
    this.quota.advanceTo(utcDay)
    this.dayEndMillis = utcDayStartMillis(utcDay + 1)
  }

  protected refusalOf(limits: AccountLimits, nowMillis: number): LimitRefusal {
    return { reason: limits.beyond, retryAfterSeconds: this.secondsToReset(nowMillis) }
  }

  protected secondsToReset(nowMillis: number): number {
    return Math.max(1, Math.ceil((this.month.endMillis - nowMillis) / MILLIS_PER_SECOND))
  }
}
