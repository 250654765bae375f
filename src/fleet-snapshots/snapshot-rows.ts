// The database rows for shared files. Every method runs one SQL statement. The SQL functions are in
// accounts/postgres-files-schema.ts.
import { FleetRole } from '../accounts/fleet-role.ts'
import type { LastError } from '../networks/network.ts'
import { nameBesideNetworks, type SharedName } from '../networks/snapshot-exchange.ts'

/** A set of files that replicas serve together. */
export interface SharedSet {
  /** SHA-256 of `files`, which identifies the set. */
  readonly hash: string
  /** File name → SHA-256 of the file's content. */
  readonly files: Readonly<Record<string, string>>
}

/** The file sets of one shared item, and the result of its last import. */
export interface SharedRows {
  /** The set that all replicas should serve; null if there is none. */
  readonly served: SharedSet | null
  /** A newer set that all replicas should fetch; null if there is none. */
  readonly offered: SharedSet | null
  /** Why the last import failed; null if it succeeded. */
  readonly error: LastError | null
}

/** A file that no longer belongs to any set. */
export interface DroppedFile extends SharedName {
  readonly hash: string
}

/** What is needed to access the rows. */
export interface RowsParts {
  readonly databaseUrl: string
  readonly isPooled: boolean
  /** This replica's id. */
  readonly id: string
  readonly format: string
}

/**
 * The library's SQL statements. They throw StoreUnavailable, or RoleLost if this replica has lost the importer's role.
 */
export class SnapshotRows {
  /** The importer's role. */
  readonly role: FleetRole
  private readonly format: string

  constructor({ databaseUrl, isPooled, id, format }: RowsParts) {
    this.format = format
    this.role = new FleetRole({ name: `import/${format}`, replica: id, databaseUrl, isPooled })
  }

  async find(shared: SharedName): Promise<SharedRows> {
    const text = `(SELECT jsonb_build_object(
       'served', (SELECT to_jsonb(s) FROM quai.snapshots s WHERE s.what = $1 AND s.format = $2 AND s.state = 'served'),
       'offered', (SELECT to_jsonb(s) FROM quai.snapshots s WHERE s.what = $1 AND s.format = $2 AND s.state = 'offered'
         ORDER BY offered_in DESC LIMIT 1),
       'error', (SELECT error FROM quai.network_state n WHERE n.network = $3 AND n.format = $2)))`
    return await this.role.value(text, [`${shared.kind}:${shared.name}`, this.format, nameBesideNetworks(shared)])
  }

  /** Stores why the last import failed, so that all replicas show it. @param error null if the import succeeded */
  async note(token: number, shared: SharedName, error: LastError | null): Promise<void> {
    await this.write('quai.note_network', token, { network: nameBesideNetworks(shared), format: this.format, error })
  }

  /**
   * Offers a set, so that all replicas fetch it.
   * @param set the set; its `bytes` is the total size of its files
   */
  async offer(token: number, { kind, name }: SharedName, set: SharedSet & { readonly bytes: number }): Promise<void> {
    await this.write('quai.offer_files', token, { ...set, kind, network: name, format: this.format })
  }

  async serve(token: number, { kind, name }: SharedName, hash: string): Promise<void> {
    await this.write('quai.serve_snapshot', token, { kind, network: name, format: this.format, hash })
  }

  /** The names of serving replicas that have not fetched an offered set yet. */
  async listUnprepared(hash: string): Promise<readonly string[]> {
    return await this.role.value('to_jsonb(quai.unprepared($1, $2))', [this.format, hash])
  }

  /** Deletes old sets from the database. Returns the files whose objects must be deleted from the store. */
  async drop(token: number): Promise<readonly DroppedFile[]> {
    const values = [this.role.name, this.role.replica, token, this.format]
    return await this.role.value('quai.drop_files($1, $2, $3::bigint, $4)', values)
  }

  async close(): Promise<void> {
    await this.role.close()
  }

  private async write(name: string, token: number, row: object): Promise<void> {
    const values = [this.role.name, this.role.replica, token, JSON.stringify(row)]
    await this.role.value(`to_jsonb(${name}($1, $2, $3::bigint, $4::text::jsonb)::text)`, values)
  }
}
