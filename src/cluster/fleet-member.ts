// The cluster code on a replica's control thread. It connects the accounts, the data threads and the database.
import type { FleetRequest, StreamName } from '../access/fleet-talk.ts'
import type { RingChange } from '../access/key-ring.ts'
import { allocateLimitCells, type LimitCells } from '../access/open-gate.ts'
import { type AccountStore, mayPass, StoreUnavailable } from '../accounts/account-store.ts'
import type { AccountsService } from '../accounts/accounts-service.ts'
import type { Fleet, FleetFigures, FleetLive, FleetReport, FleetThreads, SharedTries } from '../accounts/fleet.ts'
import type { ClusterConfig } from '../config/config.ts'
import type { SnapshotLibrary } from '../fleet-snapshots/snapshot-library.ts'
import { QuotaCells, RateCells } from '../metering/limit-cells.ts'
import { LiveUsage, type PastUsage } from '../metering/live-usage.ts'
import type { UsageRow, UsageStore } from '../metering/usage-store.ts'
import type { PlanTable } from '../plans/plans.ts'
import { Beat } from './beat.ts'
import { ChangeLog } from './change-log.ts'
import type { Facts } from './fleet-report.ts'
import type { About, FleetStore } from './fleet-store.ts'
import { allocateGrantCells, GrantCells } from './grant-cells.ts'
import { Grants } from './grants.ts'
import { KnownAccounts } from './known-accounts.ts'
import type { OutageBook } from './outage-book.ts'
import type { Pace } from './pace.ts'
import { type Counts, MOST_RATE_DEBT_MICROS, PeerCounts } from './peer-counts.ts'
import { PeerTries } from './peer-tries.ts'
import { type FoundCounts, Replica } from './replica.ts'
import { SilentReplicas } from './silent-replicas.ts'
import { StreamClaims, type StreamStore } from './stream-claims.ts'

/** Maximum number of usage rows in one SQL statement. */
const ROWS_AT_ONCE = 500
/** If the last flush wrote more rows than this, the next one follows after `MANY_ROWS_SECONDS`. */
const MANY_ROWS = 2_000
const MANY_ROWS_SECONDS = 5
/**
 * If the database has not answered a tick for this long, reopened streams are charged, without asking the database
 * whether they could be reopened at no cost.
 */
const AWAY_MILLIS = 3_000
/** If the database has not answered a tick for this long, each replica admits only its share of each account's rate. */
const SHARED_RATE_MILLIS = 2_000
/**
 * If a replica's clock differs from the database's clock by more than this, the replica is not ready and should get no
 * traffic.
 */
const SKEW_LIMIT_MILLIS = 30_000

/** Dependencies of a fleet member. */
export interface MemberParts {
  readonly id: string
  readonly about: About
  readonly cluster: ClusterConfig
  readonly databaseUrl: string
  readonly snapshots: SnapshotLibrary | undefined
  readonly workers: number
  readonly predecessors: readonly string[]
  readonly found: readonly FoundCounts[]
  readonly store: AccountStore
  readonly fleetStore: FleetStore & StreamStore & { close(): Promise<void>; report(): Promise<FleetReport> }
  /** The plans in the configuration, as JSON, in the form in which the database stores them. */
  readonly plans: string
  /** Digest of the settings that all replicas must share. */
  readonly configDigest: string
  readonly outage: OutageBook
  readonly pace: Pace
  /** The first UTC day that usage reports cover. */
  readonly firstReportDay: () => number
  /** Called when another process or an operator has ended this replica. The process must then exit. */
  onEnded(why: string): void
  onProblem(message: string): void
}

