// How replicas share imported files: one imports, the others fetch. Implemented by src/fleet-snapshots, which a
// single service never loads.
import type { LastError } from './network.ts'

/** Kinds of files that replicas share. `streets` includes the links from all stops to the streets. */
export const SHARED_KINDS = ['timetable', 'addresses', 'streets'] as const
export type SharedKind = (typeof SHARED_KINDS)[number]

/** Names files that replicas share. The name is a network's id, or empty if the files belong to all networks. */
export interface SharedName {
  readonly kind: SharedKind
  readonly name: string
}

/** The addresses. */
export const SHARED_ADDRESSES: SharedName = { kind: 'addresses', name: '' }
/** The streets. */
export const SHARED_STREETS: SharedName = { kind: 'streets', name: '' }

/** The timetable of a network. */
export function sharedTimetable(network: string): SharedName {
  return { kind: 'timetable', name: network }
}

/** The name of shared files in lists of networks: a network's id, or a name that no network can have. */
export function nameBesideNetworks({ kind, name }: SharedName): string {
  return kind === 'timetable' ? name : `${kind}:`
}

/** How a replica gets the files that it would otherwise import. */
export type Obtained =
  /** The replica imports, and offers the result. */
  | 'import'
  /** The shared files are in place. */
  | 'shared'
  /** Nothing is shared, or it is not available now: keep serving the current files. */
  | 'none'

/** The snapshots that a replica serves, for `/cluster.json` and for the replica that imports. */
export interface SnapshotFacts {
  /** Formats of the files that it reads. */
  readonly format: string
  /** Hashes of the file sets that it has fetched but does not serve yet. */
  readonly prepared: readonly string[]
  /** Network, `addresses:` or `streets:` → hash of its shared files that are served here. */
  readonly served: Readonly<Record<string, string>>
}

/** Serves one kind of shared files. */
export interface Sharer {
  /** Serves the files that are in place; returns the error message if that fails. */
  serveShared(name: string): Promise<string | undefined>
  /** Called when this replica becomes the importer: checks all sources, since an import may have been lost. */
  recheck(): Promise<void>
  /** Shows why the importer's last import failed; undefined if it did not. */
  showError(name: string, error: LastError | undefined): Promise<void>
}

/** The exchange of shared files between replicas. */
export interface SnapshotExchange {
  /** Whether this replica imports for all replicas. */
  readonly isImporter: boolean
  /** Puts the shared files of a kind in place, as far as they are available. Called before they are opened. */
  begin(kind: SharedKind, names: readonly string[]): Promise<void>
  /** Called when all kinds are open. */
  connect(sharers: Readonly<Record<SharedKind, Sharer>>): void
  /**
   * Decides whether this replica imports now. @param canWait whether the caller can wait for another replica's import;
   * if not, this replica imports after a minute
   */
  obtain(shared: SharedName, canWait: boolean): Promise<Obtained>
  /**
   * Offers the current files to all replicas, unless they have them. Waits until the replicas have fetched the files,
   * then makes all replicas serve them. Returns an error message if that failed.
   */
  offer(shared: SharedName): Promise<string | undefined>
  /** Shows all replicas why the importer's last import failed; undefined if it did not. */
  announceError(shared: SharedName, error: LastError | undefined): Promise<void>
  close(): Promise<void>
}
