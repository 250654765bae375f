// What the model remembers about calls from one message to the next: the departure of each call, and whether the
// vehicle has left the call. Part of the model of live histories.
import type { Passed, TimedCall } from './model-times.ts'

interface Remembered {
  readonly seconds: number
  readonly isLeft: boolean
}

interface RememberedTrip {
  readonly calls: readonly (Remembered | undefined)[]
  readonly until: number
}

const HOUR = 3600

/** What the memory needs from a message's report about a trip. `dark` is true for each call to which NO_DATA applies. */
interface TripReport {
  readonly dark: readonly boolean[]
  readonly seconds: number
  readonly reached: { readonly call: number; readonly seconds: number } | undefined
}

/** Remembers the state of each trip's calls after the latest report about the trip. */
export class ModelMemory {
  private readonly trips = new Map<string, RememberedTrip>()
  private newestSeconds = Number.NEGATIVE_INFINITY

  /**
   * When a trip left each of its calls, as known at the time of a report; undefined if nothing is known about the trip.
   */
  passed(ref: string, { dark, seconds, reached }: TripReport): Passed | undefined {
    const known = this.trips.get(ref)
    if (known === undefined && reached === undefined) return undefined
    const left = (known?.calls ?? []).map((call, at) => {
      if (call === undefined || (dark[at] && !call.isLeft)) return undefined
      return call.isLeft || call.seconds < seconds ? call.seconds : undefined
    })
    return { left, reached: reached?.call ?? 0, reachedSeconds: reached?.seconds ?? 0 }
  }

  /** Stores the state of a trip after a message. */
  remember(
    ref: string,
    calls: readonly TimedCall[],
    report: TripReport & { readonly nowSeconds: number; readonly planned: readonly { readonly departure: number }[] },
  ): void {
    const { dark, seconds, reached, nowSeconds, planned } = report
    const passed = this.passed(ref, report)
    const before = this.trips.get(ref)
    const ahead = calls.findIndex(({ isPredicted, departure }) => isPredicted && departure > nowSeconds)
    const kept = calls.map((call, at): Remembered | undefined => {
      if (call.isSkipped) return undefined
      if (call.isPredicted) return { seconds: call.departure, isLeft: call.departure < seconds }
      if (at < (reached?.call ?? 0)) return { seconds: call.departure, isLeft: true }
      if (ahead >= 0 && at > ahead) return undefined
      const left = passed?.left[at]
      if (left !== undefined) return { seconds: left, isLeft: true }
      return dark[at] ? undefined : before?.calls[at]
    })
    const until = Math.max(planned.at(-1)?.departure ?? 0, calls.at(-1)?.departure ?? 0) + HOUR
    this.trips.set(ref, { calls: kept, until })
  }

  forget(ref: string): void {
    this.trips.delete(ref)
  }

  /** The trips that the current message omits, and when each of their calls was left. */
  silent(
    reported: ReadonlySet<string>,
    nowSeconds: number,
  ): { readonly ref: string; readonly left: (number | undefined)[] }[] {
    this.newestSeconds = nowSeconds
    const silent: { ref: string; left: (number | undefined)[] }[] = []
    for (const [ref, { calls, until }] of this.trips) {
      if (until < nowSeconds) {
        this.trips.delete(ref)
        continue
      }
      if (reported.has(ref)) continue
      const now = calls.map((call) => call && { ...call, isLeft: call.isLeft || call.seconds < this.newestSeconds })
      this.trips.set(ref, { calls: now, until })
      silent.push({ ref, left: now.map((call) => (call?.isLeft ? call.seconds : undefined)) })
    }
    return silent
  }
}
