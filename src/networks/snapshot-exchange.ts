// How replicas share imported files: one replica imports, the other replicas fetch. Implemented by src/fleet-snapshots,
// which a single service never loads.
import type { LastError } from './network.ts'

/** Kinds of files that replicas share. `streets` includes the links from all stops to the streets. */
export const SHARED_KINDS = ['timetable', 'addresses', 'streets'] as const
export type SharedKind = (typeof SHARED_KINDS)[number]

/** Identifies files that replicas share. `name` is a network's id, or empty if the files belong to all networks. */
export interface SharedName {
  readonly kind: SharedKind
  readonly name: string
}

/** Identifies the shared address files. */
export const SHARED_ADDRESSES: SharedName = { kind: 'addresses', name: '' }
/** Identifies the shared street files. */
export const SHARED_STREETS: SharedName = { kind: 'streets', name: '' }

/** Identifies the shared files for a network's timetable. */
export function sharedTimetable(network: string): SharedName {
  return { kind: 'timetable', name: network }
}

/**
 * The key of shared files in a record whose other keys are network ids. For a timetable, it is the network's id;
 * otherwise, it is a name that no network can have.
 */
export function nameBesideNetworks({ kind, name }: SharedName): string {
  return kind === 'timetable' ? name : `${kind}:`
}

/** How a replica gets the files that it would otherwise import. */
export type Obtained =
  /** The replica must import the files and offer the result. */
  | 'import'
  /** The shared files are in place. */
  | 'shared'
  /** No files are shared, or they are currently unavailable. The replica continues to serve its current files. */
  | 'none'

/** Which shared files a replica has and serves. Used for `/cluster.json` and by the replica that imports. */
export interface SnapshotFacts {
  /** The file formats that the replica can read. */
  readonly format: string
  /** Hashes of the file sets that the replica has fetched but does not serve yet. */
  readonly prepared: readonly string[]
  /** Network id, `addresses:` or `streets:` → hash of the corresponding shared files that the replica serves. */
  readonly served: Readonly<Record<string, string>>
}

/** Serves one kind of shared files. */
export interface Sharer {
  /** Serves the files that are in place; resolves to an error message if that fails, otherwise to undefined. */
  serveShared(name: string): Promise<string | undefined>
  /**
   * Imports all sources that have changed. Called when this replica becomes the importer, because the previous importer
   * may not have finished.
   */
  recheck(): Promise<void>
  /**
   * Makes this replica show the error from the importer's last import. @param error undefined if the import succeeded
   */
  showError(name: string, error: LastError | undefined): Promise<void>
}

/** Exchanges shared files between replicas. */
export interface SnapshotExchange {
  /** Whether this replica imports for all replicas. */
  readonly isImporter: boolean
  /** Puts the available shared files of a kind in place. Called before this replica opens its files of that kind. */
  begin(kind: SharedKind, names: readonly string[]): Promise<void>
  /** Called when this replica has opened its files of all kinds. From then on, `sharers` serve new shared files. */
  connect(sharers: Readonly<Record<SharedKind, Sharer>>): void
  /**
   * Fetches shared files, or decides that this replica must import them.
   * @param canWait whether the caller can continue without the files until another replica has imported them. If not,
   * this replica imports them itself after waiting for a minute
   */
  obtain(shared: SharedName, canWait: boolean): Promise<Obtained>
  /**
   * Offers this replica's files to all replicas, unless they serve these files already. Waits until the replicas have
   * fetched the files, then makes all replicas serve them. Resolves to an error message if that fails.
   */
  offer(shared: SharedName): Promise<string | undefined>
  /**
   * Makes all replicas show the error from the importer's last import. @param error undefined if the import succeeded
   */
  announceError(shared: SharedName, error: LastError | undefined): Promise<void>
  close(): Promise<void>
}
