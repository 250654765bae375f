// Stores what earlier messages reported about trips. A later message may no longer predict a call. If the last
// predicted departure is before the time of that message, the vehicle counts as having left the call at the predicted
// time. Part of the realtime oracle; shares no code with indexes/live.

/** The last report about a call's departure, in seconds after 1970. */
interface LastWord {
  readonly seconds: number
  readonly isLeft: boolean
}

/** The calls of one trip as one message reports them. */
export interface ReadCalls {
  /** Undefined for calls without a prediction. */
  readonly departures: readonly (number | undefined)[]
  readonly isSkipped: readonly boolean[]
  /** By call: whether NO_DATA applies to it. */
  readonly isDark: readonly boolean[]
  /** The index of the call at which the vehicle is, or to which it is going; 0 if unknown. */
  readonly reachedCall: number
  /** The time of the report about `reachedCall`, in seconds after 1970; 0 if unknown. */
  readonly reachedSeconds: number
  readonly messageSeconds: number
  readonly nowSeconds: number
}

/** `date:trip id` → the last report about each call. */
export class TextMemory {
  private readonly trips = new Map<string, (LastWord | undefined)[]>()

  /** Call → when the vehicle left it; infinite if the vehicle is not known to have left it. */
  left(key: string, calls: ReadCalls): number[] {
    const { departures, isDark, reachedCall, reachedSeconds, messageSeconds } = calls
    const ahead = aheadOf(calls)
    return departures.map((departure, at) => {
      if (departure !== undefined) return Number.POSITIVE_INFINITY
      if (at < reachedCall) return reachedSeconds - 1
      const last = this.trips.get(key)?.[at]
      if (last === undefined || at >= ahead) return Number.POSITIVE_INFINITY
      const isLeft = last.isLeft || (last.seconds < messageSeconds && !isDark[at])
      return isLeft ? last.seconds : Number.POSITIVE_INFINITY
    })
  }

  /** Stores the report about a trip that runs. */
  note(key: string, calls: ReadCalls): void {
    const left = this.left(key, calls)
    const ahead = aheadOf(calls)
    const before = this.trips.get(key)
    this.trips.set(
      key,
      calls.departures.map((departure, at): LastWord | undefined => {
        if (calls.isSkipped[at]) return undefined
        if (departure !== undefined) return { seconds: departure, isLeft: departure < calls.messageSeconds }
        if (Number.isFinite(left[at])) return { seconds: left[at], isLeft: true }
        return at > ahead || calls.isDark[at] ? undefined : before?.[at]
      }),
    )
  }

  /** Forgets a trip that is canceled. */
  forget(key: string): void {
    this.trips.delete(key)
  }

  /**
   * Each stored trip that a message omits → when the vehicle left each call; infinite for a call that the vehicle is
   * not known to have left.
   */
  silent(reportedKeys: ReadonlySet<string>, messageSeconds: number): Map<string, number[]> {
    const silent = new Map<string, number[]>()
    for (const [key, last] of this.trips) {
      if (reportedKeys.has(key)) continue
      const now = last.map((word) => word && { ...word, isLeft: word.isLeft || word.seconds < messageSeconds })
      this.trips.set(key, now)
      silent.set(
        key,
        now.map((word) => (word?.isLeft ? word.seconds : Number.POSITIVE_INFINITY)),
      )
    }
    return silent
  }
}

/** The index of the first call whose predicted departure is after now; infinite if there is none. */
function aheadOf({ departures, nowSeconds }: ReadCalls): number {
  const ahead = departures.findIndex((departure) => departure !== undefined && departure > nowSeconds)
  return ahead < 0 ? Number.POSITIVE_INFINITY : ahead
}
