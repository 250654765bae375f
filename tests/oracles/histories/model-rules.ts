// The rules of the model of live histories, each of which can be removed, and the state of a trip according to the
// model.
import type { TimedCall } from './model-times.ts'
import type { PlainRun } from './plain-city.ts'

/** The rules; false removes one. */
export const ALL_RULES = {
  /** A call without data has no prediction, nor have later calls, until one has data. */
  noData: true,
  /** Calls that the vehicle has left stay left. */
  passed: true,
  /** No delay is carried to a call that the vehicle has left. */
  reached: true,
  /** An added trip with the id of another one runs in addition to it. */
  namesake: true,
  /** The headsign of a trip that ends elsewhere is its new last stop. */
  newTerminus: true,
  /** The last call is not a departure, the first one not an arrival. */
  closedEnds: true,
  /** Without a date: the day whose schedule is nearest to the first time. */
  nearestDay: true,
  /** A trip that is canceled as a whole is the next one to run. */
  nextRun: true,
  /** The calendar's date of a trip past midnight. */
  nightDates: true,
  /** The departure counts if the arrival is later. */
  dwell: true,
  /** A time that is only adjusted to fit others is not a prediction. */
  movedIsDark: true,
  /** Two calls make a trip. */
  oneCall: true,
  /** A late vehicle starts its next trip late. */
  blocks: true,
  /** The schedule of an added trip is its first prediction. */
  frozen: true,
  /** A DELETED trip is on no board. */
  deleted: true,
  /** A trip that was moved to another platform of its station leaves from there. */
  platforms: true,
  /** Copies keep the distances of their trip. */
  copies: true,
  /** Scheduled calls that a replacement omits are skipped. */
  replaced: true,
  /** A run without a schedule is never late. */
  unscheduled: true,
  /** Nominal runs near a live one are not shown. */
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
  /** Empty: the timetable's. */
  readonly headsign: string
  readonly seconds: number
  readonly calls: readonly ModelCall[]
}
