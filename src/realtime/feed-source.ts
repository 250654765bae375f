// The source of a live feed's messages: its upstream, polled by this process, or another replica that polls it.
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

/** The state of a source, which is part of the status of its feed. */
export interface SourceStatus {
  /** Last successful fetch, in service time; milliseconds after 1970. */
  readonly fetchedAtMillis: number | undefined
  /** The last failure, even after a later success. */
  readonly lastError: LastError | undefined
  /** Whether the last fetch succeeded. */
  readonly isWell: boolean
  /** Minimum delay before the next fetch after failures, in milliseconds; 0 if the last fetch succeeded. */
  readonly backOffMillis: number
  readonly budget: UpstreamBudget | undefined
}

/** Fetches the messages of one feed. */
export interface FeedSource {
  readonly status: SourceStatus
  /** Begins to fetch. */
  start(): void
  /** Fetches once, now. */
  poll(): Promise<void>
  close(): void
}

/** Limits the number of requests to an upstream in a window of time. Each request is counted before it is made. */
export interface CallBudget {
  /** Counts one fetch; false if the budget allows no fetch now. */
  take(): boolean | Promise<boolean>
  /** Shortest wait before the next fetch within the budget, in milliseconds. */
  waitMillis(): number
  /** The used and allowed requests of the current window; undefined if there is no limit. */
  status(): UpstreamBudget | undefined
}
