// Selects and orders the planned journeys to show. Never removes the earliest arrival or, if the query gives the
// arrival time, the latest departure. The list does not depend on the number of journeys per page.
import { type Journey, ridesOf, type Section, slackOf } from '../rendering/journey.ts'

/** The rules by which journeys are listed. */
export interface ListRules {
  /** Whether the query gives the arrival time, not the departure time. */
  readonly isArriveBy: boolean
  /** Converts seconds after 1970 to the network's local time, in seconds after the midnight of a fixed day. */
  readonly localSeconds: (seconds: number) => number
}

/**
 * A journey is dropped if it takes longer than this sum: twice the duration of a listed journey at the same time of
 * day, plus this value.
 */
const LONGER_BY_SECONDS = 30 * 60
/** Journeys that depart this close to each other are at the same time of day. */
const SAME_TIME_SECONDS = 2 * 3600
/** Saving one transfer is worth this many seconds of travel time. */
const CHANGE_SECONDS = 5 * 60
/**
 * A journey is dropped in favor of another journey only if the other journey departs at most this much earlier and
 * arrives at most this much later.
 */
const NEARBY_SECONDS = 15 * 60
/** Saving a second of walking is worth this many seconds of travel time, in addition to the saved second. */
const WALK_WORTH = 0.5
/**
 * Of two journeys with equally many transfers, one is dropped if it saves at most this much time, but loses at least
 * MANY_TIMES as much by an earlier departure, a later arrival or a longer walk.
 */
const LITTLE_GAIN_SECONDS = 3 * 60
const MANY_TIMES = 3
/** The journey with the small gain is dropped only if it loses at least this much time. */
const MUCH_SECONDS = 5 * 60
/** Two walks count as equally long if their durations differ by at most this. */
const EQUAL_WALK_SECONDS = 60

/**
 * A journey that waits longer than this between midnight and five is dropped, unless it is the first one in the list.
 */
const NIGHT_WAIT_SECONDS = 2 * 3600
const NIGHT_END_SECONDS = 5 * 3600
const DAY_SECONDS = 86_400

/** The journeys to show, in display order. */
export function listJourneys(journeys: readonly Journey[], rules: ListRules): Journey[] {
  const sorted = sortedForShow(journeys, rules)
  const kept = thin(sorted, rules)
  return sorted.filter((journey) => kept.has(journey))
}

/**
 * The start of the list: the journeys before the first one that could still change when more journeys are planned. A
 * journey is dropped only in favor of a journey with a better rank. So it is certain whether a journey with a rank of
 * at most `until` is dropped.
 * @param journeys all journeys that arrive by `until` or, with `isArriveBy`, that depart at or after it
 * @param rules `until` in seconds after 1970
 */
export function settledStart(journeys: readonly Journey[], rules: ListRules & { readonly until: number }): Journey[] {
  const sorted = sortedForShow(journeys, rules)
  const end = rules.isArriveBy ? -rules.until : rules.until
  const isDecided = (journey: Journey) => rankOf(journey, rules) <= end
  const decided = sorted.filter((journey, at) => at === 0 || isOnFoot(journey) || isDecided(journey))
  const kept = thin(decided, rules)
  const settled: Journey[] = []
  for (const journey of sorted) {
    // A walk may arrive later than `until`. The settled start then ends before the walk, because journeys that belong
    // before it in the list may not have been planned yet.
    if ((rules.isArriveBy ? -journey.departs : journey.arrives) > end) break
    if (kept.has(journey)) settled.push(journey)
    else if (!isDecided(journey) && !waitsByNight(journey, rules) && !givesWay(journey, kept, sorted[0])) break
  }
  return settled
}

/**
 * Whether the list certainly has more journeys than `settled`. This is so if a planned journey is replaced neither by a
 * journey in `settled` nor by a walk. The list then shows that journey, or a journey that replaces it.
 */
export function listContinues(journeys: readonly Journey[], settled: readonly Journey[], rules: ListRules): boolean {
  const shown = [...new Set([...settled, ...journeys.filter(isOnFoot)])]
  return distinct(journeys).some(
    (journey) => !shown.includes(journey) && !waitsByNight(journey, rules) && !givesWay(journey, shown, settled[0]),
  )
}

