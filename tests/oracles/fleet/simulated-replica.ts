// One process in a history: the released code of src/cluster with a simulated clock, network, disk and database. It has
// a single data thread. As in grant-gate.ts, a request takes units, waits if there are too few, and charges.
import { StoreUnavailable } from '../../../src/accounts/account-store.ts'
import { Beat } from '../../../src/cluster/beat.ts'
import { ChangeLog } from '../../../src/cluster/change-log.ts'
import type { FleetStore } from '../../../src/cluster/fleet-store.ts'
import { Grants } from '../../../src/cluster/grants.ts'
import type { UnitMemory } from '../../../src/cluster/holding.ts'
import { Replica } from '../../../src/cluster/replica.ts'
import { SilentReplicas } from '../../../src/cluster/silent-replicas.ts'
import { UnitWaiters, type Wanted } from '../../../src/cluster/unit-waiters.ts'
import { NO_LIMIT, type QuotaCells } from '../../../src/metering/limit-cells.ts'
import type { UsageRow } from '../../../src/metering/usage-store.ts'
import type { StoredTerms } from './fleet-state.ts'
import type { FleetWorld } from './fleet-world.ts'
import { type DiskSegment, LEASE_SECONDS, LOST_MILLIS, type Node, OUTAGE_UNITS, RING_AGE_MILLIS } from './machine.ts'
import { type ReplicaMemory, takeMemory } from './memory-pool.ts'
import { type Link, openLinks } from './unreliable-link.ts'

const FLUSH_MILLIS = 1_000
const MINUTE_MILLIS = 1_000

/** The outcome of a request: it is charged or refused, it reaches no running process, or it waits for units. */
export type Admission = 'charged' | 'refused' | 'unreachable' | 'waits'

/** A simulated process of the service. */
export class SimulatedReplica {
  readonly id: string
  readonly node: Node
  readonly memory: ReplicaMemory
  readonly segment: DiskSegment
  readonly replica: Replica
  readonly grants: Grants
  readonly changes: ChangeLog
  isAlive = true
  isFrozen = false
  isServing = false
  isOver = false
  /** Callbacks that became due during a freeze. */
  readonly deferred: (() => void)[] = []
  /** Account → its cap and whether it is revoked, as this process applies them. */
  readonly ring = new Map<string, StoredTerms>()
  /** When the process's last fault ended, in milliseconds after the start of the history; infinite during a fault. */
  healthySince: number
  private readonly world: FleetWorld
  private readonly links: { readonly watch: Link; readonly flush: Link; readonly grant: Link; readonly store: Link }
  private readonly beat = new Beat()
  /** Requests that wait for units. A request that gets units also gets the month to which the units belong. */
  private readonly waiters: UnitWaiters<number, Wanted>
  private flushing: Promise<void> = Promise.resolve()
  private isFlushing = false
  private isFlushPaused = false
  private flushed: number[] | undefined
  /** Used if the rule `sealedByRow` is broken: the process assumes that it has sealed all days before this one. */
  private sealedDay = 0

  constructor(world: FleetWorld, node: Node) {
    this.world = world
    this.node = node
    this.id = world.nextId('r')
    this.healthySince = world.loop.now
    this.memory = takeMemory()
    this.links = openLinks(world, this)
    const { disk } = node
    const last = disk.segments.findLast(({ isMerged }) => !isMerged)
    const writerId = !world.isOn('newWriters') && last !== undefined ? last.writerId : world.nextId('w')
    const units = writerId === last?.writerId ? last.units.slice() : world.zeros()
    this.segment = { writerId, owner: this.id, units, isMerged: false }
    const store = this.openStore()
    const pace = world.paceOf(this)
    this.changes = new ChangeLog({
      store,
      pace,
      loadAll: () => this.load(undefined),
      loadAccounts: (ids) => this.load(ids),
      loadPlans: async () => {},
      onStreamsEnded: () => {},
      onShared: () => {},
      onChanged: (ids) => {
        for (const id of ids) this.grants.changed(id)
      },
    })
    this.grants = this.makeGrants(store)
    this.waiters = this.makeWaiters()
    const silent = new SilentReplicas({ store, pace, lostAfterMillis: LOST_MILLIS, ownId: this.id, onLost: () => {} })
    if (!world.isOn('ownSight')) silent.forget = () => {}
    this.replica = this.makeReplica(store, silent)
    if (!world.isOn('mergeThenSettle')) this.settleFirst(store)
  }

