// The types of the client that are not generated from the API document. Together with contract.ts they are the
// package's declarations: this file declares types only.
import type { Problem, QuaiClient, Reason } from './contract.ts'

/** Options of a client. */
export interface ClientOptions {
  /** Address of the API without `/v1`, such as `https://api.example.org`. */
  readonly baseUrl: string
  /** API key. Without one, only `getHealth` and `getStatus` can be called. */
  readonly key?: string | undefined
  /** Default of `maxWaitSeconds` in `CallOptions`. */
  readonly maxWaitSeconds?: number | undefined
  /** Allows a key over HTTP to hosts other than this machine, for example inside a private network. Default: false. */
  readonly allowHttp?: boolean | undefined
}

/** Options of a call. */
export interface CallOptions {
  /** Aborts the call or stream, also during a wait. The call or stream then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * The longest total wait, in seconds. A call that was refused with 429 or 503 waits and is then repeated. If the
   * service requires a longer wait, the error is thrown at once. For a stream, this is the longest total wait before a
   * lost connection is restored. 0: never wait. Default: 60.
   */
  readonly maxWaitSeconds?: number | undefined
}

/** An event of a stream: a whole response, as one call of the operation would return it. It replaces the previous event. */
export type StreamEvent<Answer> = Answer & {
  /** Id of the event. Later events have greater ids. */
  readonly id: string
}

/**
 * As a promise: the first page of a list. As an async iterable: the items of this page and of all later pages. Later
 * pages are requested as they are needed.
 */
export interface PagedAnswer<Answer, Item> extends Promise<Answer>, AsyncIterable<Item> {
  /** This page and all later pages, each with its `meta`. */
  pages(): AsyncGenerator<Answer, void, undefined>
}

/** How much of a limit is left, and when the limit is reset. */
export interface Limit {
  /** Calls or units left. */
  readonly remaining: number
  /** Seconds until the limit is reset. */
  readonly resetSeconds: number
}

/** Limits by name: `units` of the month and, on some plans, `burst`. */
export type Limits = Readonly<Partial<Record<string, Limit>>>

/**
 * A reason of the API, or a reason that the client adds: `unreachable` (no response), `unexpected_response` (the
 * response does not come from the API, but for example from a proxy), `key_revoked` (the key was revoked while a stream
 * was open).
 */
export type ErrorReason = Reason | 'unreachable' | 'unexpected_response' | 'key_revoked'

/** The properties of a `QuaiError`. */
export interface ErrorFacts {
  readonly reason: ErrorReason
  readonly status: number
  readonly detail: string
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly problem?: Problem | undefined
  readonly cause?: unknown
}

/** The error of a failed call. */
export interface QuaiError extends Error {
  readonly name: 'QuaiError'
  /** Machine-readable; the API may add reasons. */
  readonly reason: ErrorReason
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** An explanation for people: the fault, and the allowed values. */
  readonly detail: string
  /** Id of the request in the service's log; undefined without a response. */
  readonly requestId: string | undefined
  /** How long to wait before the next call; undefined if the response states no time. */
  readonly retryAfterSeconds: number | undefined
  /** The whole problem response (RFC 9457), if there is one. */
  readonly problem: Problem | undefined
}

/** The type of the class `QuaiError`. */
export interface QuaiErrorConstructor {
  new (facts: ErrorFacts): QuaiError
  readonly prototype: QuaiError
}

/** The type of the class `QuaiClient`. */
export interface QuaiClientConstructor {
  /** Throws a TypeError if an option is invalid. */
  new (options: ClientOptions): QuaiClient
  readonly prototype: QuaiClient
}
