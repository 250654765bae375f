// A data directory with its process, store, clock and disk, and the book of an independent bookkeeper. After every
// step, the state is checked against the book. The invariants are: nothing is lost or counted twice, no count
// decreases, no writer is behind its ledger rows, no cap is exceeded, no call is refused while enough units are left,
// days never go back, and refusals are free.
import assert from 'node:assert'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Caller, LimitRefusal, Reservation } from '../../../src/access/gate.ts'
import { monthNumber, monthStartMillis } from '../../../src/metering/limit-cells.ts'
import { segmentPath } from '../../../src/metering/segment.ts'
import { listOrdinals, readSegment, toContent, toUsageRows } from '../../../src/metering/segment-recovery.ts'
import { periodOf, utcDayOf } from '../../../src/metering/utc-day.ts'
import { Death, type DiskFault, faultHits, planFault } from './faulty-disk.ts'
import { FaultyStore, rowKey } from './faulty-store.ts'
import { CAP, KEYS_OF_ACCOUNT, keyIdOf, type MeteredProcess, STORED_KEYS, startProcess } from './metered-process.ts'
import { monthOfDay, monthText, ReportedUnits } from './reported-units.ts'

/** How the disk behaves during a step. */
export interface DiskPlan {
  readonly fault: DiskFault | undefined
  readonly afterOperations: number
}

/** A call to make. */
export interface CallWish {
  readonly thread: number
  readonly accountId: string
  readonly keyNumber: number
  readonly units: number
}

/** Everything that takes part in one history. */
export class LedgerWorld {
  readonly clock = { millis: Date.UTC(2026, 0, 30, 12), nowMillis: () => this.clock.millis }
  readonly store = new FaultyStore(STORED_KEYS)
  readonly book = new ReportedUnits()
  private readonly folder: string
  private process: MeteredProcess | undefined
  /** For each thread, the latest day for which it has reserved or charged units. */
  private readonly threads: { lastDay: number }[] = []
  /** The latest day on which a call was admitted. No later call is counted for an earlier month. */
  private lastDay = 0
  private slots = new Map<string, number>()
  private rows = new Map<string, number>()
  private copy: { ordinal: number; bytes: Uint8Array } | undefined

  constructor(folder: string) {
    this.folder = folder
  }

  /**
   * Ends any running process without warning, and starts a new one. If the start fails because of a simulated fault, no
   * process is running afterwards.
   */
  async start(threadCount: number, disk: DiskPlan): Promise<void> {
    this.die()
    planFault(disk.fault, disk.afterOperations)
    try {
      this.process = await startProcess(this.folder, { store: this.store, clock: this.clock, threadCount })
    } catch (error) {
      const isMadeUp = faultHits() > 0 || (error instanceof Error && /the store/.test(error.message))
      assert(isMadeUp, `the start failed without a simulated fault: ${error}`)
      return
    }
    const days = [...this.store.rows.values()].map(({ utcDay }) => utcDay)
    const lastDays = this.process.recovered.map(({ lastUtcDay }) => lastUtcDay)
    this.lastDay = Math.max(utcDayOf(this.clock.millis), ...days, ...lastDays)
    for (const lastDay of lastDays) this.threads.push({ lastDay })
    const inLedger = sumsByDay([...this.store.rows].map(([key, row]) => [key, row.units]))
    assert.deepEqual(inLedger, withoutZeros(this.book.byDay), 'after a start, the ledger has the reported units')
  }

  /** Ends any running process without warning. */
  die(): void {
    this.process = undefined
    this.threads.length = 0
    this.slots.clear()
    this.book.dropHeld()
  }

  /** Stops the process in an orderly way, and checks that the ledger then equals the reported units. */
  async stop(): Promise<void> {
    if (this.process === undefined || this.store.isDown) return
    this.store.fault = undefined
    await this.process.ledger.flush()
    this.die()
    const inLedger = sumsByDay([...this.store.rows].map(([key, row]) => [key, row.units]))
    assert.deepEqual(inLedger, withoutZeros(this.book.byDay), 'after a stop, the ledger has the reported units')
  }

  async flush(): Promise<void> {
    await this.process?.ledger.flush().catch((error: unknown) => assert.match(String(error), /store/))
  }

