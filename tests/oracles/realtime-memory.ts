// The reports of earlier messages about trips: if a call was predicted to be left before a later message
// was created, and that message omits it, it was left then. Part of the realtime oracle; shares no code with
// indexes/live.

/** The last report about a call's departure, in seconds after 1970. */
interface LastWord {
  readonly seconds: number
  readonly isLeft: boolean
}

/** One trip in a message, call by call. */
export interface ReadCalls {
  /** Undefined without a prediction. */
  readonly departures: readonly (number | undefined)[]
  readonly isSkipped: readonly boolean[]
  /** Without data, according to the message. */
  readonly isDark: readonly boolean[]
  /** The call that the vehicle is at or on its way to, and when; 0 if unknown. */
  readonly reachedCall: number
  readonly reachedSeconds: number
  readonly messageSeconds: number
  readonly nowSeconds: number
}

/** Remembers trips by `date:trip id`. */
export class TextMemory {
  private readonly trips = new Map<string, (LastWord | undefined)[]>()

  /** Per call, when it was left; infinite if unknown. */
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

  /** Stores a trip that runs. */
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

  /** A canceled trip is not on its way. */
  forget(key: string): void {
    this.trips.delete(key)
  }

  /** The trips that a message omits, with the time at which each call was left, as far as known. */
  silent(spoken: ReadonlySet<string>, messageSeconds: number): Map<string, number[]> {
    const silent = new Map<string, number[]>()
    for (const [key, last] of this.trips) {
      if (spoken.has(key)) continue
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

/** The first call that is predicted to be left after now; infinite if there is none. */
function aheadOf({ departures, nowSeconds }: ReadCalls): number {
  const ahead = departures.findIndex((departure) => departure !== undefined && departure > nowSeconds)
  return ahead < 0 ? Number.POSITIVE_INFINITY : ahead
}
