// Journeys that a search knows of by what makes them better than others.
import type { PlannedJourney } from './planned-journey.ts'
import type { FoundJourney } from './search-ground.ts'
import { MAX_VEHICLES, NEVER } from './search-labels.ts'

/** What makes a journey better than others. */
export type RatedJourney = Pick<FoundJourney, 'leaves' | 'arrives' | 'vehicles'>

/** What was found for a question. */
export interface PlanResult {
  readonly journeys: readonly PlannedJourney[]
  /** There are no others within the 24 hours: the search did not end because these were enough. */
  readonly isAll: boolean
}

/** By number of vehicles: when the last of some journeys leaves that takes no more. */
export function lastLeaves(journeys: readonly RatedJourney[]): number[] {
  const last = new Array<number>(MAX_VEHICLES + 1).fill(NEVER)
  for (const { leaves, vehicles } of journeys) {
    for (let more = vehicles; more <= MAX_VEHICLES; more++) last[more] = Math.max(last[more], leaves)
  }
  return last
}

/** The journeys that no other beats, by their leaving. */
export function pareto<Journey extends RatedJourney>(journeys: readonly Journey[]): Journey[] {
  const sorted = journeys.toSorted((a, b) => b.leaves - a.leaves || a.arrives - b.arrives || a.vehicles - b.vehicles)
  const kept: Journey[] = []
  for (const journey of sorted) {
    const isBeaten = kept.some((other) => other.arrives <= journey.arrives && other.vehicles <= journey.vehicles)
    if (!isBeaten) kept.push(journey)
  }
  return kept.reverse()
}
