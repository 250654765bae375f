// Response counts by route, in the account store's SQLite file.
import type { RouteCount } from '../metering/route-counts.ts'
import type { DayRange } from './billing-store.ts'
import {
  MOST_FIRST,
  ROUTE_DAYS_KEPT,
  ROUTE_SUMS,
  type RouteBatch,
  type RouteStore,
  type RouteSumRow,
  toRouteCount,
} from './route-store.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

const BEGIN_BATCH = `INSERT INTO route_batches (writer_id, sequence, utc_day) VALUES (?, ?, ?)
  ON CONFLICT (writer_id) DO UPDATE SET sequence = excluded.sequence, utc_day = excluded.utc_day
  WHERE excluded.sequence > sequence`
const ADD = `INSERT INTO route_usage (account_id, utc_day, key_id, route, answered, refused, over_limit, failed)
  SELECT account_id, $utcDay, keys.id, $route, $answered, $refused, $overLimit, $failed
  FROM keys JOIN accounts ON accounts.id = keys.account_id WHERE keys.id = $keyId AND deleted_at IS NULL
  ON CONFLICT (account_id, utc_day, key_id, route) DO UPDATE SET
    answered = answered + excluded.answered, refused = refused + excluded.refused,
    over_limit = over_limit + excluded.over_limit, failed = failed + excluded.failed`

/** The part of the account store that counts responses by route. */
export class SqliteRouteStore implements RouteStore {
  private readonly connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.connection = connection
  }

  async addRoutes({ writerId, sequence, today, rows }: RouteBatch): Promise<void> {
    const { database } = this.connection
    const begin = database.query<unknown, [string, number, number]>(BEGIN_BATCH)
    const add = database.query<unknown, Record<string, string | number>[]>(ADD)
    await this.connection.transaction(() => {
      if (begin.run(writerId, sequence, today).changes === 0) return
      for (const { keyId, utcDay, route, answers } of rows) {
        const [answered, refused, overLimit, failed] = answers
        add.run({ keyId, utcDay, route, answered, refused, overLimit, failed })
      }
      for (const table of ['route_usage', 'route_batches']) {
        database.query(`DELETE FROM ${table} WHERE utc_day <= ?`).run(today - ROUTE_DAYS_KEPT)
      }
    })
  }

  async listRoutes(accountId: string, { firstDay, endDay }: DayRange): Promise<RouteCount[]> {
    const list = this.connection.database.query<RouteSumRow, [string, number, number]>(
      `SELECT ${ROUTE_SUMS} FROM route_usage WHERE account_id = ? AND utc_day >= ? AND utc_day < ?
       GROUP BY key_id, route ORDER BY ${MOST_FIRST}`,
    )
    return (await this.connection.whenFree(() => list.all(accountId, firstDay, endDay))).map(toRouteCount)
  }
}
