// Generates histories from a seed: calls, restarts, clock changes, and faults of the store and the disk. Checks the
// invariants after every step. ledger-model.test.ts runs this file in a separate process, with the arguments `<folder>
// <runs> <seed>`. If a history fails, the smallest such history is printed.
import './small-segments.ts'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { Reservation } from '../../../src/access/gate.ts'
import type { StoreFault } from './faulty-store.ts'
import type { DiskPlan } from './ledger-world.ts'

// These modules are imported dynamically, after the plugin in small-segments.ts has replaced the disk.
const { planFault } = await import('./faulty-disk.ts')
const { LedgerWorld } = await import('./ledger-world.ts')
const { KEYS_OF_ACCOUNT } = await import('./metered-process.ts')

const HOUR_MILLIS = 3_600_000
const DAY_MILLIS = 24 * HOUR_MILLIS
const LONGEST_HISTORY = 40
/**
 * After this many histories, garbage is collected. Mapped files are released only by a collection, and the number of
 * mapped files in a process is limited.
 */
const RUNS_BETWEEN_COLLECTIONS = 200

/** A random step of a history. */
interface Step {
  readonly kind:
    | 'call'
    | 'hold'
    | 'settle'
    | 'crowd'
    | 'clock'
    | 'flush'
    | 'deliver'
    | 'start'
    | 'stop'
    | 'copy'
    | 'roll back'
    | 'store'
  readonly thread: number
  readonly account: string
  readonly key: number
  readonly units: number
  readonly isCharged: boolean
  readonly millis: number | 'month end'
  readonly storeFault: StoreFault | undefined
  readonly disk: DiskPlan
}

const NO_FAULT: DiskPlan = { fault: undefined, afterOperations: 0 }
const NEEDS_PROCESS: ReadonlySet<Step['kind']> = new Set(['call', 'hold', 'crowd'])
const often = <Value>(weight: number, value: Value) => ({ weight, arbitrary: fc.constant(value) })

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    often(10, 'call' as const),
    often(5, 'hold' as const),
    often(5, 'settle' as const),
    often(2, 'crowd' as const),
    often(6, 'clock' as const),
    often(5, 'flush' as const),
    often(1, 'deliver' as const),
    often(7, 'start' as const),
    often(1, 'stop' as const),
    often(1, 'copy' as const),
    often(1, 'roll back' as const),
    often(1, 'store' as const),
  ),
  thread: fc.nat({ max: 2 }),
  account: fc.constantFrom('acc_1', 'acc_2'),
  key: fc.nat({ max: 1 }),
  units: fc.constantFrom(0, 1, 5, 20),
  isCharged: fc.boolean(),
  millis: fc.constantFrom<Step['millis'][]>(
    600,
    HOUR_MILLIS,
    13 * HOUR_MILLIS,
    DAY_MILLIS,
    3 * DAY_MILLIS,
    3 * DAY_MILLIS,
    'month end',
    'month end',
    -1_000,
    -HOUR_MILLIS,
    -DAY_MILLIS,
    -3 * DAY_MILLIS,
    -3 * DAY_MILLIS,
  ),
  storeFault: fc.oneof(often<StoreFault | undefined>(6, undefined), {
    weight: 4,
    arbitrary: fc.constantFrom<StoreFault[]>('refused', 'answer lost', 'twice', 'late'),
  }),
  disk: fc.record({
    fault: fc.oneof(often<DiskPlan['fault']>(8, undefined), {
      weight: 2,
      arbitrary: fc.constantFrom<DiskPlan['fault'][]>('ENOSPC', 'EIO', 'EROFS', 'half', 'death'),
    }),
    afterOperations: fc.nat({ max: 12 }),
  }),
})

const [folder = '', runs = '', seed = ''] = process.argv.slice(2)
let histories = 0
const happened = new Map<string, number>()

await fc.assert(
  fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: LONGEST_HISTORY, size: 'max' }), async (steps) => {
    const home = join(folder, String(histories++))
    mkdirSync(home)
    const world = new LedgerWorld(home)
    const held: { thread: number; reservation: Reservation }[] = []
    try {
      await world.start(2, NO_FAULT)
      for (const each of steps) {
        await take(world, each, held)
        planFault(undefined)
        world.check()
        const name = world.isUp ? each.kind : `${each.kind}, down`
        happened.set(name, (happened.get(name) ?? 0) + 1)
      }
      world.store.isDown = false
      await world.start(1, NO_FAULT)
      if (!world.isUp) throw new Error('the process does not start, although nothing prevents it')
      world.check()
    } finally {
      planFault(undefined)
      rmSync(home, { recursive: true })
      if (histories % RUNS_BETWEEN_COLLECTIONS === 0) Bun.gc(true)
    }
  }),
  { numRuns: Number(runs), seed: Number(seed) },
)
console.log(JSON.stringify({ histories, happened: Object.fromEntries([...happened].sort()) }))

async function take(
  world: InstanceType<typeof LedgerWorld>,
  each: Step,
  held: { thread: number; reservation: Reservation }[],
): Promise<void> {
  const { thread, disk, isCharged } = each
  const keys = KEYS_OF_ACCOUNT[each.account] ?? []
  const wish = { thread, accountId: each.account, keyNumber: keys[each.key % keys.length] ?? 0, units: each.units }
  // If no process is running, about half of the steps that need a process start it first.
  if (!world.isUp && NEEDS_PROCESS.has(each.kind) && isCharged) await world.start(2, NO_FAULT)
  switch (each.kind) {
    case 'call': {
      const reservation = world.reserve(wish, disk)
      if (reservation !== undefined) world.settle(thread, reservation, { isCharged, disk })
      break
    }
    case 'hold': {
      const reservation = world.reserve(wish, disk)
      if (reservation !== undefined) held.push({ thread, reservation })
      break
    }
    case 'settle': {
      const one = held.shift()
      if (one === undefined || !world.book.held.includes(one.reservation)) break // this call's process has ended
      world.settle(one.thread, one.reservation, { isCharged, disk })
      break
    }
    case 'crowd':
      for (const keyNumber of KEYS_OF_ACCOUNT['acc_3'] ?? []) {
        const reservation = world.reserve({ thread, accountId: 'acc_3', keyNumber, units: 1 }, disk)
        if (reservation !== undefined) world.settle(thread, reservation, { isCharged: true, disk })
      }
      break
    case 'clock':
      world.clock.millis = each.millis === 'month end' ? monthEnd(world.clock.millis) : world.clock.millis + each.millis
      break
    case 'flush':
      world.store.fault = each.storeFault
      await world.flush()
      world.store.fault = undefined
      break
    case 'deliver':
      world.store.deliver()
      break
    case 'start':
      world.store.fault = each.storeFault
      await world.start(1 + thread, disk)
      world.store.fault = undefined
      break
    case 'stop':
      await world.stop()
      break
    case 'copy':
      world.saveCopy(thread)
      break
    case 'roll back':
      world.rollBack()
      break
    case 'store':
      world.store.isDown = !world.store.isDown
      break
  }
}

/** Half a second before the end of the month that contains a time. */
function monthEnd(millis: number): number {
  const date = new Date(millis)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) - 500
}
