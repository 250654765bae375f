// The searches of a planner. If planners of several networks never search at the same time, they share one
// `PlannerSearches`, which then needs only the memory of the largest network.
import { RaptorSearch } from './raptor-search.ts'

/** The searches of a planner. Only one query can use them at a time. Their data is no longer needed after the query. */
export class PlannerSearches {
  /** Only for searches with a single departure time. */
  first = new RaptorSearch(true)
  forward = new RaptorSearch(false)
  backward = new RaptorSearch(false)

  /** Frees the memory of the searches, which may still refer to a network that was replaced. */
  clear(): void {
    this.first = new RaptorSearch(true)
    this.forward = new RaptorSearch(false)
    this.backward = new RaptorSearch(false)
  }
}
