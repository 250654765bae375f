// The gate of one data thread, made of what the control thread hands it: ring, slots, and the memory all threads admit by.

import { allocateHeldUnits, HeldUnits } from '../metering/held-units.ts'
import { LiveUsage, type PastUsage } from '../metering/live-usage.ts'
import { Meter } from '../metering/meter.ts'
import { allocateQuotaCells, QuotaCells } from '../metering/quota-cells.ts'
import { allocateRateCells, RateCells } from '../metering/rate-cells.ts'
import { utcDayStartMillis } from '../metering/utc-day.ts'
import type { PlanTable } from '../plans/plans.ts'
import { type Clock, TRUE_CLOCK } from '../system/clock.ts'
import { createGate } from './access.ts'
import { Admittance } from './admittance.ts'
import type { Gate } from './gate.ts'
import { KeyRing, type RingChange, type RingStart } from './key-ring.ts'

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
  /** What all threads admit by together. */
  readonly cells: AdmissionCells
}

/** Shared memory: units of the month, and buckets of requests, by account. */
export interface AdmissionCells {
  readonly quota: SharedArrayBuffer
  readonly rates: SharedArrayBuffer
  /** By data thread: what it reserved for answers that come later. */
  readonly held: readonly SharedArrayBuffer[]
}

/** Cells in which nothing is used yet. */
export function allocateAdmissionCells(threadCount: number): AdmissionCells {
  const held = Array.from({ length: threadCount }, allocateHeldUnits)
  return { quota: allocateQuotaCells(), rates: allocateRateCells(), held }
}

/** A data thread's gate, and the way changes reach it. */
export interface OpenGate {
  readonly gate: Gate
  apply(change: RingChange): void
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
  const admittance = new Admittance({ ring, plans, quota, rates, clock })
  return {
    gate: createGate({ ring, meter, usage, clock, admittance, held: heldBy(cells, ordinal) }),
    apply: (change) => {
      const { firstOpenDay } = change
      if (change.plans !== undefined) admittance.replacePlans(change.plans)
      if (firstOpenDay !== undefined) meter.advance({ atMillis: utcDayStartMillis(firstOpenDay), month: 0n })
      ring.apply(change)
      admittance.forget(change.accounts.map(({ id }) => id))
    },
  }
}

/** The notes of one data thread. */
export function heldBy({ held }: AdmissionCells, ordinal: number): HeldUnits {
  const memory = held[ordinal]
  if (memory === undefined) throw new Error(`there are no notes of data thread ${ordinal}`)
  return new HeldUnits(memory)
}
