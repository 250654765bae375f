// The source of a live feed's messages. The source is either the feed's upstream, polled by this process, or another
// replica that polls the upstream.
import type { LastError, UpstreamBudget } from '../networks/network.ts'
import type { Clock } from '../system/clock.ts'
import type { LiveFeedOrder } from './live-messages.ts'

/** Why a body is unusable. */
export interface FeedProblem {
  readonly reason: string
  readonly message: string
}

/** Dependencies of a source. */
export interface FeedSourceParts {
  readonly order: LiveFeedOrder
  /** Service time. */
  readonly clock: Clock
  /** Receives a new body. Returns why the body is unusable, or undefined if it is usable. */
  readonly onBody: (bytes: Uint8Array) => FeedProblem | undefined
  /** Called if the upstream's body is unchanged. */
  readonly onSame: () => void
  /** Called after each fetch. */
  readonly onFetched: () => void
}

/** The state of a source. It is part of the feed's status. */
export interface SourceStatus {
  /** Time of the last successful fetch: service time in Unix milliseconds. */
  readonly fetchedAtMillis: number | undefined
  /** The last failure. It stays set after a later success. */
  readonly lastError: LastError | undefined
  /** Whether the last fetch succeeded. */
  readonly isWell: boolean
  /** Minimum delay before the next fetch, in milliseconds, if the last fetch failed; otherwise 0. */
  readonly backOffMillis: number
  readonly budget: UpstreamBudget | undefined
}

/** Fetches the messages of one feed. */
export interface FeedSource {
  readonly status: SourceStatus
  /** Starts fetching. */
  start(): void
  /** Fetches once, immediately. */
  poll(): Promise<void>
  close(): void
}

/** Limits the number of requests to an upstream in each time window. A request is counted before it is made. */
export interface CallBudget {
  /** Counts one request. Returns false if the budget allows no request now. */
  take(): boolean | Promise<boolean>
  /** Shortest wait before the next request that the budget allows, in milliseconds. */
  waitMillis(): number
  /** The numbers of used and allowed requests in the current window; undefined if there is no limit. */
  status(): UpstreamBudget | undefined
}
