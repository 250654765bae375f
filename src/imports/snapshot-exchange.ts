// How replicas share snapshots: one imports, the others fetch. Implemented by src/fleet-snapshots, which a single service never
// loads.
import type { LastError } from '../networks/network.ts'

/** What a network does instead of an import. */
export type Obtained =
  /** It imports, and offers what it made. */
  | 'import'
  /** The shared snapshot is the newest file here. */
  | 'shared'
  /** There is none, or it cannot be had now: what is served stays. */
  | 'none'

/** What replicas serve, for `/cluster.json` and for the replica that imports. */
export interface SnapshotFacts {
  /** Format of the snapshots that it reads. */
  readonly format: string
  /** Hashes of the snapshots that it has fetched and not served yet. */
  readonly prepared: readonly string[]
  /** Network → hash of the shared snapshot that it serves. */
  readonly served: Readonly<Record<string, string>>
}

/** What the exchange needs of the networks. */
export interface SharingNetworks {
  /** Serves the newest file of a network; returns why it cannot, if so. */
  serveShared(network: string): Promise<string | undefined>
  /** This replica imports from now on: checks all feeds, since an import may have been lost. */
  recheck(): Promise<void>
  /** Shows why the importer's last import failed; undefined if it did not. */
  showError(network: string, error: LastError | undefined): Promise<void>
}

/** The shared snapshots. */
export interface SnapshotExchange {
  /** Whether this replica imports for all. */
  readonly isImporter: boolean
  /** Before the networks are opened: makes the shared snapshots the newest files, as far as they can be had. */
  begin(networks: readonly string[]): Promise<void>
  /** The networks are open. */
  connect(networks: SharingNetworks): void
  /** Whether a network is to be imported here, now. @param hasServed whether it can wait for others */
  obtain(network: string, hasServed: boolean): Promise<Obtained>
  /** Offers the newest file of a network to all, unless they have it. Resolves when all are to serve it; returns why not. */
  offer(network: string): Promise<string | undefined>
  /** The importer tells all why its last import failed; undefined if it did not. */
  tell(network: string, error: LastError | undefined): Promise<void>
  close(): Promise<void>
}
