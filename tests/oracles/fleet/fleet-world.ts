// The world of one history: the machines, the database, the accounts and the clock. A seed determines everything in
// this world.
import { StoreUnavailable } from '../../../src/accounts/account-store.ts'
import { ReplicaEnded, StoreLostWrites } from '../../../src/cluster/fleet-store.ts'
import type { Pace } from '../../../src/cluster/pace.ts'
import type { Shortage, Wanted } from '../../../src/cluster/unit-waiters.ts'
import { monthNumber } from '../../../src/metering/limit-cells.ts'
import type { UsageRow } from '../../../src/metering/usage-store.ts'
import { utcDayOf, utcDayStartMillis } from '../../../src/metering/utc-day.ts'
import { DataDirUnusable } from '../../../src/system/data-dir-lock.ts'
import { Dice, EventLoop } from './event-loop.ts'
import { FleetDatabase } from './fleet-database.ts'
import type { RulesOn } from './fleet-rules.ts'
import type { Durable, StoredTerms } from './fleet-state.ts'
import { FleetTruth } from './fleet-truth.ts'
import { type Disk, type Node, OUTAGE_UNITS } from './machine.ts'
import { giveMemoryBack } from './memory-pool.ts'
import { SimulatedReplica } from './simulated-replica.ts'

/**
 * Errors that are expected when a process starts. They mean that its folder is a copy, that its replica was ended, or
 * that the database is down or was set back. The supervisor then starts the process again.
 */
const EXPECTED_AT_START = [DataDirUnusable, StoreUnavailable, StoreLostWrites, ReplicaEnded]
/** The end of a month. Histories in which the month ends start some seconds earlier. */
const TURN_MILLIS = Date.UTC(2026, 10, 1)
/** The start of histories in which no month ends. */
const CALM_MILLIS = Date.UTC(2026, 9, 10)
/** A cap so high that no account reaches it. */
export const WIDE_CAP = 3_000

/** The world of one history. */
export class FleetWorld {
  readonly loop = new EventLoop()
  readonly dice: Dice
  readonly isOn: RulesOn
  readonly accountIds: readonly string[] = ['a0', 'a1']
  /** The two months of a history, as numbers of months since January of year 0. */
  readonly months: readonly [number, number]
  /** When the first month ends, in milliseconds after the start of the history; infinite if it does not end. */
  readonly turnMillis: number
  readonly nodes: Node[]
  readonly truth: FleetTruth
  readonly database: FleetDatabase
  /** Whether replicas can read the id of the database server and its timeline. */
  readonly isLifeVisible: boolean
  /** The share of statements that are slow. Some of the slow ones are lost. */
  readonly slowShare: number
  /** The profile of this history: an index in `PROFILES` of fleet-faults.ts, which lists the most frequent faults. */
  readonly profile: number
  isUp = true
  upSince = 0
  /** The number of the database server that receives the statements. */
  primary = 1
  isHealing = false
  changesMade = 0
  readonly changeNumbers = new Map<number, number>()
  readonly faults: Record<string, number> = {}
  private life = 1
  private ids = 0
  private readonly wallStart: number

  constructor(seed: number, isOn: RulesOn) {
    this.dice = new Dice(seed)
    this.isOn = isOn
    const { dice } = this
    this.profile = dice.below(10)
    this.turnMillis = dice.chance(0.4) || this.profile >= 8 ? 9_000 + dice.below(7_000) : Number.POSITIVE_INFINITY
    this.wallStart = this.turnMillis === Number.POSITIVE_INFINITY ? CALM_MILLIS : TURN_MILLIS - this.turnMillis
    const month = Number(monthNumber(this.wallStart))
    this.months = [month, month + 1]
    this.isLifeVisible = dice.chance(0.6)
    this.slowShare = this.profile === 4 || dice.chance(0.5) ? 0 : dice.next() * 0.1
    const accounts = new Map(this.accountIds.map((id) => [id, this.someTerms()]))
    if (this.profile === 4 || this.profile === 5) accounts.set('a0', { ...this.someTerms(), cap: WIDE_CAP })
    this.database = new FleetDatabase(
      {
        now: () => this.loop.now,
        life: () => (this.isLifeVisible ? `life ${this.life}` : 'hidden'),
        isOn,
        monthOfDay: (day) => this.monthOfDay(day),
        accountOfKey: (keyId) => keyId,
      },
      accounts,
      this.mark(),
    )
    this.truth = new FleetTruth(this)
    this.database.onSettled = (of) => this.truth.settled(of)
    this.database.onEnd = (id, why) => this.truth.ended(id, why)
    this.nodes = Array.from({ length: 2 + dice.below(3) }, (_, at) =>
      this.newNode(`n${at}`, { segments: [], booked: this.zeros() }),
    )
  }

  /** The system time, in Unix milliseconds. */
  get wall(): number {
    return this.wallStart + this.loop.now
  }

  get month(): number {
    return this.loop.now < this.turnMillis ? this.months[0] : this.months[1]
  }

  /**
   * The index of an account's cell for a month: account × 2, plus 0 for the first month or 1 for the second. −1 for
   * other months.
   */
  cellAt(accountId: string, month: number): number {
    const at = month - this.months[0]
    return at < 0 || at > 1 ? -1 : this.accountIds.indexOf(accountId) * 2 + at
  }