  /** Starts the process. Returns once it serves requests. */
  async start(): Promise<void> {
    const { disk } = this.node
    await this.replica.join()
    const isKept = this.world.isOn('keepFiles')
    for (const each of disk.segments) each.isMerged = true
    disk.segments = [...(isKept ? disk.segments : []), this.segment]
    await this.changes.begin()
    await this.load(undefined)
    await this.replica.serve()
    this.isServing = true
    this.healthySince = this.world.loop.now
    void this.keepFlushing()
  }

  /** Makes one client call. @param isAnswered whether the client gets the response */
  request(account: number, cost: number, isAnswered = true): Admission {
    const { world, memory } = this
    if (!this.isAlive || this.isFrozen || !this.isServing) return 'unreachable'
    const accountId = world.accountIds[account]
    const terms = this.ring.get(accountId)
    if (terms === undefined || terms.isRevoked || world.wall >= memory.cells.deadlineMillis) return 'refused'
    const month = world.month
    const cell = account
    if (terms.cap === null) {
      memory.quota.reserve(cell, BigInt(cost), { period: BigInt(month), limit: NO_LIMIT })
      this.charge(account, cost, isAnswered)
      return 'charged'
    }
    const wish = { accountId, month, units: cost }
    if (this.take(wish) !== undefined) {
      this.charge(account, cost, isAnswered)
      return 'charged'
    }
    if (!isAnswered || this.waiters.findShortage(wish) !== undefined) return 'refused'
    void this.waiters.wait(wish).then((answer) => {
      if (!this.isAlive) return
      if (typeof answer !== 'number') return this.world.refused(this, wish, answer)
      if (world.wall >= memory.cells.deadlineMillis) return memory.quota.release(cell, BigInt(cost), BigInt(answer))
      // As in the service, a call that waits across the end of the month takes units of the new month.
      const taken = world.month === answer ? answer : this.take({ ...wish, month: world.month })
      if (taken !== undefined) this.charge(account, cost, true)
    })
    return 'waits'
  }

  /** Stops the process in an orderly way. */
  async drain(): Promise<void> {
    this.isServing = false
    await this.tryOnce(async () => {
      await this.flush()
      await this.replica.leave()
    })
    this.exit()
  }

  exit(): void {
    this.isAlive = false
    this.isServing = false
    this.isOver = true
  }

  /** The units that this process may charge without another grant from the database. */
  room(account: number, month: number): number {
    const { cells, quota } = this.memory
    const used = quota.periodCounted(account) > BigInt(month) ? 0n : quota.used(account, BigInt(month))
    return Math.max(0, cells.limit(account, BigInt(month)) - Number(used))
  }

  /**
   * Takes units of a month, or of the next month if this process already counts the next month. Returns the month whose
   * units were taken; undefined if there are too few.
   */
  private take({ accountId, month, units }: Wanted): number | undefined {
    const { cells, quota } = this.memory
    const cell = this.world.accountIds.indexOf(accountId)
    const counted = Number(quota.periodCounted(cell))
    const later = BigInt(Math.max(counted, month))
    const limit = BigInt(cells.limit(cell, later))
    return quota.reserve(cell, BigInt(units), { period: later, limit }) === undefined ? undefined : Number(later)
  }

  private charge(account: number, cost: number, isAnswered: boolean): void {
    const at = this.world.cellOf(account)
    this.segment.units[at] += cost
    this.world.charged(this, at, cost, isAnswered)
  }

