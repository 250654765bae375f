// Finds the trips of the timetable that are running at a given time. The trips of a service day are sorted by start, so
// a lookup checks only a short range. A day is sorted when it is needed for the first time.

import { firstWhere } from '../../loaders/columns.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import { daysInWindow } from '../timetable/boards.ts'
import { callCount, isActive, stopTimeAt, type Timetable, type TripIndex } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import { runStartsOf } from '../timetable/trips.ts'

/** The trips and runs of one service day, sorted by start. */
interface DayRuns {
  readonly instances: readonly TripInstance[]
  /** First departure of each instance, in seconds after 1970. */
  readonly from: Float64Array
  /** Last arrival of each instance, in seconds after 1970. */
  readonly to: Float64Array
  /** Longest duration of a trip or run, in seconds. */
  readonly longest: number
}

/** Number of days that are cached. A lookup needs two or three. */
const KEPT_DAYS = 8

/** Finds the trips of a timetable that run at a given time. */
export class TripsUnderWay {
  private readonly timetable: Timetable
  private readonly days = new Map<number, DayRuns>()

  constructor(timetable: Timetable) {
    this.timetable = timetable
  }

  /** The instances that have left their first stop by the given time and have not yet reached their last stop. */
  list(seconds: number): TripInstance[] {
    const found: TripInstance[] = []
    const window = daysInWindow(this.timetable, { fromSeconds: seconds, toSeconds: seconds + 1 })
    for (let day = window.first; day < window.end; day++) {
      const runs = this.runsOf(day)
      let at = firstWhere(0, runs.from.length, (each) => runs.from[each] >= seconds - runs.longest)
      for (; at < runs.from.length && runs.from[at] <= seconds; at++) {
        if (runs.to[at] > seconds) found.push(runs.instances[at])
      }
    }
    return found
  }

  private runsOf(day: number): DayRuns {
    const known = this.days.get(day)
    if (known !== undefined) return known
    const oldest = this.days.keys().next().value
    if (this.days.size >= KEPT_DAYS && oldest !== undefined) this.days.delete(oldest)
    const runs = this.sortDay(day)
    this.days.set(day, runs)
    return runs
  }

  private sortDay(day: number): DayRuns {
    const { trips, serviceDays } = this.timetable
    const zero = serviceDays.zeroSeconds[day]
    const rows: { instance: TripInstance; from: number; to: number }[] = []
    for (let trip = 0 as TripIndex; trip < trips.id.length; trip++) {
      if (!isActive(this.timetable, trips.service[trip], day)) continue
      const span = this.spanOf(trip)
      for (const runStartSeconds of runStartsOf(this.timetable, trip)) {
        const from = zero + (runStartSeconds === NO_RUN ? span.first : runStartSeconds)
        rows.push({ instance: { trip, day, runStartSeconds }, from, to: from + span.last - span.first })
      }
    }
    rows.sort((a, b) => a.from - b.from)
    return {
      instances: rows.map((row) => row.instance),
      from: Float64Array.from(rows, (row) => row.from),
      to: Float64Array.from(rows, (row) => row.to),
      longest: rows.reduce((most, { from, to }) => Math.max(most, to - from), 0),
    }
  }

  private spanOf(trip: TripIndex): { readonly first: number; readonly last: number } {
    const { stopTimes, trips } = this.timetable
    const last = callCount(this.timetable, trips.pattern[trip]) - 1
    return {
      first: stopTimes.departureSeconds[stopTimeAt(this.timetable, trip, 0)],
      last: stopTimes.arrivalSeconds[stopTimeAt(this.timetable, trip, last)],
    }
  }
}
