// The state of the replicas as the database knows it, for operators.

import type { FleetReport, ReplicaReport, RoleReport } from '../accounts/fleet.ts'
import type { PostgresSession } from '../accounts/postgres-session.ts'
import type { SnapshotFacts } from '../networks/snapshot-exchange.ts'
import type { Counts } from './peer-counts.ts'

/** What a replica reports about itself with each tick. */
export interface Facts {
  readonly ready: boolean
  readonly skew_millis: number
  /** Digest of the settings that all replicas must share. */
  readonly config: string
  /** The counts that a replica reports to the other replicas; absent if it has no counts to report. */
  readonly counts?: Counts | undefined
  readonly live_lag_seconds?: number | undefined
  readonly snapshots?: SnapshotFacts | undefined
}

type Reported = 'is_ready' | 'config_differs' | 'skew_seconds' | 'live_lag_seconds' | 'snapshots'
type Row = Omit<ReplicaReport, Reported> & { readonly facts: Facts | null }

const SILENT_SECONDS = 3
const UNSPENT = 'greatest(g.granted - g.returned - g.used, 0)'
// `units_held` does not include units that were granted for earlier months.
const REPLICAS = `
  SELECT r.id, r.name, r.about ->> 'admin' AS admin, r.about ->> 'program' AS program, r.state, r.ended_why,
    extract(epoch FROM clock_timestamp() - l.seen_at)::float8 AS age_seconds,
    v.value - coalesce(l.version_seen, 0) AS version_lag, l.facts, coalesce((
      SELECT sum(${UNSPENT}) FROM quai.grants g
      WHERE g.replica = r.id AND g.month >= quai.month_of((extract(epoch FROM clock_timestamp()) / 86400)::int)
    ), 0)::float8 AS units_held
  FROM quai.replicas r LEFT JOIN quai.looks l ON l.replica = r.id, quai.counters v
  WHERE v.name = 'version' AND (r.state <> 'ended' OR r.ended_at > clock_timestamp() - interval '40 d')
  ORDER BY r.name, r.started_at`
const LATE = 'SELECT coalesce(sum(units), 0)::float8 AS units FROM quai.late_open'
const ROLES = `SELECT name, holder, token::float8 AS token, until > clock_timestamp() AS is_held FROM quai.roles ORDER BY name`

/** Reads the report from the database. */
export async function readFleetReport(session: PostgresSession): Promise<FleetReport> {
  const { rows } = await session.query<{ each: string }>(`SELECT to_jsonb(x)::text AS each FROM (${REPLICAS}) x`)
  const [late] = (await session.query<{ units: number }>(LATE)).rows
  const { rows: roles } = await session.query<RoleReport>(ROLES)
  const all: Row[] = rows.map(({ each }) => JSON.parse(each))
  const found = all.filter(({ state, units_held }) => state !== 'ended' || units_held > 0)
  const usual = mostCommon(found.flatMap(({ state, facts }) => (state === 'serving' && facts ? [facts.config] : [])))
  const isSilent = ({ state, age_seconds }: Row) => state === 'ended' || (age_seconds ?? Infinity) > SILENT_SECONDS
  const sumOf = (some: readonly Row[]) => some.reduce((sum, { units_held }) => sum + units_held, 0)
  return {
    replicas: found.map((row) => toReport(row, { usual, isSilent: isSilent(row) })),
    units: { held: sumOf(found), stranded: sumOf(found.filter(isSilent)) },
    late_units: late.units,
    roles,
  }
}

function toReport({ facts, ...row }: Row, about: { readonly usual: string | undefined; readonly isSilent: boolean }) {
  return {
    ...row,
    is_ready: facts?.ready === true && row.state === 'serving' && !about.isSilent,
    age_seconds: row.age_seconds === null ? null : Math.round(row.age_seconds * 10) / 10,
    config_differs: facts !== null && facts.config !== about.usual,
    skew_seconds: (facts?.skew_millis ?? 0) / 1_000,
    live_lag_seconds: facts?.live_lag_seconds ?? null,
    snapshots: facts?.snapshots?.served ?? {},
  }
}

function mostCommon(words: readonly string[]): string | undefined {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}
