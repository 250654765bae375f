// Checks whether the straight line from a stop to a street crosses rails or water.
import { turn } from '../spatial/convex-hull.ts'
import { METERS_PER_DEGREE } from '../spatial/great-circle.ts'
import { BoxSearch } from '../spatial/packed-boxes.ts'
import type { WalkPlace } from '../spatial/walking.ts'
import type { BarrierLines } from './street-graph.ts'

const UNITS_PER_DEGREE = 1e7
const METERS_PER_UNIT = METERS_PER_DEGREE / UNITS_PER_DEGREE
/**
 * This many meters at the start of the line from the stop are not checked. Coordinates have errors of about this size,
 * so the coordinates of a stop may be on the stop's own track.
 */
const FREE_METERS = 5
const END_NUMBERS = 4

/** Searches the barriers of a graph: rails and shores. The memory is reused, so only one search can run at a time. */
export class BarrierCrossings {
  private readonly ends: BarrierLines['ends']
  private readonly boxes: BoxSearch

  constructor({ ends, boxes }: BarrierLines) {
    this.ends = ends
    this.boxes = new BoxSearch(boxes, ends.length / END_NUMBERS)
  }

  /**
   * Returns a function that checks whether the line from a place to a point crosses a barrier; undefined if there are
   * no barriers. The point is given in units of 1e-7 degrees.
   */
  barredFrom(place: WalkPlace): ((lat: number, lon: number) => boolean) | undefined {
    if (this.ends.length === 0) return undefined
    const from = { lat: place.lat * UNITS_PER_DEGREE, lon: place.lon * UNITS_PER_DEGREE }
    const lonScale = Math.cos((place.lat * Math.PI) / 180)
    return (lat, lon) => {
      const meters = Math.hypot(lat - from.lat, (lon - from.lon) * lonScale) * METERS_PER_UNIT
      if (meters <= FREE_METERS) return false
      const part = FREE_METERS / meters
      const start = { lat: from.lat + part * (lat - from.lat), lon: from.lon + part * (lon - from.lon) }
      return this.isCrossed(start, { lat, lon })
    }
  }

  private isCrossed(from: WalkPlace, to: WalkPlace): boolean {
    const { ends } = this
    let isCrossed = false
    const box = {
      south: Math.min(from.lat, to.lat),
      north: Math.max(from.lat, to.lat),
      west: Math.min(from.lon, to.lon),
      east: Math.max(from.lon, to.lon),
    }
    this.boxes.eachGroup(box, (first, end) => {
      for (let line = first * END_NUMBERS; line < end * END_NUMBERS && !isCrossed; line += END_NUMBERS) {
        const a = { lat: ends[line], lon: ends[line + 1] }
        const b = { lat: ends[line + 2], lon: ends[line + 3] }
        isCrossed = turn(from, to, a) * turn(from, to, b) < 0 && turn(a, b, from) * turn(a, b, to) < 0
      }
    })
    return isCrossed
  }
}
