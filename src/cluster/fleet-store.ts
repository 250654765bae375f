// The database that all replicas share. Every method runs one SQL statement. The SQL functions that the statements call
// are in accounts/postgres-cluster-schema.ts.
import type { PastUsage } from '../metering/live-usage.ts'
import type { UsageRow } from '../metering/usage-store.ts'
import type { Counts } from './peer-counts.ts'

/** The error of a replica that was ended by another process or an operator: the replica must not charge any more units. */
export class ReplicaEnded extends Error {
  override readonly name = 'ReplicaEnded'
}

/** The error if the database has lost confirmed writes, after a failover to a lagging standby or after a restore. */
export class StoreLostWrites extends Error {
  override readonly name = 'StoreLostWrites'
}

/** Identifies a change of accounts, keys or plans. */
export interface Version {
  readonly version: number
  /** Random number. If a version number later has another mark, the database was restored from an older state. */
  readonly mark: number
}

/** A change that a replica has not seen yet. */
export interface Change extends Version {
  /** `account:<id>`, `plans:<sequence>`, `snapshot:<kind>:<name>` or `streams:ended`. */
  readonly what: string
  /** The version of the account's terms when the change was read (see `UnitRequest`); 0 if the change is not of an account. */
  readonly termsMark: number
}

/** The answer to a tick. */
export interface TickAnswer {
  /** Null if this replica is not in the database. */
  readonly state: 'joining' | 'serving' | 'ended' | null
  /** Why the replica ended. */
  readonly why: string | null
  /** The number of the replica's last durable write. */
  readonly beat: number | null
  /** The `life` of the database when this replica last reported all its grants. */
  readonly told_life: string | null
  /** A text that changes with each failover and each restore of the database. */
  readonly life: string
  /** Version of the last change. */
  readonly version: number
  /**
   * Whether the database still has the last change that the replica read; false if the database was restored from an older
   * state.
   */
  readonly is_known: boolean
  /** Days before this one may no longer be charged. */
  readonly sealing_day: number
  readonly sealed_day: number | null
  /** How many replicas have not ended, by state. */
  readonly replicas: Readonly<Record<string, number>>
  /** Whether this is the first serving replica. It runs the tasks that only one replica should run. */
  readonly is_first: boolean
  /** The accounts and months for which other replicas need the unused units of this replica. */
  readonly recalls: readonly (readonly [accountId: string, month: number])[] | null
  /** Replica id → the counts that this other replica reported. */
  readonly peers: Readonly<Record<string, Counts>> | null
  /** Unix milliseconds of the database's clock. */
  readonly at: number
}

/** A request for units of an account in a month. It also reports the units that the replica holds and has used. */
export interface UnitRequest {
  readonly accountId: string
  /** Months since the year 0. */
  readonly month: number
  /** Units that the account's terms (plan, overage, spend cap) allow in the month; null for no limit. */
  readonly cap: number | null
  /** Units that requests are waiting for. */
  readonly need: number
  /** The maximum number of units to grant. */
  readonly size: number
  readonly returned: number
  readonly used: number
  /** The units granted to this replica so far, according to the replica. */
  readonly known: number
  /** Random number that identifies the version of the terms from which `cap` was computed. */
  readonly termsMark: number
}

/** The database's response to a request for units. */
export interface Grant {
  readonly accountId: string
  readonly month: number
  /** All units ever granted to this replica for the month, including returned units. */
  readonly granted: number
  /** Units granted in response to this request. */
  readonly grantedNow: number
  /** Units used on the other replicas, according to their reports. */
  readonly usedElsewhere: number
  /** Units granted to other replicas and not used. */
  readonly unspentElsewhere: number
  /** The units in `unspentElsewhere` that are held by replicas that have been silent for 3 seconds. */
  readonly unspentBySilent: number
  /** Whether nothing was granted because the replica's copy of the account's terms is outdated. */
  readonly isStale: boolean
}

/** How a replica describes itself when it joins. */
export interface About {
  readonly name: string
  /** Identifies the data directory on the replica's machine. */
  readonly folder: string
  /** Address of its admin port. */
  readonly admin: string
  readonly program: string
  /** The replica's setting QUAI_CLOCK; empty if it has none. */
  readonly clock: string
}

