// Stored response counts by route. They show owners which routes their keys call and how many calls fail. They are not
// used for billing.
import type { AnswerCounts, RouteCount } from '../metering/route-counts.ts'
import type { DayRange } from './billing-store.ts'

/** Number of days for which counts are stored. */
export const ROUTE_DAYS_KEPT = 92

/** Response counts for a key on a route and a UTC day. */
export interface RouteRow extends RouteCount {
  /** UTC days since 1970-01-01. */
  readonly utcDay: number
}

/** Counts to add. A writer numbers its batches, so that a batch that is sent again is not added twice. */
export interface RouteBatch {
  readonly writerId: string
  /** Grows with each batch of the writer. */
  readonly sequence: number
  /** The current UTC day. Counts for days that are at least ROUTE_DAYS_KEPT days earlier are deleted. */
  readonly today: number
  readonly rows: readonly RouteRow[]
}

/** Response counts by route. Every method is one transaction. */
export interface RouteStore {
  /**
   * Adds a batch, unless it has already been added. Leaves out keys that are not stored, and keys of deleted accounts.
   */
  addRoutes(batch: RouteBatch): Promise<void>
  /** Sums over a range of days, by key and route, with the most responses first. */
  listRoutes(accountId: string, days: DayRange): Promise<RouteCount[]>
}

/** The columns of `RouteSumRow`, in the SQL of both databases. */
export const ROUTE_SUMS = `key_id, route, sum(answered) AS answered, sum(refused) AS refused,
  sum(over_limit) AS over_limit, sum(failed) AS failed`
/** The order of the sums: most responses first. */
export const MOST_FIRST = 'sum(answered + refused + over_limit + failed) DESC, key_id, route'

/** A row of sums, as both databases return it. */
export interface RouteSumRow {
  readonly key_id: string
  readonly route: string
  readonly answered: number
  readonly refused: number
  readonly over_limit: number
  readonly failed: number
}

/** The response counts in a row of sums. */
export function toRouteCount({ key_id, route, answered, refused, over_limit, failed }: RouteSumRow): RouteCount {
  const answers: AnswerCounts = [answered, refused, over_limit, failed]
  return { keyId: key_id, route, answers }
}
