// Prevents riders from riding away from a station and back, only to board there sooner than the minimum transfer time
// allows. For this, stores where and when a rider alighted recently.
import { findChange } from './footpaths.ts'
import { NO_RIDE, type RideLog } from './ride-log.ts'
import { arrivalAt, firstCallOf, firstInstanceOf, pointAt } from './route-layer.ts'
import type { SearchGround } from './search-ground.ts'
import { MAX_VEHICLES } from './search-state.ts'

/** The recent alightings of one rider. The object is reused for one rider after another. */
export class PendingChanges {
  private readonly point = new Int32Array(MAX_VEHICLES)
  private readonly time = new Int32Array(MAX_VEHICLES)
  private count = 0

  clear(): void {
    this.count = 0
  }

  /**
   * Stores the alightings before a ride. Leaves out alightings after which every transfer would be complete at `now`,
   * because such alightings forbid no boarding.
   */
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
   * Whether boarding at a point at this time is too early, because a transfer from one of the stored alightings to the
   * point would not be complete yet. The search considers that transfer separately.
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
