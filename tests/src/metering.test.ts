// Tests slots, segments, the meter and the ledger. Fails if a unit is lost, counted twice, or counted for the wrong day
// or key.
import { describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import fc from 'fast-check'
import type { AccountStore } from '../../src/accounts/account-store.ts'
import { openSqliteStore } from '../../src/accounts/sqlite-account-store.ts'
import { findPast, Ledger } from '../../src/metering/ledger.ts'
import { LiveUsage } from '../../src/metering/live-usage.ts'
import { Meter } from '../../src/metering/meter.ts'
import { openSegment, segmentPath, writeSegment } from '../../src/metering/segment.ts'
import { recoverSegments } from '../../src/metering/segment-recovery.ts'
import { SLOT_BYTES, SLOTS_PER_EXTENT, type SlotValues } from '../../src/metering/slots.ts'
import type { UsageRow } from '../../src/metering/usage-store.ts'
import { periodOf, toUtcText, utcDayOf } from '../../src/metering/utc-day.ts'
import { parseDecimal, roundToCents, timesUnits } from '../../src/plans/money.ts'
import { DAY_MILLIS, HandClock, makeFolder, NOON_MILLIS } from './account-fixture.ts'

const TODAY = utcDayOf(NOON_MILLIS)
const PERIOD = periodOf(NOON_MILLIS)
const KEY = 'key_0000000a'
const OTHER_KEY = 'key_0000000b'

/** Opens a folder of segments with its store. Problems that are reported during recovery are collected. */
async function openMetering(segmentCount: number) {
  const folder = makeFolder()
  const store = openSqliteStore(`${folder}/quai.db`)
  const problems: string[] = []
  const recover = (today = TODAY, count = segmentCount) =>
    recoverSegments({ folder, store, today, onProblem: ({ message }) => problems.push(message) }, count)
  const segments = await recover()
  return { folder, store, problems, recover, segments }
}

function meterOf(folder: string, ordinal: number, clock = new HandClock(), lastUtcDay = 0): Meter {
  return new Meter({ folder, ordinal, lastUtcDay }, clock)
}

function totalUnits(rows: readonly UsageRow[]): number {
  return rows.reduce((sum, row) => sum + row.units, 0)
}

async function flushAll(folder: string, store: AccountStore, ordinals = [0]): Promise<number> {
  return new Ledger(folder, ordinals, store).flush()
}

describe('a meter', () => {
  test('counts its charges: any history of two threads adds up per key and day', async () => {
    const { folder, store } = await openMetering(2)
    const clocks = [new HandClock(), new HandClock()]
    const meters = clocks.map((clock, ordinal) => meterOf(folder, ordinal, clock))
    const charge = fc.record({
      ordinal: fc.nat({ max: 1 }),
      key: fc.constantFrom(KEY, OTHER_KEY, 'key_ffffffff'),
      units: fc.constantFrom(0, 1, 5),
      hours: fc.nat({ max: 30 }),
    })
    const expected = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.array(charge), async (history) => {
        for (const { ordinal, key, units, hours } of history) {
          clocks[ordinal].millis += hours * 3_600_000
          meters[ordinal].charge(key, units)
          const id = `${ordinal}:${key}:${utcDayOf(clocks[ordinal].millis)}`
          expected.set(id, (expected.get(id) ?? 0) + units)
        }
        await flushAll(folder, store, [0, 1])
        const rows = await store.listUsage()
        expect(rows.map((row) => row.units).sort()).toEqual([...expected.values()].sort())
        const usage = new LiveUsage({ folder, ordinals: [0, 1], past: [] })
        const sumOf = (key: string) =>
          [...expected].reduce((sum, [id, units]) => sum + (id.includes(key) ? units : 0), 0)
        const always = { name: '', firstDay: 0, endDay: 1e6 }
        expect(usage.totals(KEY, { period: always, utcDay: 0 }).unitsInPeriod).toBe(sumOf(KEY))
      }),
      { numRuns: 25 },
    )
  })

  test('opens a new slot at midnight UTC and never goes back a day', async () => {
    const { folder } = await openMetering(1)
    const clock = new HandClock()
    const meter = meterOf(folder, 0, clock)
    clock.millis = Date.UTC(2026, 2, 31, 23, 59, 59, 999)
    meter.charge(KEY, 1)
    clock.millis += 1
    meter.charge(KEY, 2)
    clock.millis -= 3 * DAY_MILLIS
    meter.charge(KEY, 4)
    const usage = new LiveUsage({ folder, ordinals: [0], past: [] })
    const inMonth = (millis: number) =>
      usage.totals(KEY, { period: periodOf(millis), utcDay: utcDayOf(millis) }).unitsInPeriod
    expect([inMonth(Date.UTC(2026, 2, 31)), inMonth(Date.UTC(2026, 3, 1))]).toEqual([1, 6])
  })

  test('continues in the same slot after a restart', async () => {
    const { folder, recover, segments } = await openMetering(1)
    meterOf(folder, 0).charge(KEY, 3)
    const again = await recover()
    expect(again[0].writerId).toBe(segments[0].writerId)
    meterOf(folder, 0, new HandClock(), again[0].lastUtcDay).charge(KEY, 4)
    expect(openSegment(folder, 0).read(1)).toEqual({
      keyNumber: 10,
      utcDay: TODAY,
      units: 7,
      calls: 2,
      lastUsedMillis: NOON_MILLIS,
    })
    expect(openSegment(folder, 0).isFree(2)).toBe(true)
  })

  test('grows its file by an extent, and readers with an earlier mapping follow', async () => {
    const { folder, store } = await openMetering(1)
    const usage = new LiveUsage({ folder, ordinals: [0], past: [] })
    const ledger = new Ledger(folder, [0], store)
    const meter = meterOf(folder, 0)
    expect(usage.totals(KEY, { period: PERIOD, utcDay: TODAY }).unitsToday).toBe(0)
    for (let number = 1; number <= SLOTS_PER_EXTENT + 10; number++) {
      meter.charge(`key_${number.toString(16).padStart(8, '0')}`, 1)
    }
    const last = `key_${(SLOTS_PER_EXTENT + 10).toString(16).padStart(8, '0')}`
    expect(usage.totals(last, { period: PERIOD, utcDay: TODAY }).unitsToday).toBe(1)
    expect(await ledger.flush()).toBe(SLOTS_PER_EXTENT + 10)
    expect(await ledger.flush()).toBe(0)
  })

  test('a partial extent at the end, left by a failed growth, does no harm', async () => {
    const { folder, store } = await openMetering(1)
    const meter = meterOf(folder, 0)
    meter.charge(KEY, 1)
    const file = openSync(segmentPath(folder, 0), 'a')
    writeSync(file, new Uint8Array(5_000))
    meter.charge(KEY, 1)
    await flushAll(folder, store)
    expect(totalUnits(await store.listUsage())).toBe(2)
  })
})

