// Remembers the in-seat transfers that a search has followed. A transfer is followed again only if it can lead to an
// earlier arrival.
import { NEXT_INSTANCE, NEXT_PLACE, NEXT_RECORD, NEXT_ROUTE, NO_RECORD } from './continuations.ts'
import type { SearchGround } from './search-ground.ts'
import { MAX_VEHICLES, UNREACHED, VEHICLE_BITS } from './search-state.ts'

/** The in-seat transfers that a search has followed. */
export class SeatedMarks {
  /**
   * 2 × (route << VEHICLE_BITS | number of vehicles) → the first instance of the route whose in-seat transfers were
   * followed. The next value is the end of the range of such instances. The end is exclusive.
   */
  private gone = new Int32Array(0)
  /** Instance, numbered over all layers → the fewest vehicles with which riders reached it by staying seated. */
  private goneOnWith = new Uint8Array(0)
  /** Route → the earliest instance that riders reached by staying seated in the current turn (see `nextTurn`). */
  private soonest = new Int32Array(0)
  private turnOf = new Uint32Array(0)
  private turn = 0

  /** Clears all marks, for a new search. */
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

  /** Starts a turn: the part of a search that follows the in-seat transfers of one ride. */
  nextTurn(): number {
    return ++this.turn
  }

  /**
   * Marks the instances [instance, end) of a route as followed. Returns the part of the range that was not marked
   * before. If departures are limited, `end` depends on the stop where riders board.
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

  /** The start of the range of followed instances if the range reaches at least up to `end`; otherwise `end`. */
  doneFrom(route: number, vehicles: number, end: number): number {
    const at = ((route << VEHICLE_BITS) | vehicles) << 1
    return this.gone[at | 1] >= end ? this.gone[at] : end
  }

  /**
   * Adds instances to the marked range. If there is a gap between the range and the new instances, the new instances
   * replace the range, because only one range is stored.
   */
  private mark(route: number, vehicles: number, instance: number, end: number): void {
    const { gone } = this
    const at = ((route << VEHICLE_BITS) | vehicles) << 1
    const isApart = instance > gone[at | 1] || end < gone[at]
    gone[at] = isApart ? instance : Math.min(gone[at], instance)
    gone[at | 1] = isApart ? end : Math.max(gone[at | 1], end)
  }

  /**
   * Whether the in-seat transfer in a record can lead to an earlier arrival than before. If so, marks the transfer as
   * followed.
   */
  isOfUse(turn: number, round: number, records: Int32Array, at: number): boolean {
    const route = records[at | NEXT_ROUTE]
    const instance = records[at | NEXT_INSTANCE]
    // A later instance of the same route reaches no stop earlier, so it is useful only if it continues as another trip.
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
