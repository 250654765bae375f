// Free reconnects on all replicas. Each stream that a replica has ended is a row in the database. The first request
// that reopens the stream removes the row and costs nothing. Requests within a few milliseconds share one SQL
// statement.
import type { StreamName } from '../access/fleet-talk.ts'
import { mayPass } from '../accounts/account-store.ts'
import { FREE_RECONNECT_MILLIS } from '../streams/free-reconnects.ts'
import { countText } from '../system/count-text.ts'

/** Claims that arrive within this time share one SQL statement. */
const GATHER_MILLIS = 5

/** The database operations. They throw StoreUnavailable if the database does not answer in time. */
export interface StreamStore {
  endStreams(streams: readonly StreamName[], freeSeconds: number): Promise<void>
  /** Returns for each stream, in the order of `streams`, whether the stream may be opened at no cost. */
  claimStreams(streams: readonly StreamName[]): Promise<boolean[]>
}

/** A data thread's request to reopen a stream. */
export interface StreamClaim {
  readonly number: number
  readonly stream: StreamName
  readonly ordinal: number
}

/** Dependencies of the claims. */
export interface StreamClaimsParts {
  readonly store: StreamStore
  /** Whether the database is currently not answering. */
  isAway(): boolean
  answer(claim: StreamClaim, isFree: boolean): void
  onProblem(message: string): void
}

/** Collects the claims of one replica's data threads, and sends them to the database. */
export class StreamClaims {
  private readonly parts: StreamClaimsParts
  private waiting: StreamClaim[] = []

  constructor(parts: StreamClaimsParts) {
    this.parts = parts
  }

  /**
   * Asks the database whether a stream may be reopened at no cost. While the database does not answer, the stream is
   * charged.
   */
  claim(claim: StreamClaim): void {
    if (this.parts.isAway()) return this.parts.answer(claim, false)
    this.waiting.push(claim)
    if (this.waiting.length === 1) setTimeout(() => void this.claimAll(), GATHER_MILLIS)
  }

  /** Allows each of these streams to be reopened once at no cost; returns whether the database has stored this. */
  async end(streams: readonly StreamName[]): Promise<boolean> {
    try {
      if (streams.length > 0) await this.parts.store.endStreams(streams, FREE_RECONNECT_MILLIS / 1_000)
      return true
    } catch (error) {
      if (!mayPass(error)) throw error
      this.parts.onProblem(
        `the end of ${countText(streams.length, 'stream')} on this replica was not stored: ${error.message}; clients that reopen them on another replica will be charged`,
      )
      return false
    }
  }

  private async claimAll(): Promise<void> {
    const claims = this.waiting
    this.waiting = []
    let found: readonly boolean[] = []
    try {
      found = await this.parts.store.claimStreams(claims.map(({ stream }) => stream))
    } catch (error) {
      if (!mayPass(error)) throw error
    }
    for (const [at, claim] of claims.entries()) this.parts.answer(claim, found[at] === true)
  }
}
