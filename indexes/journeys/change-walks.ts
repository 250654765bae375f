// Applies transfers after a round of the search: from the points at which riders arrived in the round, to the points at
// which they can then board.
import { HubChanges } from './hub-changes.ts'
import { PendingChanges } from './pending-changes.ts'
import type { SearchState } from './search-state.ts'

/** Applies the transfers of one search. */
export class ChangeWalks {
  private readonly state: SearchState
  private readonly pending = new PendingChanges()
  private readonly hubChanges: HubChanges

  constructor(state: SearchState) {
    this.state = state
    this.hubChanges = new HubChanges(state, this.pending)
  }

  /**
   * Extends the search by the transfers from all points reached in a round. For speed, the inner loop calls as few
   * functions as possible and reads only local variables.
   */
  walk(round: number): void {
    const { state } = this
    const { data, shift, mask, arrival, arrivalRide, ready, readyRide, readyPosition, readyUntil } = state
    const { bounds, boundsEnd, ground, hubOf, isForBounds, mostVehicles, rides, reached, reachedCount } = state
    const { offset, point, seconds, barOffset, slowest } = ground.footpaths
    const slot = round & mask
    const worst = state.target[round + 1]
    const bound = bounds?.data
    const firstBound = bounds?.arrival ?? 0
    const boundShift = bounds?.shift ?? 0
    const boundSlot = (mostVehicles - round) & (bounds?.mask ?? 0)
    for (let each = 0; each < reachedCount; each++) {
      const here = data[reached + each]
      const from = (here << shift) | slot
      const time = data[arrival + from]
      const ride = data[arrivalRide + from]
      const before = rides.untilOf(ride)
      const isPending = before > time && !isForBounds
      const until = Math.max(before, time + slowest[here])
      if (isPending || (hubOf !== undefined && barOffset[here] !== barOffset[here + 1])) {
        this.walkWithCare(here, round, isPending, until)
        continue
      }
      const position = data[state.arrivalPosition + from]
      const end = offset[here + 1]
      for (let path = offset[here]; path < end; path++) {
        const when = time + seconds[path]
        if (when >= worst) break
        const to = point[path]
        const label = (to << shift) | slot
        if (when >= data[ready + label]) continue
        if (bound !== undefined) {
          if (-when < bound[firstBound + ((to << boundShift) | boundSlot)] && -when < boundsEnd) continue
        }
        const last = ready + ((to << shift) | mask)
        for (let more = ready + label; more <= last && when < data[more]; more++) data[more] = when
        data[readyRide + label] = ride
        data[readyPosition + label] = position
        data[readyUntil + label] = until
        state.addBoardable(to)
      }
    }
  }

  /**
   * Does for one point what `walk` does for all, in two special cases: the rider could ride back to the stop of an
   * earlier alighting, or some points of a hub are barred for transfers from this point.
   */
  private walkWithCare(here: number, round: number, isPending: boolean, until: number): void {
    const { state, pending } = this
    const { data, shift, mask, bounds, boundsEnd, ground, mostVehicles, rides } = state
    const { offset, point, seconds, barOffset, firstHub } = ground.footpaths
    const slot = round & mask
    const from = (here << shift) | slot
    const time = data[state.arrival + from]
    if (isPending) pending.take(ground, rides, { ride: data[state.arrivalRide + from], now: time })
    const hasBars = barOffset[here] !== barOffset[here + 1]
    const boundSlot = (mostVehicles - round) & (bounds?.mask ?? 0)
    for (let path = offset[here]; path < offset[here + 1]; path++) {
      const when = time + seconds[path]
      if (when >= state.target[round + 1]) break
      const to = point[path]
      if (when >= data[state.ready + ((to << shift) | slot)]) continue
      const isBound = bounds !== undefined && -when < boundsEnd
      if (isBound && -when < bounds.data[bounds.arrival + ((to << bounds.shift) | boundSlot)]) continue
      if (to >= firstHub && (isPending || hasBars)) {
        this.hubChanges.change(ground, { here, hub: to, round, when, from, until, isPending })
      } else if (!isPending || !pending.forbid(ground, to, when)) state.change(to, round, when, from, until)
    }
  }
}
