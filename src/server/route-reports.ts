// Every ten seconds, reports response counts by key and route to the control thread.
import type { RouteReport } from '../metering/route-counts.ts'
import { utcDayOf } from '../metering/utc-day.ts'
import type { RouteTally } from '../metrics/thread-counts.ts'
import type { Clock } from '../system/clock.ts'

/**
 * The time between two reports. A crash loses the counts since the last report. A day must be a multiple of this time,
 * so that a report ends at midnight.
 */
const REPORT_MILLIS = 10_000

/** The reports of one data thread. Each report ends at a multiple of ten seconds, so no report spans midnight UTC. */
export class RouteReports {
  private readonly tally: RouteTally
  private readonly clock: Clock
  private readonly send: (report: RouteReport) => void
  private utcDay: number

  constructor(tally: RouteTally, clock: Clock, send: (report: RouteReport) => void) {
    this.tally = tally
    this.clock = clock
    this.send = send
    this.utcDay = utcDayOf(clock.nowMillis())
    this.wait()
  }

  /** Sends the counts since the last report, if there are any. */
  report(): void {
    const { utcDay } = this
    const counts = this.tally.take()
    this.utcDay = utcDayOf(this.clock.nowMillis())
    if (counts.length > 0) this.send({ utcDay, counts })
  }

  private wait(): void {
    const timer = setTimeout(
      () => {
        this.report()
        this.wait()
      },
      REPORT_MILLIS - (this.clock.nowMillis() % REPORT_MILLIS),
    )
    timer.unref()
  }
}
