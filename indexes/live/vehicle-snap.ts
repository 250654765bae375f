// Finds how far along its trip a reported vehicle is. If the path passes the vehicle more than once, as in loops and
// out-and-back trips, picks the plausible point: by the named stop, the previous position, or the expected times.
import { type Approach, bearingAlong, findApproaches, type Place } from '../spatial/ground-path.ts'
import { reachInTime, type VehicleRun } from './vehicle-run.ts'

/** Input for locating a vehicle on its path. */
export interface SnapQuestion {
  readonly place: Place
  readonly recordedSeconds: number
  /** The call that the vehicle names, if any. */
  readonly namedCall: number | undefined
  /** The vehicle's previous position on this run, and how many seconds ago it was there. */
  readonly before: { readonly along: number; readonly agoSeconds: number } | undefined
  /** Degrees clockwise from north, if known. */
  readonly bearing: number | undefined
}

/** How much farther from the vehicle than the path's nearest point it may be on the path: typical satellite error. */
const SLACK_METERS = 60
/** A vehicle may appear to move back this far. */
const BACK_METERS = 60
/** Few vehicles are faster, and fast ones do not turn around. */
const FASTEST_METERS_PER_SECOND = 50
/** With a larger angle, the vehicle goes the other way. */
const AGAINST_DEGREES = 110
/** Costs of moving backwards, and of a meter sideways, in meters along the path. */
const AGAINST_COST = 400
const ASIDE_COST = 4
/** Cost per meter from the middle of its range. */
const MIDDLE_COST = 0.1

/** Position of a vehicle on its path; undefined if the path has no points. */
export function snapToRun(run: VehicleRun, question: SnapQuestion): Approach | undefined {
  const { path } = run.way
  const approaches = findApproaches(path, question.place, SLACK_METERS)
  if (approaches.length < 2) return approaches[0]
  const reach = reachOf(run, question)
  const nearest = approaches.reduce((least, { aside }) => Math.min(least, aside), Infinity)
  let best: Approach | undefined
  let bestCost = Infinity
  for (const approach of approaches) {
    const outside = Math.max(0, reach.from - approach.along, approach.along - reach.to)
    const offMiddle = Math.abs(approach.along - reach.middle)
    const isAgainst =
      question.bearing !== undefined &&
      turnBetween(question.bearing, bearingAlong(path, approach.along) ?? question.bearing) > AGAINST_DEGREES
    const cost =
      outside + offMiddle * MIDDLE_COST + (approach.aside - nearest) * ASIDE_COST + (isAgainst ? AGAINST_COST : 0)
    if (cost < bestCost) {
      best = approach
      bestCost = cost
    }
  }
  return best
}

/** The range of possible distances, and the most likely one. */
function reachOf(run: VehicleRun, question: SnapQuestion): { from: number; to: number; middle: number } {
  const { callAlong } = run.way
  const { namedCall, before } = question
  if (namedCall !== undefined) {
    const at = callAlong[namedCall]
    const from = callAlong[Math.max(0, namedCall - 1)]
    return { from, to: at, middle: at }
  }
  if (before !== undefined) {
    const reach = before.agoSeconds * FASTEST_METERS_PER_SECOND
    const from = before.along - BACK_METERS
    return { from, to: before.along + reach, middle: before.along }
  }
  const { from, to } = reachInTime(run, question.recordedSeconds)
  return { from, to, middle: (from + to) / 2 }
}

/** The angle between two bearings, 0 to 180 degrees. */
export function turnBetween(one: number, other: number): number {
  const turn = Math.abs(one - other) % 360
  return turn > 180 ? 360 - turn : turn
}
