// The gate of one thread: the key ring says who calls, the meter takes the units, the usage report adds them up.

import { isServiceTokenText } from '../keys/api-key.ts'
import type { HeldUnits } from '../metering/held-units.ts'
import type { LiveUsage } from '../metering/live-usage.ts'
import type { Meter } from '../metering/meter.ts'
import type { Clock } from '../system/clock.ts'
import type { Admittance } from './admittance.ts'
import type { Admission, Caller, Gate, LimitRefusal, Reservation } from './gate.ts'
import type { KeyRing } from './key-ring.ts'
import { toUsageReport } from './usage-report.ts'

/** What a gate is made of. */
export interface GateParts {
  readonly ring: KeyRing
  /** This thread's own slots. */
  readonly meter: Meter
  /** The slots of every thread, and the past. */
  readonly usage: LiveUsage
  /** True time: keys, days and months never follow a replayed moment. */
  readonly clock: Clock
  readonly admittance: Admittance
  /** Where this thread notes what it reserved for answers that come later. */
  readonly held: HeldUnits
}

const NO_CREDENTIAL: Admission = { kind: 'refused', reason: 'authentication_required' }
const INVALID: Admission = { kind: 'refused', reason: 'invalid_token' }
const NOT_PERSONAL: Admission = { kind: 'refused', reason: 'insufficient_scope' }
/** The disk has no room for the key's first slot of the day. */
const NOT_COUNTABLE: LimitRefusal = { reason: 'metering_unavailable', retryAfterSeconds: 5 }
/** RFC 6750: the scheme in any case, then the token. */
const BEARER = /^bearer +([^ ]+) *$/i

/** What an Authorization header (null where there is none) is admitted as by a ring. */
export function admitBearer(ring: KeyRing, authorization: string | null, nowMillis: number): Admission {
  if (authorization === null) return NO_CREDENTIAL
  const known = ring.recall(authorization, nowMillis)
  if (known !== undefined) return known
  const token = BEARER.exec(authorization)?.[1]
  if (token === undefined) return INVALID
  if (isServiceTokenText(token)) return NOT_PERSONAL
  return ring.admit(token, nowMillis, authorization)
}

/** The gate of one thread. */
export function createGate(parts: GateParts): Gate {
  const { ring, meter, usage, clock, admittance, held } = parts
  return {
    admit: (authorization) => admitBearer(ring, authorization, clock.nowMillis()),
    holds(caller: Caller): boolean {
      return ring.holds(caller.keyId, clock.nowMillis())
    },
    reserve(caller: Caller, units: number): Reservation | LimitRefusal {
      const taken = admittance.reserve(caller, units)
      if ('reason' in taken || units === 0) return taken
      meter.advance(taken)
      if (meter.canCharge(caller.keyId)) return taken
      admittance.release(taken)
      return NOT_COUNTABLE
    },
    hold: (taken) => held.hold(admittance.cellOf(taken), BigInt(taken.units), taken.month),
    settle: (taken) => held.settle(admittance.cellOf(taken), BigInt(taken.units), taken.month),
    release: (reservation) => admittance.release(reservation),
    limitFields: () => admittance.fields(),
    charge(reservation: Reservation): LimitRefusal | undefined {
      const { caller, units } = reservation
      let taken: Reservation | LimitRefusal = reservation
      // This thread may have gone on to another month while the answer was worked out, and others to one behind that.
      while (meter.advance(taken) > taken.month) {
        taken = admittance.carry(taken, meter.month)
        if ('reason' in taken) return taken
      }
      if (meter.tryCharge(caller.keyId, units, taken.atMillis)) return undefined
      admittance.release(taken)
      return units === 0 ? undefined : NOT_COUNTABLE // of a call that costs nothing only its instant is lost
    },
    usage(caller: Caller) {
      return toUsageReport({
        ring,
        usage,
        plans: admittance.plans,
        accountId: caller.accountId,
        nowMillis: clock.nowMillis(),
      })
    },
  }
}
