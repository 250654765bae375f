// The stops and entrances that a street search has reached. The memory is reused, so only one search can run at a time.
import { type Column, NONE, sealColumn } from '../../loaders/columns.ts'
import type { LinkIndex, LinkPointIndex, ProfileLinks } from './stop-links.ts'
import type { StreetBall } from './street-ball.ts'
import type { StreetStart } from './street-snap.ts'

/** The first slot to check for a corner in a hash table with `size` slots. `size` is a power of two. */
export function slotOf(node: number, size: number): number {
  return (Math.imul(node, 0x9e37_79b1) >>> 7) & (size - 1)
}

/** The points that the last search reached. */
export class MetPoints {
  count = 0
  /** The reached points in the order in which they were found. For their distances, see `lengthTo`. */
  readonly points: Column<number, LinkPointIndex>
  private readonly pointRows: Uint32Array
  private readonly lengths: Uint32Array
  private readonly links: ProfileLinks

  constructor(links: ProfileLinks) {
    this.links = links
    this.lengths = new Uint32Array(links.linkOffset.length - 1).fill(NONE)
    this.pointRows = new Uint32Array(this.lengths.length)
    this.points = sealColumn(this.pointRows)
  }

  /** Distance in decimeters to a point that was reached. */
  lengthTo(point: LinkPointIndex): number {
    return this.lengths[point]
  }

  /** Collects all points that the last search in `ball` has reached. `starts` are the starts of the search. */
  gather(ball: StreetBall, starts: readonly StreetStart[]): void {
    for (let at = 0; at < this.count; at++) this.lengths[this.points[at]] = NONE
    this.count = 0
    this.meetAtCorners(ball)
    for (const start of starts) this.meetOnEdge(start)
  }

  private meetAtCorners(ball: StreetBall): void {
    const { slotNode, slotOffset, metPoint, metLength } = this.links
    const size = slotNode.length
    const { reached, reachedCount } = ball
    for (let at = 0; at < reachedCount; at++) {
      const node = reached[at]
      let slot = slotOf(node, size)
      while (slotNode[slot] !== node && slotNode[slot] !== NONE) slot = (slot + 1) & (size - 1)
      if (slotNode[slot] === NONE) continue
      const distance = ball.distanceTo(node)
      for (let row = slotOffset[slot]; row < slotOffset[slot + 1]; row++) {
        this.meet(metPoint[row], distance + metLength[row])
      }
    }
  }

  /** Adds the points on the edge of a start: such points can be reached without passing a corner. */
  private meetOnEdge({ edge, toFirst, off }: StreetStart): void {
    const { byEdge, edge: edgeOf, pointOf, toFirst: firstOf, off: offOf } = this.links
    let low = 0
    let high = byEdge.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (edgeOf[byEdge[middle]] < edge) low = middle + 1
      else high = middle
    }
    for (let at = low; at < byEdge.length; at++) {
      const link: LinkIndex = byEdge[at]
      if (edgeOf[link] !== edge) break
      this.meet(pointOf[link], off + Math.abs(toFirst - firstOf[link]) + offOf[link])
    }
  }

  private meet(point: LinkPointIndex, length: number): void {
    const known = this.lengths[point]
    if (length >= known) return
    if (known === NONE) this.pointRows[this.count++] = point
    this.lengths[point] = length
  }
}
