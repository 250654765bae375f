// The in-seat transfers that a search has followed, so that it does not repeat them for the same or worse times.
import type { Continuations } from './search-ground.ts'
import { MAX_VEHICLES, UNREACHED } from './search-labels.ts'

/** The marks of one search. */
export class SeatedMarks {
  /** By number of vehicles: route → the first of its instances continued from, and the first one after them. */
  private goneFrom: Int32Array[] = []
  private goneUntil: Int32Array[] = []
  /** Instance → the fewest vehicles with which it was continued in. */
  private goneOnWith = new Uint8Array(0)
  /** Route → the earliest of its instances that was continued in this turn. */
  private soonest = new Int32Array(0)
  private turnOf = new Uint32Array(0)
  private turn = 0

  /** Clears all marks. */
  reset(routeCount: number, continuations: Continuations | undefined): void {
    if (continuations === undefined) return
    if (this.soonest.length < routeCount) {
      const marks = () => Array.from({ length: MAX_VEHICLES + 1 }, () => new Int32Array(routeCount))
      this.goneFrom = marks()
      this.goneUntil = marks()
      this.soonest = new Int32Array(routeCount)
      this.turnOf = new Uint32Array(routeCount)
    }
    for (const instances of this.goneFrom) instances.fill(UNREACHED)
    for (const instances of this.goneUntil) instances.fill(0)
    const instanceCount = continuations.offset.length - 1
    if (this.goneOnWith.length < instanceCount) this.goneOnWith = new Uint8Array(instanceCount)
    this.goneOnWith.fill(MAX_VEHICLES + 1)
    if (this.turn > 0x7fff_ffff) {
      this.turnOf.fill(0)
      this.turn = 0
    }
  }

  /** A new scan of continuations starts. */
  nextTurn(): number {
    return ++this.turn
  }

  /**
   * Continues from the instances of a route from one on and before `end`; returns the first instance that needs no
   * continuation. If the first vehicle must leave before some time, `end` differs at each of its stops.
   */
  goFrom(route: number, vehicles: number, instance: number, end: number): number {
    const from = this.goneFrom[vehicles]
    const until = this.goneUntil[vehicles]
    const [first, last] = [from[route], until[route]]
    // The first vehicle may have to leave before some time: later ones are not continued from then.
    const most = vehicles === 1 ? 1 : MAX_VEHICLES
    for (let more = vehicles; more <= most; more++) this.mark(route, more, instance, end)
    return end > last ? end : Math.min(end, first)
  }

  /** The marked range stays contiguous. */
  private mark(route: number, vehicles: number, instance: number, end: number): void {
    const from = this.goneFrom[vehicles]
    const until = this.goneUntil[vehicles]
    const isApart = instance > until[route] || end < from[route]
    from[route] = isApart ? instance : Math.min(from[route], instance)
    until[route] = isApart ? end : Math.max(until[route], end)
  }

  /** Whether an instance reaches anything earlier than the instances continued in so far; marks it. */
  isOfUse(
    turn: number,
    next: {
      readonly route: number
      readonly instance: number
      readonly place: number
      readonly round: number
      /** Whether its vehicle continues as another trip. */
      readonly goesOn: boolean
    },
  ): boolean {
    const { route, instance, place, round, goesOn } = next
    // A later vehicle of the route arrives no sooner anywhere, except at the places where it continues to.
    const isLater = this.turnOf[route] === turn && instance >= this.soonest[route]
    if (isLater && !goesOn) return false
    if (!isLater) {
      this.turnOf[route] = turn
      this.soonest[route] = instance
    }
    if (this.goneOnWith[place] <= round) return false
    this.goneOnWith[place] = round
    return true
  }
}
