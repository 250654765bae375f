// Computes with the oracle what the timetable offers besides a journey list: other good journeys, each with the rule
// that removed it, and departures near the start. This helps people judge whether a rider would accept the list.
import { bestOf, type ReceivedJourney, toListed } from '../checked-lists.ts'
import type { JourneyQuery } from '../oracles/journey-ground.ts'
import { type ListedJourney, type ListReason, reasonToGo } from '../oracles/journey-list.ts'
import type { JourneyOracle, RiddenJourney } from '../oracles/journey-oracle.ts'
import type { PlainJourney, PlainRide } from '../oracles/journey-rides.ts'
import type { FeedNames } from './feed-names.ts'

/** The oracle, and the names of the stops and lines in its results. */
export interface Timetable {
  readonly oracle: JourneyOracle
  readonly names: FeedNames
}

/**
 * Length of the period after the query's time from which departures are shown. The period for journeys extends to the
 * last journey of the list if that is later. If the query is by arrival, both periods lie before the query's time.
 */
const SHOWN_SECONDS = 5400
/** The oracle searches this much farther than the last time that is shown. */
const RIDE_SECONDS = 3 * 3600
const NEAR_METERS = 500
const MOST_WAYS = 16
const MOST_TIMES = 12

const REASONS: Readonly<Partial<Record<ListReason, string>>> = {
  long: 'far longer than',
  walk: 'no faster than walking',
  little: 'gains little and costs much compared with',
  changes: 'saves little for its changes compared with',
  walking: 'more walking for nothing compared with',
  night: 'waits for hours at night',
}

/** The good journeys that the list does not show, one line for each, with the reason. */
export function otherJourneys(
  { oracle, names }: Timetable,
  query: JourneyQuery,
  shown: readonly ReceivedJourney[],
): string[] {
  const { isArriveBy, seconds } = query
  const list = shown.map(toListed)
  const last = list.at(-1)
  const far = Math.max(
    SHOWN_SECONDS,
    last === undefined ? 0 : Math.abs(seconds - (isArriveBy ? last.departs : last.arrives)),
  )
  const reach = far + RIDE_SECONDS
  const all = oracle.riddenSet({ ...query, until: isArriveBy ? seconds - reach : seconds + reach })
  const others = all.filter(({ departs, arrives }) => {
    if (list.some((one) => one.departs === departs && one.arrives === arrives)) return false
    return isArriveBy ? departs >= seconds - far : arrives <= seconds + far
  })
  return others.map((one) => `${journeyLine({ oracle, names }, one)}  ${reasonText({ oracle, names }, one, list)}`)
}

function reasonText({ oracle }: Timetable, journey: RiddenJourney, list: readonly ListedJourney[]): string {
  const { feed } = oracle
  const best = bestOf(feed, journey)
  for (const one of list) {
    const reason = reasonToGo(best, one, list[0])
    if (reason === undefined) continue
    return `[${REASONS[reason] ?? reason}${one.isWalk ? '' : ` ${clockOf(feed.zone, one.departs)} → ${clockOf(feed.zone, one.arrives)}`}]`
  }
  const last = list.at(-1)
  if (best.look().some(({ nightWaitSeconds }) => nightWaitSeconds > 7200)) return `[${REASONS.night}]`
  const isAfter = last !== undefined && journey.arrives >= last.arrives
  const isBefore = last !== undefined && journey.departs <= last.departs
  return isAfter || isBefore ? '[beyond the list]' : '[NOT EXPLAINED]'
}

function journeyLine(timetable: Timetable, journey: RiddenJourney): string {
  const { feed } = timetable.oracle
  const { departs, arrives, vehicles } = journey
  const ways = Iterator.from(journey.ways()).take(MOST_WAYS).toArray()
  const [way] = ways.toSorted((a, b) => rodeSeconds(b) - rodeSeconds(a))
  const rides = way?.rides.map((ride) => rideText(timetable, ride)) ?? []
  const minutes = Math.round((arrives - departs) / 60)
  const times = `${clockOf(feed.zone, departs)} → ${clockOf(feed.zone, arrives)}`
  return `${times}  ${minutes} min, ${changesText(vehicles - 1)}: ${rides.join(', ')}`
}

/**
 * The seconds that a rider spends in vehicles. Among journeys with the same times, the one with the most seconds in
 * vehicles has the least walking and waiting.
 */
function rodeSeconds({ rides }: PlainJourney): number {
  return rides.reduce((sum, { departs, arrives }) => sum + arrives - departs, 0)
}

function rideText({ oracle: { feed }, names }: Timetable, { tripRef, stopIds, departs, arrives }: PlainRide): string {
  const id = tripRef.slice('yyyymmdd:'.length).replace(/@\d\d:\d\d:\d\d$/, '')
  const route = feed.trips[feed.numberOfTrip.get(id) ?? -1]?.route.id ?? ''
  const [from = '', to = ''] = [stopIds[0], stopIds.at(-1)]
  const ends = `${clockOf(feed.zone, departs)} ${names.stop(from)} → ${clockOf(feed.zone, arrives)} ${names.stop(to)}`
  return `${names.line(route)} ${ends}`
}

/**
 * The departures from stops near the start, within an hour and a half of the query's time: line, stop, last stop and
 * times.
 */
export function leavingNear({ oracle: { feed }, names }: Timetable, query: JourneyQuery): string[] {
  const { seconds, isArriveBy } = query
  const [first, last] = isArriveBy ? [seconds - SHOWN_SECONDS, seconds] : [seconds, seconds + SHOWN_SECONDS]
  const near = feed.places.reach(query.from, NEAR_METERS, 'into')
  const times = new Map<string, Set<number>>()
  for (const { date, tripOf, shiftOf } of feed.runsWithin(first, last, false)) {
    const zero = feed.zeroOf(date)
    for (const [run, number] of tripOf.entries()) {
      const { departures, noPickup, stopIds, route } = feed.trips[number]
      for (const [call, stop] of feed.stopsOfTrip[number].slice(0, -1).entries()) {
        const leaves = zero + shiftOf[run] + departures[call]
        if (near[stop] < 0 || noPickup[call] || leaves < first || leaves > last) continue
        const what = `${names.line(route.id)} from ${names.stop(stopIds[call])} to ${names.stop(stopIds.at(-1) ?? '')}`
        times.getOrInsertComputed(what, () => new Set()).add(leaves)
      }
    }
  }
  return [...times]
    .map(([what, all]) => ({ what, all: [...all].sort((a, b) => a - b) }))
    .sort((a, b) => a.what.localeCompare(b.what, 'en', { numeric: true }))
    .map(({ what, all }) => {
      const some = all.slice(0, MOST_TIMES).map((leaves) => clockOf(feed.zone, leaves))
      return `${what}: ${some.join(' ')}${all.length > MOST_TIMES ? ` … ${all.length} in all` : ''}`
    })
}

/** A number of changes as text: `direct`, `1 change`, `2 changes`. */
export function changesText(count: number): string {
  return count === 0 ? 'direct' : count === 1 ? '1 change' : `${count} changes`
}

/** The local time of an instant in a time zone, `HH:MM`. */
export function clockOf(zone: string, seconds: number): string {
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO(zone)
  return `${`${hour}`.padStart(2, '0')}:${`${minute}`.padStart(2, '0')}`
}