/** This replica as a member of the cluster. */
export class FleetMember implements Fleet {
  readonly grantCells = allocateGrantCells()
  readonly limitCells: LimitCells
  readonly usageStore: UsageStore
  readonly replica: Replica
  readonly changes: ChangeLog
  readonly grants: Grants
  readonly mostRateDebtMicros = MOST_RATE_DEBT_MICROS
  /**
   * Whether the plans in this replica's configuration are the cluster's plans now, or were the cluster's plans at any
   * time since the replica started.
   */
  arePlansEqual = true
  private readonly parts: MemberParts
  private readonly beat = new Beat()
  private readonly known: KnownAccounts
  private service: AccountsService | undefined
  private counted: LiveUsage | undefined
  private readonly cells = new GrantCells(this.grantCells)
  private readonly peers: PeerCounts
  private readonly tries: PeerTries
  private readonly claims: StreamClaims
  private threads: FleetThreads = {
    notify: () => {},
    heldStreams: () => ({ keys: new Map(), accounts: new Map() }),
    liveFigures: () => undefined,
  }
  private flushedMillis = Number.NEGATIVE_INFINITY
  private flushedRows = 0
  private isServing = false

  constructor(parts: MemberParts) {
    this.parts = parts
    const { id, cluster, pace, store, fleetStore, onProblem } = parts
    this.limitCells = allocateLimitCells(parts.workers)
    this.known = new KnownAccounts(cluster.outageShare)
    this.usageStore = {
      mergeUsage: (rows) => this.flush(rows),
      listUsage: (writerId) => store.listUsage(writerId),
      listKeys: (accountId) => store.listKeys(accountId),
    }
    this.changes = this.makeChangeLog()
    this.grants = this.makeGrants()
    this.peers = this.makePeers()
    this.tries = new PeerTries(pace)
    this.claims = new StreamClaims({
      store: fleetStore,
      isAway: () => pace.nowMillis() - this.replica.heardMillis > AWAY_MILLIS,
      answer: ({ number, stream, ordinal }, isFree) =>
        this.threads.notify({ kind: 'claimed', number, stream, isFree }, ordinal),
      onProblem,
    })
    const lostAfterMillis = cluster.lostAfterSeconds * 1_000
    const silent = new SilentReplicas({
      store: fleetStore,
      pace,
      lostAfterMillis,
      ownId: id,
      onLost: (lost) =>
        onProblem(`replica ${lost} was silent for ${cluster.lostAfterSeconds} s; it was removed from the cluster`),
    })
    this.replica = new Replica({
      ...parts,
      store: fleetStore,
      beat: this.beat,
      cells: this.cells,
      grants: this.grants,
      changes: this.changes,
      silent,
      lostAfterMillis,
      ringAgeMillis: cluster.ringAgeMinutes * 60_000,
      pauseFlushes: async () => await this.service?.pauseFlushes(),
      resumeFlushes: () => this.service?.resumeFlushes(),
      flushAll: () => this.running.flushAll(),
      facts: () => {
        this.shareRates()
        return this.facts
      },
      onHeard: ({ peers }) => this.hear(peers ?? {}),
      seal: async (day) => {
        await this.running.sealDays(day)
        await fleetStore.seal(id, day)
      },
    })
  }

  get isReady(): boolean {
    const { isEnded, skewMillis } = this.replica
    return this.isServing && this.arePlansEqual && !isEnded && Math.abs(skewMillis) <= SKEW_LIMIT_MILLIS
  }

  get figures(): FleetFigures {
    const { replica, grants, changes } = this
    const { pace, outage } = this.parts
    const { lastTick } = replica
    return {
      tickAgeSeconds: Math.max(0, pace.nowMillis() - replica.heardMillis) / 1_000,
      replicas: lastTick?.replicas ?? {},
      versionLag: Math.max(0, (lastTick?.version ?? 0) - changes.seen.version),
      resyncs: replica.resyncCount,
      heldUnits: grants.heldUnits,
      outageUnits: outage.bookedUnits,
      waits: grants.waits,
      live: this.threads.liveFigures(),
      snapshots: this.snapshots,
    }
  }

  get live(): FleetLive {
    const { id, databaseUrl, cluster } = this.parts
    return { replica: id, databaseUrl, hasPreparedStatements: cluster.hasPreparedStatements }
  }

