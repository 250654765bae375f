// The stored counts of answers by route. They show owners which routes their keys call and how many calls fail. They are
// not used for billing.
import type { AnswerCounts, RouteCount } from '../metering/route-counts.ts'
import type { DayRange } from './billing-store.ts'

/** Counts are stored for this many days. */
export const ROUTE_DAYS_KEPT = 92

/** Numbers of answers to a key on a route and a UTC day. */
export interface RouteRow extends RouteCount {
  /** UTC days since 1970-01-01. */
  readonly utcDay: number
}

/** Counts to add. A writer numbers its batches, so that a batch that is sent again is not added twice. */
export interface RouteBatch {
  readonly writerId: string
  /** Grows with each batch of the writer. */
  readonly sequence: number
  /** The current UTC day. Counts of days that are ROUTE_DAYS_KEPT or more days older are deleted. */
  readonly today: number
  readonly rows: readonly RouteRow[]
}

/** The counts of answers by route. Every method is one transaction. */
export interface RouteStore {
  /** Adds a batch, unless it was added before. Leaves out unknown keys, and keys of deleted accounts. */
  addRoutes(batch: RouteBatch): Promise<void>
  /** Sums over a range of days, by key and route: most answers first. */
  listRoutes(accountId: string, days: DayRange): Promise<RouteCount[]>
}

/** The columns of `RouteSumRow`, in the SQL of both databases. */
export const ROUTE_SUMS = `key_id, route, sum(answered) AS answered, sum(refused) AS refused,
  sum(over_limit) AS over_limit, sum(failed) AS failed`
/** The order of sums: most answers first. */
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

/** The sums of a row. */
export function toRouteCount({ key_id, route, answered, refused, over_limit, failed }: RouteSumRow): RouteCount {
  const answers: AnswerCounts = [answered, refused, over_limit, failed]
  return { keyId: key_id, route, answers }
}
