// Queries for journeys that are worth testing: between stops, stations and points, by day and night, on ordinary days,
// at both ends of the calendar and at clock changes. The queries are drawn from what the text oracle reads, without the
// loader.
import type { Dice } from './board-questions.ts'
import type { JourneyFeed } from './oracles/journey-feed.ts'
import type { JourneyQuery } from './oracles/journey-ground.ts'
import { type PlainEnd, straightMeters } from './oracles/journey-places.ts'

const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400
/**
 * The planner follows a journey for this time after the requested day, or for three times the duration of the longest
 * ride, whichever is longer.
 */
const FOLLOWED_SECONDS = 3 * DAY_SECONDS
const FOLLOWED_RIDES = 3
/** Number of ordinary days, in addition to the ends of the calendar and clock changes. */
const ORDINARY_DAYS = 8
const MAX_WALKS = [0, 300, 500, 1000, 1000, 1000, 2500]
/** Maximum distance of a point from a stop, in degrees. */
const AROUND_DEGREES = 0.008
const SAME_PLACE_METERS = 10

/**
 * Random queries by departure time. They are sorted by day, so that the data prepared for a day serves all queries for
 * that day.
 */
export function listJourneyQueries(feed: JourneyFeed, dice: Dice, count: number): JourneyQuery[] {
  const dates = pickDates(feed, dice)
  const used = [...new Set(feed.stopsOfTrip.flat())]
  const stations = [...feed.places.stations.keys()].filter((id) => feed.places.parents.includes(id))
  const modes = [...new Set(feed.modeOfTrip)]
  const longestRide = feed.trips.reduce(
    (longest, { departures, arrivals }) => Math.max(longest, (arrivals.at(-1) ?? 0) - departures[0]),
    0,
  )
  const followedSeconds = Math.max(FOLLOWED_SECONDS, FOLLOWED_RIDES * longestRide)
  return Array.from({ length: count }, (_, number): JourneyQuery => {
    const date = dates[Math.floor((number * dates.length) / count)]
    const ends = pickEnds(feed, dice, { used, stations })
    const isPicky = dice.below(8) === 0
    return {
      ...ends,
      seconds: feed.zeroOf(date) + pickSecond(dice),
      isArriveBy: false,
      maxWalkMeters: dice.pick(MAX_WALKS) ?? 0,
      modes: isPicky ? modes.filter((_, at) => at === 0 || dice.below(2) === 0) : undefined,
      followedSeconds,
    }
  })
}

function pickDates({ dates, zeroOf }: JourneyFeed, dice: Dice): string[] {
  const [first, last] = [dates[0], dates.at(-1)]
  if (first === undefined || last === undefined) throw new Error('the feed has no service')
  const changes = dates.filter((date, at) => at > 0 && (zeroOf(date) - zeroOf(dates[at - 1])) % DAY_SECONDS !== 0)
  const ordinary = Array.from({ length: ORDINARY_DAYS }, () => dates[dice.below(dates.length)])
  return [...new Set([...ordinary, first, last, ...changes.slice(0, 2)])].sort()
}

/**
 * A random time in seconds after the zero of its day: mostly in the daytime, often at a full minute, when many vehicles
 * leave at the same time.
 */
function pickSecond(dice: Dice): number {
  const hour = dice.below(4) === 0 ? dice.below(28) : 6 + dice.below(15)
  const second = dice.below(HOUR_SECONDS)
  return hour * HOUR_SECONDS + (dice.below(2) === 0 ? second : second - (second % 60))
}

function pickEnds(
  feed: JourneyFeed,
  dice: Dice,
  places: { readonly used: readonly number[]; readonly stations: readonly string[] },
): { readonly from: PlainEnd; readonly to: PlainEnd } {
  for (;;) {
    const [from, to] = [pickEnd(feed, dice, places), pickEnd(feed, dice, places)]
    if (straightMeters(feed.places.pointOf(from), feed.places.pointOf(to)) > SAME_PLACE_METERS) return { from, to }
  }
}

function pickEnd(
  { places }: JourneyFeed,
  dice: Dice,
  { used, stations }: { readonly used: readonly number[]; readonly stations: readonly string[] },
): PlainEnd {
  const stop = used[dice.below(used.length)]
  const kind = dice.below(10)
  const station = dice.pick(stations)
  if (kind < 2 && station !== undefined) return { kind: 'area', id: station }
  if (kind < 7) return { kind: 'stop', id: places.ids[stop] }
  const beside = () => ((dice.below(2001) - 1000) / 1000) * AROUND_DEGREES
  const { lat, lon } = places.points[stop]
  return { kind: 'point', lat: lat + beside(), lon: lon + beside() }
}
