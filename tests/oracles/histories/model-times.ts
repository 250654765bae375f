// The times of a run's calls, according to the reports and to the calls that the vehicle has left: carried delays,
// calls without data, times out of order, and times in between without a prediction. Part of the model of live
// histories.

import type { ReportedCall, ReportedEvent } from './history-messages.ts'
import { isTimed } from './model-matching.ts'
import type { Rules } from './model-rules.ts'

/** A call while its times are computed. Without a prediction, its times are only bounds from other calls. */
export interface TimedCall {
  arrival: number
  departure: number
  isPredicted: boolean
  readonly isSkipped: boolean
}

interface Planned {
  readonly arrival: number
  readonly departure: number
}

/** Facts about calls that the vehicle has left. */
export interface Passed {
  /** When each was left, if known. */
  readonly left: readonly (number | undefined)[]
  readonly reached: number
  readonly reachedSeconds: number
}

const LONGEST_LATE_STAY = 30

/** The calls of a run of the timetable. */
export function predict(
  planned: readonly Planned[],
  said: readonly (ReportedCall | undefined)[],
  by: {
    readonly delay: number | undefined
    readonly nowSeconds: number
    readonly passed: Passed | undefined
    readonly rules: Rules
  },
): TimedCall[] {
  const { rules, nowSeconds, passed } = by
  const ofTrip = said.some((call) => call !== undefined && isTimed(call, rules)) ? undefined : by.delay
  let carried: number | undefined
  let isDark = false
  const calls = planned.map((plan, at): TimedCall => {
    const call = said[at]
    const isSkipped = call?.word === 'SKIPPED'
    const own = call !== undefined && isTimed(call, rules) ? ownTimes(plan, call, carried, rules) : undefined
    if (call?.word === 'NO_DATA' && rules.noData) isDark = true
    else if (own !== undefined) isDark = false
    if (isDark) carried = undefined
    else if (own !== undefined) carried = own.departure - plan.departure
    else if (ofTrip !== undefined && plan.departure + ofTrip >= nowSeconds) carried = ofTrip
    if (own !== undefined) return { ...own, isPredicted: true, isSkipped }
    const isCarried = !isSkipped && carried !== undefined && !(rules.reached && at < (passed?.reached ?? 0))
    const late = isCarried ? (carried ?? 0) : 0
    return { arrival: plan.arrival + late, departure: plan.departure + late, isPredicted: isCarried, isSkipped }
  })
  putInOrder(calls, { passed, nowSeconds, rules })
  return calls
}

function ownTimes(plan: Planned, call: ReportedCall, carried: number | undefined, rules: Rules): Planned | undefined {
  const arrival = instant(call.arrival, plan.arrival)
  const departure = instant(call.departure, plan.departure)
  if (departure === undefined) {
    if (arrival === undefined) return undefined
    const stay = Math.min(plan.departure - plan.arrival, LONGEST_LATE_STAY)
    return { arrival, departure: Math.max(plan.departure, arrival + stay) }
  }
  if (arrival !== undefined) return dwell({ arrival, departure }, rules)
  return { arrival: Math.min(plan.arrival + (carried ?? departure - plan.departure), departure), departure }
}

/** If an arrival is after the departure, the departure counts; without the rule, the arrival does. */
export function dwell({ arrival, departure }: Planned, rules: Rules): Planned {
  if (arrival <= departure) return { arrival, departure }
  return rules.dwell ? { arrival: departure, departure } : { arrival, departure: arrival }
}

function instant(event: ReportedEvent | undefined, planned: number): number | undefined {
  return event?.time ?? (event?.delay === undefined ? undefined : planned + event.delay)
}

/**
 * Predictions are raised to earlier ones; calls without one are interpolated, and are before the time at which they
 * were left.
 */
export function putInOrder(
  calls: readonly TimedCall[],
  {
    passed,
    nowSeconds,
    rules,
  }: { readonly passed: Passed | undefined; readonly nowSeconds: number; readonly rules: Rules },
): void {
  const known = calls.filter(({ isPredicted }) => isPredicted)
  known.reduce((before, call) => {
    call.arrival = Math.max(call.arrival, before)
    call.departure = Math.max(call.departure, call.arrival)
    return call.departure
  }, Number.NEGATIVE_INFINITY)
  const ahead = calls.findIndex(({ isPredicted, departure }) => isPredicted && departure > nowSeconds)
  const leftAt = (at: number): number => {
    if (passed === undefined || !rules.passed) return Number.POSITIVE_INFINITY
    if (at < passed.reached) return passed.reachedSeconds - 1
    return (ahead < 0 || at < ahead ? passed.left[at] : undefined) ?? Number.POSITIVE_INFINITY
  }
  // Calls without a prediction are over when a later call is reached, or when they were left.
  let latest = Number.POSITIVE_INFINITY
  for (const [at, call] of [...calls.entries()].reverse()) {
    if (call.isPredicted) latest = call.arrival
    else {
      latest = Math.min(latest, leftAt(at))
      call.departure = Math.min(call.departure, latest)
      call.arrival = Math.min(call.arrival, call.departure)
    }
  }
  let before = Number.NEGATIVE_INFINITY
  for (const call of calls) {
    if (!call.isPredicted) {
      call.arrival = Math.max(call.arrival, before)
      call.departure = Math.max(call.departure, call.arrival)
      if (!rules.movedIsDark && call.arrival === before && !call.isSkipped) call.isPredicted = true
    }
    before = call.departure
  }
}
