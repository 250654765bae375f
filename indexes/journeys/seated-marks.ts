// The in-seat transfers that a search has followed, so that it does not repeat them for the same or worse times.
import { NEXT_INSTANCE, NEXT_PLACE, NEXT_RECORD, NEXT_ROUTE, NO_RECORD } from './continuations.ts'
import type { SearchGround } from './search-ground.ts'
import { MAX_VEHICLES, UNREACHED, VEHICLE_BITS } from './search-state.ts'

/** The marks of one search. */
export class SeatedMarks {
  /**
   * Twice (route << VEHICLE_BITS | number of vehicles) → the first instance of the route that was continued; at the
   * next place, the end of the range of continued instances.
   */
  private gone = new Int32Array(0)
  /** Instance → the fewest vehicles that a rider had used when staying seated into it. */
  private goneOnWith = new Uint8Array(0)
  /** Route → the earliest of its instances that was continued in this turn. */
  private soonest = new Int32Array(0)
  private turnOf = new Uint32Array(0)
  private turn = 0

  /** Clears all marks. */
  reset({ layers, continuations }: Pick<SearchGround, 'layers' | 'continuations'>): void {
    if (continuations === undefined) return
    const routeCount = continuations.offset.length - 1
    if (this.soonest.length < routeCount) {
      this.gone = new Int32Array(routeCount << (VEHICLE_BITS + 1))
      this.soonest = new Int32Array(routeCount)
      this.turnOf = new Uint32Array(routeCount)
    }
    for (let at = 0; at < this.gone.length; at += 2) {
      this.gone[at] = UNREACHED
      this.gone[at + 1] = 0
    }
    const instanceCount = layers.reduce((sum, { label }) => sum + label.length, 0)
    if (this.goneOnWith.length < instanceCount) this.goneOnWith = new Uint8Array(instanceCount)
    this.goneOnWith.fill(MAX_VEHICLES + 1)
    if (this.turn > 0x7fff_ffff) {
      this.turnOf.fill(0)
      this.turn = 0
    }
  }

  /** Starts a new scan of continuations. */
  nextTurn(): number {
    return ++this.turn
  }

  /**
   * Continues from the instances of a route in [from, end). Returns the start and the end of those that are not done
   * yet. If riders must leave before some time, `end` differs from stop to stop.
   */
  goFrom(
    route: number,
    vehicles: number,
    instance: number,
    end: number,
  ): { readonly from: number; readonly end: number } {
    const at = ((route << VEHICLE_BITS) | vehicles) << 1
    const first = this.gone[at]
    const last = this.gone[at | 1]
    for (let more = vehicles; more <= MAX_VEHICLES; more++) this.mark(route, more, instance, end)
    return {
      from: instance >= first && instance < last ? Math.min(last, end) : instance,
      end: end > first && end <= last ? Math.max(first, instance) : end,
    }
  }

  /** The start of the range of continued instances, if the range reaches up to an end; otherwise that end. */
  doneFrom(route: number, vehicles: number, end: number): number {
    const at = ((route << VEHICLE_BITS) | vehicles) << 1
    return this.gone[at | 1] >= end ? this.gone[at] : end
  }

  /** The marked range stays contiguous. */
  private mark(route: number, vehicles: number, instance: number, end: number): void {
    const { gone } = this
    const at = ((route << VEHICLE_BITS) | vehicles) << 1
    const isApart = instance > gone[at | 1] || end < gone[at]
    gone[at] = isApart ? instance : Math.min(gone[at], instance)
    gone[at | 1] = isApart ? end : Math.max(gone[at | 1], end)
  }

  /** Whether the trip of a record reaches anything earlier than the trips continued in so far; marks it. */
  isOfUse(turn: number, round: number, records: Int32Array, at: number): boolean {
    const route = records[at | NEXT_ROUTE]
    const instance = records[at | NEXT_INSTANCE]
    // A later vehicle of the route arrives no sooner anywhere, except at the places where it continues to.
    const isLater = this.turnOf[route] === turn && instance >= this.soonest[route]
    if (isLater && records[at | NEXT_RECORD] === NO_RECORD) return false
    if (!isLater) {
      this.turnOf[route] = turn
      this.soonest[route] = instance
    }
    const place = records[at | NEXT_PLACE]
    if (this.goneOnWith[place] <= round) return false
    this.goneOnWith[place] = round
    return true
  }
}
