// Runs one random cluster history: about twenty seconds of traffic and faults. Then everything recovers. At the end,
// every unit of every cap must be spendable, and no count may be missing.
import { FleetFaults, isWide } from './fleet-faults.ts'
import type { RulesOn } from './fleet-rules.ts'
import { Broken } from './fleet-truth.ts'
import { FleetWorld } from './fleet-world.ts'
import { LEASE_SECONDS, LOST_MILLIS, type Node } from './machine.ts'
import type { SimulatedReplica } from './simulated-replica.ts'

const LEASE_MILLIS = LEASE_SECONDS * 1_000
/** A healthy replica must read each account change within this time. */
const SEEN_MILLIS = 5_000

/** The result of a history. */
export interface HistoryResult {
  /** The broken invariant; undefined if no invariant is broken. */
  readonly broken: string | undefined
  readonly steps: number
  readonly faults: Readonly<Record<string, number>>
}

/** Runs the history that a seed determines. */
export function runHistory(seed: number, isOn: RulesOn): HistoryResult {
  const history = new History(seed, isOn)
  try {
    history.run()
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    return history.result(`${error.message} (at ${(history.world.loop.now / 1_000).toFixed(3)} s)`)
  } finally {
    history.world.release()
  }
  return history.result(undefined)
}

class History {
  readonly world: FleetWorld
  private readonly faults: FleetFaults
  /** `<replica> <account>` for each account that a replica used two to three leases before the end of the month. */
  private readonly usedBeforeTurn = new Set<string>()
  private outageOverTurn: { readonly from: number } | undefined

  constructor(seed: number, isOn: RulesOn) {
    this.world = new FleetWorld(seed, isOn)
    this.faults = new FleetFaults(this.world)
  }

  run(): void {
    const { world } = this
    this.begin()
    this.live()
    this.faults.heal()
    this.runFor(2 * LOST_MILLIS + 6_000)
    this.close()
    for (const account of world.accountIds.keys()) this.spendAll(account)
    this.runFor(2_500)
    this.checkLedger()
  }

  result(broken: string | undefined): HistoryResult {
    const { loop, faults } = this.world
    return { broken, steps: loop.steps, faults }
  }

  private begin(): void {
    const { world } = this
    const { dice, loop } = world
    if (dice.chance(0.3)) this.beginAsSingle()
    for (const node of world.nodes) loop.later(dice.below(300), () => world.start(node))
    // In some histories, the first fault is an outage across the end of the month.
    if (world.profile !== 4 || world.turnMillis === Number.POSITIVE_INFINITY || dice.chance(0.5)) return
    const from = world.turnMillis - 1 - dice.below(LEASE_MILLIS - 200)
    this.outageOverTurn = { from }
    loop.at(from, () => this.faults.outage(LEASE_MILLIS))
  }

  /**
   * Adds units that a single service counted before the cluster existed. They are in the database and in the first data
   * directory.
   */
  private beginAsSingle(): void {
    const { world } = this
    const { database, truth, dice } = world
    const units = world.zeros()
    units[0] = 1 + dice.below(15)
    units[2] = 1 + dice.below(15)
    for (const { writerId, keyId, utcDay, units: count } of world.rowsOf(units, 'w00000')) {
      database.durable.usage.set(`${writerId} ${keyId} ${utcDay}`, count)
    }
    for (const [at, count] of units.entries()) {
      truth.charged[at] += count
      truth.acknowledged[at] += count
      truth.floor[at] = count
    }
    truth.chargedBy.set('', units.slice())
    world.nodes[0].disk.segments.push({ writerId: 'w00000', owner: '', units, isMerged: false })
  }

  private live(): void {
    const { world } = this
    const { dice, loop } = world
    const endMillis = 14_000 + dice.below(16_000)
    const rate = 0.2 + dice.next() * 1.2
    const gapMillis = 400 + dice.below(2_500)
    let strikeAt = this.outageOverTurn === undefined ? 2_500 + dice.below(2_500) : world.turnMillis + LEASE_MILLIS
    let [favorite] = world.nodes
    while (loop.now < endMillis) {
      this.runFor(20 + dice.below(60))
      if (loop.now >= strikeAt) {
        this.faults.strike()
        strikeAt = loop.now + 50 + dice.below(gapMillis)
      }
      for (let calls = 0; calls < 3; calls++)
        if (dice.chance(rate * 0.5)) this.call(dice.chance(0.5) ? favorite : dice.pick(world.nodes))
      if (dice.chance(0.02)) favorite = dice.pick(world.nodes)
      this.checkSeen()
    }
  }

  private call({ process }: Node): void {
    const { world } = this
    const { dice, loop, turnMillis } = world
    if (process === undefined) return
    const account = dice.below(world.accountIds.length)
    const admission = process.request(account, dice.chance(0.15) ? 5 : 1)
    const isEarly = loop.now < turnMillis - 2 * LEASE_MILLIS && loop.now > turnMillis - 3 * LEASE_MILLIS
    if (admission === 'charged' && isEarly) this.usedBeforeTurn.add(`${process.id} ${account}`)
    if (admission === 'waits' && this.outageOverTurn !== undefined) this.checkTurn(process, account)
  }

