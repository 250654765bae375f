// How long requests waited for units: a histogram for the metrics.

/** Upper bounds of the buckets, in seconds. */
export const WAIT_BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const

/** Counts the waits by duration. */
export class WaitTimes {
  readonly boundsSeconds = WAIT_BOUNDS_SECONDS
  readonly buckets: number[] = new Array(WAIT_BOUNDS_SECONDS.length + 1).fill(0)
  seconds = 0

  note(seconds: number): void {
    const at = WAIT_BOUNDS_SECONDS.findIndex((bound) => seconds <= bound)
    this.buckets[at === -1 ? WAIT_BOUNDS_SECONDS.length : at]++
    this.seconds += seconds
  }
}
