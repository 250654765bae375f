// Records what really happened in a history: charged units, responses that clients received, and how many units above a
// cap are allowed because of failures. Only checks read these records; replicas cannot. A cell is one account in one
// month; its index is account × 2 + month.
import type { Shortage, Wanted } from '../../../src/cluster/unit-waiters.ts'
import { heldOf } from './fleet-database.ts'
import type { Durable, StoredTerms } from './fleet-state.ts'
import type { FleetWorld } from './fleet-world.ts'
import { type Disk, LOST_MILLIS, type Node, OUTAGE_UNITS } from './machine.ts'
import type { SimulatedReplica } from './simulated-replica.ts'
import { TIMEOUT_MILLIS } from './unreliable-link.ts'

/** Thrown if an invariant is broken. */
export class Broken extends Error {}

const STILL_MILLIS = 5_000

/** What really happened in a history. */
export class FleetTruth {
  readonly acknowledged: number[]
  readonly inFlight: number[]
  readonly charged: number[]
  /** By cell: units whose count was lost with a disk, or with the only database that had it. */
  readonly lost: number[]
  /** By cell: units above the cap that are allowed because of failures. */
  readonly allowed: number[]
  /** By cell: units that the account may use although its cap is now lower. */
  readonly floor: number[]
  readonly chargedBy = new Map<string, number[]>()
  readonly lostBy = new Map<string, number[]>()
  /** Replicas whose data directory was copied. */
  readonly copied = new Set<string>()
  lastFailover = Number.NEGATIVE_INFINITY
  isLateLost = false
  /**
   * Replica → by cell, the units that the database lost in a failover. A running replica must report these units again
   * in time.
   */
  private readonly gaps = new Map<string, number[]>()
  private readonly once = new Map<string, number[]>()
  private readonly sweptLate = new Set<string>()
  private readonly shares = new Map<Disk, number[]>()
  private readonly world: FleetWorld

  constructor(world: FleetWorld) {
    this.world = world
    this.acknowledged = world.zeros()
    this.inFlight = world.zeros()
    this.charged = world.zeros()
    this.lost = world.zeros()
    this.allowed = world.zeros()
    this.floor = world.zeros()
  }

  /** Records that a call was charged. */
  charge(process: SimulatedReplica, at: number, cost: number, isAnswered: boolean): void {
    const { world } = this
    const by = this.chargedBy.getOrInsertComputed(process.id, () => world.zeros())
    by[at] += cost
    this.charged[at] += cost
    if (isAnswered) this.acknowledged[at] += cost
    else this.inFlight[at] += cost
    const accountId = world.accountIds[at >> 1]
    if (process.ring.get(accountId)?.cap === null && world.termsOf(accountId).cap !== null) this.allowed[at] += cost
    this.check(at)
  }

  /**
   * Checks a refusal. Fails if the account is refused until the end of the month although enough units are left and no
   * replica holds them.
   */
  refused(process: SimulatedReplica, wish: Wanted, shortage: Shortage): void {
    if (shortage.kind !== 'exhausted' || shortage.retryAfterSeconds !== undefined) return
    const { world } = this
    const { cap, mark } = world.termsOf(wish.accountId)
    const isQuiet = world.loop.now - world.upSince > 8_000 && world.loop.now - this.lastFailover > 8_000
    if (cap === null || process.ring.get(wish.accountId)?.mark !== mark || !isQuiet) return
    const at = world.cellAt(wish.accountId, wish.month)
    const rows = world.database.durable.grants.get(`${wish.month} ${wish.accountId}`) ?? new Map()
    if ([...rows.values()].some((row) => row.granted - row.returned > row.used)) return
    const left = cap - this.charged[at]
    const room = process.room(at >> 1, wish.month)
    if (left >= wish.units + room) throw new Broken(`cell ${at}: refused until the month's end with ${left} units left`)
  }

  /** Records that outage units were booked on a disk. On each disk, up to OUTAGE_UNITS per cell may exceed the cap. */
  booked(disk: Disk, at: number, units: number): void {
    const share = this.shares.getOrInsertComputed(disk, () => this.world.zeros())
    const isAllowed = share[at] + units <= OUTAGE_UNITS
    share[at] += units
    if (isAllowed) this.allowed[at] += units
  }

