// Matches a realtime descriptor to a trip and day in a feed's text, and stop time updates to the trip's calls. Works
// step by step on plain lists. Part of the realtime oracle; shares no code with indexes/live.
import type { ReportedCall, ReportedDescriptor } from './realtime-bytes.ts'
import { findByOrigin, type Origin, originOf } from './subway-origins.ts'
import type { TextBoards } from './text-boards.ts'
import { dateOf, datesBetween } from './text-dates.ts'
import type { CleanTrip } from './text-trips.ts'

/** A trip on a service day (yyyymmdd), and how it was found. */
export interface FoundTrip {
  readonly trip: CleanTrip
  readonly date: string
  readonly rung:
    | 'trip and date'
    | 'trip, nearest day'
    | 'trip, under way'
    | 'trip, next run'
    | 'trip, night before'
    | 'origin'
    | 'description'
}

/**
 * If an update has no date and no times, a trip counts as under way from this long before its start to this long after
 * its end.
 */
const AROUND_SECONDS = 600
/**
 * If an update for a whole trip has no date, it applies to the run that starts within this number of seconds from now,
 * provided that only one run does.
 */
const NEXT_SECONDS = 12 * 3600
const DAY_SECONDS = 86_400

/** The members of an update or vehicle report that matching needs, other than the descriptor. */
export interface ReportContext {
  /** The first call that has a time. */
  readonly first?: FirstInstant | undefined
  /** The call at which the vehicle was reported, and the time of the report. */
  readonly seen?: FirstInstant
  readonly nowSeconds: number
  /** Whether the update applies to the trip as a whole. */
  readonly isWhole?: boolean
  /** The stops that the report names, in order. */
  readonly stopIds?: readonly string[]
}

/** A reported call, and its time. */
export interface FirstInstant {
  readonly call: Pick<ReportedCall, 'sequence' | 'stopId'>
  readonly seconds: number
}

/** Finds trips by descriptors. */
export class TextMatcher {
  private readonly boards: TextBoards
  private readonly trips: ReadonlyMap<string, CleanTrip>

  constructor(boards: TextBoards) {
    this.boards = boards
    this.trips = new Map(boards.trips.map((trip) => [trip.id, trip]))
  }

  has(tripId: string): boolean {
    return this.trips.has(tripId)
  }

  /** Returns the trip, or the reason why no trip was found. */
  find(report: ReportedDescriptor, besides: ReportContext): FoundTrip | string {
    const { first, nowSeconds, isWhole = false } = besides
    const trip = this.trips.get(report.tripId)
    const origin = trip === undefined ? originOf(report.tripId) : undefined
    if (origin !== undefined) return this.findOrigin(origin, report, besides)
    if (trip === undefined) return this.findDescribed(report)
    if (trip.hasFrequencies) throw new Error(`the oracle does not read frequencies: ${trip.id}`)
    const { startDate } = report
    if (startDate === '') return this.findDay(trip, first, { nowSeconds, isWhole })
    const before = datesBetween(dateOf(noonOf(startDate) - DAY_SECONDS), startDate)[0]
    const isNight = trip.departures[0] >= DAY_SECONDS && this.boards.calendar.runs(trip.serviceId, before)
    const runsThen = this.boards.calendar.runs(trip.serviceId, startDate)
    const start = this.boards.zeroOf(startDate) + trip.departures[0]
    const isEarlier = first !== undefined && start - first.seconds > NEXT_SECONDS
    if (isNight && (!runsThen || isEarlier)) return { trip, date: before, rung: 'trip, night before' }
    if (!runsThen) return 'does not run on its day'
    return { trip, date: startDate, rung: 'trip and date' }
  }

  private findDay(
    trip: CleanTrip,
    first: FirstInstant | undefined,
    { nowSeconds, isWhole }: { readonly nowSeconds: number; readonly isWhole: boolean },
  ): FoundTrip | string {
    const seconds = first?.seconds ?? nowSeconds
    const dates = datesBetween(dateOf(seconds - 4 * DAY_SECONDS), dateOf(seconds + 2 * DAY_SECONDS))
    const days = dates
      .filter((date) => this.boards.calendar.runs(trip.serviceId, date))
      .map((date) => ({ date, zero: this.boards.zeroOf(date) }))
    if (first !== undefined) {
      const choices = choicesOf(this.boards, trip, first.call)
      const away = (zero: number) =>
        Math.min(
          ...[...trip.arrivals.entries(), ...trip.departures.entries()]
            .filter(([at]) => choices.length === 0 || choices.includes(at))
            .map(([, time]) => Math.abs(zero + time - seconds)),
        )
      const [nearest] = days.sort((a, b) => away(a.zero) - away(b.zero))
      return nearest === undefined
        ? 'has no date and runs on no day near'
        : { trip, date: nearest.date, rung: 'trip, nearest day' }
    }
    const away = (zero: number) =>
      Math.max(zero + trip.departures[0] - nowSeconds, nowSeconds - zero - (trip.arrivals.at(-1) ?? 0), 0)
    const [nearest] = days.toSorted((a, b) => away(a.zero) - away(b.zero))
    if (nearest === undefined) return 'has no date and runs on no day near'
    if (away(nearest.zero) <= AROUND_SECONDS) return { trip, date: nearest.date, rung: 'trip, under way' }
    const next = days.filter(({ zero }) => {
      const wait = zero + trip.departures[0] - nowSeconds
      return wait >= 0 && wait <= NEXT_SECONDS
    })
    const [only] = next
    if (isWhole && next.length === 1 && only !== undefined) return { trip, date: only.date, rung: 'trip, next run' }
    return 'has no date and no time and is not under way'
  }

