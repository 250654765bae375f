// A role in a cluster, such as polling or importing. One replica has the role at a time. Every write contains the
// role's token. The database can therefore refuse the writes of a replica that has lost the role and has not noticed it
// yet. The SQL functions are in postgres-live-schema.ts.
import { mayPass } from './account-store.ts'
import { openReplicaSession, type PostgresSession, type PostgresValue, sqlState } from './postgres-session.ts'

/** Time from the last renewal of a role until the role is free again. */
const ROLE_SECONDS = 5
/**
 * How long the holder relies on the role, counted from the moment when it sent the last successful request. This is
 * shorter than ROLE_SECONDS, after which the database treats the role as free.
 */
const HELD_MILLIS = 4_500
/** How often the holder renews the role. */
export const ROLE_RENEW_MILLIS = 1_000
const ROLE_LOST = 'QU003'

/** Thrown when the database refuses a write because another replica now has the role. */
export class RoleLost extends Error {
  override readonly name = 'RoleLost'
}

/** The role, the replica, and the connection to the database. */
export interface FleetRoleParts {
  readonly name: string
  /** This replica's id. */
  readonly replica: string
  readonly databaseUrl: string
  readonly isPooled: boolean
}

/** The role, with its own database session. The methods throw StoreUnavailable if the database is unavailable. */
export class FleetRole {
  readonly name: string
  /** This replica's id. */
  readonly replica: string
  private readonly session: PostgresSession
  private held: { readonly token: number; readonly sentMillis: number } | undefined
  private isLeaving = false

  constructor({ name, replica, databaseUrl, isPooled }: FleetRoleParts) {
    this.name = name
    this.replica = replica
    this.session = openReplicaSession(databaseUrl, isPooled)
  }

  /** The token that every write must contain; undefined if another replica may have the role. */
  get token(): number | undefined {
    return this.ageMillis < HELD_MILLIS ? this.held?.token : undefined
  }

  /** Whether it is too early to renew the role. */
  get isFresh(): boolean {
    return this.ageMillis < ROLE_RENEW_MILLIS
  }

  /** Takes or renews the role, unless another replica has it. */
  async take(): Promise<void> {
    if (this.isLeaving) return
    const sentMillis = performance.now()
    const values = [this.name, this.replica, ROLE_SECONDS]
    const token = await this.value<number | null>('quai.take_role($1, $2, $3::float8)', values)
    this.held = token === null || this.isLeaving ? undefined : { token, sentMillis }
  }

  /** Treats the role as lost until this replica takes it again. */
  lose(): void {
    this.held = undefined
  }

  /** Gives the role up permanently. */
  async leave(): Promise<void> {
    this.isLeaving = true
    const { token } = this
    this.lose()
    if (token === undefined) return
    try {
      await this.value('quai.leave_role($1, $2, $3::bigint)', [this.name, this.replica, token])
    } catch (error) {
      if (!mayPass(error)) throw error // otherwise ignored: the role expires without this request
    }
  }

  /** Returns the value of an SQL expression, which may also write. Throws RoleLost if it contains an outdated token. */
  async value<Value>(expression: string, values: readonly PostgresValue[]): Promise<Value> {
    try {
      const text = `SELECT to_jsonb(${expression})::text AS value`
      const [row] = await this.rows<{ value: string | null }>(text, values)
      return JSON.parse(row?.value ?? 'null')
    } catch (error) {
      if (sqlState(error) === ROLE_LOST) throw new RoleLost(`another replica has taken over the role ${this.name}`)
      throw error
    }
  }

  /** Runs one statement and returns its rows. */
  async rows<Row>(text: string, values: readonly PostgresValue[]): Promise<readonly Row[]> {
    return (await this.session.query<Row>(text, values)).rows
  }

  async close(): Promise<void> {
    await this.session.close()
  }

  private get ageMillis(): number {
    return this.held === undefined ? Number.POSITIVE_INFINITY : performance.now() - this.held.sentMillis
  }
}
