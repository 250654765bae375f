// Simplifies lines once for all zooms. Each point gets an importance: the square of the largest tolerance at which the
// Douglas-Peucker algorithm keeps the point. A tile then uses the points that are important enough at its zoom.

/** Number of values per point: x, y and importance. */
export const POINT_NUMBERS = 3

/** Computes the importance of the points of a line. */
export class Simplifier {
  /** If the computed importance of a point is not above this value, its importance stays 0. */
  private readonly least: number
  /** The parts of the line that are still to be examined: the first and the last point of each part. */
  private readonly pending: number[] = []

  constructor(least: number) {
    this.least = least
  }

  /**
   * Sets the importance of the points of a line. Before the call, the importance of all points must be 0. The
   * importance of both ends becomes Infinity.
   * @param points x, y and importance of each point
   * @param first index of the first point's x
   * @param last index of the last point's x
   */
  setImportance(points: Float64Array, first: number, last: number): void {
    const { pending } = this
    points[first + 2] = Infinity
    points[last + 2] = Infinity
    pending.push(first, last)
    for (let end = pending.pop(); end !== undefined; end = pending.pop()) {
      const start = pending.pop() ?? end
      const split = this.splitAtFarthest(points, start, end)
      if (split - start > POINT_NUMBERS && split < end) pending.push(start, split)
      if (end - split > POINT_NUMBERS) pending.push(split, end)
    }
  }

  /**
   * Finds the point between `start` and `end` that is farthest from the straight line between these two, and sets the
   * importance of the point found. Returns `end` if no point is far enough.
   */
  private splitAtFarthest(points: Float64Array, start: number, end: number): number {
    const middle = start + ((end - start) >> 1)
    const lengthX = points[end] - points[start]
    const lengthY = points[end + 1] - points[start + 1]
    const square = lengthX * lengthX + lengthY * lengthY
    let farthest = end
    let most = this.least
    let leastToMiddle = end - start
    for (let at = start + POINT_NUMBERS; at < end; at += POINT_NUMBERS) {
      const along = (points[at] - points[start]) * lengthX + (points[at + 1] - points[start + 1]) * lengthY
      const share = square === 0 ? 0 : Math.max(0, Math.min(1, along / square))
      const awayX = points[at] - (points[start] + lengthX * share)
      const awayY = points[at + 1] - (points[start + 1] + lengthY * share)
      const distance = awayX * awayX + awayY * awayY
      if (distance < most) continue
      if (distance === most) {
        // Among points that are equally far from the line, chooses the one nearest to the middle. Otherwise, each split
        // of a long line could take off only one point.
        const toMiddle = Math.abs(at - middle)
        if (toMiddle >= leastToMiddle) continue
        leastToMiddle = toMiddle
      }
      farthest = at
      most = distance
    }
    if (most === this.least) return end
    points[farthest + 2] = most
    return farthest
  }
}
