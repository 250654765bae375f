// Distance of each call along its trip's path: from the feed's distances; otherwise by matching all stops in order
// along the path, which handles paths that pass a place twice.
import { type Approach, findApproaches, type GroundPath, type Place } from '../spatial/ground-path.ts'

/** How much farther from a stop than the path's nearest point the trip may call; tried in this order. */
const SLACKS_METERS = [60, 600, 6000] as const

/** Calls placed on a path. */
export interface PlacedCalls {
  /** Meters from the start of the path, never decreasing. */
  readonly along: Float64Array
  /** Distance in meters between the path and the stop farthest from it. */
  readonly farthestAside: number
}

/**
 * Places stops on a path in their order, with the least sum of squared distances from it; ties go to the earliest on
 * the path. Undefined if the path passes them in another order.
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

/** One choice of approaches for the stops so far; ends with an approach to the last one. */
interface Course {
  readonly approach: Approach
  readonly cost: number
  readonly before: Course | undefined
}

/** Chooses one approach per stop, never before that of the previous stop. The approaches of a stop must ascend. */
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

/** Converts feed distances to meters along a path whose points have feed distances; never decreasing. */
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

/** Whether numbers are all known, never decrease, and are not all equal. */
function ascends(numbers: ArrayLike<number>): boolean {
  for (let at = 1; at < numbers.length; at++) {
    if (!(numbers[at] >= numbers[at - 1])) return false
  }
  return numbers.length > 1 && numbers[numbers.length - 1] > numbers[0]
}
