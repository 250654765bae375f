// Finds the run that a descriptor matches, and the calls that an update matches. Follows the rules one by one, on the
// plain lists of the city. Part of the model of live histories; shares no code with indexes/live.

import type { ReportedCall, ReportedTrip, ReportedUpdate } from './history-messages.ts'
import type { Rules } from './model-rules.ts'
import {
  DATES,
  isOtherPlatform,
  type PlainRun,
  type PlainTrip,
  plannedCalls,
  ROUTES,
  STOPS,
  stationOf,
  TRIPS,
  zeroOf,
} from './plain-city.ts'

const HALF_DAY = 12 * 3600
const AROUND = 600
const DAY = 86_400

/** The run that matches an update; undefined if no run or several runs match. */
export function findRun(
  update: ReportedUpdate,
  nowSeconds: number,
  rules: Rules,
): { run: PlainRun; isNamed: boolean } | undefined {
  const { trip: reported, calls, delay } = update
  const first = calls.find(({ arrival, departure }) => (arrival?.time ?? departure?.time) !== undefined)
  const isOff = reported.word === 'CANCELED' || reported.word === 'DELETED'
  const isWhole = isOff || (delay !== undefined && !calls.some((call) => isTimed(call, rules)))
  return findReported(reported, { first, isWhole, nowSeconds, rules })
}

/** Whether a report about a call has a time or delay that is used. */
export function isTimed({ word, arrival, departure }: ReportedCall, rules: Rules): boolean {
  const isSilent = word === 'SKIPPED' || (word === 'NO_DATA' && rules.noData)
  const isGiven = (event: ReportedCall['arrival']) => event?.time !== undefined || event?.delay !== undefined
  return !isSilent && (isGiven(arrival) || isGiven(departure))
}

/** The run that matches a descriptor; undefined if no run or several runs match. */
export function findReported(
  reported: ReportedTrip,
  by: {
    readonly first: ReportedCall | undefined
    readonly isWhole: boolean
    readonly nowSeconds: number
    readonly rules: Rules
  },
): { run: PlainRun; isNamed: boolean } | undefined {
  const trip = reported.tripId === undefined ? undefined : TRIPS.get(reported.tripId)
  if (trip === undefined) {
    const run = describedRun(reported)
    return run && { run, isNamed: false }
  }
  const start = startOf(trip, reported.start)
  if (start === 'none') return undefined
  const date =
    reported.date === undefined ? undatedDay(trip, start, by) : datedDay(trip, reported.date, by.first, by.rules)
  return date === undefined ? undefined : { run: { trip, date, start }, isNamed: true }
}

function startOf({ frequency }: PlainTrip, start: number | undefined): number | undefined | 'none' {
  if (frequency === undefined) return undefined
  if (start === undefined) return 'none'
  if (!frequency.isExact) return start
  const since = start - frequency.start
  return since >= 0 && start < frequency.end && since % frequency.headway === 0 ? start : 'none'
}

function datedDay(trip: PlainTrip, date: string, first: ReportedCall | undefined, rules: Rules): string | undefined {
  const at = [...DATES, '20260613'].indexOf(date)
  if (at < 0) return undefined
  const before = DATES[at - 1]
  const leaves = trip.calls[0]?.departure ?? 0
  const runsThen = trip.dates.includes(date)
  if (rules.nightDates && before !== undefined && trip.dates.includes(before) && leaves >= DAY) {
    const time = first?.arrival?.time ?? first?.departure?.time
    const isEarlier = runsThen && time !== undefined && time < zeroOf(date) + leaves - HALF_DAY
    if (!runsThen || isEarlier) return before
  }
  return runsThen ? date : undefined
}

