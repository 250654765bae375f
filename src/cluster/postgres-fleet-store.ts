// The SQL statements that a replica runs on PostgreSQL. They use three sessions, so that a long flush delays neither
// requests that wait for units nor the tick.
import type { StreamName } from '../access/fleet-talk.ts'
import type { FleetReport } from '../accounts/fleet.ts'
import { openReplicaSession, type PostgresSession, type PostgresValue, sqlState } from '../accounts/postgres-session.ts'
import type { ReplicaConfig } from '../config/config.ts'
import type { PastUsage } from '../metering/live-usage.ts'
import type { UsageRow } from '../metering/usage-store.ts'
import { readFleetReport } from './fleet-report.ts'
import {
  type Change,
  type FleetStore,
  type Grant,
  ReplicaEnded,
  type ReplicaRow,
  StoreLostWrites,
  type TickAnswer,
  type UnitRequest,
  type Version,
} from './fleet-store.ts'

import type { StreamStore } from './stream-claims.ts'

const ENDED = 'QU001'
const LOST_WRITES = 'QU002'
/** Maximum number of grants, one per account and month, whose units one SQL statement releases. */
const SETTLED_AT_ONCE = 500

/** Opens the database for a replica or a command. */
export function openFleetStore({ databaseUrl, cluster }: ReplicaConfig): PostgresFleetStore {
  return new PostgresFleetStore(databaseUrl, !cluster.hasPreparedStatements)
}

/** The database of a cluster. */
export class PostgresFleetStore implements FleetStore, StreamStore {
  private readonly watch: PostgresSession
  private readonly flushes: PostgresSession
  private readonly grants: PostgresSession

  constructor(databaseUrl: string, isPooled: boolean) {
    this.watch = openReplicaSession(databaseUrl, isPooled)
    this.flushes = openReplicaSession(databaseUrl, isPooled)
    this.grants = openReplicaSession(databaseUrl, isPooled)
  }

  async close(): Promise<void> {
    await Promise.all([this.watch.close(), this.flushes.close(), this.grants.close()])
  }

  async join({ id, about, predecessors, writers, isAgain }: Parameters<FleetStore['join']>[0]): Promise<number> {
    const text = 'quai.join_replica($1, $2::text::jsonb, $3::text::jsonb, $4::text::jsonb, $5::boolean)'
    const [described, ended, counted] = [about, predecessors, writers].map((each) => JSON.stringify(each))
    return await one(this.watch, text, [id, described, ended, counted, isAgain])
  }

  async serve(id: string): Promise<TickAnswer['state']> {
    return await one(this.watch, 'quai.serve_replica($1)', [id])
  }

  async tick(id: string, { version, mark }: Version, facts: unknown): Promise<TickAnswer> {
    const text = 'quai.tick($1, $2::bigint, $3::bigint, $4::text::jsonb)'
    return await one(this.watch, text, [id, version, mark, JSON.stringify(facts)])
  }

  async findReplica(id: string): Promise<{ readonly folder: string; readonly seenAt: string | null } | undefined> {
    const { rows } = await this.watch.query<{ folder: string; seen_at: string | null }>(
      `SELECT r.folder, l.seen_at::text AS seen_at FROM quai.replicas r LEFT JOIN quai.looks l ON l.replica = r.id
       WHERE r.id = $1`,
      [id],
    )
    const [row] = rows
    return row === undefined ? undefined : { folder: row.folder, seenAt: row.seen_at }
  }

  async listReplicas(): Promise<ReplicaRow[]> {
    const { rows } = await this.watch.query<ReplicaRow & { seen_at: string | null; holds_units: boolean }>(
      `SELECT * FROM (
         SELECT r.id, r.state, r.ended_why AS why, l.seen_at::text AS seen_at, EXISTS (SELECT 1 FROM quai.grants g
           WHERE g.replica = r.id AND g.granted - g.returned > g.used) AS holds_units
         FROM quai.replicas r LEFT JOIN quai.looks l ON l.replica = r.id
         WHERE r.state <> 'ended' OR r.ended_at > clock_timestamp() - interval '40 d') each
       WHERE state <> 'ended' OR holds_units`,
    )
    return rows.map(({ id, state, why, seen_at, holds_units }) => ({
      id,
      state,
      why,
      seenAt: seen_at,
      holdsUnits: holds_units,
    }))
  }

  async end(id: string, why: 'left' | 'lost' | 'forgotten', seenAt: string | null): Promise<boolean> {
    return await one(this.grants, 'quai.end_replica($1, $2, $3::text::timestamptz)', [id, why, seenAt])
  }

  async settle(id: string, by: { readonly id: string; readonly acked: number } | undefined): Promise<number> {
    const text = 'quai.settle($1, $2::text, $3::bigint, $4::int)'
    return await one(this.grants, text, [id, by?.id ?? null, by?.acked ?? 0, SETTLED_AT_ONCE])
  }

  async flush({ replica, owner, acked, rows, used }: Parameters<FleetStore['flush']>[0]): Promise<number> {
    const text = 'quai.flush($1, $2, $3::bigint, $4::text::jsonb, $5::text::jsonb)'
    const usage = used?.map(({ accountId, month, units }) => [accountId, month, units])
    return await one(this.flushes, text, [replica, owner, acked, rowsText(rows), usage ? JSON.stringify(usage) : null])
  }

