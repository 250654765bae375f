// What the API needs of access and metering: who calls, whether they may, and what it costs.
// Kept by gates.ts; every method is synchronous and cheap.

import type { RateReading } from '../metering/limit-cells.ts'
import type { Plan } from '../plans/plans.ts'

/** A key that was accepted. Its members are the meter's and the key ring's own. */
export interface Caller {
  readonly keyId: string
  readonly accountId: string
  readonly plan: Plan
}

/** Why a request is turned away before its parameters are looked at: reasons of `problem.ts`. */
export type AccessRefusal =
  | 'authentication_required'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'email_verification_required'

/** The answer to a request at the gate. */
export type Authentication =
  | { readonly kind: 'accepted'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly reason: AccessRefusal }

/** Why a call with an accepted key is refused. */
export interface LimitRefusal {
  readonly reason: 'rate_limited' | 'quota_exhausted' | 'spend_cap_reached' | 'metering_unavailable'
  /** When it is worth asking again. */
  readonly retryAfterSeconds: number
}

/**
 * Units taken for a call, until they are charged or given back: once, by whoever took them.
 *
 * ```
 *            no units left, or too fast: LimitRefusal
 *            ┌──────►
 *   reserve ─┤                    answered at once
 *            └──────► reserved ─────────────────────────────► charge ─────► charged, in the slot of today
 *                        │                                   ▲ │   │
 *                        │ the answer comes in a later turn  │ │   └ the month has ended: carry ─► taken of the new one
 *                        └──► hold ─► held ─► settle ────────┤ │
 *                                      │                     │ └ no room there, or on the disk: LimitRefusal, given back
 *                                      │                     └──► release ─► given back: refused, failed or free
 *                                      └ the thread dies: given back from its notes (metering/held-units.ts)
 * ```
 */
export interface Reservation {
  readonly caller: Caller
  readonly units: number
  /** When they were taken, in milliseconds after 1970: the moment the call counts for. */
  readonly atMillis: number
  /** The month they were taken of, counted from year 0. */
  readonly month: bigint
  /** What the account's bucket said of the call; undefined where it has none. */
  readonly rate?: RateReading | undefined
}

/** The fields that tell a client of its limits. */
export interface LimitFields {
  /** RateLimit-Policy. */
  readonly policy: string
  /** RateLimit. */
  readonly limit: string
}

/** One key's row in `/usage`. */
export interface KeyUsage {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly last_four: string
  readonly units_today: number
  readonly units_period: number
  /** RFC 3339 with +00:00, or null where the key was never used. */
  readonly last_used_at: string | null
}

/** The Usage object of the interface. */
export interface UsageReport {
  readonly plan: Plan
  readonly period: string
  readonly included_units: number
  readonly units: number
  readonly remaining: number
  readonly overage_available: boolean
  readonly overage_enabled: boolean
  readonly overage_unit_amount_decimal: string
  readonly billable_units: number
  readonly spent_cents: number
  readonly spend_cap_cents: number
  readonly resets_at: string
  readonly keys: readonly KeyUsage[]
}

/** What lets keys in on the account API, where calls cost no units. */
export type KeyGate = Pick<Gate, 'authenticate' | 'reserve' | 'limitFields'>

/** The gate every keyed request passes. */
export interface Gate {
  /** Checks the Authorization header (null where there is none) for a scope of this audience, in the pinned order of refusals. */
  authenticate(authorization: string | null): Authentication
  /** The id of the key in an Authorization header, if it would be accepted: what a line of the log says of a request. */
  keyIdOf(authorization: string | null): string | undefined
  /** Whether the key of a caller would still be accepted: neither revoked nor expired since. */
  holds(caller: Caller): boolean
  /** Takes a call of so many units out of its account's rate and month, or says why not. Followed by `charge` or `release`. */
  reserve(caller: Caller, units: number): Reservation | LimitRefusal
  /** The answer comes later: should this thread die before, the units are given back. Followed by `settle`. */
  hold(reservation: Reservation): void
  /** The answer has come: `charge` or `release` follows in the same turn. */
  settle(reservation: Reservation): void
  /** Gives units back: the call was refused, or is free. What it is told of its limits then. */
  release(reservation: Reservation): LimitFields
  /** What the last reserved, or refused, call is told of its limits. */
  limitFields(): LimitFields
  /**
   * Charges a call that succeeded, before its answer leaves. Refused, and given back, where its month ended meanwhile
   * and the new one has no units for it, or where the new day's count finds no room on the disk.
   */
  charge(reservation: Reservation): LimitRefusal | undefined
  /** The caller's account, unflushed units included. */
  usage(caller: Caller): UsageReport
}
