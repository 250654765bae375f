// RAPTOR (Delling, Pajor, Werneck 2012) over layers of routes. Each round allows one more vehicle, and computes the
// earliest arrival at every point. Departures are processed latest first, and the labels from one departure are reused
// for the next (rRAPTOR). The search allocates only its array and the ride log, which grow and are reused. A backward
// search uses mirrored layers.
import { ChangeWalks } from './change-walks.ts'
import { NO_RIDE } from './ride-log.ts'
import { RouteQueue } from './route-queue.ts'
import { RouteScan } from './route-scan.ts'
import type { FoundJourney, FoundRide, SearchBounds, SearchGround, SearchTask, WalkEnds } from './search-ground.ts'
import { MAX_VEHICLES, NEVER, SearchState } from './search-state.ts'

/** A search for journeys. It can be reused for other queries and timetables. */
export class RaptorSearch {
  private readonly state: SearchState
  private readonly queue: RouteQueue
  private readonly routeScan: RouteScan
  private readonly changeWalks: ChangeWalks
  private lastKnown: readonly number[] | undefined
  private mostSeconds: number | undefined
  private leftAt = 0

  /** @param isOfOneTime whether each search has only one departure time */
  constructor(isOfOneTime: boolean) {
    this.state = new SearchState(isOfOneTime)
    this.queue = new RouteQueue(this.state)
    this.routeScan = new RouteScan(this.state, this.queue)
    this.changeWalks = new ChangeWalks(this.state)
  }

  /** Starts a search. The departure times are then passed to `leave`, one by one. */
  begin(ground: SearchGround, task: SearchTask): void {
    this.lastKnown = task.lastKnown
    this.mostSeconds = task.mostSeconds
    this.state.begin(ground, task)
  }

  /**
   * Searches from one departure time, which must not be later than that of the previous call. Reports a journey if it
   * arrives earlier than each journey found so far that has the same number of vehicles or fewer. Journeys with fewer
   * vehicles are reported first. Returns false if the search was aborted.
   */
  leave(at: number, from: WalkEnds, found: (journey: FoundJourney) => void, shouldStop: () => boolean): boolean {
    const { state } = this
    this.leftAt = at
    while (state.mostVehicles > 0 && at <= (this.lastKnown?.[state.mostVehicles] ?? NEVER)) state.mostVehicles--
    const { mostVehicles } = state
    // The departures that follow are earlier, and so are their limits. So an arrival that this limit rules out is
    // useless for them, too.
    if (this.mostSeconds !== undefined) state.limitArrivals(at + this.mostSeconds)
    state.clearBoardable()
    for (let each = 0; each < from.stops.length; each++) state.start(from.stops[each], at + from.seconds[each])
    for (let round = 1; round <= mostVehicles && state.boardableCount > 0; round++) {
      if (shouldStop()) return false
      state.targetRide = NO_RIDE
      this.queue.collect(round)
      state.clearReached()
      this.routeScan.scanQueued(round)
      if (round === 1) state.endStarts(from.stops)
      if (state.targetRide !== NO_RIDE) found(this.unroll(at, round))
      state.clearBoardable()
      if (round < mostVehicles) this.changeWalks.walk(round)
    }
    return true
  }

  /**
   * Bounds for a search in the opposite direction of time. Requires that `leave` was called exactly once in this
   * search. Valid until `begin` is called again.
   */
  boundsForOther(from: WalkEnds): SearchBounds {
    this.state.countStarts(from, this.leftAt)
    const { data, arrival, ready, shift, mask, target } = this.state
    return { data, arrival, ready, shift, mask, end: target[MAX_VEHICLES] }
  }

  private unroll(leaves: number, round: number): FoundJourney {
    const { rides, target, targetRide, targetPosition } = this.state
    const found: FoundRide[] = []
    let ride = targetRide
    let to = targetPosition
    let vehicles = 0
    while (ride !== NO_RIDE) {
      const staysSeated = rides.isSeated(ride)
      if (!staysSeated) vehicles++
      found.push({
        layer: rides.layerOf(ride),
        route: rides.routeOf(ride),
        instance: rides.instanceOf(ride),
        from: rides.fromOf(ride),
        to,
        staysSeated,
      })
      to = rides.beforePositionOf(ride)
      ride = rides.beforeOf(ride)
    }
    return { leaves, arrives: target[round], vehicles, rides: found.reverse() }
  }
}
