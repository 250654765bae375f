// Computes the times of a run's calls from the current reports about them, and from earlier messages that show which
// calls the vehicle has left. Delays are carried forward, times are put in order, and calls without a prediction get
// bounds. Part of the model of live histories.

import type { ReportedCall, ReportedEvent } from './history-messages.ts'
import { isTimed } from './model-matching.ts'
import type { Rules } from './model-rules.ts'

/**
 * A call while its times are computed. If the call has no prediction, its times are only bounds that follow from other
 * calls.
 */
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

/** What is known about calls that the vehicle has left. */
export interface Passed {
  /** By call: when the vehicle left it; undefined if the vehicle is not known to have left it. */
  readonly left: readonly (number | undefined)[]
  readonly reached: number
  readonly reachedSeconds: number
}

const LONGEST_LATE_STAY = 30

/** Computes the times of a scheduled run's calls. */
export function predict(
  planned: readonly Planned[],
  reports: readonly (ReportedCall | undefined)[],
  by: {
    readonly delay: number | undefined
    readonly nowSeconds: number
    readonly passed: Passed | undefined
    readonly rules: Rules
  },
): TimedCall[] {
  const { rules, nowSeconds, passed } = by
  const ofTrip = reports.some((call) => call !== undefined && isTimed(call, rules)) ? undefined : by.delay
  let carried: number | undefined
  let isDark = false
  const calls = planned.map((plan, at): TimedCall => {
    const call = reports[at]
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

/**
 * If the arrival is after the departure, sets the arrival to the departure. Without the rule `dwell`, sets the
 * departure to the arrival.
 */
export function dwell({ arrival, departure }: Planned, rules: Rules): Planned {
  if (arrival <= departure) return { arrival, departure }
  return rules.dwell ? { arrival: departure, departure } : { arrival, departure: arrival }
}

function instant(event: ReportedEvent | undefined, planned: number): number | undefined {
  return event?.time ?? (event?.delay === undefined ? undefined : planned + event.delay)
}

/**
 * Puts times in order. If a predicted time is before the predicted departure from a previous call, it is raised to that
 * departure. Calls without a prediction get bounds: a vehicle that reaches a call must have left all calls before it.
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
  // Goes backward, because a vehicle that reaches a call must have left all calls before it.
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