  get snapshots(): SnapshotLibrary | undefined {
    return this.parts.snapshots
  }

  report(): Promise<FleetReport> {
    return this.parts.fleetStore.report()
  }

  get isFirst(): boolean {
    return this.replica.lastTick?.is_first === true
  }

  get isFlushDue(): boolean {
    const seconds = this.flushedRows > MANY_ROWS ? MANY_ROWS_SECONDS : this.parts.cluster.flushSeconds
    return this.parts.pace.nowMillis() - this.flushedMillis > seconds * 1_000 - 100
  }

  /** Called when the accounts are open and the new slot files exist. */
  attach(service: AccountsService, folder: string): void {
    this.service = service
    const ordinals = Array.from({ length: this.parts.workers }, (_, ordinal) => ordinal)
    this.counted = new LiveUsage({ folder, ordinals, past: [] })
    this.known.plans = service.currentPlans
  }

  connect(threads: FleetThreads): void {
    this.threads = threads
  }

  shareTries(tries: Readonly<Record<string, SharedTries>>): void {
    this.tries.share(tries)
  }

  answer(request: FleetRequest, ordinal: number): void {
    if (request.kind === 'want') return this.grants.want(request.accountId, request.month, request.units)
    if (request.kind === 'hot') return this.peers.noteHot(request.accountId)
    if (request.kind === 'claim') return this.claims.claim({ number: request.number, stream: request.stream, ordinal })
    if (request.kind === 'give_back') return void this.claims.end([request.stream])
    const { number, accountId } = request
    const keyIds = this.known.keysOf(accountId)
    this.usageElsewhere(accountId).then(
      (rows) => this.threads.notify({ kind: 'usage', number, past: { keyIds, rows } }, ordinal),
      (error: unknown) => {
        this.threads.notify({ kind: 'usage', number, past: undefined }, ordinal)
        if (!mayPass(error)) this.parts.onProblem(`the usage on other replicas cannot be read: ${error}`)
      },
    )
  }

  async serve(): Promise<void> {
    await this.replica.serve()
    this.isServing = true
  }

  note(change: RingChange): void {
    this.known.note(change)
  }

  async listUnconfirmed(): Promise<readonly string[]> {
    try {
      this.replica.nudge()
      return await this.changes.awaitConfirmed()
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      return [this.parts.about.name] // the change is stored, but it is unknown which replicas have read it
    }
  }

  async usageElsewhere(accountId: string): Promise<PastUsage[]> {
    const { fleetStore, id, firstReportDay } = this.parts
    return await fleetStore.usageElsewhere(id, accountId, firstReportDay())
  }

  onFault(error: unknown): void {
    if (!mayPass(error)) void this.replica.handleFault(error)
  }

  async closeDays(day: number): Promise<void> {
    if (await this.parts.fleetStore.closeDays(day)) return
    throw new StoreUnavailable('some replicas have not yet written their counts to the database')
  }

  async endStreams(streams: readonly StreamName[]): Promise<boolean> {
    if (!(await this.claims.end(streams))) return false
    if (streams.length > 0) await this.listUnconfirmed() // waits until the replicas have read that streams were ended
    return true
  }

  async leave(): Promise<void> {
    await this.snapshots?.close()
    try {
      await this.replica.leave()
    } finally {
      await this.parts.fleetStore.close()
    }
  }

  private get facts(): Facts {
    const { configDigest } = this.parts
    const skew_millis = Math.round(this.replica.skewMillis)
    const report = { ...this.peers.report(), ...this.tries.report() }
    const counts = Object.keys(report).length === 0 ? undefined : report
    const live_lag_seconds = this.threads.liveFigures()?.lagSeconds
    return {
      ready: this.isReady,
      skew_millis,
      config: configDigest,
      counts,
      live_lag_seconds,
      snapshots: this.snapshots?.facts,
    }
  }

