// The rules in the model of live histories, each of which can be removed. Also the types of the model's trips and
// calls.
import type { TimedCall } from './model-times.ts'
import type { PlainRun } from './plain-city.ts'

/** The rules. If one is false, the model does not apply it. */
export const ALL_RULES = {
  /**
   * NO_DATA at a call means that this call and the calls after it have no prediction, up to the next call with its own
   * time or delay.
   */
  noData: true,
  /** Once the vehicle has left a call, the call counts as left in later messages that do not predict it. */
  passed: true,
  /** No delay is carried to a call that the vehicle has left. */
  reached: true,
  /** An added trip that has the id of a scheduled trip runs in addition to the scheduled trip. */
  namesake: true,
  /** If a trip's headsign is its last stop, and the trip now ends at another stop, the headsign becomes that stop. */
  newTerminus: true,
  /** Riders cannot board at the last call of a trip, or alight at the first call. */
  closedEnds: true,
  /**
   * An update without a date is for the day on which the trip's scheduled time is nearest to the first time in the
   * update.
   */
  nearestDay: true,
  /** If an update applies to a whole trip, such as a cancellation, and has no date, it is for the trip's next run. */
  nextRun: true,
  /** For a trip that starts after midnight, an update may give the calendar date instead of the service day. */
  nightDates: true,
  /** If a call's arrival is after its departure, the arrival is set to the departure. */
  dwell: true,
  /** A time that was only moved to keep the times in order is not a prediction. */
  movedIsDark: true,
  /** A reported trip with fewer than two calls left counts as canceled. */
  oneCall: true,
  /** A late vehicle starts its next trip late. */
  blocks: true,
  /** For calls that are not in the timetable, the first prediction counts as their scheduled time. */
  frozen: true,
  /** A DELETED trip is on no board. */
  deleted: true,
  /** A trip leaves from the platform that its update assigns, if that platform belongs to the same station. */
  platforms: true,
  /**
   * The times of a copied trip are those of the original, shifted so that the trip starts at the time given for the
   * copy.
   */
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
  /** The call's index in the scheduled trip; undefined if the call is not in the timetable. */
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
  /** Empty if the scheduled headsign applies. */
  readonly headsign: string
  readonly seconds: number
  readonly calls: readonly ModelCall[]
}
