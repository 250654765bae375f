// Remembers which calls a vehicle has passed. If a feed then drops a passed call, its departure does not return to the
// board. This data stays valid when the snapshot is replaced, because it is stored by the public ids of trips.
import type { PassedCalls, PredictedCall } from './predict.ts'

/** What a feed reported about a call. */
interface RememberedCall {
  /** Departure in seconds after 1970, predicted or actual. */
  readonly seconds: number
  /** Whether the vehicle has left the stop: a message with a time after `seconds` was received. */
  readonly isLeft: boolean
}

/** What a feed reported about a trip instance. */
interface RememberedTrip {
  /** Data of each call by position; undefined if the feed had no prediction for the call. */
  readonly calls: readonly (RememberedCall | undefined)[]
  /** Number of the feed that reported the trip. */
  readonly feed: number
  /** After this time, the trip can be forgotten. */
  readonly endSeconds: number
}

/** The remembered trips, by public id. */
export type RememberedTrips = ReadonlyMap<string, RememberedTrip>

/** The call at which a vehicle is, or to which it is on its way. */
export interface ReachedCall {
  readonly call: number
  readonly seconds: number
}

/** The data in a message that shows which calls of a trip were passed. */
export interface ReportedCalls {
  /** Time of the message. */
  readonly messageSeconds: number
  readonly nowSeconds: number
  readonly reached: ReachedCall | undefined
  /** Call → whether the message says that it has no data for the call. */
  readonly isDark: readonly boolean[]
}

/** A trip that feeds no longer list, and the calls that its vehicle has passed. */
export interface SilentTrip {
  readonly ref: string
  readonly feed: number
  readonly passed: PassedCalls
}

/** How long a trip is remembered after its last call. */
const KEPT_SECONDS = 3600

/** The trips of a network as they were last reported by feeds. */
export class PassedCallsMemory {
  private readonly trips: Map<string, RememberedTrip>

  /** @param before the trips that an earlier PassedCallsMemory remembered */
  constructor(before: RememberedTrips = new Map()) {
    this.trips = new Map(before)
  }

  /** All remembered trips. */
  get remembered(): RememberedTrips {
    return this.trips
  }

  /**
   * The calls that the vehicle of a trip has passed, according to a new message and to earlier ones. Undefined if
   * nothing is known.
   */
  of(ref: string, { messageSeconds, reached, isDark }: ReportedCalls): PassedCalls | undefined {
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

  /**
   * Remembers a running trip.
   * @param trip the trip, with its calls. The result of `of` was used to predict these calls
   */
  remember(
    ref: string,
    trip: { readonly feed: number; readonly calls: readonly PredictedCall[]; readonly endSeconds: number },
    report: ReportedCalls,
  ): void {
    const passed = this.of(ref, report)
    const before = this.trips.get(ref)
    const firstAhead = trip.calls.findIndex((call) => call.isPredicted && call.departure > report.nowSeconds)
    const calls = trip.calls.map((call, at): RememberedCall | undefined => {
      if (call.isSkipped) return undefined
      if (call.isPredicted) return { seconds: call.departure, isLeft: call.departure < report.messageSeconds }
      const isReached = at < (passed?.reachedCall ?? 0)
      const seconds = isReached ? call.departure : passed?.leftSeconds[at]
      if (!isReached && firstAhead >= 0 && at > firstAhead) return undefined
      if (seconds !== undefined) return { seconds, isLeft: true }
      return report.isDark[at] ? undefined : before?.calls[at]
    })
    this.trips.set(ref, { calls, feed: trip.feed, endSeconds: trip.endSeconds + KEPT_SECONDS })
  }

  /** Forgets a canceled trip, because its passed calls must not be used if it runs after all. */
  forget(ref: string): void {
    this.trips.delete(ref)
  }

  /**
   * The trips that feeds no longer list. Also forgets trips that ended long ago.
   * @param isListed whether a feed lists a trip
   * @param messageSeconds time of a feed's newest message; undefined if the message is too old
   */
  listSilent(
    isListed: (ref: string) => boolean,
    messageSeconds: (feed: number) => number | undefined,
    nowSeconds: number,
  ): SilentTrip[] {
    const silent: SilentTrip[] = []
    for (const [ref, known] of this.trips) {
      if (known.endSeconds < nowSeconds) this.trips.delete(ref)
      else if (!isListed(ref)) {
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

/**
 * The time at which a call was passed. Undefined if neither earlier messages nor a message with the time
 * `messageSeconds` shows that the call was passed.
 */
function secondsIfLeft(call: RememberedCall | undefined, messageSeconds: number): number | undefined {
  return call !== undefined && (call.isLeft || call.seconds < messageSeconds) ? call.seconds : undefined
}
