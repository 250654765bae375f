// Computes the distance of each call along the path of its trip. Uses the feed's distances if it has them, and
// otherwise matches all stops to the path in order. The result is correct even if the path passes a stop twice.
import { type Approach, findApproaches, type GroundPath, type Place } from '../spatial/ground-path.ts'

/**
 * Limits for matching a stop to a point of the path: the point may be at most this much farther from the stop than the
 * nearest point of the path is. The limits are tried in order until all stops can be matched.
 */
const SLACKS_METERS = [60, 600, 6000] as const

/** The positions of a trip's calls on a path. */
export interface PlacedCalls {
  /** Meters from the start of the path to each call; they never decrease. */
  readonly along: Float64Array
  /** Distance in meters between the path and the stop that is farthest from it. */
  readonly farthestAside: number
}

/**
 * Matches each stop to a point on a path. The points are in the order of the stops. Of all such matches, the one with
 * the smallest sum of squared distances is chosen. If several points are equally good, the first one on the path is
 * chosen. Undefined if the path passes the stops in another order.
 */
export function placeCalls(path: GroundPath, stops: readonly Place[]): PlacedCalls | undefined {
  for (const slack of SLACKS_METERS) {
    const choices = stops.map((stop) => findApproaches(path, stop, slack))
    const chosen = chooseInOrder(choices)
    if (chosen === undefined) continue
    return {
      along: Float64Array.from(chosen, (approach) => approach.along),
      farthestAside: chosen.reduce((most, { aside }) => Math.max(most, aside), 0),
    }
  }
  return undefined
}

/** A choice of one approach for each stop so far, as a linked list from the last stop to the first. */
interface Course {
  readonly approach: Approach
  readonly cost: number
  readonly before: Course | undefined
}

/**
 * Chooses one approach for each stop, in path order. An approach is a point at which the path comes near a stop. The
 * approaches of each stop must be in path order. Undefined if no choice is in path order.
 */
function chooseInOrder(choices: readonly (readonly Approach[])[]): Approach[] | undefined {
  let courses: Course[] | undefined
  for (const approaches of choices) {
    const next: Course[] = []
    let best: Course | undefined
    let open = 0
    for (const approach of approaches) {
      for (; courses !== undefined && open < courses.length; open++) {
        const course = courses[open]
        if (course.approach.along > approach.along) break
        if (best === undefined || course.cost < best.cost) best = course
      }
      if (courses !== undefined && best === undefined) continue
      next.push({ approach, cost: (best?.cost ?? 0) + approach.aside ** 2, before: best })
    }
    if (next.length === 0) return undefined
    courses = next
  }
  const cheapest = courses?.reduce((one, other) => (other.cost < one.cost ? other : one))
  const chosen: Approach[] = []
  for (let course = cheapest; course !== undefined; course = course.before) chosen.push(course.approach)
  return chosen.reverse()
}

/**
 * Converts the feed's distances for calls to meters along a path, which never decrease. This also needs the feed's
 * distances for the points of the path. Undefined if one of the two lists has a distance that is missing or lower than
 * the one before it, or if all distances in a list are equal.
 */
export function placeByDistances(
  path: GroundPath,
  pointDistances: ArrayLike<number>,
  callDistances: ArrayLike<number>,
): Float64Array | undefined {
  if (!ascends(pointDistances) || !ascends(callDistances)) return undefined
  const { along } = path
  const placed = new Float64Array(callDistances.length)
  let point = 0
  for (let call = 0; call < callDistances.length; call++) {
    const distance = callDistances[call]
    while (point + 1 < along.length - 1 && pointDistances[point + 1] <= distance) point++
    const from = pointDistances[point]
    const to = pointDistances[point + 1]
    const part = to > from ? Math.min(1, Math.max(0, (distance - from) / (to - from))) : 0
    const start = along[point]
    placed[call] = start + part * ((along[point + 1] ?? start) - start)
  }
  return placed
}

/** Whether all numbers are present, none is lower than the number before it, and not all are equal. */
function ascends(numbers: ArrayLike<number>): boolean {
  for (let at = 1; at < numbers.length; at++) {
    if (!(numbers[at] >= numbers[at - 1])) return false
  }
  return numbers.length > 1 && numbers[numbers.length - 1] > numbers[0]
}
