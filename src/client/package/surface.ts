// The client's types that are not generated from the API document. Together with contract.ts, they form the package's
// declarations, so this file only declares types.
import type { Problem, QuaiClient, Reason } from './contract.ts'

/** Options for a client. */
export interface ClientOptions {
  /** Address of the API without `/v1`, such as `https://api.example.org`. */
  readonly baseUrl: string
  /** API key. Without one, only `getHealth` and `getStatus` can be called. */
  readonly key?: string | undefined
  /** Default of `maxWaitSeconds` in `CallOptions`. */
  readonly maxWaitSeconds?: number | undefined
  /**
   * Allows sending a key over HTTP to hosts other than this machine, for example inside a private network. Default:
   * false.
   */
  readonly allowHttp?: boolean | undefined
}

/** Options for a call. */
export interface CallOptions {
  /** Aborts the call or stream, even during a wait. The call or stream then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /**
   * The longest total wait, in seconds. If a call is refused with 429 or 503 and the service says when to retry, the
   * client waits and then repeats the call. If it would have to wait longer than this in total, the error is thrown at
   * once. For a stream, this is the longest total wait before a lost connection is restored. 0: never wait. Default:
   * 60.
   */
  readonly maxWaitSeconds?: number | undefined
}

/**
 * An event from a stream. It contains a whole response, like one from a single call, and replaces the previous event.
 */
export type StreamEvent<Answer> = Answer & {
  /** Id of the event. Later events have greater ids. */
  readonly id: string
}

/**
 * As a promise: the first page of a list. As an async iterable: the items on this page and on all later pages, which
 * are requested as they are needed.
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

/** Limits by name: `units` (monthly) and, on some plans, `burst`. */
export type Limits = Readonly<Partial<Record<string, Limit>>>

/**
 * A reason from the API, or one that the client adds. `unreachable`: there was no response. `unexpected_response`: the
 * response does not come from the API, but from a proxy, for example. `key_revoked`: the key was revoked while a stream
 * was open.
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

/** The error that a failed call throws. */
export interface QuaiError extends Error {
  readonly name: 'QuaiError'
  /** A machine-readable reason. The API may add new ones. */
  readonly reason: ErrorReason
  /** HTTP status; 0 if there was no response. */
  readonly status: number
  /** An explanation for people: what is wrong, and which values are allowed. */
  readonly detail: string
  /** Id of the request in the service's log; undefined if there was no response with an id. */
  readonly requestId: string | undefined
  /** Seconds to wait before the next call; undefined if the response does not say. */
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
