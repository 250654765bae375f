// The other replicas of a cluster, as the code in this folder uses them. Implemented by src/cluster, which a single
// service never loads.
import type { FleetNotice, FleetRequest, StreamName } from '../access/fleet-talk.ts'
import type { RingChange } from '../access/key-ring.ts'
import type { LimitCells } from '../access/open-gate.ts'
import type { PastUsage } from '../metering/live-usage.ts'
import type { UsageStore } from '../metering/usage-store.ts'
import type { SnapshotExchange } from '../networks/snapshot-exchange.ts'

/** A replica as shown to operators. */
export interface ReplicaReport {
  readonly id: string
  readonly name: string
  /** Address of the replica's admin port. */
  readonly admin: string
  readonly program: string
  readonly state: 'joining' | 'serving' | 'ended'
  /** Why the replica ended: `left`, `replaced`, `lost` or `forgotten`. */
  readonly ended_why: string | null
  readonly is_ready: boolean
  /** Time since the replica was last seen; null if it was never seen. */
  readonly age_seconds: number | null
  /** Number of changes to accounts, keys and plans that the replica has not applied yet. */
  readonly version_lag: number
  /** Whether the replica has a different configuration than most replicas. */
  readonly config_differs: boolean
  /** The time of the database's clock minus the time of the replica's clock. */
  readonly skew_seconds: number
  /** Units that were granted to the replica and not used, according to the database. */
  readonly units_held: number
  /**
   * Time from the commit of the newest live message until this replica's data threads received it; null before the
   * first message.
   */
  readonly live_lag_seconds: number | null
  /** Network → hash of the shared snapshot that the replica serves. */
  readonly snapshots: Readonly<Record<string, string>>
}

/** A role, such as polling, that one replica has for all replicas. */
export interface RoleReport {
  readonly name: string
  /** Id of the replica that has the role, or had it last. */
  readonly holder: string
  /** Increases whenever the role moves to another replica. */
  readonly token: number
  /** Whether a replica has the role now. */
  readonly is_held: boolean
}

/** The replicas of a cluster: those that have not ended, and ended ones that still hold units. */
export interface FleetReport {
  readonly replicas: readonly ReplicaReport[]
  readonly units: {
    readonly held: number
    /** Units in `held` that were granted to replicas that have been silent for 3 seconds. */
    readonly stranded: number
  }
  /** Units that arrived after their month was closed, and wait for an operator's decision. */
  readonly late_units: number
  readonly roles: readonly RoleReport[]
}

/** The state of a replica's shared live data. */
export interface LiveFigures {
  /** Whether this replica polls for all replicas. */
  readonly isPoller: boolean
  /**
   * Time from the commit of the newest live message until this process passed it to its data threads; undefined before
   * the first message.
   */
  readonly lagSeconds: number | undefined
}

/** The figures of this replica. */
export interface FleetFigures {
  /** Seconds since the database last responded. */
  readonly tickAgeSeconds: number
  /** Number of replicas by state. */
  readonly replicas: Readonly<Record<string, number>>
  readonly versionLag: number
  /** Number of times that all counts were sent to the database again. */
  readonly resyncs: number
  readonly heldUnits: number
  /** Units used beyond the grants while the database was unavailable. */
  readonly outageUnits: number
  /** A histogram of how long requests waited for units. */
  readonly waits: {
    /** Upper bounds of the buckets; the last bucket has no bound. */
    readonly boundsSeconds: readonly number[]
    readonly buckets: readonly number[]
    readonly seconds: number
  }
  /** Undefined without live feeds. */
  readonly live: LiveFigures | undefined
  /** Undefined without shared snapshots. */
  readonly snapshots: SnapshotFigures | undefined
}

/** The state of a replica's shared snapshots. */
export interface SnapshotFigures {
  /** Whether this replica imports for all replicas. */
  readonly isImporter: boolean
  /** Time that this replica took to fetch and serve the last shared snapshot; undefined before the first snapshot. */
  readonly adoptSeconds: number | undefined
}

