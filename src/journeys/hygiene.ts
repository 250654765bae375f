// Which of the planned journeys are worth showing, and in which order. Never removes the earliest arrival or, where the
// arrival was given, the latest departure. The list does not depend on how many of its journeys are shown.
import { type Journey, ridesOf, type Section } from '../rendering/journey.ts'

/** What the list depends on. */
export interface ListRules {
  /** The arrival was given, not the departure. */
  readonly isArriveBy: boolean
}

/** A journey longer than twice the shortest of its time of day and this is left out. */
const LONGER_BY_SECONDS = 30 * 60
/** Journeys that leave this close to each other are of one time of day. */
const SAME_TIME_SECONDS = 2 * 3600
/** What one change less is worth. */
const CHANGE_SECONDS = 5 * 60
/** A journey gives way only to one that leaves no more than this before it and arrives no more than this after it. */
const NEARBY_SECONDS = 15 * 60

/** The journeys worth showing, in the order in which they are shown. */
export function listJourneys(journeys: readonly Journey[], rules: ListRules): Journey[] {
  const sorted = sortedForShow(journeys, rules)
  const kept = thin(sorted, rules)
  return sorted.filter((journey) => kept.has(journey))
}

/**
 * How many journeys at the start of the list stay there whatever else is found, given that all journeys are known that
 * arrive by an instant (`isArriveBy`: that leave then or later). A journey gives way only to journeys that rank before
 * it, so all that rank before the instant are decided.
 * @param rules `until` in seconds after 1970
 */
export function countSettled(journeys: readonly Journey[], rules: ListRules & { readonly until: number }): number {
  const sorted = sortedForShow(journeys, rules)
  const end = rules.isArriveBy ? -rules.until : rules.until
  const isDecided = (journey: Journey) => rankOf(journey, rules) <= end
  const decided = sorted.filter((journey, at) => at === 0 || isOnFoot(journey) || isDecided(journey))
  const kept = thin(decided, rules)
  let count = 0
  for (const [at, journey] of sorted.entries()) {
    // The walk may arrive later: what comes before it is not known yet.
    if ((rules.isArriveBy ? -journey.departs : journey.arrives) > end) break
    if (kept.has(journey)) count++
    else if (at > 0 && !isDecided(journey) && !givesWay(journey, kept)) break
  }
  return count
}

/** Walks through the journeys best first; one goes only by one that was kept. The first, and the walk, always stay. */
function thin(sorted: readonly Journey[], rules: ListRules): ReadonlySet<Journey> {
  const kept = new Set(sorted.filter((journey, at) => at === 0 || isOnFoot(journey)))
  const bestFirst = sorted.toSorted(
    (a, b) =>
      rankOf(a, rules) - rankOf(b, rules) ||
      (rules.isArriveBy ? a.arrives - b.arrives : b.departs - a.departs) ||
      walkOf(a.sections) - walkOf(b.sections),
  )
  for (const journey of bestFirst) if (!givesWay(journey, kept)) kept.add(journey)
  return kept
}

/** Lower is better: the arrival, or the departure negated, and what each change is worth. */
function rankOf({ departs, arrives, transfers }: Journey, { isArriveBy }: ListRules): number {
  return (isArriveBy ? -departs : arrives) + transfers * CHANGE_SECONDS
}

/** Whether some journey that is shown makes this one useless. */
function givesWay(journey: Journey, kept: Iterable<Journey>): boolean {
  const duration = durationOf(journey)
  for (const other of kept) {
    if (other === journey) return false
    if (isOnFoot(other) && duration >= durationOf(other)) return true
    const isOfSameTime = Math.abs(other.departs - journey.departs) <= SAME_TIME_SECONDS
    if (isOfSameTime && duration > 2 * durationOf(other) + LONGER_BY_SECONDS) return true
    if (isNearby(other, journey) && isPreferred(other, journey)) return true
  }
  return false
}

/** By arrival, then fewer changes, then later departure; where the arrival was given, by later departure first. */
function sortedForShow(journeys: readonly Journey[], { isArriveBy }: ListRules): Journey[] {
  return distinct(journeys).toSorted((a, b) => {
    const byArrival = a.arrives - b.arrives
    const byDeparture = b.departs - a.departs
    const byChanges = a.transfers - b.transfers
    const byTime = isArriveBy ? byDeparture || byChanges || byArrival : byArrival || byChanges || byDeparture
    return byTime || walkOf(a.sections) - walkOf(b.sections)
  })
}

function isNearby(one: Journey, other: Journey): boolean {
  return one.departs >= other.departs - NEARBY_SECONDS && one.arrives <= other.arrives + NEARBY_SECONDS
}

/** Whether riders would rather take one journey than another that is a little faster. */
function isPreferred(one: Journey, other: Journey): boolean {
  if (isOnFoot(one)) return false
  const changes = other.transfers - one.transfers
  const slack = changes * CHANGE_SECONDS
  if (changes > 0 && one.arrives <= other.arrives + slack && one.departs >= other.departs - slack) return true
  // A long walk that gets one there no sooner is not worth saving a change.
  const isNoSlower = one.arrives <= other.arrives && one.departs >= other.departs
  return isNoSlower && walkingSeconds(one) - slack < walkingSeconds(other)
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

function isOnFoot({ sections }: Journey): boolean {
  return sections.every(({ kind }) => kind === 'walk')
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