  cellOf(account: number): number {
    return account * 2 + (this.month - this.months[0])
  }

  zeros(): number[] {
    return [0, 0, 0, 0]
  }

  monthOfDay(day: number): number {
    return Number(monthNumber(utcDayStartMillis(day)))
  }

  /** Converts units by cell to the rows of a slot file. Each account has one key, whose id is the account's id. */
  rowsOf(units: readonly number[], writerId: string): UsageRow[] {
    const days = this.months.map((month) => utcDayOf(Date.UTC(Math.floor(month / 12), month % 12, 1)))
    return units.map((count, at) => {
      return {
        writerId,
        keyId: this.accountIds[at >> 1],
        utcDay: days[at & 1],
        units: count,
        calls: count,
        lastUsedMillis: 0,
      }
    })
  }

  termsOf(accountId: string): StoredTerms {
    const terms = this.database.durable.accounts.get(accountId)
    if (terms === undefined) throw new Error(`there is no account ${accountId}`)
    return terms
  }

  someTerms(): StoredTerms {
    return { cap: this.someCap(), isRevoked: false, mark: this.mark() }
  }

  someCap(): number | null {
    const { dice } = this
    if (dice.chance(0.2)) return null
    if (dice.chance(0.4)) return 20 + dice.below(80)
    return dice.chance(0.6) ? 100 + dice.below(400) : WIDE_CAP
  }

  mark(): number {
    return 1 + this.dice.below(2 ** 31)
  }

  nextId(kind: string): string {
    return `${kind}${String(++this.ids).padStart(5, '0')}`
  }

  processes(): SimulatedReplica[] {
    return this.nodes.flatMap(({ process }) => process ?? [])
  }

  /** The process of a replica, if it runs. */
  alive(id: string): SimulatedReplica | undefined {
    return this.processes().find((each) => each.isAlive && each.id === id)
  }

  newNode(name: string, disk: Disk): Node {
    return { name, disk, process: undefined, isCut: false, restartAt: Number.POSITIVE_INFINITY, saved: undefined }
  }

  /** Starts a process on a machine. */
  start(node: Node): void {
    if (node.process !== undefined) giveMemoryBack(node.process.memory)
    const process = new SimulatedReplica(this, node)
    node.process = process
    node.restartAt = Number.POSITIVE_INFINITY
    process.start().catch((error: unknown) => {
      const isExpected = EXPECTED_AT_START.some((kind) => error instanceof kind)
      if (!isExpected) this.failed(error)
      process.exit()
      node.restartAt = this.loop.now + 1_500 + this.dice.below(3_000)
    })
  }

  /** Returns the memory of all processes to the pool, at the end of the history. */
  release(): void {
    for (const { memory } of this.processes()) giveMemoryBack(memory)
  }

  /**
   * Calls `run` after `millis`, unless the process has ended by then. If the process is frozen, calls it when the
   * freeze ends.
   */
  later(process: SimulatedReplica, millis: number, run: () => void): void {
    this.loop.later(millis, () => {
      if (!process.isAlive) return
      if (process.isFrozen) process.deferred.push(run)
      else run()
    })
  }

  sleep(process: SimulatedReplica, millis: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.later(process, millis, resolve)
    return promise
  }

  paceOf(process: SimulatedReplica): Pace {
    return {
      nowMillis: () => this.loop.now,
      wallMillis: () => this.wall,
      sleep: (millis) => this.sleep(process, Math.max(1, millis)),
      random: () => this.dice.next(),
    }
  }

  charged(process: SimulatedReplica, at: number, cost: number, isAnswered: boolean): void {
    this.guard(() => this.truth.charge(process, at, cost, isAnswered))
  }

  refused(process: SimulatedReplica, wish: Wanted, shortage: Shortage): void {
    this.guard(() => this.truth.refused(process, wish, shortage))
  }

  /** Books outage units on the disk of a process. Returns how many were booked. */
  book({ node }: SimulatedReplica, wish: { accountId: string; month: number; units: number; share: number }): number {
    const at = this.cellAt(wish.accountId, wish.month)
    const before = this.isOn('outageOnce') ? node.disk.booked[at] : 0
    const units = Math.max(0, Math.min(wish.units, Math.min(wish.share, OUTAGE_UNITS) - before))
    node.disk.booked[at] += units
    this.truth.booked(node.disk, at, units)
    return units
  }

  /** Replaces the database with an older copy: a lagging standby, or a backup. */
  setBack(to: Durable, isRestore: boolean): void {
    const had = this.database.copy()
    this.truth.lastFailover = this.loop.now
    this.primary++
    if (this.isLifeVisible || isRestore) this.life++
    this.database.become(to)
    this.guard(() => this.truth.setBack(had, had.accounts, this.isLifeVisible && !isRestore))
  }

  /** Switches to another database server without losing data. */
  failOver(): void {
    this.truth.lastFailover = this.loop.now
    this.primary++
    if (this.isLifeVisible) this.life++
    this.database.crash()
  }

  count(fault: string): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1
  }

  /**
   * The first error, such as a broken invariant. It is stored because it may be thrown in a promise that nobody awaits.
   */
  failure: unknown

  guard(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.failed(error)
    }
  }

  private failed(error: unknown): void {
    this.failure ??= error
  }
}
