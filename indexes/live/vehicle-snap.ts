// How far along its trip a reported vehicle is. A path that comes near the vehicle more than once, as loops and ways out
// and back do, is read where the vehicle can be: by the stop it names, by where it was, by when it is expected where.
import { type Approach, bearingAlong, findApproaches, type Place } from '../spatial/ground-path.ts'
import { reachInTime, type VehicleRun } from './vehicle-run.ts'

/** What tells where on its way a vehicle is. */
export interface SnapQuestion {
  readonly place: Place
  readonly recordedSeconds: number
  /** The call the vehicle names, where that is one. */
  readonly namedCall: number | undefined
  /** Where it was on this run before, and how many seconds ago. */
  readonly before: { readonly along: number; readonly agoSeconds: number } | undefined
  /** Degrees clockwise from north, where known. */
  readonly bearing: number | undefined
}

/** The way may be this much farther from the vehicle than where it comes nearest: satellites err so much. */
const SLACK_METERS = 60
/** A vehicle may appear to go back so far. */
const BACK_METERS = 60
/** Few vehicles are faster, and none of those turns around. */
const FASTEST_METERS_PER_SECOND = 50
/** Beyond this the bearing says that it goes the other way. */
const AGAINST_DEGREES = 110
/** What going the other way, and a meter aside, weigh beside meters along the way. */
const AGAINST_COST = 400
const ASIDE_COST = 4
/** What distance from the middle of where it can be weighs. */
const MIDDLE_COST = 0.1

/** Where on its way a vehicle is; undefined where the way has no points. */
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

/** Between which distances the vehicle can be, and where it is most likely. */
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
