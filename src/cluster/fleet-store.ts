// The interface to the database that all replicas share. Each method runs one SQL statement. The SQL functions that
// these statements call are in postgres-cluster-schema.ts and postgres-frequent-schema.ts in src/accounts.
import type { PastUsage } from '../metering/live-usage.ts'
import type { UsageRow } from '../metering/usage-store.ts'
import type { Counts } from './peer-counts.ts'

/**
 * The error that a replica gets after another process or an operator has ended it. The replica must not charge any more
 * units.
 */
export class ReplicaEnded extends Error {
  override readonly name = 'ReplicaEnded'
}

/**
 * The error that a replica gets if the database has lost confirmed writes, through a restore or through a failover to a
 * lagging standby.
 */
export class StoreLostWrites extends Error {
  override readonly name = 'StoreLostWrites'
}

/** Identifies a change in the cluster, such as a change to an account. */
export interface Version {
  readonly version: number
  /**
   * Random number of the change. If the same version later has another mark, the database has been restored from an
   * older state.
   */
  readonly mark: number
}

/** A change that a replica has not read yet. */
export interface Change extends Version {
  /**
   * What changed: `account:<id>`, `plans:<sequence>`, `snapshot:<kind>:<name>`, `snapshot:state:<name>` or
   * `streams:ended`.
   */
  readonly what: string
  /**
   * The version of the account's terms when the change was read (see `UnitRequest`); 0 if the change is not to an
   * account.
   */
  readonly termsMark: number
}

/** The answer to a tick. */
export interface TickAnswer {
  /** State of this replica; null if the database does not contain it. */
  readonly state: 'joining' | 'serving' | 'ended' | null
  /** Why the replica was ended; null if it was not. */
  readonly why: string | null
  /** The number of the replica's last durable write (see beat.ts). */
  readonly beat: number | null
  /** The value of `life` when this replica last reported all its grants. */
  readonly told_life: string | null
  /** A string that changes with each failover and each restore of the database. */
  readonly life: string
  /** Version of the last change in the database. */
  readonly version: number
  /**
   * Whether the database still has the last change that the replica read. False if the database was restored from an
   * older state.
   */
  readonly is_known: boolean
  /** Replicas must no longer charge units to UTC days before this one. */
  readonly sealing_day: number
  readonly sealed_day: number | null
  /** The number of replicas that have not ended, by state. */
  readonly replicas: Readonly<Record<string, number>>
  /** Whether this is the first serving replica, which runs the tasks that only one replica should run. */
  readonly is_first: boolean
  /** The accounts and months for which other replicas need this replica's unused units. */
  readonly recalls: readonly (readonly [accountId: string, month: number])[] | null
  /** The counts that each other replica reported, by replica id. */
  readonly peers: Readonly<Record<string, Counts>> | null
  /** The time of the database's clock, in Unix milliseconds. */
  readonly at: number
}

/**
 * A request for units for an account in a month. It also reports the units that the replica holds and those that it has
 * used.
 */
export interface UnitRequest {
  readonly accountId: string
  /** Months since the year 0. */
  readonly month: number
  /** Units that the account's terms (plan, overage, spend cap) allow in the month; null if they are unlimited. */
  readonly cap: number | null
  /** Units that waiting requests need. */
  readonly need: number
  /** The number of units to grant. Near the cap, fewer are granted, but at least `need` if that many are left. */
  readonly size: number
  readonly returned: number
  readonly used: number
  /** The units that have been granted to this replica so far, as counted by the replica. */
  readonly known: number
  /** Random number that identifies the version of the terms from which the replica computed `cap`. */
  readonly termsMark: number
}

/** The database's response to a request for units. */
export interface Grant {
  readonly accountId: string
  readonly month: number
  /** All units granted to this replica for the month so far, including those it has returned. */
  readonly granted: number
  /** Units granted in response to this request. */
  readonly grantedNow: number
  /** Units used on the other replicas, according to their reports. */
  readonly usedElsewhere: number
  /** Units that were granted to other replicas and are neither used nor returned. */
  readonly unspentElsewhere: number
  /** The units in `unspentElsewhere` that are held by replicas that have been silent for 3 seconds. */
  readonly unspentBySilent: number
  /** Whether nothing was granted because the replica's copy of the account's terms is outdated. */
  readonly isStale: boolean
}