describe('recovery', () => {
  test('writes unflushed slots to the ledger', async () => {
    const { folder, store, recover } = await openMetering(1)
    meterOf(folder, 0).charge(KEY, 5)
    await recover()
    expect(totalUnits(await store.listUsage())).toBe(5)
  })

  test('retires the writer of a file that went back in time; nothing is missing or counted twice afterwards', async () => {
    const { folder, store, recover, segments, problems } = await openMetering(1)
    meterOf(folder, 0).charge(KEY, 5)
    copyFileSync(segmentPath(folder, 0), `${folder}/copy`)
    meterOf(folder, 0).charge(KEY, 5)
    meterOf(folder, 0).charge(OTHER_KEY, 1)
    await flushAll(folder, store)
    writeFileSync(segmentPath(folder, 0), readFileSync(`${folder}/copy`))
    const [again] = await recover()
    expect(again.writerId).not.toBe(segments[0].writerId)
    expect(problems).toHaveLength(1)
    meterOf(folder, 0).charge(KEY, 2)
    await flushAll(folder, store)
    expect(totalUnits(await store.listUsage())).toBe(13)
    const past = findPast(await store.listUsage(), [{ writerId: again.writerId, slots: again.slots }], 0)
    const usage = new LiveUsage({ folder, ordinals: [0], past })
    expect(usage.totals(OTHER_KEY, { period: PERIOD, utcDay: TODAY }).unitsToday).toBe(1)
  })

  test('frees slots of closed days without losing their counts', async () => {
    const { folder, store, recover } = await openMetering(1)
    const clock = new HandClock()
    const meter = meterOf(folder, 0, clock)
    for (let day = 0; day < 5; day++) {
      meter.charge(KEY, 1)
      clock.millis += DAY_MILLIS
    }
    const today = TODAY + 4
    const [again] = await recover(today)
    expect(again.slots.map((slot) => slot.utcDay - today)).toEqual([-2, -1, 0])
    const past = findPast(await store.listUsage(), [again], 0)
    const usage = new LiveUsage({ folder, ordinals: [0], past })
    expect(usage.totals(KEY, { period: PERIOD, utcDay: today })).toEqual({
      unitsToday: 1,
      unitsInPeriod: 5,
      lastUsedMillis: NOON_MILLIS + 4 * DAY_MILLIS,
    })
    expect((await recover(today))[0].writerId).toBe(again.writerId)
  })

  test('never reopens a day whose slots were freed, even if the clock is set back to it', async () => {
    const { folder, store, recover } = await openMetering(1)
    meterOf(folder, 0).charge(KEY, 5)
    const [again] = await recover(TODAY + 3)
    expect(again.slots).toEqual([])
    const clock = new HandClock() // still shows the closed day
    meterOf(folder, 0, clock, again.lastUtcDay).charge(KEY, 1)
    await flushAll(folder, store)
    expect((await store.listUsage()).map((row) => [row.utcDay - TODAY, row.units])).toEqual([
      [0, 5],
      [1, 1],
    ])
  })

  test('flushes and removes the segments of ended threads', async () => {
    const { folder, store, recover } = await openMetering(2)
    meterOf(folder, 1).charge(KEY, 9)
    await recover(TODAY, 1)
    expect(existsSync(segmentPath(folder, 1))).toBe(false)
    expect(totalUnits(await store.listUsage())).toBe(9)
  })

  test('sets a damaged file aside and keeps its readable part', async () => {
    const { folder, store, recover, problems } = await openMetering(1)
    const meter = meterOf(folder, 0)
    meter.charge(KEY, 1)
    meter.charge(OTHER_KEY, 2)
    const bytes = readFileSync(segmentPath(folder, 0))
    bytes[SLOT_BYTES + 4] ^= 1 // damages the first slot's day, so that its checksum no longer matches
    writeFileSync(segmentPath(folder, 0), bytes)
    await recover()
    expect((await store.listUsage()).map((row) => [row.keyId, row.units])).toEqual([[OTHER_KEY, 2]])
    expect(problems).toHaveLength(1)
    truncateSync(segmentPath(folder, 0), 10)
    await recover()
    expect(problems).toHaveLength(2)
    expect(readdirSync(folder).filter((name) => name.includes('damaged'))).toHaveLength(2)
    meterOf(folder, 0).charge(KEY, 1)
  })

  test('merges a day that an interrupted rewrite left in two slots', async () => {
    const { folder, recover, segments } = await openMetering(1)
    const slot: SlotValues = { keyNumber: 10, utcDay: TODAY, units: 3, calls: 3, lastUsedMillis: NOON_MILLIS }
    const header = { writerId: segments[0].writerId, ordinal: 0 }
    writeSegment(segmentPath(folder, 0), header, [slot, { ...slot, units: 4, calls: 4 }])
    expect((await recover())[0].slots).toEqual([{ ...slot, units: 4, calls: 4 }])
    expect(openSegment(folder, 0).isFree(2)).toBe(true)
  })
})

