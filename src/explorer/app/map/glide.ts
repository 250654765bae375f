// Animates a vehicle at constant speed from its drawn position to its reported position. Times are in milliseconds.
import type { PlanePoint } from './mercator.ts'

/** The animation of one vehicle along a path. */
export interface Glide {
  readonly points: readonly PlanePoint[]
  /** The distance of each point from the first, along the path. */
  readonly lengths: Float64Array
  readonly startedAt: number
  readonly endsAt: number
}

/** Makes an animation along a path of at least one point, from its first point to its last. */
export function makeGlide(points: readonly PlanePoint[], startedAt: number, millis: number): Glide {
  return { points, lengths: lengthsOf(points), startedAt, endsAt: startedAt + millis }
}

/** The position of the vehicle at the time `now`. */
export function placeAt({ points, lengths, startedAt, endsAt }: Glide, now: number): PlanePoint {
  const last = points.length - 1
  const share = Math.min(1, Math.max(0, (now - startedAt) / (endsAt - startedAt)))
  if (last === 0 || share === 1) return points[last]
  const length = share * lengths[last]
  let index = 1
  while (index < last && lengths[index] < length) index++
  const from = points[index - 1]
  const stretch = lengths[index] - lengths[index - 1]
  const part = stretch === 0 ? 1 : (length - lengths[index - 1]) / stretch
  return { x: from.x + part * (points[index].x - from.x), y: from.y + part * (points[index].y - from.y) }
}

/** The distance along the path that the vehicle covers between the times `since` and `now`. */
export function moveOf({ lengths, startedAt, endsAt }: Glide, since: number, now: number): number {
  const millis = Math.min(now, endsAt) - Math.max(since, startedAt)
  return millis <= 0 ? 0 : (lengths[lengths.length - 1] * millis) / (endsAt - startedAt)
}

function lengthsOf(points: readonly PlanePoint[]): Float64Array {
  const lengths = new Float64Array(points.length)
  for (let index = 1; index < points.length; index++) {
    const before = points[index - 1]
    lengths[index] = lengths[index - 1] + Math.hypot(points[index].x - before.x, points[index].y - before.y)
  }
  return lengths
}
