// The rules of the model of live histories, each of which can be removed. Also the state of a trip according to the
// model.
import type { TimedCall } from './model-times.ts'
import type { PlainRun } from './plain-city.ts'

/** The rules. If one is false, the model does not apply it. */
export const ALL_RULES = {
  /** A call with NO_DATA and the calls after it have no prediction, until a call has its own time or delay. */
  noData: true,
  /** Once the vehicle has left a call, the call counts as left after all later messages. */
  passed: true,
  /** No delay is carried to a call that the vehicle has left. */
  reached: true,
  /** An added trip with the id of a scheduled trip runs in addition to it. */
  namesake: true,
  /** If a trip ends at another stop than scheduled, its headsign is the new last stop. */
  newTerminus: true,
  /** Riders cannot board at the last call of a trip, or alight at the first call. */
  closedEnds: true,
  /** An update without a date is for the day on which the trip is scheduled nearest to the update's first time. */
  nearestDay: true,
  /** An update of a whole trip without a date, such as a cancellation, is for the trip's next run. */
  nextRun: true,
  /** The date of a trip past midnight may be the calendar date instead of the service day. */
  nightDates: true,
  /** If a call's arrival is after its departure, the arrival is set to the departure. */
  dwell: true,
  /** A time that was only moved to keep the order of times is not a prediction. */
  movedIsDark: true,
  /** A reported trip needs at least two calls. */
  oneCall: true,
  /** A late vehicle starts its next trip late. */
  blocks: true,
  /** The first prediction of an added trip counts as its schedule. */
  frozen: true,
  /** A DELETED trip is on no board. */
  deleted: true,
  /** A trip leaves from the platform that its update assigns, if that platform belongs to the same station. */
  platforms: true,
  /** The times of a copied trip are those of its original, shifted to the copy's start. */
  copies: true,
  /** Scheduled calls that a replacement omits are skipped. */
  replaced: true,
  /** An UNSCHEDULED run has the status `unscheduled`; it is never late or early. */
  unscheduled: true,
  /** Runs of frequency trips without exact times are not shown near a live run. */
  nominalRuns: true,
}
export type Rules = Readonly<typeof ALL_RULES>

/** One call of a trip. */
export interface ModelCall extends TimedCall {
  readonly stop: string
  /** The call's index in the trip of the timetable. */
  readonly position: number | undefined
  readonly planned: { readonly arrival: number; readonly departure: number }
  boards: boolean
  alights: boolean
  readonly isUnplanned: boolean
  readonly headsign: string
}

/** One trip that the feed reports. */
export interface ModelTrip {
  readonly ref: string
  readonly run: PlainRun | undefined
  readonly route: string
  readonly state: 'runs' | 'canceled' | 'deleted' | 'added' | 'unscheduled'
  /** Empty if the headsign of the timetable applies. */
  readonly headsign: string
  readonly seconds: number
  readonly calls: readonly ModelCall[]
}