describe('the ledger', () => {
  test('accepts rows in any order and repeatedly: the maximum of each stays', async () => {
    const store = openSqliteStore(`${makeFolder()}/quai.db`)
    const row = fc.record({
      writerId: fc.constantFrom('w1', 'w2'),
      keyId: fc.constantFrom(KEY, OTHER_KEY),
      utcDay: fc.nat({ max: 2 }),
      units: fc.nat({ max: 1_000 }),
      calls: fc.nat({ max: 1_000 }),
      lastUsedMillis: fc.nat(),
    })
    const merged = new Map<string, UsageRow>()
    const id = (one: UsageRow) => `${one.writerId} ${one.keyId} ${one.utcDay}`
    await fc.assert(
      fc.asyncProperty(fc.array(row), async (rows) => {
        await store.mergeUsage(rows)
        for (const one of rows) {
          const before = merged.get(id(one)) ?? one
          merged.set(id(one), {
            ...one,
            units: Math.max(before.units, one.units),
            calls: Math.max(before.calls, one.calls),
            lastUsedMillis: Math.max(before.lastUsedMillis, one.lastUsedMillis),
          })
        }
        const expected = [...merged.values()].sort((a, b) => (id(a) < id(b) ? -1 : 1))
        expect(await store.listUsage()).toEqual(expected)
      }),
      { numRuns: 50 },
    )
    await store.close()
  })

  test('if the store fails, every slot stays due', async () => {
    const { folder, store } = await openMetering(1)
    let isBroken = true
    const failing: AccountStore = Object.assign(Object.create(store), {
      mergeUsage: async (rows: UsageRow[]) => {
        if (isBroken) throw new Error('disk full')
        return store.mergeUsage(rows)
      },
    })
    const ledger = new Ledger(folder, [0], failing)
    meterOf(folder, 0).charge(KEY, 5)
    await expect(ledger.flush()).rejects.toThrow('disk full')
    isBroken = false
    expect(await ledger.flush()).toBe(1)
    expect(totalUnits(await store.listUsage())).toBe(5)
  })

  test('verify distinguishes pending slots from rows above their slot', async () => {
    const { folder, store, segments } = await openMetering(1)
    const ledger = new Ledger(folder, [0], store)
    meterOf(folder, 0).charge(KEY, 5)
    const pending = await ledger.verify(TODAY, async () => {})
    expect(pending).toMatchObject({ slots: 1, rows: 0, pending_slots: 1, pending_units: 5, faults: [] })
    const row = { writerId: segments[0].writerId, keyId: KEY, utcDay: TODAY, units: 6, calls: 1, lastUsedMillis: 0 }
    await store.mergeUsage([row])
    const faulty = await ledger.verify(TODAY, () => ledger.flush())
    expect(faulty.faults).toHaveLength(2) // one row is above its slot, and one has an unknown key
    expect(faulty.faults[0]).toContain('has more units than its slot')
  })
})

