// Computes the boards of a live history according to the model. Trips that the feed does not report are taken from the
// timetable, all others from the model.
import type { ModelCall, ModelTrip, Rules } from './model-rules.ts'
import { type PlainRun, plannedCalls, refOf, TRIPS } from './plain-city.ts'

/** A departure and its sort key. */
interface Row {
  readonly effective: number
  readonly planned: number
  readonly route: string
  readonly ref: string
  readonly call: number
  readonly text: string
}

/** The departures from a stop in a time window, each as `ref planned expected status headsign`. */
export function modelBoard(
  trips: ReadonlyMap<string, ModelTrip>,
  {
    stop,
    from,
    to,
    rules,
  }: { readonly stop: string; readonly from: number; readonly to: number; readonly rules: Rules },
): string[] {
  const isInside = (seconds: number) => seconds >= from && seconds < to
  const rows: Row[] = []
  for (const run of allRuns()) {
    if (trips.has(refOf(run))) continue
    const planned = plannedCalls(run)
    for (const [call, at] of run.trip.calls.entries()) {
      const seconds = planned[call]?.departure ?? 0
      if (at.stop !== stop || !at.boards || !isInside(seconds)) continue
      if (rules.nominalRuns && isNearLiveRun(trips, run, call, seconds)) continue
      const text = `${refOf(run)} ${seconds} - silent ${plannedHeadsign(run)}`
      rows.push({ effective: seconds, planned: seconds, route: run.trip.route, ref: refOf(run), call, text })
    }
  }
  for (const trip of trips.values()) {
    if (trip.state === 'deleted' && rules.deleted) continue
    for (const [call, at] of trip.calls.entries()) {
      if (at.stop !== stop || !at.boards) continue
      const effective = effectiveOf(trip, at)
      const isDark = trip.state !== 'canceled' && !at.isSkipped && !at.isPredicted
      if (!isInside(effective) || (isDark && at.departure < from)) continue
      const text = `${trip.ref} ${at.planned.departure} ${statusOf(trip, at, rules)} ${headsignOf(trip, at)}`
      rows.push({ effective, planned: at.planned.departure, route: trip.route, ref: trip.ref, call, text })
    }
  }
  return rows.sort(compareRows).map(({ text }) => text)
}

function effectiveOf({ state }: ModelTrip, { isPredicted, isSkipped, departure, planned }: ModelCall): number {
  return state !== 'canceled' && isPredicted && !isSkipped ? departure : planned.departure
}

function compareRows(a: Row, b: Row): number {
  const byText = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  return (
    a.effective - b.effective ||
    a.planned - b.planned ||
    byText(a.route, b.route) ||
    byText(a.ref, b.ref) ||
    a.call - b.call
  )
}

/** Expected time and status. */
function statusOf(
  { state }: ModelTrip,
  { isSkipped, isPredicted, isUnplanned, departure, planned }: ModelCall,
  rules: Rules,
) {
  if (state === 'canceled') return '- canceled'
  if (isSkipped) return '- skipped'
  if (!isPredicted) return '- unknown'
  if (state === 'unscheduled' && rules.unscheduled) return `${departure} unscheduled`
  if (state === 'added' && isUnplanned) return `${departure} added`
  const late = departure - planned.departure
  return `${departure} ${late >= 60 ? 'delayed' : late <= -60 ? 'early' : 'on_time'}`
}

function headsignOf({ run, headsign }: ModelTrip, call: ModelCall): string {
  return call.headsign || headsign || (run === undefined ? '' : plannedHeadsign(run))
}

function plannedHeadsign({ trip }: PlainRun): string {
  return trip.headsign || (trip.calls.at(-1)?.stop ?? '')
}

/**
 * Whether a frequency run is not shown at a call, because a live run of the same trip leaves at most half a headway
 * earlier or later.
 */
function isNearLiveRun(trips: ReadonlyMap<string, ModelTrip>, run: PlainRun, call: number, seconds: number): boolean {
  const { frequency } = run.trip
  if (frequency === undefined || frequency.isExact) return false
  return [...trips.values()].some((other) => {
    if (other.run?.trip !== run.trip || other.run.date !== run.date) return false
    const at = other.calls[call]
    return at?.position === call && Math.abs(effectiveOf(other, at) - seconds) * 2 <= frequency.headway
  })
}

let known: readonly PlainRun[] | undefined

function allRuns(): readonly PlainRun[] {
  known ??= [...TRIPS.values()].flatMap((trip) =>
    trip.dates.flatMap((date) => startsOf(trip.frequency).map((start) => ({ trip, date, start }))),
  )
  return known
}

function startsOf(frequency: PlainRun['trip']['frequency']): (number | undefined)[] {
  if (frequency === undefined) return [undefined]
  const { start, end, headway } = frequency
  return Array.from({ length: Math.ceil((end - start) / headway) }, (_, at) => start + at * headway)
}
