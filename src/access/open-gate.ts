// The gate of one data thread, made of what the control thread hands it: ring, slots, and the limits that all threads share.

import { isServiceTokenText } from '../keys/api-key.ts'
import { allocateHeldUnits, HeldUnits } from '../metering/held-units.ts'
import { allocateCells, QuotaCells, RateCells } from '../metering/limit-cells.ts'
import { LiveUsage, type PastUsage } from '../metering/live-usage.ts'
import { Meter } from '../metering/meter.ts'
import { utcDayStartMillis } from '../metering/utc-day.ts'
import type { PlanTable } from '../plans/plans.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import { CallLimits } from './call-limits.ts'
import type { Authentication, Caller, Gate, LimitRefusal, Reservation } from './gate.ts'
import { KeyRing, type RingChange, type RingStart } from './key-ring.ts'
import { toUsageReport } from './usage-report.ts'

/** What a data thread needs to open its gate. A plain message; it holds the peppers, so it never leaves the process. */
export interface AccessStart {
  readonly ring: RingStart
  readonly audience: string
  readonly plans: PlanTable
  /** Folder of the slot files. */
  readonly folder: string
  /** For each data thread, from 0: the last UTC day its writer has charged to. */
  readonly lastUtcDays: readonly number[]
  /** Usage that no slot covers. */
  readonly past: readonly PastUsage[]
  /** The limits that all threads share. */
  readonly cells: LimitCells
}

/** Shared memory: units of the month, and buckets of requests, by account. */
export interface LimitCells {
  readonly quota: SharedArrayBuffer
  readonly rates: SharedArrayBuffer
  /** By data thread: what it reserved for answers that come later. */
  readonly held: readonly SharedArrayBuffer[]
}

/** Cells in which nothing is used yet. */
export function allocateLimitCells(threadCount: number): LimitCells {
  const held = Array.from({ length: threadCount }, allocateHeldUnits)
  return { quota: allocateCells(), rates: allocateCells(), held }
}

/** A data thread's gate, and the way changes reach it. */
export interface OpenGate {
  readonly gate: Gate
  apply(change: RingChange): void
  /** Writes this thread's slot file again if somebody removed it, and reads on from those that other threads have written. */
  keepSlots(): boolean
}

/** Opens the gate of data thread `ordinal`; each ordinal is opened by one thread at a time. */
export function openGate(start: AccessStart, ordinal: number, clock: Clock = TRUE_CLOCK): OpenGate {
  const lastUtcDay = start.lastUtcDays[ordinal]
  if (lastUtcDay === undefined) throw new Error(`there is no segment for data thread ${ordinal}`)
  const ring = new KeyRing(start.ring, start.audience)
  const meter = new Meter({ folder: start.folder, ordinal, lastUtcDay }, clock)
  const ordinals = [...start.lastUtcDays.keys()]
  const usage = new LiveUsage({ folder: start.folder, ordinals, past: start.past })
  const { plans, cells } = start
  const [quota, rates] = [new QuotaCells(cells.quota), new RateCells(cells.rates)]
  const callLimits = new CallLimits({ ring, plans, quota, rates, clock })
  return {
    gate: createGate({ ring, meter, usage, clock, callLimits, held: heldBy(cells, ordinal) }),
    apply: (change) => {
      const { firstOpenDay } = change
      if (change.plans !== undefined) callLimits.replacePlans(change.plans)
      if (firstOpenDay !== undefined) meter.advance({ atMillis: utcDayStartMillis(firstOpenDay), month: 0n })
      ring.apply(change)
      callLimits.forget(change.accounts.map(({ id }) => id))
    },
    keepSlots: () => {
      const isRestored = meter.restoreSlots()
      usage.refresh()
      return isRestored
    },
  }
}

/** The notes of one data thread. */
export function heldBy({ held }: LimitCells, ordinal: number): HeldUnits {
  const memory = held[ordinal]
  if (memory === undefined) throw new Error(`there are no notes of data thread ${ordinal}`)
  return new HeldUnits(memory)
}

/** What a gate is made of. */
export interface GateParts {
  readonly ring: KeyRing
  /** This thread's own slots. */
  readonly meter: Meter
  /** The slots of every thread, and the past. */
  readonly usage: LiveUsage
  /** True time: keys, days and months never follow a replayed moment. */
  readonly clock: Clock
  readonly callLimits: CallLimits
  /** Where this thread notes what it reserved for answers that come later. */
  readonly held: HeldUnits
}

const NO_CREDENTIAL: Authentication = { kind: 'refused', reason: 'authentication_required' }
const INVALID: Authentication = { kind: 'refused', reason: 'invalid_token' }
const NOT_PERSONAL: Authentication = { kind: 'refused', reason: 'insufficient_scope' }
/** The disk has no room for the key's first slot of the day. */
const NOT_COUNTABLE: LimitRefusal = { reason: 'metering_unavailable', retryAfterSeconds: 5 }
/** RFC 6750: the scheme in any case, then the token. */
const BEARER = /^bearer +([^ ]+) *$/i

/** Who calls with an Authorization header (null if there is none), or why the header is refused. */
export function authenticateBearer(ring: KeyRing, authorization: string | null, nowMillis: number): Authentication {
  if (authorization === null) return NO_CREDENTIAL
  const known = ring.recall(authorization, nowMillis)
  if (known !== undefined) return known
  const token = BEARER.exec(authorization)?.[1]
  if (token === undefined) return INVALID
  if (isServiceTokenText(token)) return NOT_PERSONAL
  return ring.authenticate(token, nowMillis, authorization)
}

/** The gate of one thread. */
export function createGate(parts: GateParts): Gate {
  const { ring, meter, usage, clock, callLimits, held } = parts
  return {
    authenticate: (authorization) => authenticateBearer(ring, authorization, clock.nowMillis()),
    keyIdOf(authorization) {
      const found = authenticateBearer(ring, authorization, clock.nowMillis())
      return found.kind === 'accepted' ? found.caller.keyId : undefined
    },
    holds(caller: Caller): boolean {
      return ring.holds(caller.keyId, clock.nowMillis())
    },
    reserve(caller: Caller, units: number): Reservation | LimitRefusal {
      const taken = callLimits.reserve(caller, units)
      if ('reason' in taken || units === 0) return taken
      meter.advance(taken)
      if (meter.canCharge(caller.keyId)) return taken
      callLimits.release(taken)
      return NOT_COUNTABLE
    },
    hold: (taken) => held.hold(callLimits.cellOf(taken), BigInt(taken.units), taken.month),
    settle: (taken) => held.settle(callLimits.cellOf(taken), BigInt(taken.units), taken.month),
    release: (reservation) => callLimits.release(reservation),
    limitFields: () => callLimits.fields(),
    charge(reservation: Reservation): LimitRefusal | undefined {
      const { caller, units } = reservation
      let taken: Reservation | LimitRefusal = reservation
      // This thread may have gone on to another month while the answer was worked out, and others to one behind that.
      while (meter.advance(taken) > taken.month) {
        taken = callLimits.carry(taken, meter.month)
        if ('reason' in taken) return taken
      }
      if (meter.tryCharge(caller.keyId, units, taken.atMillis)) return undefined
      callLimits.release(taken)
      return units === 0 ? undefined : NOT_COUNTABLE // of a call that costs nothing only its instant is lost
    },
    usage(caller: Caller) {
      return toUsageReport({
        ring,
        usage,
        plans: callLimits.plans,
        accountId: caller.accountId,
        nowMillis: clock.nowMillis(),
      })
    },
  }
}