function undatedDay(
  trip: PlainTrip,
  start: number | undefined,
  {
    first,
    isWhole,
    nowSeconds,
    rules,
  }: {
    readonly first: ReportedCall | undefined
    readonly isWhole: boolean
    readonly nowSeconds: number
    readonly rules: Rules
  },
): string | undefined {
  const spans = trip.dates.map((date) => {
    const planned = plannedCalls({ trip, date, start })
    return { date, planned, from: planned[0]?.departure ?? 0, to: planned.at(-1)?.arrival ?? 0 }
  })
  const nearest = (within: typeof spans, away: (span: (typeof spans)[number]) => number) =>
    within.toSorted((a, b) => away(a) - away(b))[0]?.date
  const time = first?.arrival?.time ?? first?.departure?.time
  if (first !== undefined && time !== undefined) {
    const near = spans.filter(({ from, to }) => to >= time - HALF_DAY && from <= time + HALF_DAY)
    // Without the rule `nearestDay`, takes the first day on which the trip runs within half a day of the time.
    if (!rules.nearestDay) return near[0]?.date
    const named = choicesOf(trip, first)
    return nearest(near, ({ planned }) =>
      Math.min(
        ...planned
          .filter((_, at) => named.length === 0 || named.includes(at))
          .map(({ arrival, departure }) => Math.min(Math.abs(arrival - time), Math.abs(departure - time))),
      ),
    )
  }
  const now = spans.filter(({ from, to }) => to >= nowSeconds - AROUND && from <= nowSeconds + AROUND)
  if (now.length > 0) return nearest(now, ({ from, to }) => Math.max(from - nowSeconds, nowSeconds - to, 0))
  const next = spans.filter(({ from, to }) => to >= nowSeconds && from <= nowSeconds + HALF_DAY)
  return isWhole && rules.nextRun && next.length === 1 ? next[0]?.date : undefined
}

function describedRun({ route, date, start, direction }: ReportedTrip): PlainRun | undefined {
  if (route === undefined || date === undefined || start === undefined || !ROUTES.has(route)) return undefined
  const fitting = [...TRIPS.values()].filter((trip) => {
    const { frequency } = trip
    const starts =
      frequency === undefined
        ? trip.calls[0]?.departure === start
        : start >= frequency.start && start < frequency.end && (start - frequency.start) % frequency.headway === 0
    const goesThere = direction === undefined || direction === trip.direction
    return trip.route === route && trip.dates.includes(date) && starts && goesThere
  })
  const [trip] = fitting
  if (trip === undefined || fitting.length > 1) return undefined
  return { trip, date, start: trip.frequency === undefined ? undefined : start }
}

/** The indexes of the calls to which a stop_sequence and a stop id can refer. */
export function choicesOf({ calls }: PlainTrip, { sequence, stop }: Pick<ReportedCall, 'sequence' | 'stop'>): number[] {
  const numbered = sequence === undefined ? -1 : calls.findIndex((call) => call.sequence === sequence)
  if (stop === undefined) return numbered < 0 ? [] : [numbered]
  const isThere = (each: string) => (STOPS.includes(stop) ? each === stop : stationOf(each) === stop)
  const there = calls.flatMap((call, at) => (isThere(call.stop) ? [at] : []))
  if (numbered < 0) return there
  if (there.includes(numbered)) return [numbered]
  if (isOtherPlatform(stop, calls[numbered]?.stop ?? '')) return [numbered]
  return there.length === 1 ? there : []
}

/** For each call of a trip, the report about it; undefined for a call without a report. */
export function placeCalls(trip: PlainTrip, reported: readonly ReportedCall[]): (ReportedCall | undefined)[] {
  const placed: (ReportedCall | undefined)[] = trip.calls.map(() => undefined)
  const choices = reported.map((call) => choicesOf(trip, call))
  const settled = new Map<number, number>()
  const settle = (order: number, at: number) => {
    placed[at] ??= reported[order]
    settled.set(order, at)
  }
  for (const [order, choice] of choices.entries()) if (choice.length === 1) settle(order, choice[0] as number)
  for (const [order, choice] of choices.entries()) {
    if (choice.length < 2) continue
    const left = choice.filter((at) =>
      [...settled].every(([other, there]) => (other < order ? there < at : other > order ? there > at : true)),
    )
    if (left.length === 1) settle(order, left[0] as number)
  }
  return placed
}