/** A replica, as the other replicas read it from the database. */
export interface ReplicaRow {
  readonly id: string
  readonly state: 'joining' | 'serving' | 'ended'
  readonly why: string | null
  /** When the replica was last seen, in the database's format; null if never. */
  readonly seenAt: string | null
  /** Whether the replica still has granted units that it has not used. */
  readonly holdsUnits: boolean
}

/** The database operations of a replica. They throw StoreUnavailable if the database does not answer in time. */
export interface FleetStore {
  /**
   * Adds this replica to the database; returns the number of the last write that counts as confirmed (see beat.ts).
   * @param writers writer id → replica id
   */
  join(start: {
    readonly id: string
    readonly about: About
    readonly predecessors: readonly string[]
    readonly writers: Readonly<Record<string, string>>
    readonly isAgain: boolean
  }): Promise<number>
  /** Changes a replica from `joining` to `serving`; returns its state, or null if it is not in the database. */
  serve(id: string): Promise<TickAnswer['state']>
  tick(id: string, seen: Version, facts: unknown): Promise<TickAnswer>
  /** The folder of a replica, and when the replica was last seen; undefined if the replica is not in the database. */
  findReplica(id: string): Promise<{ readonly folder: string; readonly seenAt: string | null } | undefined>
  /** Replicas that have not ended or still hold units. */
  listReplicas(): Promise<ReplicaRow[]>
  /**
   * Ends a replica; returns whether this call ended it.
   * @param seenAt for `lost`: when the replica was last seen. A replica that was seen later is not ended
   */
  end(id: string, why: 'left' | 'lost' | 'forgotten', seenAt: string | null): Promise<boolean>
  /**
   * Releases the unused units of an ended replica, for at most 500 accounts and months. Returns for how many accounts and
   * months units were released; 0 if none are left.
   */
  settle(id: string, by: { readonly id: string; readonly acked: number } | undefined): Promise<number>
  /**
   * Stores counts. If the database already has a count, the larger of the two is stored. Returns the number of this
   * write (see beat.ts).
   * @param used all units that were used on `owner`, for accounts that used more there than the owner was granted.
   * Absent for counts of an earlier process: the database then computes the units from the ledger
   */
  flush(write: {
    readonly replica: string
    readonly owner: string
    readonly acked: number
    readonly rows: readonly UsageRow[]
    readonly used: readonly { readonly accountId: string; readonly month: number; readonly units: number }[] | undefined
  }): Promise<number>
  /** `waits`: whether units may be granted later, because some replicas have not yet reported their grants after a failover. */
  grant(
    replica: string,
    acked: number,
    request: { readonly plans: number; readonly units: readonly UnitRequest[] },
  ): Promise<{ readonly beat: number; readonly waits: boolean; readonly grants: Grant[] }>
  /**
   * Records that this replica has reported all its grants since the last failover or restore of the database, which
   * `life` identifies. Returns the number of this write (see beat.ts).
   */
  reportLife(id: string, acked: number, life: string): Promise<number>
  /** The changes after a version; undefined if all accounts, keys and plans must be read again. */
  changesSince(seen: Version): Promise<Change[] | undefined>
  /**
   * Returns the last change and the sequence number of the current plans. `marks`: account id → version of the account's
   * terms (see `UnitRequest`), for all accounts with keys.
   */
  readMarks(): Promise<Version & { readonly marks: ReadonlyMap<string, number>; readonly plans: number }>
  /** Names of serving replicas that have not confirmed that they read the changes up to a version. */
  listUnconfirmed(version: number): Promise<string[]>
  lastVersion(): Promise<number>
  /**
   * The usage of an account that other replicas counted: for each day from `firstDay` on, and the last use before that day.
   */
  usageElsewhere(replica: string, accountId: string, firstDay: number): Promise<PastUsage[]>
  /**
   * Records that this replica has flushed all counts of days before `day`; false if the replica is not in the database.
   */
  seal(id: string, day: number): Promise<boolean>
  /**
   * Closes the days before `day`: later counts for these days are recorded as late. Returns false if some replicas may
   * not have flushed these days yet.
   */
  closeDays(day: number): Promise<boolean>
}