/**
 * The first journeys of a list, at most `limit`. If the last of them has a tight transfer, that journey moves to the
 * next page. There, a rider who misses the transfer also finds the following journey.
 */
export function startOfList(
  list: readonly Journey[],
  { limit, tightSeconds }: { readonly limit: number; readonly tightSeconds: number },
): readonly Journey[] {
  const last = list[limit - 1]
  const isTight = last !== undefined && slackOf(last) < tightSeconds
  return list.slice(0, isTight && limit > 1 ? limit - 1 : limit)
}

/**
 * Selects the journeys to list, best rank first. A journey is dropped only in favor of a selected journey. The first
 * journey and the walk are always selected.
 */
function thin(sorted: readonly Journey[], rules: ListRules): ReadonlySet<Journey> {
  const kept = new Set(sorted.filter((journey, at) => at === 0 || isOnFoot(journey)))
  const bestFirst = sorted.toSorted(
    (a, b) =>
      rankOf(a, rules) - rankOf(b, rules) ||
      (rules.isArriveBy ? a.arrives - b.arrives : b.departs - a.departs) ||
      walkOf(a.sections) - walkOf(b.sections),
  )
  for (const journey of bestFirst) {
    // A journey with a long wait at night is dropped even if no listed journey is better. The first journey stays.
    if (!waitsByNight(journey, rules) && !givesWay(journey, kept, sorted[0])) kept.add(journey)
  }
  return kept
}

/** Whether a journey waits at transfers for more than two hours between midnight and five in the morning. */
function waitsByNight({ sections }: Journey, { localSeconds }: ListRules): boolean {
  let waited = 0
  for (const [at, section] of sections.entries()) {
    const before = sections[at - 1]
    const isChange = before !== undefined && !(section.kind === 'ride' && section.staysSeated)
    if (!isChange || section.departs <= before.arrives) continue
    waited += nightSeconds(localSeconds(before.arrives), localSeconds(section.departs))
  }
  return waited > NIGHT_WAIT_SECONDS
}

/** How many seconds of a range of local time are between midnight and five in the morning. */
function nightSeconds(from: number, to: number): number {
  let sum = 0
  for (let midnight = Math.floor(from / DAY_SECONDS) * DAY_SECONDS; midnight < to; midnight += DAY_SECONDS) {
    sum += Math.max(0, Math.min(to, midnight + NIGHT_END_SECONDS) - Math.max(from, midnight))
  }
  return sum
}

/**
 * The rank of a journey; lower is better. It is the arrival (with `isArriveBy`, the negated departure) plus the cost of
 * all transfers, in seconds.
 */
function rankOf({ departs, arrives, transfers }: Journey, { isArriveBy }: ListRules): number {
  return (isArriveBy ? -departs : arrives) + transfers * CHANGE_SECONDS
}

/** Whether a journey is dropped in favor of one of the journeys `kept`. @param first the first journey of the list */
function givesWay(journey: Journey, kept: Iterable<Journey>, first: Journey | undefined): boolean {
  const duration = durationOf(journey)
  for (const other of kept) {
    if (other === journey) return false
    if (isOnFoot(other) && duration >= durationOf(other)) return true
    const isOfSameTime = Math.abs(other.departs - journey.departs) <= SAME_TIME_SECONDS
    if (isOfSameTime && duration > 2 * durationOf(other) + LONGER_BY_SECONDS) return true
    if (isNearby(other, journey) && isPreferred(other, journey) && !isBetween(journey, other, first)) return true
  }
  return false
}

/**
 * Whether `journey` is a good compromise between `first`, which is always listed, and `other`: it has more transfers
 * than `other`, but fewer than `first`, and the transfers saved compared with `first` are worth the time lost.
 */
function isBetween(journey: Journey, other: Journey, first: Journey | undefined): boolean {
  if (first === undefined || first.transfers <= journey.transfers || journey.transfers <= other.transfers) return false
  return gainOf(first, journey) <= (first.transfers - journey.transfers) * CHANGE_SECONDS
}

