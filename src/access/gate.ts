// The API's interface to access control and metering: identifies the caller, checks limits, and charges units.
// Implemented by limit-gate.ts and data-gate.ts. Every method except `refreshUsage` is synchronous and cheap.

import type { RateReading } from '../metering/limit-cells.ts'
import type { Plan } from '../plans/plans.ts'

/** The holder of an accepted key. */
export interface Caller {
  readonly keyId: string
  readonly accountId: string
  readonly plan: Plan
}

/** Reasons, from `problem.ts`, for rejecting a request before its parameters are checked. */
export type AccessRefusal =
  | 'authentication_required'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'email_verification_required'

/** The result of checking a request. */
export type Authentication =
  | { readonly kind: 'accepted'; readonly caller: Caller }
  | { readonly kind: 'refused'; readonly reason: AccessRefusal }

/** Why a call with an accepted key is refused. */
export interface LimitRefusal {
  readonly reason: 'rate_limited' | 'quota_exhausted' | 'spend_cap_reached' | 'metering_unavailable'
  /** Seconds after which the caller may try again. */
  readonly retryAfterSeconds: number
  /**
   * Set while units are being requested from the database; resolves to the final answer within a second. Callers that
   * cannot wait for it use this refusal.
   */
  readonly later?: Promise<LateAnswer>
}

/**
 * The result of a call that had to wait. It has its own RateLimit fields, because the gate's `limitFields` may already
 * describe a later call.
 */
export interface LateAnswer {
  readonly taken: Reservation | LimitRefusal
  readonly limits: LimitFields
}

/**
 * Units reserved for a call. The caller of `reserve` charges or releases them, exactly once.
 *
 * ```
 *            no units left, or too fast: LimitRefusal
 *            ┌──────►
 *   reserve ─┤                    answered at once
 *            └──────► reserved ─────────────────────────────► charge ─────► charged, in today's slot
 *                        │                                   ▲ │   │
 *                        │ answered in a later turn          │ │   └ the month has ended: carry ─► reserved in the next
 *                        └──► hold ─► held ─► settle ────────┤ │
 *                                      │                     │ └ no units there, or disk full: LimitRefusal, released
 *                                      │                     └──► release ─► released: refused, failed or free
 *                                      └ the thread crashes: released from its records (metering/held-units.ts)
 * ```
 */
export interface Reservation {
  readonly caller: Caller
  readonly units: number
  /** When the units were reserved, in Unix milliseconds. This counts as the time of the call. */
  readonly atMillis: number
  /** The month that the units count toward, in months since year 0. */
  readonly month: bigint
  /** What the account's rate limit returned for this call; undefined if the account has no rate limit. */
  readonly rate?: RateReading | undefined
}

/** The RateLimit header fields. */
export interface LimitFields {
  /** Value of the RateLimit-Policy field. */
  readonly policy: string
  /** Value of the RateLimit field. */
  readonly limit: string
}

/** The usage of one key, in the response of `/usage`. */
export interface KeyUsage {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly last_four: string
  readonly units_today: number
  readonly units_period: number
  /** RFC 3339 with +00:00, or null if the key has never been used. */
  readonly last_used_at: string | null
}

/** The Usage object of the API. */
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

/** Admits keys on the account API, where calls cost no units. */
export type KeyGate = Pick<Gate, 'authenticate' | 'reserve' | 'limitFields'>

/** The gate that every request with a key passes through. */
export interface Gate {
  /**
   * Checks the key in the Authorization header (null if absent): its form, whether it is valid, then its scope and
   * audience. The first check that fails determines the refusal.
   */
  authenticate(authorization: string | null): Authentication
  /** The id of the key in an Authorization header, for the request log; undefined if the key is not accepted. */
  keyIdOf(authorization: string | null): string | undefined
  /** Whether the caller's key is still valid: neither revoked nor expired. */
  holds(caller: Caller): boolean
  /**
   * Counts a request against the account's rate limit and reserves units from the account's monthly limit, or returns
   * why the call is refused. A reservation must be followed by `charge` or `release`.
   */
  reserve(caller: Caller, units: number): Reservation | LimitRefusal
  /** Marks the reservation as pending: if this thread crashes, the units are released. Followed by `settle`. */
  hold(reservation: Reservation): void
  /** Ends the pending state of a reservation. `charge` or `release` follows in the same turn of the event loop. */
  settle(reservation: Reservation): void
  /** Releases a reservation for a refused or free call. Returns the RateLimit header fields. */
  release(reservation: Reservation): LimitFields
  /** The RateLimit header fields of the last call. */
  limitFields(): LimitFields
  /**
   * Charges a successful call before its response is sent. In two cases, the reservation is released and the call is
   * refused: a new month has begun in which no units are left, or the disk has no room for the first count of a new
   * day.
   */
  charge(reservation: Reservation): LimitRefusal | undefined
  /** The caller's usage, unflushed units included. */
  usage(caller: Caller): UsageReport
  /**
   * In a cluster: updates the usage that other replicas have counted for the caller's account, if the database
   * responds.
   */
  refreshUsage?(caller: Caller): Promise<void>
}
