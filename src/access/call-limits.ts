// Whether an account may ask once more: its rate, then its units of the month, both in cells that all data threads share.
// Units are reserved before a call is answered; a refused call gives them back.

import {
  monthNumber,
  monthOfCell,
  type QuotaCells,
  type RateCells,
  type RateReading,
  unitsOfCell,
} from '../metering/limit-cells.ts'
import { periodOf, utcDayStartMillis } from '../metering/utc-day.ts'
import type { PlanTable } from '../plans/plans.ts'
import type { Clock } from '../system/clock.ts'
import type { Caller, LimitFields, LimitRefusal, Reservation } from './gate.ts'
import type { KeyRing } from './key-ring.ts'
import { type PlanLimits, planLimitsOf } from './plan-limits.ts'

/** What the limits of calls are made of. */
export interface CallLimitsParts {
  readonly ring: KeyRing
  readonly plans: PlanTable
  readonly quota: QuotaCells
  readonly rates: RateCells
  /** True time. */
  readonly clock: Clock
}

/** An account's limits, and the cell it has. */
interface AccountLimits extends PlanLimits {
  readonly cell: number
  /** `unitLimit` as a number: it has 48 bits at most. */
  readonly mostUnits: number
  /** The month they are of. */
  readonly month: bigint
}

/** A text that ends in a number of seconds, which stays for many calls. */
interface SecondsText {
  seconds: number
  text: string
}

/** What a call was told of its limits. */
interface Told {
  readonly limits: AccountLimits
  readonly rate: RateReading | undefined
  /** Units used and reserved in the month. */
  readonly used: number
  readonly atMillis: number
}

const MICROS_PER_MILLI = 1_000
const MILLIS_PER_SECOND = 1_000

/** The limits of the calls of one thread. */
export class CallLimits {
  private readonly parts: CallLimitsParts
  private plansInForce: PlanTable
  private readonly limits = new Map<string, AccountLimits>()
  private readonly month: { number: bigint; endMillis: number } = { number: 0n, endMillis: Number.NEGATIVE_INFINITY }
  /** What the last call was told. */
  private last: Told | undefined
  /** Parts of the RateLimit field that were put together last. */
  private unitsEnd: SecondsText = { seconds: Number.NaN, text: '' }
  private burstEnd: SecondsText = { seconds: Number.NaN, text: '' }

  constructor(parts: CallLimitsParts) {
    this.parts = parts
    this.plansInForce = parts.plans
  }

  /** Accounts have changed: their limits are worked out anew. */
  forget(accountIds: Iterable<string>): void {
    for (const id of accountIds) this.limits.delete(id)
  }

  get plans(): PlanTable {
    return this.plansInForce
  }

  /** Other plans hold from the next call on. */
  replacePlans(plans: PlanTable): void {
    this.plansInForce = plans
    this.limits.clear()
  }

  /** Takes a call of so many units, or says why not. Units of 0 count for the rate alone. */
  reserve(caller: Caller, units: number): Reservation | LimitRefusal {
    const { quota, rates, clock } = this.parts
    const atMillis = clock.nowMillis()
    const month = this.monthAt(atMillis)
    const limits = this.limitsOf(caller.accountId, month)
    const rate =
      limits.rate === undefined ? undefined : rates.take(limits.cell, limits.rate, atMillis * MICROS_PER_MILLI)
    if (rate?.isAllowed === false) {
      this.last = { limits, rate, used: Number(quota.used(limits.cell, month)), atMillis }
      return { reason: 'rate_limited', retryAfterSeconds: rate.seconds }
    }
    if (units === 0) {
      this.last = { limits, rate, used: Number(quota.used(limits.cell, month)), atMillis }
      return { caller, units, atMillis, month, rate }
    }
    const taken = quota.take(limits.cell, units, month, limits.mostUnits)
    if (taken !== undefined) {
      this.last = { limits, rate, used: taken, atMillis }
      return { caller, units, atMillis, month, rate }
    }
    const cell = quota.reserve(limits.cell, BigInt(units), { month, limit: limits.unitLimit })
    const used = cell === undefined ? quota.used(limits.cell, month) : unitsOfCell(cell)
    this.last = { limits, rate, used: Number(used), atMillis }
    if (cell === undefined) return this.refusalOf(limits, atMillis)
    return { caller, units, atMillis, month: monthOfCell(cell), rate }
  }