/** The values that determine a journey's position in lists. Instants are seconds after 1970. */
export interface ListKey {
  readonly departs: number
  readonly arrives: number
  readonly transfers: number
  readonly walkMeters: number
}

/** Computes the values that determine a journey's position in lists. */
export function listKey({ departs, arrives, transfers, sections }: Journey): ListKey {
  return { departs, arrives, transfers, walkMeters: walkOf(sections) }
}

/**
 * Compares two journeys by their positions in lists: earlier arrival first, then fewer transfers, later departure and
 * shorter walks. With `isArriveBy`: later departure first, then fewer transfers, earlier arrival and shorter walks.
 */
export function compareKeys(a: ListKey, b: ListKey, isArriveBy: boolean): number {
  const byArrival = a.arrives - b.arrives
  const byDeparture = b.departs - a.departs
  const byChanges = a.transfers - b.transfers
  const byTime = isArriveBy ? byDeparture || byChanges || byArrival : byArrival || byChanges || byDeparture
  return byTime || a.walkMeters - b.walkMeters
}

function sortedForShow(journeys: readonly Journey[], { isArriveBy }: ListRules): Journey[] {
  return inOrder(distinct(journeys), isArriveBy)
}

/** Sorts journeys in list order. */
export function inOrder(journeys: readonly Journey[], isArriveBy: boolean): Journey[] {
  return journeys
    .map((journey) => ({ journey, key: listKey(journey) }))
    .sort((a, b) => compareKeys(a.key, b.key, isArriveBy))
    .map(({ journey }) => journey)
}

function isNearby(one: Journey, other: Journey): boolean {
  return one.departs >= other.departs - NEARBY_SECONDS && one.arrives <= other.arrives + NEARBY_SECONDS
}

/** Whether riders would prefer the journey `one` to the journey `other`, although `other` may be a little faster. */
function isPreferred(one: Journey, other: Journey): boolean {
  if (isOnFoot(one)) return false
  const changesWorth = (other.transfers - one.transfers) * CHANGE_SECONDS
  const gain = gainOf(other, one)
  const walkSaved = walkingSeconds(one) - walkingSeconds(other)
  // If `other` has more transfers, it must save more time than the additional transfers are worth.
  if (changesWorth > 0 && gain + WALK_WORTH * Math.max(0, walkSaved) <= changesWorth) return true
  // A small gain in time is not worth a much earlier departure, later arrival or longer walk.
  if (changesWorth === 0 && gain <= LITTLE_GAIN_SECONDS && walkSaved <= EQUAL_WALK_SECONDS) {
    const cost = gainOf(one, other) - walkSaved
    if (cost >= Math.max(MUCH_SECONDS, MANY_TIMES * gain)) return true
  }
  // If `other` saves no time, the transfers that it saves must be worth its longer walk.
  return gain === 0 && walkSaved < changesWorth
}

/** How many seconds later `one` departs than `other`, plus how many seconds earlier it arrives; each at least 0. */
function gainOf(one: Journey, other: Journey): number {
  return Math.max(0, one.departs - other.departs) + Math.max(0, other.arrives - one.arrives)
}

/**
 * Of several journeys with the same trips at the same times, keeps only one. Such journeys differ only in the stops
 * where riders transfer.
 */
function distinct(journeys: readonly Journey[]): Journey[] {
  const byTrips = new Map<string, Journey>()
  for (const journey of journeys) {
    const trips = ridesOf(journey.sections).map(({ tripRef }) => tripRef)
    const key = [journey.departs, journey.arrives, ...trips].join(' ')
    const known = byTrips.get(key)
    if (known === undefined || isBetterSame(journey, known)) byTrips.set(key, journey)
  }
  return [...byTrips.values()]
}

/**
 * Whether `one` is the better of two journeys with the same trips: it has more time at its tightest transfer, or the
 * same time there but less walking.
 */
function isBetterSame(one: Journey, other: Journey): boolean {
  const order = Math.sign(slackOf(other) - slackOf(one) || 0) || walkOf(one.sections) - walkOf(other.sections)
  return order < 0
}

/** Whether a journey is a walk only. */
export function isOnFoot({ sections }: Journey): boolean {
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
