// Finds what each alternative is best at, such as the fewest transfers, and which transfers are tight. These functions
// are pure, so they can be tested without a browser.
import type { Journey, Ride, Section } from './contract.ts'

/** What an alternative is best at. */
export type Merit = 'fastest' | 'fewestChanges' | 'leastWalking'

const MEASURES: readonly (readonly [Merit, (journey: Journey) => number])[] = [
  ['fastest', ({ duration_seconds }) => duration_seconds],
  ['fewestChanges', ({ transfers }) => transfers],
  ['leastWalking', ({ walking_meters }) => walking_meters],
]

/**
 * Id of an alternative → its merit. Each merit goes to at most one alternative, and each alternative gets at most one
 * merit. If several alternatives share the best value, the one that arrives first gets the merit. If all alternatives
 * have the same value, none gets the merit.
 */
export function meritsOf(journeys: readonly Journey[]): ReadonlyMap<string, Merit> {
  const merits = new Map<string, Merit>()
  for (const [merit, measure] of MEASURES) {
    const measures = journeys.map(measure)
    const least = Math.min(...measures)
    if (measures.every((one) => one === least)) continue
    const [best] = journeys
      .filter((journey) => measure(journey) === least)
      .sort((one, other) => Date.parse(one.arrival_at) - Date.parse(other.arrival_at))
    if (best !== undefined && !merits.has(best.id)) merits.set(best.id, merit)
  }
  return merits
}

/** A transfer before a ride. */
export interface Change {
  /** Time between the arrival of the previous ride and the departure of this ride, including walks. */
  readonly seconds: number
  /** Whether the passenger may miss this ride. */
  readonly isTight: boolean
}

/**
 * Index of a ride in `sections` → the transfer before it. The first ride has no transfer before it, nor does a ride for
 * which passengers stay seated.
 */
export function changesOf({ sections, at_risk }: Journey): ReadonlyMap<number, Change> {
  const seconds = new Map<number, number>()
  const spare = new Map<number, number>()
  let before: Ride | undefined
  let walked = 0
  sections.forEach((section, at) => {
    if (section.kind === 'walk') {
      walked += section.duration_seconds
      return
    }
    if (before !== undefined && section.stay_seated !== true) {
      const gap = (Date.parse(section.departure_at) - Date.parse(before.arrival_at)) / 1_000
      seconds.set(at, gap)
      spare.set(at, gap - walked)
    }
    before = section
    walked = 0
  })
  const least = Math.min(...spare.values())
  return new Map([...seconds].map(([at, gap]) => [at, { seconds: gap, isTight: at_risk && spare.get(at) === least }]))
}

/** All alternatives from several pages, without duplicates, in order of departure. */
export function inOrder(pages: readonly (readonly Journey[])[]): readonly Journey[] {
  const byId = new Map(pages.flat().map((journey) => [journey.id, journey]))
  return [...byId.values()].sort(
    (one, other) =>
      Date.parse(one.departure_at) - Date.parse(other.departure_at) ||
      Date.parse(one.arrival_at) - Date.parse(other.arrival_at),
  )
}

/** The name of the place where a section begins or ends. */
export function nameOf(place: Section['from_place']): string {
  return place.kind === 'address' ? place.label : place.name
}