test('kill -9 under load loses no acknowledged unit', async () => {
  const rounds = 5
  const { folder, store, recover } = await openMetering(1)
  let reported = 0
  for (let round = 0; round < rounds; round++) {
    const child = Bun.spawn([process.execPath, `${import.meta.dir}/metering-child.ts`, folder], { stdout: 'pipe' })
    const reader = child.stdout.getReader()
    let text = ''
    const wanted = 2_000 + round * 777 // the number of lines after which the child is killed
    while (text.split('\n').length < wanted) {
      const { value, done } = await reader.read()
      if (done) throw new Error('the child process ended before it was killed')
      text += new TextDecoder().decode(value)
    }
    child.kill('SIGKILL')
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      text += new TextDecoder().decode(value)
    }
    await child.exited
    const lines = text.split('\n').slice(0, -1) // the last line may be cut
    reported += lines.reduce((sum, line) => sum + Number(line), 0)
    await recover(utcDayOf(Date.now()))
    const counted = totalUnits(await store.listUsage())
    expect(counted).toBeGreaterThanOrEqual(reported)
    expect(counted).toBeLessThanOrEqual(reported + 2 * 5) // one charge may be in flight, and one line cut off
    reported = counted
  }
})

describe('days, months and money', () => {
  test('a period is a calendar month in UTC', () => {
    expect(periodOf(Date.UTC(2026, 11, 31, 23, 59))).toEqual({
      name: '2026-12',
      firstDay: utcDayOf(Date.UTC(2026, 11, 1)),
      endDay: utcDayOf(Date.UTC(2027, 0, 1)),
    })
    expect(toUtcText(Date.UTC(2027, 0, 1))).toBe('2027-01-01T00:00:00+00:00')
  })

  test('cents are exact and rounded half up', () => {
    const table: [number, string, number][] = [
      [0, '0.05', 0],
      [9, '0.05', 0], // The exact amount is 0.45.
      [10, '0.05', 1], // The exact amount is 0.5.
      [29, '0.05', 1], // The exact amount is 1.45.
      [30, '0.05', 2], // The exact amount is 1.5.
      [1_000_000, '0.001', 1_000],
      [3, '1', 3],
      [9_007_199_254, '0.1', 900_719_925], // The exact amount ends in 925.4.
    ]
    const toCents = (units: number, price: string) => roundToCents(timesUnits(units, parseDecimal(price)))
    expect(table.map(([units, price]) => toCents(units, price))).toEqual(table.map(([, , cents]) => cents))
  })
})
