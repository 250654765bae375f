// The searches of a planner. Planners of several networks that never search at the same time share them, so they need
// the memory of the largest network, not of all.
import { RaptorSearch } from './raptor-search.ts'

/** Used by one query at a time; nothing in them outlives it. */
export class PlannerSearches {
  /** Searches from a single departure time. */
  first = new RaptorSearch(true)
  forward = new RaptorSearch(false)
  backward = new RaptorSearch(false)

  /** Frees their memory, which may still hold a network that was replaced. */
  clear(): void {
    this.first = new RaptorSearch(true)
    this.forward = new RaptorSearch(false)
    this.backward = new RaptorSearch(false)
  }
}
