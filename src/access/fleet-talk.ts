// Messages between the control thread and the data threads of a replica in a cluster. With these messages, data threads
// request units, get the usage counts of other replicas, and learn about the streams of other replicas.
import type { PastUsage } from '../metering/live-usage.ts'

/** Identifies a stream by its key and its content, so that a client can open the same stream again. */
export interface StreamName {
  readonly keyId: string
  /** Identifies the topic and the interval of the stream. */
  readonly name: string
}

/** Messages from a data thread to the control thread. */
export type FleetRequest =
  /** A call waits for units of an account. `month` is counted in months since year 0. */
  | { readonly kind: 'want'; readonly accountId: string; readonly month: number; readonly units: number }
  /** A call to `/usage` waits for the counts from other replicas. */
  | { readonly kind: 'usage'; readonly number: number; readonly accountId: string }
  /** An account uses much of its rate limit, so the replicas must count its requests together. */
  | { readonly kind: 'hot'; readonly accountId: string }
  /** A client reopens a stream that another replica may have ended. */
  | { readonly kind: 'claim'; readonly number: number; readonly stream: StreamName }
  /** The claimed stream was not opened. */
  | { readonly kind: 'give_back'; readonly stream: StreamName }

/**
 * Answers all requests for an account's units in a month. The limit in shared memory is raised before this answer is
 * sent.
 */
export interface UnitsNotice {
  readonly kind: 'units'
  readonly accountId: string
  readonly month: number
  /**
   * The refusal for requests that still find too few units, because the database has no more units or cannot be
   * reached. Undefined if units were granted. Does not apply to requests that began to wait after this message was
   * sent.
   */
  readonly refusal:
    | {
        readonly kind: 'exhausted'
        /** Units that were granted to other replicas but have not been used yet. */
        readonly unspentElsewhere: number
        /** The part of `unspentElsewhere` granted to replicas that have been silent for 3 seconds. */
        readonly unspentBySilent: number
        /** Units reserved by calls in progress in this process. They are released if the calls fail. */
        readonly pendingHere: number
      }
    | { readonly kind: 'unavailable' }
    | undefined
}

/** The control thread's answers to a gate. */
export type GateNotice =
  | UnitsNotice
  /** Usage that other replicas counted for an account's keys. `past` is undefined if the database does not answer. */
  | {
      readonly kind: 'usage'
      readonly number: number
      readonly past: { readonly keyIds: readonly string[]; readonly rows: readonly PastUsage[] } | undefined
    }

/** Messages from the control thread to a data thread. */
export type FleetNotice =
  | GateNotice
  /** A key's or account's number (see streams/stream-slots.ts) → how many of its streams are open on other replicas. */
  | { readonly kind: 'streams'; readonly elsewhere: ReadonlyMap<number, number> }
  /** A replica has ended streams. */
  | { readonly kind: 'streams_ended' }
  /** The answer to `claim`: whether the stream can be opened here. */
  | { readonly kind: 'claimed'; readonly number: number; readonly stream: StreamName; readonly isFree: boolean }
