// How fast an account uses units on this replica, measured in the busiest minute of the last ten, and the number of
// units to request when the account's requests have to wait.

const MINUTE_MILLIS = 60_000
const MINUTES = 10
/**
 * The number of units that is requested first for an account whose pace is unknown. It doubles each time the account's
 * requests have to wait.
 */
const FIRST_BURST = 5
const LARGEST_BURST = 10_000

/** Measures how fast one account uses units. */
export class UsePace {
  /** Units to request when requests have to wait. */
  burst = FIRST_BURST
  /** Whether units were used since the last report to the database. */
  hasMoved = false
  private readonly minuteMillis: number
  private readonly minutes: number[] = []
  private minute = Number.NaN
  private lastUnits = 0
  private usedMillis = Number.NEGATIVE_INFINITY
  private waitedMillis = Number.NEGATIVE_INFINITY

  constructor(minuteMillis = MINUTE_MILLIS) {
    this.minuteMillis = minuteMillis
  }

  /** Units used per second, in the busiest minute of the last ten. */
  get perSecond(): number {
    return Math.max(0, ...this.minutes) / (this.minuteMillis / 1_000)
  }

  /** Records the units used in the month so far. */
  look(nowMillis: number, units: number): void {
    const minute = Math.floor(nowMillis / this.minuteMillis)
    if (minute !== this.minute) {
      const passed = Number.isNaN(this.minute) ? 1 : Math.min(MINUTES, minute - this.minute)
      for (let each = 0; each < passed; each++) this.minutes.push(0)
      this.minutes.splice(0, this.minutes.length - MINUTES)
      this.minute = minute
    }
    if (units < this.lastUnits) this.lastUnits = units // a new month has begun, or units were released
    if (units === this.lastUnits) return
    this.minutes[this.minutes.length - 1] += units - this.lastUnits
    this.lastUnits = units
    this.usedMillis = nowMillis
    this.hasMoved = true
  }

  /** Called when requests had to wait: the next grant is larger, unless the last wait was long ago. */
  waited(nowMillis: number): void {
    const isCalm = nowMillis - this.waitedMillis > this.minuteMillis
    this.burst = isCalm ? FIRST_BURST : Math.min(LARGEST_BURST, this.burst * 2)
    this.waitedMillis = nowMillis
    this.usedMillis = nowMillis
  }

  /** Whether, for more than `millis`, no units were used and no requests had to wait. */
  isIdle(nowMillis: number, millis: number): boolean {
    return nowMillis - this.usedMillis > millis
  }
}
