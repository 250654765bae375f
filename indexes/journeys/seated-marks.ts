// What a search has already gone on in, seated, so that nobody stays seated twice to reach the same places no earlier.
import type { Continuations } from './search-ground.ts'
import { MAX_VEHICLES, UNREACHED } from './search-labels.ts'

/** The marks of one search. */
export class SeatedMarks {
  /** Per number of vehicles: route → the first of its instances from which on all were gone on from. */
  private goneFrom: Int32Array[] = []
  /** Instance → the fewest vehicles with which it was gone on in. */
  private goneOnWith = new Uint8Array(0)
  /** Route → the soonest of its instances that was gone on in this turn. */
  private soonest = new Int32Array(0)
  private turnOf = new Uint32Array(0)
  private turn = 0

  /** Forgets all. */
  reset(routeCount: number, continuations: Continuations | undefined): void {
    if (continuations === undefined) return
    if (this.soonest.length < routeCount) {
      this.goneFrom = Array.from({ length: MAX_VEHICLES + 1 }, () => new Int32Array(routeCount))
      this.soonest = new Int32Array(routeCount)
      this.turnOf = new Uint32Array(routeCount)
    }
    for (const instances of this.goneFrom) instances.fill(UNREACHED)
    const instanceCount = continuations.offset.length - 1
    if (this.goneOnWith.length < instanceCount) this.goneOnWith = new Uint8Array(instanceCount)
    this.goneOnWith.fill(MAX_VEHICLES + 1)
    if (this.turn > 0x7fff_ffff) {
      this.turnOf.fill(0)
      this.turn = 0
    }
  }

  /** A new scan of continuations begins. */
  nextTurn(): number {
    return ++this.turn
  }

  /** Goes on from all instances of a route from one on; returns the first that was gone on from before. */
  goFrom(route: number, vehicles: number, instance: number): number {
    const before = this.goneFrom[vehicles]?.[route] as number
    // The first vehicle may have to leave before some moment: those that come later are not gone on from then.
    const most = vehicles === 1 ? 1 : MAX_VEHICLES
    for (let more = vehicles; more <= most; more++) {
      const gone = this.goneFrom[more] as Int32Array
      if (instance < (gone[route] as number)) gone[route] = instance
    }
    return before
  }

  /** Whether an instance reaches anything earlier than those gone on in; marks it. */
  isOfUse(
    turn: number,
    next: { readonly route: number; readonly instance: number; readonly place: number; readonly round: number },
  ): boolean {
    const { route, instance, place, round } = next
    // Who waits for a later vehicle of the route at hand goes on no sooner.
    if (this.turnOf[route] === turn && instance >= (this.soonest[route] as number)) return false
    this.turnOf[route] = turn
    this.soonest[route] = instance
    if ((this.goneOnWith[place] as number) <= round) return false
    this.goneOnWith[place] = round
    return true
  }
}
