// Which calls of a trip a vehicle has left behind, remembered from one reading to the next: a feed that stops speaking of
// a call it has passed does not bring the bus back to the board. Kept across snapshots, by the trips' public ids.
import type { PassedCalls, PredictedCall } from './predict.ts'

/** What was said of one call. */
interface RememberedCall {
  /** When it was forecast to be left, or was left; seconds after 1970. */
  readonly seconds: number
  /** A message of that time or later has come. */
  readonly isLeft: boolean
}

/** What was said of one trip instance. */
interface RememberedTrip {
  /** By position; undefined without a forecast. */
  readonly calls: readonly (RememberedCall | undefined)[]
  /** The number of the feed that spoke of it. */
  readonly feed: number
  /** Nothing of it matters any more after this. */
  readonly endSeconds: number
}

/** A vehicle at, or on its way to, a call of a trip. */
export interface ReachedCall {
  readonly call: number
  readonly seconds: number
}

/** What a message says of a trip, as far as passed calls need it. */
export interface SpokenCalls {
  /** When the message was made. */
  readonly messageSeconds: number
  readonly nowSeconds: number
  readonly reached: ReachedCall | undefined
  /** For each call whether the message says that nothing is known of it. */
  readonly isDark: readonly boolean[]
}

/** A trip of which no feed speaks now, and what was said of it. */
export interface SilentTrip {
  readonly ref: string
  readonly feed: number
  readonly passed: PassedCalls
}

/** A trip is remembered so long after its last call. */
const KEPT_SECONDS = 3600

/** The trips of one network as they were last spoken of. */
export class PassedCallsMemory {
  private readonly trips = new Map<string, RememberedTrip>()

  /** What is known of the calls of a trip when a message speaks of it. */
  of(ref: string, { messageSeconds, reached, isDark }: SpokenCalls): PassedCalls | undefined {
    const known = this.trips.get(ref)
    if (known === undefined && reached === undefined) return undefined
    return {
      leftSeconds: (known?.calls ?? []).map((call, at) =>
        isDark[at] && !call?.isLeft ? undefined : secondsIfLeft(call, messageSeconds),
      ),
      reachedCall: reached?.call ?? 0,
      reachedSeconds: reached?.seconds ?? 0,
    }
  }

  /** Remembers a trip that runs. @param calls as they were predicted with what `of` gave */
  remember(
    ref: string,
    trip: { readonly feed: number; readonly calls: readonly PredictedCall[]; readonly endSeconds: number },
    spoken: SpokenCalls,
  ): void {
    const passed = this.of(ref, spoken)
    const before = this.trips.get(ref)
    const firstAhead = trip.calls.findIndex((call) => call.isPredicted && call.departure > spoken.nowSeconds)
    const calls = trip.calls.map((call, at): RememberedCall | undefined => {
      if (call.isSkipped) return undefined
      if (call.isPredicted) return { seconds: call.departure, isLeft: call.departure < spoken.messageSeconds }
      const isReached = at < (passed?.reachedCall ?? 0)
      const seconds = isReached ? call.departure : passed?.leftSeconds[at]
      if (!isReached && firstAhead >= 0 && at > firstAhead) return undefined
      if (seconds !== undefined) return { seconds, isLeft: true }
      return spoken.isDark[at] ? undefined : before?.calls[at]
    })
    this.trips.set(ref, { calls, feed: trip.feed, endSeconds: trip.endSeconds + KEPT_SECONDS })
  }

  /** A trip was called off: should it run again, nothing of it is known. */
  forget(ref: string): void {
    this.trips.delete(ref)
  }

  /**
   * The trips of which no feed speaks any more.
   * @param isSpokenOf whether a feed speaks of a trip
   * @param messageSeconds when the newest message of a feed was made; undefined if that is too old
   */
  listSilent(
    isSpokenOf: (ref: string) => boolean,
    messageSeconds: (feed: number) => number | undefined,
    nowSeconds: number,
  ): SilentTrip[] {
    const silent: SilentTrip[] = []
    for (const [ref, known] of this.trips) {
      if (known.endSeconds < nowSeconds) this.trips.delete(ref)
      else if (!isSpokenOf(ref)) {
        const seconds = messageSeconds(known.feed) ?? Number.NEGATIVE_INFINITY
        const calls = known.calls.map((call) => call && { ...call, isLeft: secondsIfLeft(call, seconds) !== undefined })
        this.trips.set(ref, { ...known, calls })
        const leftSeconds = calls.map((call) => secondsIfLeft(call, seconds))
        silent.push({ ref, feed: known.feed, passed: { leftSeconds, reachedCall: 0, reachedSeconds: 0 } })
      }
    }
    return silent
  }
}

/** When a call was left, if a message of some moment shows that it was. */
function secondsIfLeft(call: RememberedCall | undefined, messageSeconds: number): number | undefined {
  return call !== undefined && (call.isLeft || call.seconds < messageSeconds) ? call.seconds : undefined
}
