// What the database knows of shared snapshots. Every method is one statement; the functions are in
// accounts/postgres-snapshot-schema.ts.
import { FleetRole } from '../accounts/fleet-role.ts'
import type { LastError } from '../networks/network.ts'

/** A shared snapshot. */
export interface SnapshotRow {
  readonly kind: 'timetable'
  readonly network: string
  readonly format: string
  /** SHA-256 of the file. */
  readonly hash: string
  /** SHA-256 of the file of stops as they are searched; null if there is none. */
  readonly stops: string | null
  readonly bytes: number
}

/** The files of a snapshot. */
export type SharedFiles = Pick<SnapshotRow, 'hash' | 'stops'>

/** The newest shared snapshots of a network. */
export interface SharedRows {
  /** What all serve; null if there is nothing. */
  readonly served: SharedFiles | null
  /** What is newer, and all fetch; null if there is nothing. */
  readonly offered: SharedFiles | null
  /** Why the last import failed; null if it did not. */
  readonly error: LastError | null
}

/** How the rows are reached. */
export interface RowsParts {
  readonly databaseUrl: string
  readonly isPooled: boolean
  /** This replica's id. */
  readonly id: string
  readonly format: string
}

/** The statements. They throw StoreUnavailable, and RoleLost if this replica does not have the role. */
export class SnapshotRows {
  /** Who imports. */
  readonly role: FleetRole
  private readonly format: string

  constructor({ databaseUrl, isPooled, id, format }: RowsParts) {
    this.format = format
    this.role = new FleetRole({ name: `import/${format}`, replica: id, databaseUrl, isPooled })
  }

  async find(network: string): Promise<SharedRows> {
    const text = `(SELECT jsonb_build_object(
       'served', (SELECT to_jsonb(s) FROM quai.snapshots s WHERE s.what = $1 AND s.format = $2 AND s.state = 'served'),
       'offered', (SELECT to_jsonb(s) FROM quai.snapshots s WHERE s.what = $1 AND s.format = $2 AND s.state = 'offered'
         ORDER BY offered_in DESC LIMIT 1),
       'error', (SELECT error FROM quai.network_state n WHERE n.network = $3 AND n.format = $2)))`
    return await this.role.value(text, [`timetable:${network}`, this.format, network])
  }

  /** Tells all why the last import of a network failed; null if it did not. */
  async note(token: number, network: string, error: LastError | null): Promise<void> {
    await this.write('quai.note_network', token, { network, format: this.format, error })
  }

  async offer(token: number, row: SnapshotRow): Promise<void> {
    await this.write('quai.offer_snapshot', token, row)
  }

  async serve(token: number, row: SnapshotRow): Promise<void> {
    await this.write('quai.serve_snapshot', token, row)
  }

  /** Names of serving replicas that have not fetched an offered snapshot. */
  async listUnprepared(hash: string): Promise<readonly string[]> {
    return await this.role.value('to_jsonb(quai.unprepared($1, $2))', [this.format, hash])
  }

  /** Forgets old snapshots; returns those whose objects are to be deleted. */
  async drop(token: number): Promise<readonly Pick<SnapshotRow, 'kind' | 'network' | 'hash' | 'stops'>[]> {
    const values = [this.role.name, this.role.replica, token, this.format]
    return await this.role.value('quai.drop_snapshots($1, $2, $3::bigint, $4)', values)
  }

  async close(): Promise<void> {
    await this.role.close()
  }

  private async write(name: string, token: number, row: object): Promise<void> {
    const values = [this.role.name, this.role.replica, token, JSON.stringify(row)]
    await this.role.value(`to_jsonb(${name}($1, $2, $3::bigint, $4::text::jsonb)::text)`, values)
  }
}
