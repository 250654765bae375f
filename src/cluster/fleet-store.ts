// The database that all replicas share. Every method is one statement; the functions are in
// accounts/postgres-cluster-schema.ts.
import type { PastUsage } from '../metering/live-usage.ts'
import type { UsageRow } from '../metering/usage-store.ts'
import type { Counts } from './peer-counts.ts'

/** This replica was ended by another process or an operator: it must charge nothing more. */
export class ReplicaEnded extends Error {
  override readonly name = 'ReplicaEnded'
}

/** The database has lost writes that it had confirmed: after a failover to a lagging standby, or a restore. */
export class StoreLostWrites extends Error {
  override readonly name = 'StoreLostWrites'
}

/** A change of accounts, keys or plans. */
export interface Version {
  readonly version: number
  /** Random number. If the same number later has another mark, the database was set back in between. */
  readonly mark: number
}

/** A change that a replica has not seen yet. */
export interface Change extends Version {
  /** `account:<id>`, `plans:<sequence>`, `snapshot:<kind>:<name>` or `streams:ended`. */
  readonly what: string
  /** The account's terms mark at the time of reading; 0 for other changes. */
  readonly termsMark: number
}

/** The answer to a tick. */
export interface TickAnswer {
  /** Null if this replica is not in the database. */
  readonly state: 'joining' | 'serving' | 'ended' | null
  /** Why the replica ended. */
  readonly why: string | null
  /** The number of its last durable write. */
  readonly beat: number | null
  /** The `life` of the database in which this replica last reported all its grants. */
  readonly told_life: string | null
  /** Identifies the life of the database: changes with each failover and each restore. */
  readonly life: string
  /** Version of the last change. */
  readonly version: number
  /**
   * Whether the database still has the last change that the replica saw; false if it was restored from an older state.
   */
  readonly is_known: boolean
  /** Days before this one may no longer be charged. */
  readonly sealing_day: number
  readonly sealed_day: number | null
  /** How many replicas have not ended, by state. */
  readonly replicas: Readonly<Record<string, number>>
  /** Whether this is the first serving replica, which does the work that only one replica should do. */
  readonly is_first: boolean
  /** Accounts and months of which other replicas need this replica's unused units. */
  readonly recalls: readonly (readonly [accountId: string, month: number])[] | null
  /** Counts of the other replicas, by replica. */
  readonly peers: Readonly<Record<string, Counts>> | null
  /** Unix milliseconds of the database's clock. */
  readonly at: number
}

/** A request for units of an account in a month. It also reports the units that the replica holds and has used. */
export interface UnitRequest {
  readonly accountId: string
  /** Months since the year 0. */
  readonly month: number
  /** Units that the terms allow in the month; null for no limit. */
  readonly cap: number | null
  /** Units that requests are waiting for. */
  readonly need: number
  /** The maximum number of units to grant. */
  readonly size: number
  readonly returned: number
  readonly used: number
  /** The units granted so far, according to the replica. */
  readonly known: number
  /** Mark of the terms from which `cap` was computed. */
  readonly termsMark: number
}

/** The database's response to a request for units. */
export interface Grant {
  readonly accountId: string
  readonly month: number
  /** All units ever granted for the month, including those returned. */
  readonly granted: number
  /** Units granted in response to this request. */
  readonly grantedNow: number
  /** Units used by the other replicas, as they reported. */
  readonly usedElsewhere: number
  /** Units granted to other replicas and not used. */
  readonly unspentElsewhere: number
  /** The part of `unspentElsewhere` that was granted to replicas that have been silent for 3 seconds. */
  readonly unspentBySilent: number
  /** Whether the replica's terms are outdated: then nothing was granted. */
  readonly isStale: boolean
}

/** How a replica describes itself when it joins. */
export interface About {
  readonly name: string
  /** Identifies the data directory on its machine. */
  readonly folder: string
  /** Address of its admin port. */
  readonly admin: string
  readonly program: string
  /** The replica's setting QUAI_CLOCK; empty if it has none. */
  readonly clock: string
}

/** A replica, as shown to the others. */
export interface ReplicaRow {
  readonly id: string
  readonly state: 'joining' | 'serving' | 'ended'
  readonly why: string | null
  /** When it was last seen, in the database's format; null if never. */
  readonly seenAt: string | null
  /** Whether units are granted to it that it has not used. */
  readonly holdsUnits: boolean
}

/** The statements of a replica. They throw StoreUnavailable if the database does not answer in time. */
export interface FleetStore {
  /**
   * Adds this replica to the database; returns the beat that counts as confirmed from then on. @param writers writer id
   * → replica
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
  /** The folder of a replica, and when it was last seen; undefined if it is not in the database. */
  findReplica(id: string): Promise<{ readonly folder: string; readonly seenAt: string | null } | undefined>
  /** Replicas that have not ended or still hold units. */
  listReplicas(): Promise<ReplicaRow[]>
  /**
   * Ends a replica; returns whether this call ended it.
   * @param seenAt for `lost`: when the replica was last seen. It is only ended if it was not seen since
   */
  end(id: string, why: 'left' | 'lost' | 'forgotten', seenAt: string | null): Promise<boolean>
  /**
   * Releases the unused units of an ended replica, some months per call. Returns the number of months released; 0 if
   * none are left.
   */
  settle(id: string, by: { readonly id: string; readonly acked: number } | undefined): Promise<number>
  /**
   * Merges counts by maximum; returns the new beat.
   * @param used units that the owner used beyond its grants; absent for counts of an earlier process: then the database
   *   sums its ledger
   */
  flush(write: {
    readonly replica: string
    readonly owner: string
    readonly acked: number
    readonly rows: readonly UsageRow[]
    readonly used: readonly { readonly accountId: string; readonly month: number; readonly units: number }[] | undefined
  }): Promise<number>
  /** `waits`: units may be granted later, since some replicas still have to report their grants after a failover. */
  grant(
    replica: string,
    acked: number,
    request: { readonly plans: number; readonly units: readonly UnitRequest[] },
  ): Promise<{ readonly beat: number; readonly waits: boolean; readonly grants: Grant[] }>
  /** Records that all grants were reported in this life of the database; returns the new beat. */
  reportLife(id: string, acked: number, life: string): Promise<number>
  /** The changes after a version; undefined if everything must be read again. */
  changesSince(seen: Version): Promise<Change[] | undefined>
  /** The last change, the terms marks of all accounts with keys, and the sequence of the last plans. */
  readMarks(): Promise<Version & { readonly marks: ReadonlyMap<string, number>; readonly plans: number }>
  /** Names of serving replicas that have not confirmed a version. */
  listUnconfirmed(version: number): Promise<string[]>
  lastVersion(): Promise<number>
  /**
   * The usage of an account that other replicas counted: by day from `firstDay` on, and the last use before that day.
   */
  usageElsewhere(replica: string, accountId: string, firstDay: number): Promise<PastUsage[]>
  /**
   * Records that this replica has flushed all counts of days before `day`; false if the replica is not in the database.
   */
  seal(id: string, day: number): Promise<boolean>
  /**
   * Closes the days before a day: later counts for these days are recorded as late. False if some replicas may not have
   * flushed these days yet.
   */
  closeDays(day: number): Promise<boolean>
}