  private makeGrants(store: FleetStore): Grants {
    const { world, memory, beat } = this
    const grants = new Grants({
      replicaId: this.id,
      store,
      memory: world.isOn('burnFirst') ? memory : withoutBurning(memory),
      outage: {
        bookedUnits: 0,
        book: (wishes) => wishes.map((wish) => world.book(this, wish)),
      },
      pace: world.paceOf(this),
      leaseSeconds: LEASE_SECONDS,
      minuteMillis: MINUTE_MILLIS,
      beat,
      terms: (accountId) => {
        const terms = this.ring.get(accountId)
        const cell = world.accountIds.indexOf(accountId)
        if (terms === undefined) return undefined
        return {
          cell,
          termsMark: this.changes.termsMark(accountId),
          cap: () => terms.cap,
          outageUnits: () => OUTAGE_UNITS,
        }
      },
      plans: () => 0,
      unitsCounted: (accountId, month) => this.segment.units[world.cellAt(accountId, month)] ?? 0,
      notify: (notice) => world.later(this, 0, () => this.waiters.notify(notice)),
      onStale: () => this.replica.nudge(),
      onFault: (error) => void this.replica.handleFault(error),
    })
    if (!world.isOn('nextMonth')) Object.assign(grants, { prefetch: () => {} })
    return grants
  }

  private makeWaiters(): UnitWaiters<number, Wanted> {
    const { world } = this
    return new UnitWaiters<number, Wanted>({
      nowMillis: () => world.loop.now,
      later: (millis, run) => {
        let isDue = true
        world.later(this, millis, () => {
          if (isDue) run()
        })
        return () => {
          isDue = false
        }
      },
      send: (request) => {
        if (request.kind !== 'want') return
        const { accountId, month, units } = request
        world.later(this, 0, () => this.grants.want(accountId, month, units))
      },
      take: (wish) => this.take(wish),
      room: ({ accountId, month }) => this.room(world.accountIds.indexOf(accountId), month),
    })
  }

  private makeReplica(store: FleetStore, silent: SilentReplicas): Replica {
    const { world, node } = this
    const { segments } = node.disk
    return new Replica({
      id: this.id,
      about: { name: this.id, folder: node.name, admin: '', program: '', clock: '' },
      predecessors: [
        ...new Set(segments.filter(({ isMerged, owner }) => !isMerged && owner !== '').map(({ owner }) => owner)),
      ],
      found: segments.map((each) => {
        const writerId = world.isOn('oldWriterIds') || each === this.segment ? each.writerId : world.nextId('w')
        return { owner: each.owner, writerId, rows: world.rowsOf(each.units, writerId) }
      }),
      store,
      pace: world.paceOf(this),
      beat: this.beat,
      cells: this.memory.cells,
      grants: this.grants,
      changes: this.changes,
      silent,
      lostAfterMillis: LOST_MILLIS,
      ringAgeMillis: RING_AGE_MILLIS,
      pauseFlushes: async () => {
        this.isFlushPaused = true
        await this.flushing
      },
      resumeFlushes: () => {
        this.isFlushPaused = false
      },
      flushAll: () => this.flushRows(this.segment.units.slice(), () => true),
      facts: () => ({}),
      onHeard: () => {},
      onEnded: () => void this.endAfterFlush(),
      onProblem: () => {},
      seal: async (day) => {
        await this.flush()
        await store.seal(this.id, day)
        this.sealedDay = day
      },
    })
  }

  /** Breaks the rule `mergeThenSettle`: settles the folder's earlier replicas before their counts are merged. */
  private settleFirst(store: FleetStore): void {
    const { join } = store
    Object.assign(store, {
      join: async (start: Parameters<FleetStore['join']>[0]) => {
        const beat = await join.call(store, start)
        for (const id of start.predecessors) await store.settle(id, { id: start.id, acked: beat })
        return beat
      },
    })
  }

  private async endAfterFlush(): Promise<void> {
    this.isServing = false
    this.isOver = true
    await this.tryOnce(() => this.flushRows(this.segment.units.slice(), () => true))
    this.exit()
    this.node.restartAt = this.world.loop.now + this.world.dice.below(2_000)
  }

