// The faults in a cluster history: kills, broken connections, freezes, lost disks, copied disks, power loss, failovers,
// outages and restores. Also what operators do during the history.
import type { Durable } from './fleet-state.ts'
import { Broken } from './fleet-truth.ts'
import { type FleetWorld, WIDE_CAP } from './fleet-world.ts'
import type { Disk, Node } from './machine.ts'
import type { SimulatedReplica } from './simulated-replica.ts'

const KINDS = [
  'kill',
  'cut',
  'freeze',
  'disk gone',
  'copy',
  'power loss',
  'drain',
  'failover',
  'outage',
  'failover without loss',
  'restore',
  'forget',
  'sync',
  'change',
  'closing',
] as const
const WEIGHTS = [8, 5, 5, 3, 4, 3, 3, 5, 5, 3, 3, 2, 2, 6, 2]
/** Profile → the faults that are most frequent in histories with this profile. */
const PROFILES: readonly (readonly (typeof KINDS)[number][])[] = [
  ['kill', 'cut', 'freeze'],
  ['failover', 'change'],
  ['freeze', 'cut', 'forget'],
  ['copy', 'cut'],
  ['outage'],
  ['outage', 'cut'],
  ['disk gone', 'power loss', 'kill', 'outage'],
  ['failover', 'restore', 'kill'],
  ['closing', 'freeze', 'cut'],
  ['closing', 'power loss', 'kill'],
]
const MOST_NODES = 5

/** The faults of one history. */
export class FleetFaults {
  lastChange = Number.NEGATIVE_INFINITY
  private readonly world: FleetWorld
  private backup: Durable | undefined
  /**
   * A lagging copy of the database. Each failover makes a new copy. With an old copy, a failover could return to data
   * that an earlier failover has abandoned.
   */
  private standby: Durable | undefined

  constructor(world: FleetWorld) {
    this.world = world
  }

  /** Causes a random fault, or performs an operator's action. */
  strike(): void {
    const { world } = this
    const { dice } = world
    const kind = this.someKind()
    const node = dice.pick(world.nodes)
    const process = node.process?.isAlive === true ? node.process : undefined
    switch (kind) {
      case 'kill':
        return this.kill(node, dice.below(dice.chance(0.8) ? 1_500 : 14_000))
      case 'cut':
        return this.cut(node)
      case 'freeze':
        return process && this.freeze(process)
      case 'disk gone':
        this.kill(node, dice.below(3_000))
        world.truth.replaceDisk(node, { segments: [], booked: world.zeros() })
        node.saved = undefined
        return
      case 'copy':
        return this.copy(node)
      case 'power loss':
        return process && this.losePower(node)
      case 'drain':
        return process && this.drain(process)
      case 'failover':
        return this.failOverLate()
      case 'outage':
        return this.outage(dice.below(dice.chance(0.6) ? 2_500 : 9_000))
      case 'failover without loss':
        world.count(kind)
        return world.failOver()
      case 'restore':
        return this.restore()
      case 'forget':
        return this.forget()
      case 'sync':
        if (dice.chance(0.5)) node.saved = structuredClone(node.disk)
        return
      case 'change':
        return this.change()
      case 'closing':
        if (world.isUp && world.loop.now > world.turnMillis + 500) this.closeMonth()
    }
  }

  /** Ends all faults. */
  heal(): void {
    const { world } = this
    world.isHealing = true
    this.comeBack()
    for (const node of world.nodes) {
      this.uncut(node)
      if (node.process?.isFrozen === true) this.thaw(node.process)
      if (node.process?.isAlive !== true) node.restartAt = Math.min(node.restartAt, world.loop.now + 500)
    }
  }

  /** Takes the database down for some time. */
  outage(millis: number): void {
    const { world } = this
    if (!world.isUp) return
    world.count('outage')
    for (const process of world.processes()) world.truth.disturbed(process)
    world.isUp = false
    world.loop.later(millis, () => this.comeBack())
  }

