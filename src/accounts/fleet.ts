// The interface through which the code in this folder uses the other replicas of a cluster. src/cluster implements it.
// A single service never loads src/cluster.
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
  /** Whether the replica's configuration differs from that of most replicas. */
  readonly config_differs: boolean
  /** The time of the database's clock minus the time of the replica's clock. */
  readonly skew_seconds: number
  /** Units that were granted to the replica but not used, according to the database. */
  readonly units_held: number
  /**
   * Time from the commit of the newest live message until this replica's data threads received it; null before the
   * first message.
   */
  readonly live_lag_seconds: number | null
  /** Network → hash of the shared snapshot that the replica serves. */
  readonly snapshots: Readonly<Record<string, string>>
}

/** A role, such as polling, that one replica performs for all replicas. */
export interface RoleReport {
  readonly name: string
  /** Id of the replica that has the role or was the last to have it. */
  readonly holder: string
  /** Increases whenever the role moves to another replica. */
  readonly token: number
  /** Whether a replica has the role now. */
  readonly is_held: boolean
}

/** The replicas of a cluster, including ended replicas that still hold units. */
export interface FleetReport {
  readonly replicas: readonly ReplicaReport[]
  readonly units: {
    readonly held: number
    /** The part of `held` that was granted to replicas that have been silent for 3 seconds. */
    readonly stranded: number
  }
  /** Units that arrived after their month was closed and are waiting for an operator's decision. */
  readonly late_units: number
  readonly roles: readonly RoleReport[]
}

/** The state of the live data that this replica shares with the others. */
export interface LiveFigures {
  /** Whether this replica polls the live feeds for all replicas. */
  readonly isPoller: boolean
  /**
   * Time from the commit of the newest live message until this process passed the message to its data threads;
   * undefined before the first message.
   */
  readonly lagSeconds: number | undefined
}

/** Figures about this replica. */
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
    /** Upper bounds of the buckets; the last bucket has none. */
    readonly boundsSeconds: readonly number[]
    readonly buckets: readonly number[]
    readonly seconds: number
  }
  /** Undefined if there are no live feeds. */
  readonly live: LiveFigures | undefined
  /** Undefined if snapshots are not shared. */
  readonly snapshots: SnapshotFigures | undefined
}

/** The state of the snapshots that this replica shares with the others. */
export interface SnapshotFigures {
  /** Whether this replica imports networks for all replicas. */
  readonly isImporter: boolean
  /**
   * Time that this replica took to fetch the last shared snapshot and start serving it; undefined before the first one.
   */
  readonly adoptSeconds: number | undefined
}

/** Number of open streams, by key number and by account number (streams/stream-slots.ts). */
export interface HeldStreams {
  readonly keys: ReadonlyMap<number, number>
  readonly accounts: ReadonlyMap<number, number>
}

/**
 * A change to attempt counters (account-api/tries.ts): the time slot, the counters' positions, and 1 or -1 to add to
 * each.
 */
export interface TryChange {
  readonly slot: number
  readonly cells: readonly number[]
  readonly by: 1 | -1
}

/** Attempt counters that replicas share. */
export interface SharedTries {
  /** Called with each change that this replica makes. */
  onCount: ((change: TryChange) => void) | undefined
  /** Applies a change that another replica made. */
  add(change: TryChange): void
}

/** The data-thread functions that the cluster code needs. */
export interface FleetThreads {
  notify(notice: FleetNotice, ordinal?: number): void
  heldStreams(): HeldStreams
  /** Undefined if there are no live feeds. */
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
  /** Undefined if each replica imports networks itself. */
  readonly snapshots: SnapshotExchange | undefined
  /** The store to which counts are flushed. */
  readonly usageStore: UsageStore
  /** Memory shared with the data threads (src/cluster/grant-cells.ts). */
  readonly grantCells: SharedArrayBuffer
  /** Shared memory with the accounts' units and rates (src/metering/limit-cells.ts). */
  readonly limitCells: LimitCells
  /**
   * How far requests on other replicas can overdraw one of this replica's rate buckets, in microseconds
   * (limit-cells.ts).
   */
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
  /** Starts answering requests from data threads. */
  connect(threads: FleetThreads): void
  /**
   * Starts sharing attempt counts with the other replicas.
   * @param tries attempt counters, by the action that they limit
   */
  shareTries(tries: Readonly<Record<string, SharedTries>>): void
  /** Answers a message from a data thread. */
  answer(request: FleetRequest, ordinal: number): void
  /** Called when the data threads are running. Changes this replica's state in the cluster to `serving`. */
  serve(): Promise<void>
  /** Called before this process publishes a change to its threads. */
  note(change: RingChange): void
  /**
   * Waits until all replicas have applied all changes, but for at most a second. Returns the names of the replicas that
   * have not.
   */
  listUnconfirmed(): Promise<readonly string[]>
  /** An account's usage as counted by the other replicas. Throws StoreUnavailable. */
  usageElsewhere(accountId: string): Promise<PastUsage[]>
  /** Called when a flush failed. */
  onFault(error: unknown): void
  /**
   * Closes the days before `day`. Counts for these days that arrive afterwards are late units. Throws StoreUnavailable
   * while a replica may still flush counts for these days.
   */
  closeDays(day: number): Promise<void>
  /**
   * Called before this replica ends these streams. Clients may then reopen the streams on any replica, free of charge.
   * Resolves when the other replicas have been informed, or after at most a second. Returns whether `streams` was
   * stored in the database.
   */
  endStreams(streams: readonly StreamName[]): Promise<boolean>
  /** Returns this replica's units and leaves the cluster. Called after the last flush. */
  leave(): Promise<void>
}