  /**
   * Replaces a disk with an older copy of itself, or with an empty one. Records the units that are lost by this
   * replacement.
   */
  replaceDisk(node: Node, to: Disk): void {
    const { usage } = this.world.database.durable
    for (const { writerId, owner, units } of node.disk.segments) {
      const kept = to.segments.find((each) => each.writerId === writerId)?.units ?? this.world.zeros()
      for (const [at, row] of this.world.rowsOf(units, writerId).entries()) {
        const inLedger = usage.get(`${writerId} ${row.keyId} ${row.utcDay}`) ?? 0
        this.lose(owner, at, units[at] - Math.max(kept[at], inLedger))
      }
    }
    const share = this.shares.get(node.disk)
    if (share !== undefined && to.segments.length > 0) this.shares.set(to, share) // an empty disk is a new data directory
    node.disk = to
  }

  /**
   * Records a new cap for an account. If the new cap is lower, the units that were charged, or can be charged without
   * another grant, remain allowed.
   */
  capChanged(accountId: string, before: StoredTerms, had?: Durable): void {
    const { cap } = this.world.termsOf(accountId)
    if (cap === null) return
    for (const month of this.world.months) {
      const at = this.world.cellAt(accountId, month)
      const rows = this.world.database.durable.grants.get(`${month} ${accountId}`)
      const ledger = this.world.database.ledgerUnits(`${month} ${accountId}`)
      if (before.cap === null) {
        for (const [id, units] of this.chargedBy) {
          this.allowed[at] += Math.max(0, units[at] - (rows?.get(id)?.used ?? ledger.get(id) ?? 0))
        }
      }
      if (before.cap === null || before.cap > cap) this.floor[at] = Math.max(this.floor[at], this.reach(at, had))
    }
  }

  /**
   * Records that a replica is ended. If the replica's process still runs, its units may be spent twice. Fails if there
   * was no reason to end the replica.
   */
  ended(id: string, why: string): void {
    const { world } = this
    const process = world.alive(id)
    if (process === undefined) return
    const healthyMillis = world.loop.now - process.healthySince
    const isSure = world.slowShare === 0 && process.isServing
    if (why === 'lost' && isSure && healthyMillis > LOST_MILLIS)
      throw new Broken(`replica ${id} was ended as lost although it runs undisturbed`)
    const quiet = Math.min(healthyMillis, world.loop.now - world.upSince, world.loop.now - this.lastFailover)
    const isReachable = world.isUp && !process.node.isCut && !process.isFrozen
    if (why === 'replaced' && isSure && isReachable && quiet > STILL_MILLIS + TIMEOUT_MILLIS)
      throw new Broken(`replica ${id} was replaced although it runs`)
    if (why === 'replaced' || why === 'forgotten') this.allowRoom(process)
  }

  /** Records that units of an ended replica were freed. */
  settled(of: { id: string; key: string; used: number; why: string; isByStart: boolean }): void {
    const [month, accountId = ''] = of.key.split(' ')
    const at = this.world.cellAt(accountId, Number(month))
    if (of.why === 'replaced' && !of.isByStart) this.sweptLate.add(of.id)
    const unknown = (this.chargedBy.get(of.id)?.[at] ?? 0) - of.used
    if (unknown <= 0) return
    const isRunning = this.world.alive(of.id) !== undefined
    // Counts that arrive after the month is closed become late units. They do not free any units of that month.
    const isClosed = Number(month) === this.world.months[0] && this.world.database.durable.firstOpenDay > 0
    const isExcused = isRunning || isClosed || this.copied.has(of.id) || this.sweptLate.has(of.id)
    if (of.why === 'replaced' && !isExcused && unknown > (this.lostBy.get(of.id)?.[at] ?? 0))
      throw new Broken(`replica ${of.id} was settled at ${of.used} of ${of.used + unknown} units of cell ${at}`)
    this.allow(of.id, at, unknown)
  }

