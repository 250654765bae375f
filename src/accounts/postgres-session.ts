// A PostgreSQL session. A single service has one session, which holds a lock. The lock makes sure that no other Quai
// process uses the database. All writes go through this session, so nothing is written without the lock. Replicas share
// a database without that lock, and each has several sessions. If a session ends, hangs or is refused, it is dropped,
// and the next transaction opens a new one.
import { hostname } from 'node:os'
import { type PostgresAddress, parsePostgresAddress } from '../config/postgres-address.ts'
import { DataDirBusy, DataDirUnusable } from '../system/data-dir-lock.ts'
import { StoreUnavailable } from './account-store.ts'

/** How long callers may wait for a session. */
export interface SessionLimits {
  /** How long opening waits for the database to start, or for a killed service's lock to be released. */
  readonly openingMillis: number
  readonly connectMillis: number
  /** The database's statement timeout. If it is shorter than `answerMillis`, the session survives a slow statement. */
  readonly statementMillis: number
  /** A session that does not answer for this long is dropped. */
  readonly answerMillis: number
}

/**
 * Limits for a single service's session. Flushes, commands and the account API wait for the session, but the data API
 * does not.
 */
export const SESSION_LIMITS: SessionLimits = {
  openingMillis: 5_000,
  connectMillis: 3_000,
  statementMillis: 8_000,
  answerMillis: 10_000,
}

/**
 * Limits for a replica's sessions. Client requests can wait for a session, so a silent session is dropped after 3
 * seconds.
 */
const REPLICA_SESSION_LIMITS: SessionLimits = {
  openingMillis: 5_000,
  connectMillis: 2_000,
  statementMillis: 8_000,
  answerMillis: 3_000,
}

/** How a session uses the database. */
export interface SessionUse {
  /** Whether other Quai processes also use the database. */
  readonly isShared: boolean
  /**
   * Whether a pooler such as pgbouncer lends a connection for each transaction. If so, prepared statements and settings
   * are lost after each transaction.
   */
  readonly isPooled: boolean
}

const ALONE: SessionUse = { isShared: false, isPooled: false }

/**
 * After a failed connection, no new connection is attempted for this long. During this time, callers get the error
 * immediately.
 */
const RETRY_MILLIS = 500
/**
 * The two keys of the advisory lock: "quai" in ASCII, so that no other program uses the lock by chance, and 1 for this
 * lock.
 */
const LOCK = [0x71756169, 1]

/**
 * SQLSTATE classes (the first two characters) of errors that a statement or its values cause. Errors in other classes
 * come from the state of the database. Quai's own functions raise errors in class QU.
 */
const OURS = /^(22|23|42|QU)/
/**
 * SQLSTATE for a missing permission. It is not treated like the rest of class 42, because an operator can grant the
 * permission.
 */
const NO_PERMISSION = '42501'

/** How long a replica waits for a lock, and how long it may keep its locks without sending a statement. */
const LOCKS_MILLIS = 2_000
/** Sets the limits. Runs in each transaction, because a pooler does not keep settings between transactions. */
const SET_LIMITS = `SELECT set_config('statement_timeout', $1::int::text, true), set_config('lock_timeout', $2::int::text, true),
  set_config('idle_in_transaction_session_timeout', $2::int::text, true)`

/** A parameter of a statement. */
export type PostgresValue = string | number | boolean | null

/**
 * Runs one statement on the session's connection, in the current transaction if there is one. Returns the statement's
 * rows and the number of affected rows.
 */
export type RunStatement = <Row = never>(text: string, values?: readonly PostgresValue[]) => Promise<Answer<Row>>

interface Answer<Row> {
  readonly rows: Row[]
  readonly count: number
}

interface Connection {
  readonly pool: Bun.SQL
  readonly session: Bun.ReservedSQL
  isOpen: boolean
}

/**
 * Creates a session for a replica, or for a command that runs alongside replicas.
 * @param databaseUrl the setting `database_url`
 */
export function openReplicaSession(databaseUrl: string, isPooled: boolean): PostgresSession {
  const use = { isShared: true, isPooled }
  return new PostgresSession(toPostgresAddress(databaseUrl), {
    prepare: async () => {},
    limits: REPLICA_SESSION_LIMITS,
    use,
  })
}

