// Naively computes departure boards from a feed's text, even if the feed is faulty: applies the cleaning rules one
// after the other, then tries each call on each day. Shares no code with loaders, indexes or src.
import { type FeedText, openFeedText } from './feed-text.ts'
import { calendarOf, type TextCalendar } from './text-calendar.ts'
import { dateOf, datesBetween, zeroSeconds } from './text-dates.ts'
import { type PlainRoute, readRoutes } from './text-lines.ts'
import { readStops, type TextStops } from './text-stops.ts'
import { type CleanTrip, readTrips } from './text-trips.ts'

const DAY_SECONDS = 86_400

/** One row of a board, in the terms of the API. */
export interface TextRow {
  readonly trip_id: string
  readonly stop_id: string
  readonly line_id: string
  readonly headsign: string
  /** Seconds after 1970. */
  readonly seconds: number
  /** The index of the call in its cleaned trip, from 0. */
  readonly call: number
}

/** A query for the first `limit` departures in [fromSeconds, toSeconds) from some stops. */
export interface TextQuestion {
  /** The feed's own stop ids; for an area, the ids of all its stops. */
  readonly stopIds: readonly string[]
  readonly fromSeconds: number
  readonly toSeconds: number
  readonly limit: number
  /** If defined, only departures on this line count. This is the feed's own route id. */
  readonly lineId?: string
  /**
   * If defined, only departures in this direction count: `0` or `1`. Only for lines in `directedLines`, because Quai
   * computes the directions of other lines itself.
   */
  readonly directionId?: string
}

/** A call where riders can board. Tests use it to generate queries. */
export interface Boarding {
  readonly trip: CleanTrip
  readonly call: number
}

/** A feed read from its text. */
export interface TextBoards {
  readonly zone: string
  /** Every stop of location_type 0, with or without calls. */
  readonly stopIds: readonly string[]
  /** Station id → the ids of its stops. */
  readonly childrenOf: ReadonlyMap<string, readonly string[]>
  readonly boardings: readonly Boarding[]
  readonly trips: readonly CleanTrip[]
  readonly routes: ReadonlyMap<string, PlainRoute>
  readonly stops: TextStops
  /** The ids of the routes whose trips all have a direction. */
  readonly directedLines: ReadonlySet<string>
  readonly calendar: TextCalendar
  /** First and last day with a service, yyyymmdd; undefined if no service ever runs. */
  readonly firstDate: string | undefined
  readonly lastDate: string | undefined
  board(question: TextQuestion): TextRow[]
  /** The zero of a service day (noon − 12 h in the agency's zone), in seconds after 1970. */
  zeroOf(date: string): number
}

/** Reads a feed as the network `network`. @param source path of a zip or folder, or the files' contents by name */
export async function readTextBoards(
  source: string | Readonly<Record<string, string>>,
  network: string,
): Promise<TextBoards> {
  return boardsOf(await openFeedText(source), network)
}

async function boardsOf(feed: FeedText, network: string): Promise<TextBoards> {
  const { zone, routes } = await readRoutes(feed)
  const calendar = await calendarOf(feed)
  const stops = await readStops(feed)
  const trips = await readTrips(feed, { stops, routes, hasService: (id) => calendar.has(id) })
  const boardings: Boarding[] = []
  const callsAt = new Map<string, Boarding[]>()
  let longest = 0
  for (const trip of trips) {
    longest = Math.max(longest, trip.departures.at(-1) ?? 0, ...trip.starts.map((start) => start + spanOf(trip)))
    // The last call of a trip is not a departure: the trip ends there.
    for (let call = 0; call < trip.stopIds.length - 1; call++) {
      if (trip.noPickup[call]) continue
      const boarding = { trip, call }
      boardings.push(boarding)
      const stop = trip.stopIds[call] ?? ''
      const others = callsAt.get(stop)
      if (others === undefined) callsAt.set(stop, [boarding])
      else others.push(boarding)
    }
  }
  const zeros = new Map<string, number>()
  const zeroOf = (date: string) => {
    const known = zeros.get(date)
    if (known !== undefined) return known
    const zero = zeroSeconds(zone, date)
    zeros.set(date, zero)
    return zero
  }
  const days = trips.length === 0 ? [] : calendar.days(new Set(trips.map((trip) => trip.serviceId)))
  const board = (question: TextQuestion) => {
    // Two extra days on each side cover time zones and clock changes.
    const first = dateOf(question.fromSeconds - longest - 2 * DAY_SECONDS)
    const dates = datesBetween(first, dateOf(question.toSeconds + 2 * DAY_SECONDS))
    const rows: (TextRow & { readonly route: PlainRoute })[] = []
    for (const stop of new Set(question.stopIds)) {
      for (const { trip, call } of callsAt.get(stop) ?? []) {
        if (question.lineId !== undefined && trip.route.id !== question.lineId) continue
        if (question.directionId !== undefined && trip.directionId !== question.directionId) continue
        for (const date of dates) {
          if (!calendar.runs(trip.serviceId, date)) continue
          const departs = zeroOf(date) + (trip.departures[call] ?? 0)
          for (const [name, shift] of runsOf(trip)) {
            const seconds = departs + shift
            if (seconds < question.fromSeconds || seconds >= question.toSeconds) continue
            rows.push({
              trip_id: `${network}:trip:${date}:${name}`,
              stop_id: `${network}:stop:${stop}`,
              line_id: `${network}:line:${trip.route.id}`,
              headsign: trip.headsigns[call] ?? '',
              seconds,
              call,
              route: trip.route,
            })
          }
        }
      }
    }
    rows.sort(
      (a, b) =>
        a.seconds - b.seconds || a.route.order - b.route.order || compareText(a.trip_id, b.trip_id) || a.call - b.call,
    )
    return rows.slice(0, question.limit).map(({ route: _, ...row }) => row)
  }
  return {
    zone,
    stopIds: [...stops.names.keys()],
    childrenOf: stops.childrenOf,
    boardings,
    trips,
    routes,
    stops,
    directedLines: directedLinesOf(trips),
    calendar,
    firstDate: days[0],
    lastDate: days.at(-1),
    board,
    zeroOf,
  }
}

function directedLinesOf(trips: readonly CleanTrip[]): Set<string> {
  const lines = new Set(trips.map((trip) => trip.route.id))
  for (const trip of trips) if (trip.directionId === '') lines.delete(trip.route.id)
  return lines
}

/**
 * The runs of a trip on each day of its service: the name of each run without the date, and the seconds to add to the
 * trip's times.
 */
function runsOf(trip: CleanTrip): (readonly [name: string, shift: number])[] {
  if (!trip.hasFrequencies) return [[trip.id, 0]]
  const own = trip.departures[0] ?? 0
  return trip.starts.map((start) => [`${trip.id}@${clockText(start)}`, start - own])
}

function spanOf(trip: CleanTrip): number {
  return (trip.departures.at(-1) ?? 0) - (trip.departures[0] ?? 0)
}

function clockText(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(seconds / 3600)}:${two((seconds % 3600) / 60)}:${two(seconds % 60)}`
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
