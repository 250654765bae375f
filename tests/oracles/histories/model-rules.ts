// The rules of the model of live histories, each of which can be left out, and what the model says of a trip.
import type { TimedCall } from './model-times.ts'
import type { PlainRun } from './plain-city.ts'

/** Which rules hold. */
export const ALL_RULES = {
  /** A call without data has no forecast, nor have those after it, until a later call speaks. */
  noData: true,
  /** Calls that were left stay behind the vehicle. */
  passed: true,
  /** No delay is carried to a call that the vehicle has left. */
  reached: true,
  /** An added trip with the id of another one runs beside it. */
  namesake: true,
  /** A trip that ends elsewhere reads where it ends. */
  newTerminus: true,
  /** The last call left is no departure, the first one no arrival. */
  closedEnds: true,
  /** Without a date: the day whose schedule is nearest the first time. */
  nearestDay: true,
  /** A trip that is called off as a whole is the next one. */
  nextRun: true,
  /** The calendar's date of a trip past midnight. */
  nightDates: true,
  /** The departure stands where the arrival is later. */
  dwell: true,
  /** A time that is only moved to fit others is no forecast. */
  movedIsDark: true,
  /** Two calls make a trip. */
  oneCall: true,
  /** A late vehicle starts its next trip late. */
  blocks: true,
  /** What was first expected of an added trip is its schedule. */
  frozen: true,
  /** DELETED is on no board. */
  deleted: true,
  /** A trip moved to another platform of its station is there. */
  platforms: true,
  /** Copies keep the distances of their trip. */
  copies: true,
  /** Planned calls that a replacement leaves out are skipped. */
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
  /** Its place in its trip by the timetable. */
  readonly position: number | undefined
  readonly planned: { readonly arrival: number; readonly departure: number }
  boards: boolean
  alights: boolean
  readonly isUnplanned: boolean
  readonly headsign: string
}

/** One trip of which the feed speaks. */
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
