// One run of the service on the model's data directory, with only the parts that meter: recovery, cells, a gate for
// each thread, and the ledger. These parts are built as in the service. The key ring is real too, although no client
// sends a key.

import { DataGate } from '../../../src/access/data-gate.ts'
import type { Gate } from '../../../src/access/gate.ts'
import { KeyRing, type RingAccount, type RingKey } from '../../../src/access/key-ring.ts'
import { allocateHeldUnits, HeldUnits } from '../../../src/metering/held-units.ts'
import { findPast, Ledger } from '../../../src/metering/ledger.ts'
import { allocateCells, CELL_COUNT, QuotaCells } from '../../../src/metering/limit-cells.ts'
import { LiveUsage } from '../../../src/metering/live-usage.ts'
import { Meter } from '../../../src/metering/meter.ts'
import { lastChargedDay, seedCells } from '../../../src/metering/quota-seed.ts'
import { openSegment, type Segment } from '../../../src/metering/segment.ts'
import { type RecoveredSegment, recoverSegments } from '../../../src/metering/segment-recovery.ts'
import { utcDayOf } from '../../../src/metering/utc-day.ts'
import { DEFAULT_PLANS, type PlanTable } from '../../../src/plans/plans.ts'
import type { Clock } from '../../../src/system/clock.ts'
import type { FaultyStore } from './faulty-store.ts'

/** The number of units that each account in the model may use in a month. */
export const CAP = 60
const STARTER = { ...DEFAULT_PLANS.starter, includedUnits: CAP, requestsPerSecond: 0 }
const PLANS: PlanTable = { ...DEFAULT_PLANS, starter: STARTER }

/** Account in the model → the numbers of its keys. Two accounts have few keys, and one has many. */
export const KEYS_OF_ACCOUNT: Readonly<Record<string, readonly number[]>> = {
  acc_1: [1, 2],
  acc_2: [3],
  acc_3: Array.from({ length: 40 }, (_, at) => 16 + at),
}

/**
 * Memory that all runs share, since allocating a megabyte of cells for each run would take longer than the run itself.
 */
const MEMORY = { quota: allocateCells(), rates: allocateCells() }

/** Returns the id of the key with this number. */
export function keyIdOf(number: number): string {
  return `key_${number.toString(16).padStart(8, '0')}`
}

const ACCOUNTS: readonly RingAccount[] = Object.keys(KEYS_OF_ACCOUNT).map((id, cell) => ({
  id,
  plan: 'starter',
  isVerified: true,
  isSuspended: false,
  isOverageEnabled: false,
  spendCapCents: 0,
  cell,
}))
const KEYS: readonly RingKey[] = Object.entries(KEYS_OF_ACCOUNT).flatMap(([accountId, numbers]) =>
  numbers.map((number) => ({
    id: keyIdOf(number),
    accountId,
    name: 'key',
    prefix: '',
    lastFour: '',
    digest: number.toString(16).padStart(64, '0'),
    pepperId: 'a',
    scopes: ['transit:read'],
    audience: 'api.example',
    createdAtMillis: 0,
    expiresAtMillis: null,
    revokedAtMillis: null,
  })),
)
const RING = new KeyRing({ accounts: ACCOUNTS, keys: KEYS, peppers: [] }, 'api.example')

/** The keys that the store lists. */
export const STORED_KEYS = KEYS

/** A running process. */
export interface MeteredProcess {
  readonly gates: readonly Gate[]
  readonly ledger: Ledger
  readonly segments: readonly Segment[]
  readonly recovered: readonly RecoveredSegment[]
  readonly usage: LiveUsage
  readonly problems: readonly string[]
  /** Returns the units that an account has used and reserved in a month. */
  usedOf(accountId: string, month: bigint): number
}

/** Starts a process; throws if the disk or the store prevents it. */
export async function startProcess(
  folder: string,
  parts: { readonly store: FaultyStore; readonly clock: Clock; readonly threadCount: number },
): Promise<MeteredProcess> {
  const { store, clock, threadCount } = parts
  const problems: string[] = []
  const today = utcDayOf(clock.nowMillis())
  const recovery = { folder, store, today, onProblem: ({ message }: { message: string }) => problems.push(message) }
  const recovered = await recoverSegments(recovery, threadCount)
  const past = findPast(await store.listUsage(), recovered, 0)
  const ordinals = recovered.map(({ ordinal }) => ordinal)
  const usage = new LiveUsage({ folder, ordinals, past })
  new BigInt64Array(MEMORY.quota, 0, ACCOUNTS.length).fill(0n)
  new Int32Array(MEMORY.quota, CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT, 1).fill(0)
  const lastUtcDay = lastChargedDay({ segments: recovered, past })
  const nowMillis = clock.nowMillis()
  seedCells(MEMORY, { accounts: ACCOUNTS, keys: KEYS, usage, lastUtcDay, nowMillis })
  const quota = new QuotaCells(MEMORY.quota)
  const gates = recovered.map(({ ordinal, lastUtcDay }) => {
    const held = new HeldUnits(allocateHeldUnits())
    const meter = new Meter({ folder, ordinal, lastUtcDay }, clock)
    return new DataGate({ ring: RING, plans: PLANS, cells: MEMORY, clock, meter, usage, held })
  })
  return {
    gates,
    ledger: new Ledger(folder, ordinals, store),
    segments: ordinals.map((ordinal) => openSegment(folder, ordinal)),
    recovered,
    usage,
    problems,
    usedOf: (accountId, month) => {
      const account = ACCOUNTS.find(({ id }) => id === accountId)
      if (account === undefined) throw new Error(`there is no account ${accountId}`)
      return Number(quota.used(account.cell, month))
    },
  }
}