  /**
   * Checks that a replica already has units of the new month if an outage began less than a lease before that month.
   */
  private checkTurn(process: SimulatedReplica, account: number): void {
    const { world } = this
    const { loop, turnMillis } = world
    const from = this.outageOverTurn?.from ?? 0
    const isOver = loop.now >= turnMillis && !world.isUp && loop.now < from + LEASE_MILLIS
    const isCalm =
      world.slowShare === 0 && world.changesMade === 0 && process.healthySince < turnMillis - 3 * LEASE_MILLIS
    const terms = process.ring.get(world.accountIds[account])
    if (!isOver || !isCalm || !isWide(terms?.cap ?? null) || !this.usedBeforeTurn.has(`${process.id} ${account}`))
      return
    const month = BigInt(world.months[1])
    if (process.memory.cells.limit(account, month) > 0) return
    throw new Broken(`replica ${process.id} has none of account ${account}'s units for the new month`)
  }

  /** Checks that each healthy replica has read every account change that is older than SEEN_MILLIS. */
  private checkSeen(): void {
    const { world } = this
    const { loop, truth, upSince } = world
    const quiet = Math.min(loop.now - upSince, loop.now - this.faults.lastChange, loop.now - truth.lastFailover)
    if (!world.isUp || quiet < SEEN_MILLIS || world.slowShare > 0) return
    for (const process of world.processes()) {
      const isCalm = process.isAlive && process.isServing && !process.isFrozen && !process.node.isCut
      if (!isCalm || loop.now - process.healthySince < SEEN_MILLIS) continue
      for (const id of world.accountIds) {
        if (process.ring.get(id)?.mark !== world.termsOf(id).mark)
          throw new Broken(`replica ${process.id} has not seen the change to account ${id}`)
      }
    }
  }

  private close(): void {
    const { world } = this
    if (world.database.durable.sealingDay === 0) return
    this.faults.closeMonth()
    if (world.database.durable.firstOpenDay === 0) throw new Broken('the month cannot be closed')
  }

  /** Checks that every unit of an account's cap can be spent. About 90% of the requests go to one replica. */
  private spendAll(account: number): void {
    const { world } = this
    const { dice, loop, truth } = world
    const id = world.accountIds[account]
    const at = world.cellOf(account)
    const { cap, isRevoked, mark } = world.termsOf(id)
    const serving = world.processes().filter((each) => each.isAlive && each.isServing)
    for (const process of serving) {
      if (process.ring.get(id)?.mark !== mark)
        throw new Broken(`at the end, ${process.id} has not seen the terms for ${id}`)
    }
    if (serving.length === 0) throw new Broken('nobody serves at the end')
    if (cap === null || isRevoked || isWide(cap)) return
    const one = dice.pick(serving)
    const began = loop.now
    while (loop.now < began + 12_000 && this.ledger(at) < cap) {
      for (let calls = 0; calls < 12; calls++) (dice.chance(0.9) ? one : dice.pick(serving)).request(account, 1)
      this.runFor(60)
    }
    this.runFor(2_500)
    if (this.ledger(at) + truth.lost[at] < cap)
      throw new Broken(`cell ${at}: only ${this.ledger(at)} of ${cap} could be spent; lost ${truth.lost[at]}`)
  }

  private checkLedger(): void {
    const { world } = this
    const { truth } = world
    for (const at of world.zeros().keys()) {
      const ledger = this.ledger(at)
      const all = ledger + this.late(at)
      const most = truth.acknowledged[at] + truth.inFlight[at]
      if (all > most || all < most - truth.lost[at])
        throw new Broken(
          `cell ${at}: the ledger has ${all}, acknowledged ${truth.acknowledged[at]}, in flight ${truth.inFlight[at]}, lost ${truth.lost[at]}`,
        )
      const billed = world.database.durable.billed?.get(world.accountIds[at >> 1])
      if ((at & 1) === 0 && billed !== undefined && !truth.isLateLost && billed !== ledger)
        throw new Broken(`cell ${at}: billed ${billed}, the ledger has ${ledger}`)
    }
  }

  private ledger(at: number): number {
    const { world } = this
    const sums = world.database.ledgerUnits(`${world.months[at & 1]} ${world.accountIds[at >> 1]}`)
    return [...sums.values()].reduce((total, units) => total + units, 0)
  }

  /**
   * The late units that are not in the ledger. For each late row, these are the units by which it exceeds the ledger
   * row for the same writer, key and day.
   */
  private late(at: number): number {
    const { world } = this
    let units = 0
    for (const [row, count] of world.database.durable.late) {
      const [, keyId = '', day] = row.split(' ')
      if (world.cellAt(keyId, world.monthOfDay(Number(day))) !== at) continue
      units += Math.max(0, count - (world.database.durable.usage.get(row) ?? 0))
    }
    return units
  }

  private runFor(millis: number): void {
    const { world } = this
    const until = world.loop.now + millis
    while (world.loop.now < until) {
      world.loop.runUntil(Math.min(until, world.loop.now + 100))
      if (world.failure !== undefined) throw world.failure
      for (const node of world.nodes) {
        const isFree = node.process?.isAlive !== true // a living process holds the lock of the data directory
        if (isFree && node.restartAt <= world.loop.now) world.start(node)
      }
    }
  }
}
