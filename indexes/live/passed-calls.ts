// Remembers which calls a vehicle has passed between readings: if a feed drops a passed call, the departure does not
// return to the board. Kept across snapshots, by the trips' public ids.
import type { PassedCalls, PredictedCall } from './predict.ts'

/** The data from feeds about one call. */
interface RememberedCall {
  /** Forecast or actual departure; seconds after 1970. */
  readonly seconds: number
  /** Whether a message from that time or later was received. */
  readonly isLeft: boolean
}

/** The data from feeds about one trip instance. */
interface RememberedTrip {
  /** By position; undefined without a forecast. */
  readonly calls: readonly (RememberedCall | undefined)[]
  /** Number of the feed that reported it. */
  readonly feed: number
  /** Can be dropped after this time. */
  readonly endSeconds: number
}

/** The remembered trips, by public id. */
export type RememberedTrips = ReadonlyMap<string, RememberedTrip>

/** A vehicle at or on its way to a call. */
export interface ReachedCall {
  readonly call: number
  readonly seconds: number
}

/** The data of a message about a trip that determines its passed calls. */
export interface SpokenCalls {
  /** Time of the message. */
  readonly messageSeconds: number
  readonly nowSeconds: number
  readonly reached: ReachedCall | undefined
  /** Per call, whether the message has no data for it. */
  readonly isDark: readonly boolean[]
}

/** A trip that feeds no longer list, with their last data about it. */
export interface SilentTrip {
  readonly ref: string
  readonly feed: number
  readonly passed: PassedCalls
}

/** How long a trip is kept after its last call. */
const KEPT_SECONDS = 3600

/** The trips of one network as last reported. */
export class PassedCallsMemory {
  private readonly trips: Map<string, RememberedTrip>

  /** @param before trips of an earlier memory to continue */
  constructor(before: RememberedTrips = new Map()) {
    this.trips = new Map(before)
  }

  /** All remembered trips. */
  get remembered(): RememberedTrips {
    return this.trips
  }

  /** The known passed calls of a trip when a message reports it. */
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

  /** Remembers a running trip. @param calls as predicted with the result of `of` */
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

  /** Forgets a canceled trip, in case it runs again. */
  forget(ref: string): void {
    this.trips.delete(ref)
  }

  /**
   * The trips that feeds no longer list.
   * @param isSpokenOf whether a feed lists a trip
   * @param messageSeconds time of a feed's newest message; undefined if that is too old
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

/** When a call was passed, if a message from that time shows it. */
function secondsIfLeft(call: RememberedCall | undefined, messageSeconds: number): number | undefined {
  return call !== undefined && (call.isLeft || call.seconds < messageSeconds) ? call.seconds : undefined
}
