// What the database knows of shared snapshots. Every method is one statement; the functions are in
// accounts/postgres-snapshot-schema.ts.
import { PostgresSession, type PostgresValue, REPLICA_SESSION_LIMITS, sqlState } from '../accounts/postgres-session.ts'
import { type PostgresAddress, parsePostgresAddress } from '../config/postgres-address.ts'
import type { LastError } from '../networks/network.ts'
import { DataDirUnusable } from '../system/data-dir-lock.ts'

const ROLE_SECONDS = 5
const ROLE_LOST = 'QU003'

/** Another replica imports: this one's write was refused. */
export class ImporterChanged extends Error {
  override readonly name = 'ImporterChanged'
}

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

/** The statements. They throw StoreUnavailable, and ImporterChanged if this replica does not have the role. */
export class SnapshotRows {
  private readonly session: PostgresSession
  private readonly id: string
  private readonly format: string
  private readonly role: string

  constructor({ databaseUrl, isPooled, id, format }: RowsParts) {
    this.id = id
    this.format = format
    this.role = `import/${format}`
    this.session = new PostgresSession(toAddress(databaseUrl), {
      prepare: async () => {},
      limits: REPLICA_SESSION_LIMITS,
      use: { isShared: true, isPooled },
    })
  }

  /** Takes or keeps the role of the importer; undefined if another replica has it. */
  async takeRole(): Promise<number | undefined> {
    const text = 'quai.take_role($1, $2, $3::float8)'
    return (await this.one<number | null>(text, [this.role, this.id, ROLE_SECONDS])) ?? undefined
  }

  async leaveRole(token: number): Promise<void> {
    await this.one('quai.leave_role($1, $2, $3::bigint)', [this.role, this.id, token])
  }

  async find(network: string): Promise<SharedRows> {
    const text = `(SELECT jsonb_build_object(
       'served', (SELECT to_jsonb(s) FROM quai.snapshots s WHERE s.what = $1 AND s.format = $2 AND s.state = 'served'),
       'offered', (SELECT to_jsonb(s) FROM quai.snapshots s WHERE s.what = $1 AND s.format = $2 AND s.state = 'offered'
         ORDER BY offered_in DESC LIMIT 1),
       'error', (SELECT error FROM quai.network_state n WHERE n.network = $3 AND n.format = $2)))`
    return await this.one(text, [`timetable:${network}`, this.format, network])
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
    return await this.one('to_jsonb(quai.unprepared($1, $2))', [this.format, hash])
  }

  /** Forgets old snapshots; returns those whose objects are to be deleted. */
  async drop(token: number): Promise<readonly Pick<SnapshotRow, 'kind' | 'network' | 'hash' | 'stops'>[]> {
    const values = [this.role, this.id, token, this.format]
    return await this.one('quai.drop_snapshots($1, $2, $3::bigint, $4)', values)
  }

  async close(): Promise<void> {
    await this.session.close()
  }

  private async write(name: string, token: number, row: object): Promise<void> {
    const values = [this.role, this.id, token, JSON.stringify(row)]
    await this.one(`to_jsonb(${name}($1, $2, $3::bigint, $4::text::jsonb)::text)`, values)
  }

  private async one<Value>(expression: string, values: readonly PostgresValue[]): Promise<Value> {
    try {
      const text = `SELECT to_jsonb(${expression})::text AS value`
      const { rows } = await this.session.query<{ value: string | null }>(text, values)
      return JSON.parse(rows[0]?.value ?? 'null')
    } catch (error) {
      if (sqlState(error) === ROLE_LOST) throw new ImporterChanged('another replica imports')
      throw error
    }
  }
}

function toAddress(databaseUrl: string): PostgresAddress {
  const address = parsePostgresAddress(databaseUrl)
  if ('problem' in address) throw new DataDirUnusable(`database_url ${address.problem}`)
  return address
}