  /** Tries to close the first month. */
  closeMonth(): void {
    const { world } = this
    const { database } = world
    world.count('closing')
    const day = world.rowsOf(world.zeros(), '')[1].utcDay
    if (database.durable.billed !== undefined || !database.closeDays(day)) return
    database.durable.billed = new Map(
      world.accountIds.map((id) => [id, sum(database.ledgerUnits(`${world.months[0]} ${id}`).values())]),
    )
    for (const process of world.processes()) {
      const isServing = database.durable.replicas.get(process.id)?.state === 'serving'
      if (!process.isAlive || !process.isServing || !isServing) continue
      for (const [at, row] of world.rowsOf(process.segment.units, process.segment.writerId).entries()) {
        const inLedger = database.durable.usage.get(`${row.writerId} ${row.keyId} ${row.utcDay}`) ?? 0
        if ((at & 1) === 0 && row.units > inLedger)
          world.guard(() => {
            throw new Broken(`the month was closed before replica ${process.id} had flushed it`)
          })
      }
    }
  }

  private someKind(): (typeof KINDS)[number] {
    const { dice, profile } = this.world
    const weights = WEIGHTS.map((weight, at) => (PROFILES[profile].includes(KINDS[at]) ? weight * 6 : weight))
    let left = dice.below(sum(weights))
    let at = 0
    while (left >= weights[at]) left -= weights[at++]
    return KINDS[at]
  }

  private kill(node: Node, restartMillis: number): void {
    const { world } = this
    const { process } = node
    if (process?.isAlive !== true) return
    world.count('kill')
    world.truth.disturbed(process)
    if (!process.isFrozen && world.dice.chance(0.3)) this.callInFlight(process)
    process.exit()
    node.restartAt = world.loop.now + restartMillis
  }

  /** Makes calls whose units are charged but whose responses are lost, because the process is about to be killed. */
  private callInFlight(process: SimulatedReplica): void {
    const { dice, accountIds } = this.world
    for (let left = dice.below(3); left >= 0; left--) process.request(dice.below(accountIds.length), 1, false)
  }

  private cut(node: Node): void {
    const { world } = this
    if (node.isCut) return
    world.count('cut')
    world.truth.disturbed(node.process)
    node.isCut = true
    if (node.process !== undefined) node.process.healthySince = Number.POSITIVE_INFINITY
    world.loop.later(world.dice.below(world.dice.chance(0.7) ? 4_000 : 14_000), () => this.uncut(node))
  }

  private uncut(node: Node): void {
    if (!node.isCut) return
    node.isCut = false
    if (node.process?.isFrozen === false) node.process.healthySince = this.world.loop.now
  }

  private freeze(process: SimulatedReplica): void {
    const { world } = this
    if (process.isFrozen) return
    world.count('freeze')
    world.truth.disturbed(process)
    process.isFrozen = true
    process.healthySince = Number.POSITIVE_INFINITY
    world.loop.later(world.dice.below(world.dice.chance(0.7) ? 3_000 : 16_000), () => this.thaw(process))
  }

  /**
   * Ends a freeze. The data threads can continue before the control thread, so requests may be processed before the
   * overdue tasks of the control thread.
   */
  private thaw(process: SimulatedReplica): void {
    const { world } = this
    const { dice } = world
    if (!process.isAlive || !process.isFrozen) return
    process.isFrozen = false
    if (!process.node.isCut) process.healthySince = world.loop.now
    if (dice.chance(0.7)) {
      for (let left = dice.below(6); left >= 0; left--) process.request(dice.below(world.accountIds.length), 1)
    }
    for (const run of process.deferred.splice(0)) if (process.isAlive) run()
  }

  private copy(node: Node): void {
    const { world } = this
    const { dice, nodes, truth } = world
    if (nodes.length >= MOST_NODES || node.process === undefined) return
    world.count('copy')
    for (const { owner } of node.disk.segments) truth.copied.add(owner)
    truth.copied.add(node.process.id)
    const made = world.newNode(`n${nodes.length}`, structuredClone(node.disk))
    made.restartAt = world.loop.now + dice.below(500)
    nodes.push(made)
    if (dice.chance(0.2)) this.cut(made)
  }

