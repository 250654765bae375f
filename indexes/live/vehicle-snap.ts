// Finds how far along its trip a reported vehicle is. If the path passes the vehicle more than once, for example in a
// loop, the most plausible point is chosen. The choice is based on the named stop, the previous position, or the
// expected times.
import { type Approach, bearingAlong, findApproaches, type Place } from '../spatial/ground-path.ts'
import { reachInTime, type VehicleRun } from './vehicle-run.ts'

/** The data needed to locate a vehicle on its path. */
export interface SnapQuestion {
  readonly place: Place
  readonly recordedSeconds: number
  /** The call that the vehicle names; undefined if it names no call. */
  readonly namedCall: number | undefined
  /** The vehicle's previous position on this run, and how many seconds ago it was there. */
  readonly before: { readonly along: number; readonly agoSeconds: number } | undefined
  /** Bearing of the vehicle in degrees clockwise from north; undefined if unknown. */
  readonly bearing: number | undefined
}

/**
 * A point on the path is a candidate if it is at most this much farther from the vehicle than the nearest point is.
 * Satellite positions typically have an error of this size.
 */
const SLACK_METERS = 60
/** Maximum distance by which a vehicle may appear to move backward. */
const BACK_METERS = 60
/** Assumed maximum speed of a vehicle. Few vehicles are faster. */
const FASTEST_METERS_PER_SECOND = 50
/**
 * If the angle between the vehicle's bearing and the path is larger than this, the vehicle is assumed to move in the
 * opposite direction.
 */
const AGAINST_DEGREES = 110
/** Cost of a point at which the vehicle would move against the path. Costs are in meters along the path. */
const AGAINST_COST = 400
/**
 * Cost in meters along the path, for each meter by which a point is farther from the vehicle than the nearest point is.
 */
const ASIDE_COST = 4
/** Cost in meters along the path, for each meter between a point and the most likely position. */
const MIDDLE_COST = 0.1

/** The point on the path at which a vehicle is; undefined if the path has no points. */
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

/** The range of the path in which the vehicle can be, and the most likely position. */
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