  private findOrigin(origin: Origin, report: ReportedDescriptor, besides: ReportContext): FoundTrip | string {
    const { startDate } = report
    if (startDate === '') return 'origin, no date'
    const routeId = report.routeId === '' ? origin.route : report.routeId
    if (!this.boards.routes.has(routeId)) return 'origin, unknown route'
    const found = findByOrigin(this.boards, origin, { routeId, startDate, ...besides })
    return typeof found === 'string' ? found : { trip: found, date: startDate, rung: 'origin' }
  }

  private findDescribed(report: ReportedDescriptor): FoundTrip | string {
    const { tripId, routeId, startDate, startTime, directionId } = report
    const name = tripId === '' ? 'no trip id' : 'unknown trip id'
    if (routeId === '' || startDate === '' || startTime === '') {
      const lacks = Object.entries({ route: routeId, date: startDate, start: startTime }).filter(
        ([, text]) => text === '',
      )
      return `${name}, no ${lacks.map(([what]) => what).join(', no ')}`
    }
    if (!this.boards.routes.has(routeId)) return `${name}, unknown route`
    const start = secondsOf(startTime)
    const onLine = this.boards.trips.filter(
      (trip) => trip.route.id === routeId && this.boards.calendar.runs(trip.serviceId, startDate),
    )
    if (onLine.length === 0) return `${name}, no service of its route on its day`
    const fitting = onLine.filter(
      (trip) => trip.departures[0] === start && (directionId === undefined || trip.directionId === String(directionId)),
    )
    if (fitting.length > 1) return `${name}, several trips of its route start then`
    if (fitting.length === 0) return `${name}, no trip of its route starts then`
    return { trip: fitting[0], date: startDate, rung: 'description' }
  }
}

/**
 * Finds the call of the trip for each report. Returns the reports by the indexes of their calls, and a reason for each
 * report that is not used.
 */
export function placeCalls(
  boards: TextBoards,
  trip: CleanTrip,
  reports: readonly ReportedCall[],
): { readonly places: ReadonlyMap<number, ReportedCall>; readonly left: readonly string[] } {
  const left: string[] = []
  const places = new Map<number, ReportedCall>()
  const choices = reports.map((call) => choicesOf(boards, trip, call))
  // Reports that fit only one call are placed first, because they limit the calls that the other reports can fit.
  for (const isDoubtful of [false, true]) {
    for (const [order, choice] of choices.entries()) {
      if (choice.length > 1 !== isDoubtful) continue
      const taken = choices.map((other, at) => (other.length === 1 && at !== order ? other[0] : undefined))
      const inOrder = choice.filter(
        (at) =>
          !isDoubtful || taken.every((other, by) => other === undefined || (by < order ? other < at : other > at)),
      )
      if (inOrder.length !== 1)
        left.push(choice.length === 0 ? reasonOf(boards, reports[order]) : 'call: stop comes twice')
      else if (places.has(inOrder[0])) left.push('call: reported twice')
      else places.set(inOrder[0], reports[order])
      if (isDoubtful && inOrder.length === 1) choices[order] = inOrder
    }
  }
  return { places, left }
}

function reasonOf(boards: TextBoards, { stopId, sequence }: ReportedCall): string {
  if (stopId === '') return `call: the trip has ${sequence === undefined ? 'no sequence' : 'no such sequence'}`
  return boards.stops.names.has(stopId) ? 'call: the trip does not call there' : 'call: unknown stop'
}

/** The indexes of the calls to which a stop_sequence and a stop id can refer. */
export function choicesOf(
  boards: TextBoards,
  trip: CleanTrip,
  { sequence, stopId }: Pick<ReportedCall, 'sequence' | 'stopId'>,
): number[] {
  const numbered = sequence === undefined ? -1 : trip.sequences.indexOf(sequence)
  if (stopId === '') return numbered === -1 ? [] : [numbered]
  const named = boards.stops.platformOf.get(stopId)
  const isAt = (stop: string) =>
    named === undefined ? (boards.childrenOf.get(stopId) ?? []).includes(stop) : stop === named
  const there = trip.stopIds.flatMap((stop, at) => (isAt(stop) ? [at] : []))
  if (numbered === -1) return there
  if (there.includes(numbered)) return [numbered]
  if (named !== undefined && areNeighbors(boards, named, trip.stopIds[numbered])) return [numbered]
  return there.length === 1 ? there : []
}

/** Whether two stops are in the same station. */
export function areNeighbors(boards: TextBoards, one: string, other: string): boolean {
  for (const children of boards.childrenOf.values()) if (children.includes(one)) return children.includes(other)
  return false
}

/** Noon UTC on a day, in seconds after 1970. */
function noonOf(date: string): number {
  return Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}T12:00:00Z`) / 1000
}

/** Converts HH:MM:SS to seconds after the service day's zero. */
function secondsOf(text: string): number {
  const [hours = Number.NaN, minutes = Number.NaN, seconds = Number.NaN] = text.split(':').map(Number)
  return hours * 3600 + minutes * 60 + seconds
}