  /**
   * Records that the database was set back to older data.
   * @param isSeen whether replicas can notice immediately that the data is older
   */
  setBack(had: Durable, before: ReadonlyMap<string, StoredTerms>, isSeen: boolean): void {
    const { world } = this
    this.gaps.clear()
    for (const [accountId, terms] of before) this.capChanged(accountId, terms, had)
    for (const month of world.months) {
      for (const accountId of world.accountIds) {
        const at = world.cellAt(accountId, month)
        const key = `${month} ${accountId}`
        const ids = new Set([...(had.grants.get(key)?.keys() ?? []), ...world.processes().map(({ id }) => id)])
        for (const id of ids) this.noteGap({ id, at, month, had: heldIn(had, key, id) }, isSeen)
      }
    }
    for (const [row, units] of had.usage) {
      const [writerId = '', keyId = '', day] = row.split(' ')
      const at = world.cellAt(keyId, world.monthOfDay(Number(day)))
      const onDisk = world.nodes.flatMap(({ disk }) => disk.segments).find((each) => each.writerId === writerId)
      const kept = Math.max(world.database.durable.usage.get(row) ?? 0, onDisk?.units[at] ?? 0)
      if (units <= kept) continue
      this.allowed[at] += units - kept
      this.lose(had.writers.get(writerId) ?? '', at, units - kept)
    }
    if (had.late.size + world.database.durable.late.size > 0) this.isLateLost = true
  }

  /**
   * Records that a fault affects a replica. After a failover, the replica may not yet have reported its units again.
   * Units that it now cannot report are allowed above the cap.
   */
  disturbed(process: SimulatedReplica | undefined): void {
    const gap = process && this.gaps.get(process.id)
    if (process === undefined || gap === undefined || this.world.loop.now > this.lastFailover + 12_000) return
    this.gaps.delete(process.id)
    for (const [at, units] of gap.entries()) this.allowed[at] += units
  }

  private noteGap(of: { id: string; at: number; month: number; had: number }, isSeen: boolean): void {
    const { world } = this
    const process = world.alive(of.id)
    const accountId = world.accountIds[of.at >> 1]
    const row = world.database.durable.grants.get(`${of.month} ${accountId}`)?.get(of.id)
    const has = row === undefined ? 0 : heldOf(row)
    const spendable = process === undefined ? 0 : process.segment.units[of.at] + process.room(of.at >> 1, of.month)
    const gap = Math.max(0, of.had - has, spendable - has)
    if (gap === 0) return
    const isDeaf = process === undefined || process.node.isCut || process.isFrozen || !process.isServing
    if (isDeaf || !isSeen || world.slowShare > 0) this.allowed[of.at] += gap
    else this.gaps.getOrInsertComputed(of.id, () => world.zeros())[of.at] = gap
  }

  private allowRoom(process: SimulatedReplica): void {
    for (const month of this.world.months) {
      for (const [account, accountId] of this.world.accountIds.entries()) {
        this.allowed[this.world.cellAt(accountId, month)] += process.room(account, month)
      }
    }
  }

  /** Allows units above the cap. If the units of a replica are settled several times, they are allowed only once. */
  private allow(whose: string, at: number, units: number): void {
    const known = this.once.getOrInsertComputed(whose, () => this.world.zeros())
    if (units <= known[at]) return
    this.allowed[at] += units - known[at]
    known[at] = units
  }

  private lose(owner: string, at: number, units: number): void {
    if (units <= 0) return
    this.lost[at] += units
    this.lostBy.getOrInsertComputed(owner, () => this.world.zeros())[at] += units
  }

  /** Units that were charged, or can be charged without another grant. */
  private reach(at: number, had: Durable | undefined): number {
    const { world } = this
    const month = world.months[at & 1]
    const key = `${month} ${world.accountIds[at >> 1]}`
    const rows = world.database.durable.grants.get(key)
    const ids = new Set([...(rows?.keys() ?? []), ...this.chargedBy.keys(), ...(had?.grants.get(key)?.keys() ?? [])])
    let sum = 0
    for (const id of ids) {
      const row = rows?.get(id)
      const process = world.alive(id)
      const spendable = process === undefined ? 0 : process.segment.units[at] + process.room(at >> 1, month)
      const held = row === undefined ? 0 : heldOf(row)
      sum += Math.max(held, had === undefined ? 0 : heldIn(had, key, id), this.chargedBy.get(id)?.[at] ?? 0, spendable)
    }
    return sum
  }

  private check(at: number): void {
    const { cap } = this.world.termsOf(this.world.accountIds[at >> 1])
    if (cap === null) return
    const most = Math.max(cap, this.floor[at]) + this.allowed[at]
    if (this.charged[at] <= most) return
    throw new Broken(
      `cell ${at}: ${this.charged[at]} charged, cap ${cap}, floor ${this.floor[at]}, allowed ${this.allowed[at]}`,
    )
  }
}

function heldIn(durable: Durable, key: string, id: string): number {
  const row = durable.grants.get(key)?.get(id)
  return row === undefined ? 0 : heldOf(row)
}
