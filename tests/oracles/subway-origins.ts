// Parses the trip ids in the New York subway's live feeds, such as 073900_1..S03R, and finds the trips that they name.
// An id contains the departure time from the trip's first stop (in hundredths of a minute), the route, the direction
// and the path. Part of the realtime oracle; shares no code with indexes/live.
import { choicesOf, type ReportContext } from './realtime-matching.ts'
import type { TextBoards } from './text-boards.ts'
import type { CleanTrip } from './text-trips.ts'

/** The content of a trip id. */
export interface Origin {
  /** In seconds after the service day's zero. */
  readonly seconds: number
  readonly route: string
  readonly directionId: '0' | '1'
  /** The part of the id that starts with the dots: `..S03R`. */
  readonly path: string
}

/** A train may leave up to this many seconds before or after the time in its trip's id. */
const AROUND_SECONDS = 60

/** Parses a trip id; undefined for ids in any other format. */
export function originOf(tripId: string): Origin | undefined {
  const [time = '', rest = '', ...more] = tripId.split('_')
  const dots = rest.indexOf('.')
  const path = rest.slice(dots)
  const way = path.replace(/^\.{1,2}/, '').charAt(0)
  if (more.length > 0 || !/^-?\d{5,6}$/.test(time) || dots < 1 || (way !== 'N' && way !== 'S')) return undefined
  return {
    seconds: Math.round((Number(time) * 60) / 100),
    route: rest.slice(0, dots),
    directionId: way === 'N' ? '0' : '1',
    path,
  }
}

/** The only run on the reported day that fits the id, or the reason why no run was found. */
export function findByOrigin(
  boards: TextBoards,
  origin: Origin,
  report: ReportContext & { readonly routeId: string; readonly startDate: string },
): CleanTrip | string {
  const { routeId, startDate, stopIds = [] } = report
  const ofDay = boards.trips.filter(
    ({ route, serviceId }) => route.id === routeId && boards.calendar.runs(serviceId, startDate),
  )
  if (ofDay.length === 0) return 'origin, no service of its route on its day'
  const near = ofDay.filter((trip) => Math.abs(trip.departures[0] - origin.seconds) <= AROUND_SECONDS)
  if (near.length === 0) return 'origin, no run of the day leaves then'
  const oneWay = near.filter(({ directionId }) => directionId === origin.directionId || directionId === '')
  if (oneWay.length === 0) return 'origin, the run that leaves then has the other direction'
  const tests: ((trip: CleanTrip) => boolean)[] = [
    ({ departures }) => departures[0] === origin.seconds,
    ({ id, pathId }) => id.endsWith(origin.path) || pathId.endsWith(origin.path),
    (trip) => isSubsequence(stopIds, trip.stopIds),
  ]
  const left = tests.reduce((trips: readonly CleanTrip[], test) => {
    const passing = trips.length > 1 ? trips.filter(test) : []
    return passing.length > 0 ? passing : trips
  }, oneWay)
  const [only, ...others] = left
  if (only !== undefined && others.length === 0) return only
  return clearlyNearest(boards, left, report) ?? 'origin, several runs fit'
}

/**
 * The run whose schedule is nearest to the first reported time, but only if all other runs are more than twice as far
 * away.
 */
function clearlyNearest(
  boards: TextBoards,
  trips: readonly CleanTrip[],
  { first, seen, startDate }: ReportContext & { readonly startDate: string },
): CleanTrip | undefined {
  const reported = first ?? seen
  if (reported === undefined) return undefined
  const since = reported.seconds - boards.zeroOf(startDate)
  const awayOf = (trip: CleanTrip) => {
    const there = choicesOf(boards, trip, reported.call)
    const places = there.length > 0 ? there : trip.stopIds.keys().toArray()
    return Math.min(
      ...places.flatMap((at) => [trip.arrivals[at], trip.departures[at]].map((each) => Math.abs(each - since))),
    )
  }
  const [nearest, ...others] = trips.map((trip) => ({ trip, away: awayOf(trip) })).sort((a, b) => a.away - b.away)
  return nearest !== undefined && others.every(({ away }) => away > nearest.away * 2) ? nearest.trip : undefined
}

function isSubsequence(few: readonly string[], many: readonly string[]): boolean {
  let found = 0
  for (const each of many) if (found < few.length && each === few[found]) found++
  return found === few.length
}
