// Response counts by route, in the account store's PostgreSQL database.
import type { RouteCount } from '../metering/route-counts.ts'
import type { DayRange } from './billing-store.ts'
import type { PostgresSession } from './postgres-session.ts'
import {
  MOST_FIRST,
  ROUTE_DAYS_KEPT,
  ROUTE_SUMS,
  type RouteBatch,
  type RouteStore,
  type RouteSumRow,
  toRouteCount,
} from './route-store.ts'

const BEGIN_BATCH = `INSERT INTO quai.route_batches (writer_id, sequence, utc_day) VALUES ($1, $2::bigint, $3::int)
  ON CONFLICT (writer_id) DO UPDATE SET sequence = excluded.sequence, utc_day = excluded.utc_day
  WHERE excluded.sequence > route_batches.sequence`
// Sums duplicates first, because one statement cannot update a row twice. Sorts the rows, so that concurrent statements
// from several replicas lock them in the same order and never deadlock.
const ADD = `INSERT INTO quai.route_usage AS kept
    (account_id, utc_day, key_id, route, answered, refused, over_limit, failed)
  SELECT account_id, d, k, r, sum(a), sum(b), sum(c), sum(f)
  FROM jsonb_to_recordset($1::text::jsonb)
    AS row (k text, d int, r text, a float8, b float8, c float8, f float8)
  JOIN quai.keys ON keys.id = k JOIN quai.accounts ON accounts.id = keys.account_id
  WHERE deleted_at IS NULL GROUP BY account_id, d, k, r ORDER BY account_id, d, k, r
  ON CONFLICT (account_id, utc_day, key_id, route) DO UPDATE SET
    answered = kept.answered + excluded.answered, refused = kept.refused + excluded.refused,
    over_limit = kept.over_limit + excluded.over_limit, failed = kept.failed + excluded.failed`

/** The part of the account store that counts responses by route. */
export class PostgresRouteStore implements RouteStore {
  private readonly session: PostgresSession

  constructor(session: PostgresSession) {
    this.session = session
  }

  async addRoutes({ writerId, sequence, today, rows }: RouteBatch): Promise<void> {
    await this.session.transaction(async (run) => {
      if ((await run(BEGIN_BATCH, [writerId, sequence, today])).count === 0) return
      const packed = rows.map(({ keyId, utcDay, route, answers: [answered, refused, overLimit, failed] }) => {
        return { k: keyId, d: utcDay, r: route, a: answered, b: refused, c: overLimit, f: failed }
      })
      await run(ADD, [JSON.stringify(packed)])
      for (const table of ['route_usage', 'route_batches']) {
        await run(`DELETE FROM quai.${table} WHERE utc_day <= $1::int`, [today - ROUTE_DAYS_KEPT])
      }
    })
  }

  async listRoutes(accountId: string, { firstDay, endDay }: DayRange): Promise<RouteCount[]> {
    const found = await this.session.query<RouteSumRow>(
      `SELECT ${ROUTE_SUMS} FROM quai.route_usage WHERE account_id = $1 AND utc_day >= $2::int AND utc_day < $3::int
       GROUP BY key_id, route ORDER BY ${MOST_FIRST}`,
      [accountId, firstDay, endDay],
    )
    return found.rows.map(toRouteCount)
  }
}