  private async keepFlushing(): Promise<void> {
    while (this.isAlive && !this.isOver) {
      await this.world.sleep(this, FLUSH_MILLIS)
      if (this.isFlushing || this.isFlushPaused || this.isOver) continue
      this.isFlushing = true
      await this.flush().catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) void this.replica.handleFault(error)
      })
      this.isFlushing = false
    }
  }

  private flush(): Promise<void> {
    if (this.isFlushPaused) return Promise.reject(new StoreUnavailable('paused'))
    const flush = this.flushing.then(async () => {
      const units = this.segment.units.slice()
      await this.flushRows(units, (at) => units[at] !== (this.flushed?.[at] ?? 0))
      this.flushed = units
    })
    this.flushing = flush.catch(() => {})
    return flush
  }

  private async flushRows(units: readonly number[], isDue: (at: number) => boolean): Promise<void> {
    const { world, beat, segment } = this
    const rows: UsageRow[] = world.rowsOf(units, segment.writerId).filter((_, at) => isDue(at))
    if (rows.length === 0) return
    const used = rows.flatMap(({ keyId, utcDay }) => {
      const month = world.monthOfDay(utcDay)
      const beyond = world.isOn('usedIsAbsolute')
        ? this.grants.usedBeyond(keyId, month)
        : units[world.cellAt(keyId, month)] - (this.flushed?.[world.cellAt(keyId, month)] ?? 0)
      return beyond === undefined ? [] : [{ accountId: keyId, month, units: beyond }]
    })
    beat.confirm(
      await this.links.flush.send((db) =>
        db.flush({ replica: this.id, owner: this.id, acked: beat.acked, rows, used }),
      ),
    )
  }

  private async load(ids: readonly string[] | undefined): Promise<void> {
    const accounts = await this.links.store.send((db) => [...db.durable.accounts])
    for (const [id, terms] of accounts) if (ids === undefined || ids.includes(id)) this.ring.set(id, terms)
    this.waiters.forgetShortages()
  }

  /**
   * Calls `run` and ignores errors. If an error prevents the last flush, the next process that starts in the folder
   * merges the counts.
   */
  private async tryOnce(run: () => Promise<void>): Promise<void> {
    await run().catch(() => {})
  }

  private openStore(): FleetStore {
    const { watch, flush, grant } = this.links
    const { isOn } = this.world
    const { id, node } = this
    return {
      join: (start) =>
        watch.send((db) => db.join({ ...start, folder: start.about.folder, writers: { ...start.writers } })),
      serve: () => watch.send((db) => db.serve(id)),
      tick: (_id, seen) =>
        watch.send((db) => {
          const answer = db.tick(id, seen)
          const state = answer.state === 'ended' && !isOn('endedStops') ? ('serving' as const) : answer.state
          const sealed = isOn('sealedByRow') ? answer.sealed_day : this.sealedDay
          return { ...answer, state, sealed_day: sealed }
        }),
      findReplica: (other) =>
        watch.send((db) => {
          const found = db.find(other)
          return found === undefined || isOn('refuseCopy') ? found : { ...found, folder: node.name }
        }),
      listReplicas: () => watch.send((db) => db.list()),
      end: (other, why, seenAt) => grant.send((db) => db.end(other, why, seenAt)),
      settle: (other, by) => grant.send((db) => db.settle(other, by)),
      flush: (write) => flush.send((db) => db.flush(write)),
      grant: (_id, acked, { units }) => grant.send((db) => db.grant(id, acked, units)),
      reportLife: (_id, acked, life) => grant.send((db) => db.reportLife(id, acked, life)),
      changesSince: (seen) => watch.send((db) => db.changesSince(seen)),
      readMarks: () => watch.send((db) => db.readMarks()),
      listUnconfirmed: (version) => watch.send((db) => db.unconfirmed(version)),
      lastVersion: () => watch.send((db) => db.version),
      usageElsewhere: async () => [],
      seal: (_id, day) => flush.send((db) => db.seal(id, day)),
      closeDays: (day) => watch.send((db) => db.closeDays(day)),
    }
  }
}

/** Breaks the rule `burnFirst`: returned units stay in the cell, so they can still be charged. */
function withoutBurning({ cells, quota }: ReplicaMemory): UnitMemory {
  const other: QuotaCells = Object.create(quota)
  other.takeRest = (cell, { period: month, limit }) => {
    const used = quota.used(cell, month)
    return used < limit ? limit - used : 0n
  }
  return { cells, quota: other }
}
