// Opens a data thread's gate from the state that the control thread sends: key ring, slots, and the shared limits.

import { allocateHeldUnits, HeldUnits } from '../metering/held-units.ts'
import { allocateCells, QuotaCells } from '../metering/limit-cells.ts'
import { LiveUsage, type PastUsage } from '../metering/live-usage.ts'
import { Meter } from '../metering/meter.ts'
import type { PlanTable } from '../plans/plans.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import { DataGate, type DataGateParts } from './data-gate.ts'
import type { GateNotice } from './fleet-talk.ts'
import type { Gate } from './gate.ts'
import { KeyRing, type RingChange, type RingStart } from './key-ring.ts'

/**
 * The input for opening a data thread's gate, sent as a plain message. It contains the peppers, so it never leaves the
 * process.
 */
export interface AccessStart {
  readonly ring: RingStart
  readonly audience: string
  readonly plans: PlanTable
  /** Folder of the slot files. */
  readonly folder: string
  /** The last UTC day to which each data thread's writer has charged, indexed by thread number (from 0). */
  readonly lastUtcDays: readonly number[]
  /** Usage that is not counted in any slot. */
  readonly past: readonly PastUsage[]
  /** The limits shared by all threads. */
  readonly cells: LimitCells
  /** In a cluster: the units granted to this replica (src/cluster/grant-cells.ts). */
  readonly grantCells?: SharedArrayBuffer | undefined
}

/** Shared memory with the state of all limits: the monthly units and the rate-limit buckets of all accounts. */
export interface LimitCells {
  readonly quota: SharedArrayBuffer
  readonly rates: SharedArrayBuffer
  /** Reservations for pending responses, indexed by data thread number. */
  readonly held: readonly SharedArrayBuffer[]
}

/** Allocates cells without any usage. */
export function allocateLimitCells(threadCount: number): LimitCells {
  const held = Array.from({ length: threadCount }, allocateHeldUnits)
  return { quota: allocateCells(), rates: allocateCells(), held }
}

/** A data thread's gate, and the functions that update it. */
export interface OpenGate {
  readonly gate: Gate
  apply(change: RingChange): void
  /** In a cluster: applies an answer from the control thread. */
  notify?(notice: GateNotice): void
  /**
   * Recreates this thread's slot file if it was removed. Reopens other threads' slot files if they were replaced.
   * Returns whether this thread's file was recreated.
   */
  keepSlots(): boolean
}

/** Opens the gate of data thread `ordinal`. No two threads may have the same ordinal open at the same time. */
export function openGate(start: AccessStart, ordinal: number, clock: Clock = TRUE_CLOCK): OpenGate {
  const parts = gateParts(start, ordinal, clock)
  return toOpenGate(new DataGate(parts), parts)
}

/** The parts of a data thread's gate. */
export function gateParts(start: AccessStart, ordinal: number, clock: Clock = TRUE_CLOCK): DataGateParts {
  const { folder, lastUtcDays, plans, cells, past } = start
  const lastUtcDay = lastUtcDays[ordinal]
  if (lastUtcDay === undefined) throw new Error(`there is no slot file for data thread ${ordinal}`)
  const ring = new KeyRing(start.ring, start.audience)
  const meter = new Meter({ folder, ordinal, lastUtcDay }, clock)
  const usage = new LiveUsage({ folder, ordinals: [...lastUtcDays.keys()], past })
  return { ring, plans, cells, clock, meter, usage, held: heldBy(cells, ordinal) }
}

/** The gate built from these parts, in the form that a data thread uses. */
export function toOpenGate(gate: DataGate, { meter, usage }: DataGateParts): OpenGate {
  return {
    gate,
    apply: (change) => gate.apply(change),
    keepSlots: () => {
      const isRestored = meter.restoreSlots()
      usage.refresh()
      return isRestored
    },
  }
}

/** Releases the units that a crashed data thread had reserved for pending responses. */
export function giveBackHeld(cells: LimitCells, ordinal: number): void {
  heldBy(cells, ordinal).giveBack(new QuotaCells(cells.quota))
}

/** The held units of one data thread. */
function heldBy({ held }: LimitCells, ordinal: number): HeldUnits {
  const memory = held[ordinal]
  if (memory === undefined)
    throw new Error(`the shared array for the reserved units of data thread ${ordinal} is missing`)
  return new HeldUnits(memory)
}
