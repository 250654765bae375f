// Predicts the calls of a trip instance. Boards, nearby departures, streams, vehicles and journeys all use these
// predictions. Times are in seconds after 1970.
import type { StopTimeEvent, StopTimeUpdate } from '../../loaders/gtfs-rt/message.ts'

/** The scheduled times of one call. */
export interface ScheduledCall {
  readonly arrival: number
  readonly departure: number
}

/** The expected times of a call. */
export interface PredictedCall {
  /**
   * If `isPredicted` is false, this is the scheduled time, adjusted if it does not fit the predicted times of other
   * calls.
   */
  arrival: number
  departure: number
  /** Whether the times are predictions: from the feed for this call, or from a delay that applies to this call. */
  isPredicted: boolean
  isSkipped: boolean
}

/** The data from which the calls of a trip instance are predicted. */
export interface TripKnowledge {
  readonly calls: readonly ScheduledCall[]
  /** Call → its update; undefined if the call has no update. */
  readonly updates: readonly (StopTimeUpdate | undefined)[]
  /** Delay of the whole trip; used only if no update has a prediction. */
  readonly delaySeconds: number | undefined
  readonly nowSeconds: number
  /** The calls that the vehicle has passed; absent if nothing is known about passed calls. */
  readonly passed?: PassedCalls
  /** Returns true for a call to which the delays of other calls do not apply. */
  readonly isUnpredicted?: (at: number) => boolean
}

/** The calls that a vehicle has passed, according to earlier messages and to its position. */
export interface PassedCalls {
  /** Call → its departure time, if an earlier message reported one that is now in the past; otherwise undefined. */
  readonly leftSeconds: readonly (number | undefined)[]
  /** The call that the vehicle is at or heading to. The vehicle has passed all earlier calls. 0 if unknown. */
  readonly reachedCall: number
  /** A time at which the vehicle was at `reachedCall` or on its way there, in seconds after 1970. */
  readonly reachedSeconds: number
}

/** Errors in the times from feeds. They are repaired and counted. */
export type PredictionFlaw = 'negative_hop' | 'negative_dwell'

/** Maximum dwell of a late vehicle, even if its dwell in the timetable is longer. */
const LATE_DWELL_SECONDS = 30

/** Predicts the calls of a trip instance. */
export function predictCalls(knowledge: TripKnowledge, count: (flaw: PredictionFlaw) => void): PredictedCall[] {
  const { calls, updates } = knowledge
  const hasTimes = updates.some((update) => update !== undefined && hasForecast(update))
  const tripDelay = hasTimes ? undefined : knowledge.delaySeconds
  const reached = knowledge.passed?.reachedCall ?? 0
  const predicted: PredictedCall[] = []
  let delay: number | undefined
  let isDark = false
  for (const [at, call] of calls.entries()) {
    const update = updates[at]
    const isSkipped = update?.relationship === 'skipped'
    const own = update === undefined || !hasForecast(update) ? undefined : forecastOf(call, update, delay, count)
    if (update?.relationship === 'no_data') isDark = true
    else if (own !== undefined) isDark = false
    if (isDark) delay = undefined
    if (own !== undefined) delay = own.departure - call.departure
    const isAhead = tripDelay !== undefined && call.departure + tripDelay >= knowledge.nowSeconds
    if (own === undefined && isAhead && !isDark) delay = tripDelay
    // A delay from an earlier call does not apply to calls that the vehicle has already passed.
    const isPredicted =
      !isSkipped && (own !== undefined || (delay !== undefined && at >= reached && !knowledge.isUnpredicted?.(at)))
    predicted.push({
      arrival: own?.arrival ?? call.arrival + (isPredicted ? (delay ?? 0) : 0),
      departure: own?.departure ?? call.departure + (isPredicted ? (delay ?? 0) : 0),
      isPredicted,
      isSkipped,
    })
  }
  fitTimes(predicted, knowledge, count)
  return predicted
}

/**
 * Ensures that the times of successive calls never decrease. Raises predictions that are too early, and moves times
 * without a prediction so that they are between the predicted times.
 */
export function fitTimes(
  calls: readonly PredictedCall[],
  known: Pick<TripKnowledge, 'passed' | 'nowSeconds'>,
  count: (flaw: PredictionFlaw) => void,
): void {
  raiseToOrder(calls, count)
  fitUnknown(calls, known)
}

