// Riding out and back must not be quicker than the change it avoids. Tracks where a rider alighted recently, and how
// soon the rider may board there again.
import { findChange } from './footpaths.ts'
import { NO_RIDE, type RideLog } from './ride-log.ts'
import { arrivalAt, firstCallOf, firstInstanceOf, pointAt } from './route-layer.ts'
import type { SearchGround } from './search-ground.ts'
import { MAX_VEHICLES } from './search-state.ts'

/** The alightings of one rider that still matter. Handles one rider at a time. */
export class PendingChanges {
  private readonly point = new Int32Array(MAX_VEHICLES)
  private readonly time = new Int32Array(MAX_VEHICLES)
  private count = 0

  clear(): void {
    this.count = 0
  }

  /** Takes the alightings of the ride before the one in which the rider arrived, and keeps those that still apply. */
  take({ layers, footpaths }: SearchGround, rides: RideLog, of: { readonly ride: number; readonly now: number }): void {
    this.count = 0
    for (let { ride } = of; rides.beforeOf(ride) !== NO_RIDE; ride = rides.beforeOf(ride)) {
      if (rides.isSeated(ride)) continue
      const before = rides.beforeOf(ride)
      const layer = layers[rides.layerOf(before)]
      const route = rides.routeOf(before)
      const position = rides.beforePositionOf(ride)
      const point = pointAt(layer, firstCallOf(layer, route) + position)
      const time = arrivalAt(layer, firstInstanceOf(layer, route) + rides.instanceOf(before), position)
      if (time + footpaths.slowest[point] <= of.now) continue
      this.point[this.count] = point
      this.time[this.count] = time
      this.count++
    }
  }

  /**
   * Whether it is too early to board at a point at this time. A separate label represents the change that boarding
   * there would avoid.
   */
  forbid({ footpaths }: SearchGround, point: number, time: number): boolean {
    const { station } = footpaths
    for (let each = 0; each < this.count; each++) {
      const from = this.point[each]
      if (station[from] !== station[point]) continue
      const seconds = findChange(footpaths, from, point)
      if (seconds !== undefined && time < this.time[each] + seconds) return true
    }
    return false
  }
}
