// The journeys that a search has found, and the criteria by which journeys are compared.
import type { PlannedJourney } from './planned-journey.ts'
import type { FoundJourney } from './search-ground.ts'
import { MAX_VEHICLES, NEVER, UNREACHED } from './search-state.ts'

/** The values by which journeys are compared. */
export type RatedJourney = Pick<FoundJourney, 'leaves' | 'arrives' | 'vehicles'>

/** A found journey. Its times are in seconds after the start of the query, not after the base of a span. */
export interface KnownJourney extends RatedJourney {
  readonly journey: PlannedJourney
}

/** The result of a query. */
export interface PlanResult {
  readonly journeys: readonly PlannedJourney[]
  /**
   * Whether the result contains all journeys within 24 hours of the requested time. False if the search stopped because
   * it had enough journeys.
   */
  readonly isAll: boolean
}

/** Number of vehicles → the latest departure among the given journeys with at most that many vehicles. */
export function lastLeaves(journeys: readonly RatedJourney[]): number[] {
  const last = new Array<number>(MAX_VEHICLES + 1).fill(NEVER)
  for (const { leaves, vehicles } of journeys) {
    for (let more = vehicles; more <= MAX_VEHICLES; more++) last[more] = Math.max(last[more], leaves)
  }
  return last
}

/** The journeys that no other journey beats, sorted by departure. */
export function pareto<Journey extends RatedJourney>(journeys: readonly Journey[]): Journey[] {
  const sorted = journeys.toSorted((a, b) => b.leaves - a.leaves || a.arrives - b.arrives || a.vehicles - b.vehicles)
  const kept: Journey[] = []
  /** Number of vehicles → the earliest arrival among the kept journeys with at most that many vehicles. */
  const first = new Array<number>(MAX_VEHICLES + 1).fill(UNREACHED)
  for (const journey of sorted) {
    const { arrives, vehicles } = journey
    if (first[vehicles] <= arrives) continue
    kept.push(journey)
    for (let more = vehicles; more <= MAX_VEHICLES; more++) first[more] = Math.min(first[more], arrives)
  }
  return kept.reverse()
}