/** How a replica describes itself when it joins. */
export interface About {
  readonly name: string
  /** Identifies the data directory and the machine that it is on. */
  readonly folder: string
  /** Address of the replica's admin port. */
  readonly admin: string
  readonly program: string
  /** The value of QUAI_CLOCK on the replica; empty if it is not set. */
  readonly clock: string
}

/** A replica, as other replicas see it in the database. */
export interface ReplicaRow {
  readonly id: string
  readonly state: 'joining' | 'serving' | 'ended'
  readonly why: string | null
  /** When the replica was last seen, in the database's format; null if never. */
  readonly seenAt: string | null
  /** Whether the replica still has granted units that are neither used nor returned. */
  readonly holdsUnits: boolean
}

/** A replica's operations on the database. They throw StoreUnavailable if the database does not answer in time. */
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
  /** The replicas that have not ended, and those that ended less than 40 days ago and still hold units. */
  listReplicas(): Promise<ReplicaRow[]>
  /**
   * Ends a replica. Returns whether this call ended it.
   * @param seenAt for `lost`: when the replica was last seen. If the database has seen the replica since then, this
   * call does not end it
   */
  end(id: string, why: 'left' | 'lost' | 'forgotten', seenAt: string | null): Promise<boolean>
  /**
   * Releases the unused units of an ended replica, for at most 500 grants. A grant holds the replica's units for one
   * account in one month. Returns the number of grants whose units were released; 0 if none are left.
   */
  settle(id: string, by: { readonly id: string; readonly acked: number } | undefined): Promise<number>
  /**
   * Stores counts. If the database already has a count, the larger of the two is kept. Returns the number of this write
   * (see beat.ts).
   * @param used the accounts that used more units on the replica `owner` than were granted to it. `units` are all units
   * that the account used on `owner` in the month. For counts of an earlier process, `used` is absent, because the
   * database then computes the units from the ledger
   */
  flush(write: {
    readonly replica: string
    readonly owner: string
    readonly acked: number
    readonly rows: readonly UsageRow[]
    readonly used: readonly { readonly accountId: string; readonly month: number; readonly units: number }[] | undefined
  }): Promise<number>
  /**
   * Requests units for accounts. `waits`: whether nothing was granted because the database failed over less than 3
   * seconds ago; units may be granted later.
   */
  grant(
    replica: string,
    acked: number,
    request: { readonly plans: number; readonly units: readonly UnitRequest[] },
  ): Promise<{ readonly beat: number; readonly waits: boolean; readonly grants: Grant[] }>
  /**
   * Records that, since the database's last failover or restore, this replica has reported all its grants. `life` is
   * the value from `TickAnswer`. Returns the number of this write (see beat.ts).
   */
  reportLife(id: string, acked: number, life: string): Promise<number>
  /** The changes after a version; undefined if all accounts, keys and plans must be read again. */
  changesSince(seen: Version): Promise<Change[] | undefined>
  /**
   * The last change, and the sequence number of the current plans. `marks`: account id → version of the account's terms
   * (see `UnitRequest`), for all accounts with keys.
   */
  readMarks(): Promise<Version & { readonly marks: ReadonlyMap<string, number>; readonly plans: number }>
  /** The names of the serving replicas that have not confirmed that they read all changes up to a version. */
  listUnconfirmed(version: number): Promise<string[]>
  lastVersion(): Promise<number>
  /**
   * An account's usage, as counted by the other replicas: the units per key for each day from `firstDay` on, and each
   * key's last use before that day.
   */
  usageElsewhere(replica: string, accountId: string, firstDay: number): Promise<PastUsage[]>
  /**
   * Records that this replica has flushed all counts for days before `day`. Returns false if the replica is not in the
   * database.
   */
  seal(id: string, day: number): Promise<boolean>
  /**
   * Closes the days before `day`: counts that arrive later for these days are recorded as late. Returns false, and
   * closes nothing, if some replicas may not have flushed these days yet.
   */
  closeDays(day: number): Promise<boolean>
}