/** Parses `database_url`. */
export function toPostgresAddress(databaseUrl: string): PostgresAddress {
  const address = parsePostgresAddress(databaseUrl)
  if ('problem' in address) throw new DataDirUnusable(`database_url ${address.problem}`)
  return address
}

/**
 * A session that connects when it is first used, and again after a failure. Every new connection runs `prepare` first.
 */
export class PostgresSession {
  private readonly address: PostgresAddress
  private readonly prepare: (run: RunStatement) => Promise<void>
  private readonly limits: SessionLimits
  private readonly use: SessionUse
  private connection: Connection | undefined
  private last: Promise<unknown> = Promise.resolve()
  private failure: { readonly error: unknown; readonly untilMillis: number } | undefined
  private isClosed = false

  constructor(
    address: PostgresAddress,
    parts: {
      readonly prepare: (run: RunStatement) => Promise<void>
      readonly limits: SessionLimits
      readonly use?: SessionUse
    },
  ) {
    this.address = address
    this.limits = parts.limits
    this.prepare = parts.prepare
    this.use = parts.use ?? ALONE
  }

  /**
   * Runs statements as one transaction, after all transactions that were requested earlier. Throws StoreUnavailable or
   * DataDirBusy.
   */
  transaction<Result>(work: (run: RunStatement) => Promise<Result>): Promise<Result> {
    return this.inTurn(async () => {
      const connection = await this.open()
      await this.run(connection, 'BEGIN')
      if (this.use.isPooled) await this.run(connection, SET_LIMITS, [this.limits.statementMillis, LOCKS_MILLIS])
      try {
        const result = await work((text, values) => this.run(connection, text, values))
        await this.run(connection, 'COMMIT')
        return result
      } catch (error) {
        if (connection.isOpen) await this.run(connection, 'ROLLBACK')
        throw error
      }
    })
  }

  /** Runs one statement in its own transaction. */
  query<Row = never>(text: string, values?: readonly PostgresValue[]): Promise<Answer<Row>> {
    return this.inTurn(async () => this.run<Row>(await this.open(), text, values))
  }

  /** Ends the session after all transactions that were requested earlier, and releases the lock. */
  async close(): Promise<void> {
    await this.inTurn(async () => {
      this.isClosed = true
      if (this.connection !== undefined) await this.giveUp(this.connection)
    })
  }