/** Whether an update has a prediction. SKIPPED and NO_DATA updates never have one, even if they have times. */
export function hasForecast({ relationship, arrival, departure }: StopTimeUpdate): boolean {
  return relationship !== 'skipped' && relationship !== 'no_data' && (isGiven(arrival) || isGiven(departure))
}

function isGiven(event: StopTimeEvent | undefined): boolean {
  return event?.timeSeconds !== undefined || event?.delaySeconds !== undefined
}

/**
 * The prediction in an update; undefined if the update has neither times nor delays. A time takes precedence over a
 * delay.
 */
function forecastOf(
  call: ScheduledCall,
  update: StopTimeUpdate,
  carried: number | undefined,
  count: (flaw: PredictionFlaw) => void,
): { arrival: number; departure: number } | undefined {
  const arrival = momentOf(update.arrival, call.arrival)
  const departure = momentOf(update.departure, call.departure)
  if (arrival === undefined && departure === undefined) return undefined
  if (departure === undefined) {
    const from = arrival as number
    const dwell = Math.min(call.departure - call.arrival, LATE_DWELL_SECONDS)
    return { arrival: from, departure: Math.max(call.departure, from + dwell) }
  }
  if (arrival !== undefined) return inOrder({ arrival, departure }, count)
  const delay = carried ?? departure - call.departure
  return { arrival: Math.min(call.arrival + delay, departure), departure }
}

/** Returns the times in order. If the arrival is after the departure, it is replaced by the departure time. */
export function inOrder(times: ScheduledCall, count: (flaw: PredictionFlaw) => void): ScheduledCall {
  if (times.arrival <= times.departure) return times
  count('negative_dwell')
  return { arrival: times.departure, departure: times.departure }
}

function momentOf(event: StopTimeEvent | undefined, scheduled: number): number | undefined {
  if (event === undefined) return undefined
  return event.timeSeconds ?? (event.delaySeconds === undefined ? undefined : scheduled + event.delaySeconds)
}

/** Raises predicted times that are before the departure from the previous call. */
function raiseToOrder(calls: readonly PredictedCall[], count: (flaw: PredictionFlaw) => void): void {
  let last = Number.NEGATIVE_INFINITY
  for (const call of calls) {
    if (!call.isPredicted) continue
    if (call.arrival < last) {
      count('negative_hop')
      call.arrival = last
    }
    call.departure = Math.max(call.departure, call.arrival)
    last = call.departure
  }
}

/**
 * Moves times without a prediction so that they are between the predicted times. If the data shows that the vehicle had
 * passed a call by some time, the call gets that time or an earlier one.
 */
function fitUnknown(
  calls: readonly PredictedCall[],
  { passed, nowSeconds }: Pick<TripKnowledge, 'passed' | 'nowSeconds'>,
): void {
  const firstAhead = calls.findIndex((call) => call.isPredicted && call.departure > nowSeconds)
  const left = (at: number): number => {
    if (passed === undefined) return Number.POSITIVE_INFINITY
    if (at < passed.reachedCall) return passed.reachedSeconds - 1
    // If a previous call is still ahead of the vehicle, this call cannot have been passed, even if older messages say
    // that it was.
    const isBehind = firstAhead < 0 || at < firstAhead
    return (isBehind ? passed.leftSeconds[at] : undefined) ?? Number.POSITIVE_INFINITY
  }
  let next = Number.POSITIVE_INFINITY
  for (let at = calls.length - 1; at >= 0; at--) {
    const call = calls[at]
    if (call.isPredicted) next = call.arrival
    else {
      next = Math.min(next, left(at))
      call.departure = Math.min(call.departure, next)
      call.arrival = Math.min(call.arrival, call.departure)
    }
  }
  raiseUnknown(calls)
}

function raiseUnknown(calls: readonly PredictedCall[]): void {
  let last = Number.NEGATIVE_INFINITY
  for (const call of calls) {
    if (!call.isPredicted) {
      call.arrival = Math.max(call.arrival, last)
      call.departure = Math.max(call.departure, call.arrival)
    }
    last = call.departure
  }
}