  /** Takes a reservation along into a later month, or gives it back and says why there is no room for it. */
  carry(reservation: Reservation, month: bigint): Reservation | LimitRefusal {
    const { caller, units } = reservation
    if (units === 0) return { ...reservation, month }
    const limits = this.limitsOf(caller.accountId, month)
    const cell = this.parts.quota.reserve(limits.cell, BigInt(units), { month, limit: limits.unitLimit })
    if (cell !== undefined) return { ...reservation, month: monthOfCell(cell) }
    this.release(reservation)
    const nowMillis = this.parts.clock.nowMillis()
    this.monthAt(nowMillis)
    return this.refusalOf(limits, nowMillis)
  }

  /** The cell a reservation was taken of. */
  cellOf({ caller, month }: Reservation): number {
    return this.limitsOf(caller.accountId, month).cell
  }

  /** Gives back what was reserved for a call that is not charged; what it is told of its limits then. */
  release({ caller, units, month, rate, atMillis }: Reservation): LimitFields {
    const { quota } = this.parts
    const limits = this.limitsOf(caller.accountId, month)
    if (units > 0) quota.release(limits.cell, BigInt(units), month)
    return this.toFields({ limits, rate, used: Number(quota.used(limits.cell, month)), atMillis })
  }

  /** What the last call of `reserve` is told of its limits (draft-ietf-httpapi-ratelimit-headers). */
  fields(): LimitFields {
    if (this.last === undefined) throw new Error('nothing was reserved yet')
    return this.toFields(this.last)
  }

  private toFields({ limits, rate, used, atMillis }: Told): LimitFields {
    const left = Math.max(0, limits.mostUnits - used) // as numbers: big ones take four times as long to become text
    const reset = this.secondsToReset(atMillis)
    if (this.unitsEnd.seconds !== reset) this.unitsEnd = { seconds: reset, text: `;t=${reset}` }
    const units = left + this.unitsEnd.text
    if (rate === undefined) return { policy: limits.policyField, limit: `"units";r=${units}` }
    const { seconds } = rate
    if (this.burstEnd.seconds !== seconds) this.burstEnd = { seconds, text: `;t=${seconds}, "units";r=` }
    return { policy: limits.policyField, limit: `"burst";r=${rate.left}${this.burstEnd.text}${units}` }
  }

  private limitsOf(accountId: string, month: bigint): AccountLimits {
    const known = this.limits.get(accountId)
    if (known?.month === month) return known
    const account = this.parts.ring.findAccount(accountId)
    if (account === undefined) throw new Error(`account ${accountId} is not in the ring`)
    const planLimits = planLimitsOf(this.plans, account, Number(month))
    const made = { ...planLimits, cell: account.cell, mostUnits: Number(planLimits.unitLimit), month }
    this.limits.set(accountId, made)
    return made
  }

  private monthAt(nowMillis: number): bigint {
    if (nowMillis >= this.month.endMillis) {
      this.month.number = monthNumber(nowMillis)
      this.month.endMillis = utcDayStartMillis(periodOf(nowMillis).endDay)
    }
    return this.month.number
  }

  private refusalOf(limits: AccountLimits, nowMillis: number): LimitRefusal {
    return { reason: limits.beyond, retryAfterSeconds: this.secondsToReset(nowMillis) }
  }

  private secondsToReset(nowMillis: number): number {
    return Math.max(1, Math.ceil((this.month.endMillis - nowMillis) / MILLIS_PER_SECOND))
  }
}