  /** Called when the database answered a tick. @param counts each other replica's counts, by replica id */
  private hear(counts: Readonly<Record<string, Counts>>): void {
    this.shareRates()
    this.peers.take(counts)
    this.tries.take(counts)
  }

  /**
   * Sets the share of each account's rate that this replica admits. While the database answers, replicas exchange
   * counts, and each replica admits the whole rate. While the database does not answer, each admits an equal share.
   */
  private shareRates(): void {
    const { replica, parts } = this
    const states = Object.values(replica.lastTick?.replicas ?? {})
    const count = Math.max(
      1,
      states.reduce((sum, each) => sum + each, 0),
    )
    const isAway = parts.pace.nowMillis() - replica.heardMillis > SHARED_RATE_MILLIS
    this.cells.setReplicas(count, isAway ? 1 / count : 1)
  }

  private get running(): AccountsService {
    if (this.service === undefined) throw new Error('the accounts have not been loaded yet')
    return this.service
  }

  private makePeers(): PeerCounts {
    return new PeerCounts({
      cells: this.cells,
      rates: new RateCells(this.limitCells.rates, MOST_RATE_DEBT_MICROS),
      pace: this.parts.pace,
      rateOf: (accountId) => this.known.rateOf(accountId),
      heldStreams: () => this.threads.heldStreams(),
      announceStreams: (elsewhere) => this.threads.notify({ kind: 'streams', elsewhere }),
    })
  }

  private makeChangeLog(): ChangeLog {
    const { fleetStore: store, pace } = this.parts
    return new ChangeLog({
      store,
      pace,
      loadAll: async () => {
        await this.loadPlans()
        await this.running.republishAll()
      },
      loadAccounts: (ids) => this.running.republishSome(ids),
      loadPlans: () => this.loadPlans(),
      onStreamsEnded: () => this.threads.notify({ kind: 'streams_ended' }),
      onShared: (what) => this.snapshots?.note(what),
      onChanged: (ids) => {
        for (const accountId of ids) this.grants.changed(accountId)
      },
    })
  }

  private makeGrants(): Grants {
    const { id, cluster, pace, fleetStore, outage } = this.parts
    return new Grants({
      replicaId: id,
      store: fleetStore,
      memory: { cells: this.cells, quota: new QuotaCells(this.limitCells.quota) },
      outage,
      pace,
      leaseSeconds: cluster.leaseSeconds,
      beat: this.beat,
      terms: (accountId) => this.known.terms(accountId, this.changes.termsMark(accountId)),
      plans: () => this.changes.plans,
      unitsCounted: (accountId, month) => this.known.unitsCounted(this.counted, accountId, month),
      notify: (notice) => this.threads.notify(notice),
      onStale: () => this.replica.nudge(),
      onFault: (error) => void this.replica.handleFault(error),
    })
  }

  private async loadPlans(): Promise<void> {
    const last = (await this.parts.store.billing.listPlans()).at(-1)
    if (last === undefined) return
    const plans: PlanTable = JSON.parse(last.plans) // written by `notePlans`
    this.arePlansEqual ||= last.plans === this.parts.plans
    this.known.plans = plans
    await this.running.takePlans(plans)
  }

  /** Sends this process's counts to the database, and all units used here by accounts that exceeded their grants. */
  private async flush(rows: readonly UsageRow[]): Promise<void> {
    const { fleetStore, id } = this.parts
    for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
      const some = rows.slice(first, first + ROWS_AT_ONCE)
      const used = this.known.monthsOf(some).flatMap(({ accountId, month }) => {
        const units = this.grants.usedBeyond(accountId, month)
        return units === undefined ? [] : [{ accountId, month, units }]
      })
      this.beat.confirm(await fleetStore.flush({ replica: id, owner: id, acked: this.beat.acked, rows: some, used }))
    }
    this.flushedMillis = this.parts.pace.nowMillis()
    this.flushedRows = rows.length
  }
}