/** Number of a key, or of an account (streams/stream-slots.ts) → how many of its streams are open. */
export interface HeldStreams {
  readonly keys: ReadonlyMap<number, number>
  readonly accounts: ReadonlyMap<number, number>
}

/** A change of counted attempts (account-api/tries.ts): a time slot, the positions of its counters, and 1 or -1. */
export interface TryChange {
  readonly slot: number
  readonly cells: readonly number[]
  readonly by: 1 | -1
}

/** Counters of attempts that replicas share. */
export interface SharedTries {
  /** Called with each change on this replica. */
  onCount: ((change: TryChange) => void) | undefined
  /** Applies a change of another replica. */
  add(change: TryChange): void
}

/** The methods of the data threads that the cluster code needs. */
export interface FleetThreads {
  notify(notice: FleetNotice, ordinal?: number): void
  heldStreams(): HeldStreams
  /** Undefined without live feeds. */
  liveFigures(): LiveFigures | undefined
}

/** The settings with which the live thread of this replica connects to the database. */
export interface FleetLive {
  /** This replica's id. */
  readonly replica: string
  readonly databaseUrl: string
  readonly hasPreparedStatements: boolean
}

/** The cluster, as the control thread of one replica uses it. */
export interface Fleet {
  readonly live: FleetLive
  /** Undefined if each replica imports by itself. */
  readonly snapshots: SnapshotExchange | undefined
  /** The store to which counts are flushed. */
  readonly usageStore: UsageStore
  /** Memory shared with the data threads (src/cluster/grant-cells.ts). */
  readonly grantCells: SharedArrayBuffer
  /** Shared memory with the units and rates of accounts (src/metering/limit-cells.ts). */
  readonly limitCells: LimitCells
  /** How far requests on other replicas can overdraw a rate bucket of this replica, in microseconds (limit-cells.ts). */
  readonly mostRateDebtMicros: number
  /** Whether traffic may be sent to this replica. */
  readonly isReady: boolean
  /** Whether this replica does the tasks that only one replica should do, such as closing months. */
  readonly isFirst: boolean
  /** Whether it is time for the next flush. */
  readonly isFlushDue: boolean
  readonly figures: FleetFigures
  /** All replicas, according to the database. Throws StoreUnavailable. */
  report(): Promise<FleetReport>
  /** Starts answering requests of data threads. */
  connect(threads: FleetThreads): void
  /**
   * Starts counting attempts on all replicas together.
   * @param tries counters of attempts, by the action that they limit
   */
  shareTries(tries: Readonly<Record<string, SharedTries>>): void
  /** Answers a message from a data thread. */
  answer(request: FleetRequest, ordinal: number): void
  /** Called when the data threads run. From then on, this replica serves like the other replicas. */
  serve(): Promise<void>
  /** Called before this process publishes a change to its threads. */
  note(change: RingChange): void
  /** Waits at most a second until all replicas apply all changes; returns the names of the replicas that do not. */
  listUnconfirmed(): Promise<readonly string[]>
  /** The usage of an account that other replicas counted. Throws StoreUnavailable. */
  usageElsewhere(accountId: string): Promise<PastUsage[]>
  /** Called when a flush failed. */
  onFault(error: unknown): void
  /**
   * Closes the days before `day`: counts of these days that arrive afterwards are late units. Throws StoreUnavailable
   * while a replica may still flush counts of these days.
   */
  closeDays(day: number): Promise<void>
  /**
   * Called before this replica ends these streams. Clients may then reopen the streams on any replica, free of charge.
   * Resolves when the other replicas have been informed, or after a second. Returns whether the list was stored in the
   * database.
   */
  endStreams(streams: readonly StreamName[]): Promise<boolean>
  /** Called after the last flush: this replica returns its units and leaves the cluster. */
  leave(): Promise<void>
}
