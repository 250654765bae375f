// Which of the planned journeys are worth an answer, and in which order. Never takes the earliest arrival away, nor, where
// the arrival was given, the latest departure.
import { type Journey, ridesOf, type Section } from '../rendering/journey.ts'

/** What the thinning hangs on. */
export interface HygieneRules {
  /** The arrival was given, not the departure. */
  readonly isArriveBy: boolean
  readonly limit: number
}

/** Longer than twice the shortest and this, nobody wants to be on the way. */
const LONGER_BY_SECONDS = 30 * 60
/** What a change less is worth. */
const CHANGE_SECONDS = 5 * 60
/** A change with less to spare is a gamble where another way comes this much later at most. */
const TIGHT_SECONDS = 3 * 60
const ALTERNATIVE_SECONDS = 5 * 60

/** The journeys to show, best first, at most `limit`. */
export function thinJourneys(journeys: readonly Journey[], rules: HygieneRules): Journey[] {
  const sorted = distinct(journeys).toSorted((a, b) => compare(a, b, rules.isArriveBy))
  const [best] = sorted
  if (best === undefined) return []
  const shortest = Math.min(...sorted.map(durationOf))
  const walk = sorted.find((journey) => ridesOf(journey.sections).length === 0)
  const kept = sorted.filter((journey) => {
    if (journey === best || journey === walk) return true
    if (durationOf(journey) > 2 * shortest + LONGER_BY_SECONDS) return false
    if (walk !== undefined && durationOf(journey) >= durationOf(walk)) return false
    return !sorted.some((other) => other !== journey && isPreferred(other, journey))
  })
  return kept.slice(0, rules.limit)
}

/** By arrival, then the later departure; where the arrival was given, by the later departure, then the arrival. */
function compare(a: Journey, b: Journey, isArriveBy: boolean): number {
  const byArrival = a.arrives - b.arrives
  const byDeparture = b.departs - a.departs
  const byTime = isArriveBy ? byDeparture || byArrival : byArrival || byDeparture
  return byTime || a.transfers - b.transfers || walkOf(a.sections) - walkOf(b.sections)
}

/** Whether riders would rather take one journey than another that is a little faster. */
function isPreferred(one: Journey, other: Journey): boolean {
  if (ridesOf(one.sections).length === 0) return false
  const changes = other.transfers - one.transfers
  const slack = changes * CHANGE_SECONDS
  if (changes > 0 && one.arrives <= other.arrives + slack && one.departs >= other.departs - slack) return true
  // Nobody walks that far, to be there later, only to change once less.
  const isNoSlower = one.arrives <= other.arrives && one.departs >= other.departs
  if (isNoSlower && walkingSeconds(one) - slack < walkingSeconds(other)) return true
  const isSafer = tightestChange(other) < TIGHT_SECONDS && tightestChange(one) >= TIGHT_SECONDS
  return (
    isSafer &&
    changes >= 0 &&
    one.arrives <= other.arrives + ALTERNATIVE_SECONDS &&
    one.departs >= other.departs - ALTERNATIVE_SECONDS
  )
}

/** The least time that is left at a change once the walk is done; Infinity without a change. */
function tightestChange({ sections }: Journey): number {
  let least = Infinity
  let walked = 0
  let alighted: number | undefined
  for (const section of sections) {
    if (section.kind === 'walk') {
      walked = section.arrives - section.departs
      continue
    }
    if (alighted !== undefined && !section.staysSeated) least = Math.min(least, section.departs - alighted - walked)
    alighted = section.arrives
    walked = 0
  }
  return least
}

/** Of journeys by the same trips the one that walks least; those differ in where one changes alone. */
function distinct(journeys: readonly Journey[]): Journey[] {
  const byTrips = new Map<string, Journey>()
  for (const journey of journeys) {
    const rides = ridesOf(journey.sections)
    const key = rides.map(({ tripRef }) => tripRef).join(' ')
    const known = byTrips.get(key)
    if (known === undefined || isBetterSame(journey, known)) byTrips.set(key, journey)
  }
  return [...byTrips.values()]
}

/** Earlier there, later off, more time at the tightest change, less on foot. */
function isBetterSame(one: Journey, other: Journey): boolean {
  const order =
    one.arrives - other.arrives ||
    other.departs - one.departs ||
    Math.sign(tightestChange(other) - tightestChange(one)) ||
    walkOf(one.sections) - walkOf(other.sections)
  return order < 0
}

function durationOf({ departs, arrives }: Journey): number {
  return arrives - departs
}

function walkingSeconds({ sections }: Journey): number {
  return sections.reduce((sum, section) => sum + (section.kind === 'walk' ? section.arrives - section.departs : 0), 0)
}

function walkOf(sections: readonly Section[]): number {
  return sections.reduce((meters, section) => meters + (section.kind === 'walk' ? section.meters : 0), 0)
}