  private inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.last.then(work)
    this.last = result.catch(() => undefined) // only the caller sees the failure; the next transaction still runs
    return result
  }

  private async open(): Promise<Connection> {
    if (this.isClosed) throw new StoreUnavailable(`the connection to the database ${this.address.label} is closed`)
    if (this.connection?.isOpen) return this.connection
    if (this.connection !== undefined) await this.giveUp(this.connection)
    if (this.failure !== undefined && performance.now() < this.failure.untilMillis) throw this.failure.error
    try {
      this.connection = await this.begin()
      this.failure = undefined
      return this.connection
    } catch (error) {
      this.failure = { error, untilMillis: performance.now() + RETRY_MILLIS }
      throw error
    }
  }

  private async begin(): Promise<Connection> {
    const { hostname: host, port, socketPath, username, password, database, tls } = this.address
    // Set every option: Bun takes missing options from environment variables.
    const pool: Bun.SQL = new Bun.SQL({
      adapter: 'postgres',
      ...(socketPath === undefined ? { hostname: host } : { path: socketPath }),
      port,
      username,
      password,
      database,
      tls,
      max: 1,
      connectionTimeout: this.limits.connectMillis / 1000,
      prepare: !this.use.isPooled,
      ...(this.use.isPooled ? {} : { connection: this.settings() }),
      onclose: () => {
        if (opened !== undefined) opened.isOpen = false
      },
    })
    let opened: Connection | undefined
    try {
      opened = { pool, session: await this.inTime(pool.reserve()), isOpen: true }
    } catch (error) {
      await pool.close({ timeout: 0 })
      throw this.explain(error)
    }
    try {
      if (this.use.isShared) await this.refuseHolder(opened)
      else await this.takeLock(opened)
      await this.prepare((text, values) => this.run(opened, text, values))
      return opened
    } catch (error) {
      await this.giveUp(opened)
      throw error
    }
  }

  /** The connection's settings. In a cluster, their timeouts release the row locks of a process that hangs. */
  private settings() {
    return {
      application_name: `quai ${hostname()}:${process.pid}`.slice(0, 60),
      statement_timeout: this.limits.statementMillis,
      ...(this.use.isShared ? { idle_in_transaction_session_timeout: LOCKS_MILLIS, lock_timeout: LOCKS_MILLIS } : {}),
      synchronous_commit: 'on',
      // Keepalive times in seconds. The locks of a host that vanishes silently are released after 10 + 3 · 3 seconds.
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 3,
      tcp_keepalives_count: 3,
    }
  }

  private async takeLock(connection: Connection): Promise<void> {
    const taken = 'SELECT pg_try_advisory_lock($1::int, $2::int) AS taken'
    const [answer] = (await this.run<{ taken: boolean }>(connection, taken, LOCK)).rows
    if (!answer.taken) throw this.busy((await this.findHolder(connection)) ?? '')
  }

  /** Refuses a database that a single service has locked. */
  private async refuseHolder(connection: Connection): Promise<void> {
    const holder = await this.findHolder(connection)
    if (holder !== undefined) throw this.busy(holder)
  }

  private busy(name: string): DataDirBusy {
    const alone = this.use.isShared
      ? '; add [cluster] to the configuration of that process, or stop it'
      : '; stop it first'
    const named = name === '' ? '' : ` (${name})`
    return new DataDirBusy(`another quai process${named} is using the database ${this.address.label}${alone}`)
  }

  /** The name of the process that has the lock; undefined if no process has it. */
  private async findHolder(connection: Connection): Promise<string | undefined> {
    const holders = await this.run<{ name: string | null }>(
      connection,
      `SELECT activity.application_name AS name FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
       WHERE locktype = 'advisory' AND classid = $1::int::oid AND objid = $2::int::oid AND granted
         AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      LOCK,
    )
    const [holder] = holders.rows
    return holder === undefined ? undefined : (holder.name ?? '')
  }

  private async run<Row = never>(
    connection: Connection,
    text: string,
    values: readonly PostgresValue[] = [],
  ): Promise<Answer<Row>> {
    try {
      if (!connection.isOpen) throw new Error('the connection was closed')
      const rows = await this.inTime<Row[] & { count: number }>(connection.session.unsafe(text, [...values]))
      return { rows: [...rows], count: rows.count }
    } catch (error) {
      const state = sqlState(error)
      if (state === undefined)
        await this.giveUp(connection) // otherwise, a late answer would be read as the answer to the next statement
      else if (OURS.test(state) && state !== NO_PERMISSION) throw error
      throw this.explain(error)
    }
  }

  private async giveUp(connection: Connection): Promise<void> {
    connection.isOpen = false
    if (this.connection === connection) this.connection = undefined
    await Promise.race([connection.pool.close({ timeout: 0 }), Bun.sleep(RETRY_MILLIS)])
  }

  private async inTime<Result>(promise: PromiseLike<Result>): Promise<Result> {
    const late = Promise.withResolvers<never>()
    const { answerMillis } = this.limits
    const timer = setTimeout(() => late.reject(new Error(`no answer within ${answerMillis / 1000} s`)), answerMillis)
    try {
      return await Promise.race([promise, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Converts an error from the database or the connection to StoreUnavailable. The message never contains the password.
   */
  private explain(error: unknown): StoreUnavailable {
    const state = sqlState(error)
    const reason = error instanceof Error ? error.message : String(error)
    const { label, password } = this.address
    const words = password === '' ? reason : reason.replaceAll(password, '[redacted]')
    return new StoreUnavailable(`the database ${label}: ${words}${state === undefined ? '' : ` (${state})`}`)
  }
}

/** The SQLSTATE of an error reported by the database; undefined if the connection failed. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error && 'errno' in error && typeof error.errno === 'string')) return undefined
  return /^[0-9A-Z]{5}$/.test(error.errno) ? error.errno : undefined
}

/** The name of the constraint that a statement violated; undefined for other errors. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined
}