  async grant(
    replica: string,
    acked: number,
    request: { readonly plans: number; readonly units: readonly UnitRequest[] },
  ) {
    const units = request.units.map(({ accountId: a, month: m, termsMark: mark, ...rest }) => ({ a, m, mark, ...rest }))
    const answer = await one<{ beat: number; waits: boolean; rows: GrantRow[] }>(
      this.grants,
      'quai.grant_units($1, $2::bigint, $3::bigint, $4::text::jsonb)',
      [replica, acked, request.plans, JSON.stringify(units)],
    )
    return { beat: answer.beat, waits: answer.waits, grants: answer.rows.map(toGrant) }
  }

  async reportLife(id: string, acked: number, life: string): Promise<number> {
    return await one(this.grants, 'quai.tell_life($1, $2::bigint, $3)', [id, acked, life])
  }

  async changesSince({ version, mark }: Version): Promise<Change[] | undefined> {
    const found = await one<[number, number, string, number][] | null>(
      this.watch,
      'quai.changes_since($1::bigint, $2::bigint)',
      [version, mark],
    )
    return found?.map(([number, sign, what, termsMark]) => ({ version: number, mark: sign, what, termsMark }))
  }

  async readMarks() {
    const found = await one<{ version: number; mark: number; plans: number; marks: Record<string, number> }>(
      this.watch,
      `(SELECT jsonb_build_object('version', c.version, 'mark', c.mark,
         'plans', (SELECT coalesce(max(sequence), 0) FROM quai.plan_tables),
         'marks', (SELECT coalesce(jsonb_object_agg(a.id, a.terms_mark), '{}') FROM quai.accounts a
           WHERE EXISTS (SELECT 1 FROM quai.keys k WHERE k.account_id = a.id)))
       FROM quai.changes c WHERE c.version = (SELECT value FROM quai.counters WHERE name = 'version'))`,
      [],
    )
    return { ...found, marks: new Map(Object.entries(found.marks)) }
  }

  async listUnconfirmed(version: number): Promise<string[]> {
    return await one(this.watch, 'to_jsonb(quai.unconfirmed($1::bigint))', [version])
  }

  async lastVersion(): Promise<number> {
    return await one(this.watch, `(SELECT value FROM quai.counters WHERE name = 'version')`, [])
  }

  async usageElsewhere(replica: string, accountId: string, firstDay: number): Promise<PastUsage[]> {
    const rows = await one<[string, number, number, number][]>(this.flushes, 'quai.usage_elsewhere($1, $2, $3::int)', [
      replica,
      accountId,
      firstDay,
    ])
    return rows.map(([keyId, utcDay, units, lastUsedMillis]) => ({ keyId, utcDay, units, lastUsedMillis }))
  }

  /** A running replica's QUAI_CLOCK setting that differs from `clock`; undefined if there is none. */
  async findOtherClock(clock: string): Promise<string | undefined> {
    const { rows } = await this.watch.query<{ clock: string }>(
      `SELECT r.about ->> 'clock' AS clock FROM quai.replicas r JOIN quai.looks l ON l.replica = r.id
       WHERE r.state <> 'ended' AND l.seen_at > clock_timestamp() - interval '10 s' AND r.about ->> 'clock' <> $1 LIMIT 1`,
      [clock],
    )
    return rows[0]?.clock
  }

  async report(): Promise<FleetReport> {
    return await readFleetReport(this.flushes)
  }

  async endStreams(streams: readonly StreamName[], freeSeconds: number): Promise<void> {
    await one(this.watch, 'to_jsonb(quai.end_streams($1::text::jsonb, $2::float8)::text)', [
      namesText(streams),
      freeSeconds,
    ])
  }

  async claimStreams(streams: readonly StreamName[]): Promise<boolean[]> {
    return await one(this.watch, 'quai.claim_streams($1::text::jsonb)', [namesText(streams)])
  }

  async seal(id: string, day: number): Promise<boolean> {
    return await one(this.flushes, 'quai.seal($1, $2::int)', [id, day])
  }

  async closeDays(day: number): Promise<boolean> {
    return await one(this.watch, 'quai.close_days($1::int)', [day])
  }
}

/** Returns the value of a SQL expression. The value is read as JSON text, so that the driver does not convert types. */
async function one<Value>(
  session: PostgresSession,
  expression: string,
  values: readonly PostgresValue[],
): Promise<Value> {
  try {
    const { rows } = await session.query<{ value: string | null }>(
      `SELECT to_jsonb(${expression})::text AS value`,
      values,
    )
    return JSON.parse(rows[0]?.value ?? 'null')
  } catch (error) {
    const state = sqlState(error)
    if (state === ENDED) throw new ReplicaEnded(messageOf(error))
    if (state === LOST_WRITES) throw new StoreLostWrites(messageOf(error))
    throw error
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

type GrantRow = [
  account: string,
  month: number,
  granted: number,
  grantedNow: number,
  usedElsewhere: number,
  unspent: number,
  silent: number,
  isStale: boolean,
]

function toGrant(row: GrantRow): Grant {
  const [accountId, month, granted, grantedNow, usedElsewhere, unspentElsewhere, unspentBySilent, isStale] = row
  return { accountId, month, granted, grantedNow, usedElsewhere, unspentElsewhere, unspentBySilent, isStale }
}

function namesText(streams: readonly StreamName[]): string {
  return JSON.stringify(streams.map(({ keyId, name }) => [keyId, name]))
}

function rowsText(rows: readonly UsageRow[]): string {
  return JSON.stringify(
    rows.map((row) => [row.writerId, row.keyId, row.utcDay, row.units, row.calls, row.lastUsedMillis]),
  )
}