  /**
   * Reserves units for a call. Returns the reservation, or undefined if the call was refused or no process is running.
   */
  reserve(wish: CallWish, disk: DiskPlan): Reservation | undefined {
    const [process, at] = [this.process, wish.thread % Math.max(1, this.threads.length)]
    const thread = this.threads[at]
    const gate = process?.gates[at]
    if (thread === undefined || gate === undefined) return undefined
    const { accountId, units } = wish
    const day = Math.max(this.lastDay, utcDayOf(this.clock.millis))
    const month = monthOfDay(day)
    const taken = this.guarded(disk, () => {
      const caller: Caller = { keyId: keyIdOf(wish.keyNumber), accountId, plan: 'starter' }
      return gate.reserve(caller, units)
    })
    if (taken === undefined) return undefined
    const would = this.book.reportedIn(accountId, month) + this.book.heldIn(accountId, month) + units
    if ('reason' in taken) {
      if (taken.reason === 'metering_unavailable') this.lastDay = day // the cell now counts the month of this day
      this.checkRefusal(taken, would)
      return undefined
    }
    this.lastDay = day
    if (units > 0) {
      assert.equal(monthText(taken.month), month, 'units are taken from the last month that has begun')
      assert(would <= CAP, `${units} units were granted, so ${would} of ${CAP} are taken`)
      this.advance(thread, taken) // from now on, this day's slot exists
    }
    this.book.held.push(taken)
    return taken
  }

  /** Charges the reserved units, or releases them. */
  settle(thread: number, reservation: Reservation, how: { isCharged: boolean; disk: DiskPlan }): void {
    const at = thread % Math.max(1, this.threads.length)
    const state = this.threads[at]
    const gate = this.process?.gates[at]
    if (state === undefined || gate === undefined) return
    const { caller, units } = reservation
    const { accountId } = caller
    if (!how.isCharged) {
      this.book.held.splice(this.book.held.indexOf(reservation), 1)
      gate.release(reservation)
      return
    }
    const refusal = this.guarded(how.disk, () => ({ is: gate.charge(reservation) }))
    if (refusal === undefined) return // the process died
    this.book.held.splice(this.book.held.indexOf(reservation), 1)
    this.advance(state, reservation)
    const month = this.monthCharged(state, reservation)
    const charged = { ...reservation, month: monthNumber(Date.parse(`${month}-01T00:00:00Z`)) }
    const would = this.book.reportedIn(accountId, month) + this.book.heldIn(accountId, month) + units
    if (refusal.is !== undefined) {
      if (refusal.is.reason === 'quota_exhausted') {
        assert(month > monthText(reservation.month), 'reserved units may only be refused in another month')
      } else this.advance(state, charged)
      return this.checkRefusal(refusal.is, would)
    }
    if (units === 0) return
    this.advance(state, charged)
    assert(would <= CAP, `${would} of ${CAP} units are charged`)
    this.book.record(accountId, { keyId: caller.keyId, utcDay: state.lastDay, units })
  }

  /** Whether a process is running. */
  get isUp(): boolean {
    return this.process !== undefined
  }

  /** Keeps a copy of a thread's segment file, for `rollBack`. */
  saveCopy(ordinal: number): void {
    const path = segmentPath(this.folder, ordinal)
    if (existsSync(path)) this.copy = { ordinal, bytes: new Uint8Array(readFileSync(path)) }
  }

  /**
   * Ends any running process and restores the copied file. Counts that were made after the copy and not flushed are
   * lost, so they are removed from the book too.
   */
  rollBack(): void {
    if (this.copy === undefined || !existsSync(segmentPath(this.folder, this.copy.ordinal))) return
    this.die()
    this.store.forgetLate()
    writeFileSync(segmentPath(this.folder, this.copy.ordinal), this.copy.bytes)
    const accountOf = (keyId: string) =>
      Object.keys(KEYS_OF_ACCOUNT).find((id) => KEYS_OF_ACCOUNT[id]?.some((number) => keyIdOf(number) === keyId)) ?? ''
    this.book.replace(sumsByDay([...this.counted()]), accountOf)
  }

  /** Checks all stored counts against the book. */
  check(): void {
    assert.deepEqual(
      sumsByDay([...this.counted()]),
      withoutZeros(this.book.byDay),
      'the stored units are the reported ones',
    )
    for (const [key, { units }] of this.store.rows) {
      assert(units >= (this.rows.get(key) ?? 0), `the row ${key} decreased`)
      this.rows.set(key, units)
    }
    for (const key of this.rows.keys()) assert(this.store.rows.has(key), `the row ${key} disappeared`)
    for (const accountId of Object.keys(KEYS_OF_ACCOUNT)) this.checkAccount(accountId)
    if (this.process !== undefined) this.checkSlots(this.process)
  }