  private losePower(node: Node): void {
    const { world } = this
    world.count('power loss')
    this.kill(node, world.dice.below(3_000))
    const { saved, disk } = node
    if (saved === undefined || lastOwner(saved) !== lastOwner(disk)) return
    const to = structuredClone(saved)
    to.booked = disk.booked.slice()
    world.truth.replaceDisk(node, to)
  }

  private drain(process: SimulatedReplica): void {
    const { world } = this
    if (!process.isServing || process.isFrozen || process.isOver) return
    world.count('drain')
    world.truth.disturbed(process)
    void process.drain()
    process.node.restartAt = world.loop.now + 1_500 + world.dice.below(4_000)
  }

  private failOverLate(): void {
    const { world } = this
    this.standby = world.database.copy()
    const lagMillis = world.dice.below(world.dice.chance(0.6) ? 150 : 2_500)
    world.loop.later(lagMillis, () => {
      const { standby } = this
      if (!world.isUp || world.isHealing || standby === undefined) return
      world.count('failover')
      world.setBack(standby, false)
      this.standby = undefined
    })
  }

  private restore(): void {
    const { world } = this
    if (this.backup === undefined) {
      this.backup = world.database.copy()
      return
    }
    if (!world.isUp) return
    world.count('restore')
    world.setBack(this.backup, true)
    this.backup = undefined
    this.standby = undefined // the standby can't follow a restored database
  }

  private forget(): void {
    const { world } = this
    const { database, loop } = world
    const silent = [...database.durable.replicas].filter(([id, { state }]) => {
      return state !== 'ended' && (database.looks.get(id)?.seenAt ?? 0) < loop.now - 2_000
    })
    if (silent.length === 0 || !world.isUp) return
    world.count('forget')
    const [id] = world.dice.pick(silent)
    world.truth.disturbed(world.alive(id))
    world.guard(() => {
      if (database.end(id, 'forgotten', null)) database.settle(id, undefined)
    })
  }

  /**
   * Changes an account, and waits up to a second for all replicas to confirm the change, as the service does before it
   * responds.
   */
  private change(): void {
    const { world } = this
    const { dice, database, loop } = world
    if (!world.isUp) return
    world.count('change')
    const accountId = dice.pick(world.accountIds)
    const before = world.termsOf(accountId)
    const mark = world.mark()
    const number = ++world.changesMade
    world.changeNumbers.set(mark, number)
    const cap = dice.chance(0.6) ? world.someCap() : before.cap
    const version = database.change(accountId, { cap, isRevoked: dice.chance(0.2), mark }, world.mark())
    world.guard(() => world.truth.capChanged(accountId, before))
    this.lastChange = loop.now
    const { durable } = database
    const giveUpAt = loop.now + 1_000
    const look = () => {
      if (database.durable !== durable || !world.isUp || world.isHealing) return
      if (database.unconfirmed(version).length === 0) return this.checkSeen(accountId, number)
      if (loop.now < giveUpAt) loop.later(50, look)
    }
    loop.later(20, look)
  }

  private checkSeen(accountId: string, number: number): void {
    const { world } = this
    for (const process of world.processes()) {
      const isServing = world.database.durable.replicas.get(process.id)?.state === 'serving'
      if (!process.isAlive || !process.isServing || !isServing) continue
      const seen = world.changeNumbers.get(process.ring.get(accountId)?.mark ?? 0) ?? 0
      if (seen < number)
        world.guard(() => {
          throw new Broken(`a change was confirmed, and replica ${process.id} has not seen it`)
        })
    }
  }

  private comeBack(): void {
    const { world } = this
    if (world.isUp) return
    world.isUp = true
    world.upSince = world.loop.now
    if (world.dice.chance(0.5)) world.primary++
    for (const process of world.processes()) {
      if (process.isAlive && !process.node.isCut && !process.isFrozen) process.healthySince = world.loop.now
    }
  }
}

/** Whether a cap is so high that no account reaches it. */
export function isWide(cap: number | null): boolean {
  return cap === WIDE_CAP
}

function lastOwner({ segments }: Disk): string | undefined {
  return segments.findLast(({ isMerged }) => !isMerged)?.owner
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const each of numbers) total += each
  return total
}
