// When a trip instance calls where, as far as is known: the one prediction that boards, nearby, streams, vehicles and
// journeys all read. Times are seconds after 1970.
import type { StopTimeEvent, StopTimeUpdate } from '../../loaders/gtfs-rt/message.ts'

/** One call as the timetable has it. */
export interface ScheduledCall {
  readonly arrival: number
  readonly departure: number
}

/** One call as it is expected. */
export interface PredictedCall {
  /** Where not `isPredicted`: the scheduled time, moved only where known calls leave it no room. */
  arrival: number
  departure: number
  /** It has a forecast of its own, or one carried from an earlier call. */
  isPredicted: boolean
  isSkipped: boolean
}

/** What is known of a trip instance. */
export interface TripKnowledge {
  readonly calls: readonly ScheduledCall[]
  /** For each call its update; undefined without. */
  readonly updates: readonly (StopTimeUpdate | undefined)[]
  /** Of the whole trip, where there is no update with a time. */
  readonly delaySeconds: number | undefined
  readonly nowSeconds: number
}

/** What had to be mended, counted. */
export type PredictionFlaw = 'negative_hop' | 'negative_dwell'

/** A vehicle that is late stays no longer than this where the timetable has it wait. */
const LATE_DWELL_SECONDS = 30

/** The calls of a trip instance as they are expected. */
export function predictCalls(knowledge: TripKnowledge, count: (flaw: PredictionFlaw) => void): PredictedCall[] {
  const { calls, updates } = knowledge
  const hasTimes = updates.some((update) => update !== undefined && hasTime(update))
  const tripDelay = hasTimes ? undefined : knowledge.delaySeconds
  const predicted: PredictedCall[] = []
  let delay: number | undefined
  for (const [at, call] of calls.entries()) {
    const update = updates[at]
    if (update?.relationship === 'no_data') delay = undefined
    const isSkipped = update?.relationship === 'skipped'
    const own = isSkipped || update === undefined ? undefined : forecastOf(call, update, delay)
    if (own !== undefined) delay = own.departure - call.departure
    const isAhead = tripDelay !== undefined && call.departure + tripDelay >= knowledge.nowSeconds
    if (own === undefined && isAhead && update?.relationship !== 'no_data') delay = tripDelay
    const isPredicted = !isSkipped && delay !== undefined
    predicted.push({
      arrival: own?.arrival ?? call.arrival + (isPredicted ? (delay ?? 0) : 0),
      departure: own?.departure ?? call.departure + (isPredicted ? (delay ?? 0) : 0),
      isPredicted,
      isSkipped,
    })
  }
  raiseToOrder(predicted, count)
  fitUnknown(predicted)
  return predicted
}

function hasTime({ arrival, departure }: StopTimeUpdate): boolean {
  return isGiven(arrival) || isGiven(departure)
}

function isGiven(event: StopTimeEvent | undefined): boolean {
  return event?.timeSeconds !== undefined || event?.delaySeconds !== undefined
}

/** What an update says of its call; undefined where it gives no time. Time wins over delay. */
function forecastOf(
  call: ScheduledCall,
  update: StopTimeUpdate,
  carried: number | undefined,
): { arrival: number; departure: number } | undefined {
  const arrival = momentOf(update.arrival, call.arrival)
  const departure = momentOf(update.departure, call.departure)
  if (arrival === undefined && departure === undefined) return undefined
  if (departure === undefined) {
    const from = arrival as number
    const dwell = Math.min(call.departure - call.arrival, LATE_DWELL_SECONDS)
    return { arrival: from, departure: Math.max(call.departure, from + dwell) }
  }
  if (arrival !== undefined) return { arrival, departure }
  const delay = carried ?? departure - call.departure
  return { arrival: Math.min(call.arrival + delay, departure), departure }
}

function momentOf(event: StopTimeEvent | undefined, scheduled: number): number | undefined {
  if (event === undefined) return undefined
  return event.timeSeconds ?? (event.delaySeconds === undefined ? undefined : scheduled + event.delaySeconds)
}

/** A vehicle is nowhere before it has left the call before: a predicted time that is too early is raised to it. */
function raiseToOrder(calls: readonly PredictedCall[], count: (flaw: PredictionFlaw) => void): void {
  let last = Number.NEGATIVE_INFINITY
  for (const call of calls) {
    if (!call.isPredicted) continue
    if (call.arrival < last) {
      count('negative_hop')
      call.arrival = last
    }
    if (call.departure < call.arrival) {
      count('negative_dwell')
      call.departure = call.arrival
    }
    last = call.departure
  }
}

/** Times that are not known lie between those that are. */
function fitUnknown(calls: readonly PredictedCall[]): void {
  let next = Number.POSITIVE_INFINITY
  for (let at = calls.length - 1; at >= 0; at--) {
    const call = calls[at]
    if (call.isPredicted) next = call.arrival
    else {
      call.departure = Math.min(call.departure, next)
      call.arrival = Math.min(call.arrival, call.departure)
    }
  }
  let last = Number.NEGATIVE_INFINITY
  for (const call of calls) {
    if (!call.isPredicted) {
      call.arrival = Math.max(call.arrival, last)
      call.departure = Math.max(call.departure, call.arrival)
    }
    last = call.departure
  }
}