  private checkAccount(accountId: string): void {
    for (const month of this.book.months(accountId))
      assert(this.book.reportedIn(accountId, month) <= CAP, 'a cap is exceeded')
    const { process } = this
    if (process === undefined) return
    const month = monthOfDay(this.lastDay)
    const number = monthNumber(Date.parse(`${month}-01T00:00:00Z`))
    const expected = this.book.reportedIn(accountId, month) + this.book.heldIn(accountId, month)
    assert.equal(process.usedOf(accountId, number), expected, `used and reserved of ${accountId} in ${month}`)
    const period = periodOf(monthStartMillis(number))
    const keys = KEYS_OF_ACCOUNT[accountId] ?? []
    const units = keys.map((key) => process.usage.totals(keyIdOf(key), { period, utcDay: 0 }).unitsInPeriod)
    assert.equal(sum(units), this.book.reportedIn(accountId, month), `usage of ${accountId} in ${month}`)
  }

  private checkSlots(process: MeteredProcess): void {
    const before = this.slots
    this.slots = new Map()
    for (const segment of process.segments) {
      const content = toContent(segment)
      assert(!content.hasDoubles, 'a day of a key is in two slots')
      assert.equal(content.damagedCount, 0)
      for (const row of toUsageRows(content.writerId, content.slots)) {
        const key = rowKey(row)
        assert(row.units >= (before.get(key) ?? 0), `the slot ${key} decreased`)
        assert((this.store.rows.get(key)?.units ?? 0) <= row.units, `the ledger is ahead of the slot ${key}`)
        this.slots.set(key, row.units)
      }
    }
    for (const key of before.keys()) assert(this.slots.has(key), `the slot ${key} disappeared while its thread runs`)
  }

  /** Writer, key and day → units, from the slot or the row, whichever has more. */
  private counted(): Map<string, number> {
    const counted = new Map([...this.store.rows].map(([key, row]) => [key, row.units]))
    const contents =
      this.process?.segments.map(toContent) ??
      listOrdinals(this.folder).flatMap((ordinal) => readSegment(this.folder, ordinal) ?? [])
    for (const { writerId, slots } of contents) {
      for (const row of toUsageRows(writerId, slots)) {
        counted.set(rowKey(row), Math.max(counted.get(rowKey(row)) ?? 0, row.units))
      }
    }
    return counted
  }

  /**
   * The month to which a thread charges a reservation. This is the month of the thread's latest day. But if that month
   * is later than the reservation's own month, the units count in the latest month that any thread has begun.
   */
  private monthCharged({ lastDay }: { readonly lastDay: number }, { month, units }: Reservation): string {
    const own = monthOfDay(lastDay)
    const isLate = units > 0 && own > monthText(month)
    return isLate ? later(own, monthOfDay(this.lastDay)) : own
  }

  /** Moves a thread's latest day forward to a reservation's day or to the start of its month, whichever is later. */
  private advance(thread: { lastDay: number }, { atMillis, month }: Reservation): void {
    thread.lastDay = Math.max(thread.lastDay, utcDayOf(atMillis), utcDayOf(monthStartMillis(month)))
  }

  private checkRefusal({ reason }: LimitRefusal, would: number): void {
    if (reason === 'quota_exhausted') assert(would > CAP, `refused, but only ${would} of ${CAP} units would be taken`)
    else assert(reason === 'metering_unavailable' && faultHits() > 0, `refused for ${reason}`)
  }

  /** Runs `act` with a disk that may fail. Returns undefined if the process died. */
  private guarded<Result>(disk: DiskPlan, act: () => Result): Result | undefined {
    planFault(disk.fault, disk.afterOperations)
    try {
      return act()
    } catch (error) {
      if (!(error instanceof Death)) throw error
      this.die()
      return undefined
    }
  }
}

/** Key and day → the sum of the units of all writers. */
function sumsByDay(counts: readonly (readonly [string, number])[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [key, units] of counts) {
    const day = key.slice(key.indexOf(' ') + 1)
    if (units > 0) sums.set(day, (sums.get(day) ?? 0) + units)
  }
  return new Map([...sums].sort())
}

function withoutZeros(units: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...units].filter(([, each]) => each > 0).sort())
}

function later(a: string, b: string): string {
  return a > b ? a : b
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
