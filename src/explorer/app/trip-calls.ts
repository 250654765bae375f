// Finds the next call of a trip: by the current or next stop of its vehicle or, if both are unknown, by the call times.
import type { Trip, TripCall } from './contract.ts'

/** A trip with a shorter delay needs no explanation. */
const LATE_SECONDS = 60

/** The expected time, or the scheduled time if there is none. */
export function timeOf(time: { readonly expected_at: string | null; readonly scheduled_at: string }): string {
  return time.expected_at ?? time.scheduled_at
}

/** The index of the first call that the vehicle has not passed; the number of calls if it has passed them all. */
export function nextCallOf({ calls, vehicle }: Pick<Trip, 'calls' | 'vehicle'>, nowMillis: number): number {
  const byTime = calls.findIndex((call) => leavesAt(call) >= nowMillis)
  const expected = byTime < 0 ? calls.length : byTime
  const stop = vehicle?.current_stop_id ?? vehicle?.next_stop_id ?? null
  if (stop === null) return expected
  // A trip can call at the same stop twice. In that case, the vehicle's call is the one nearest to the call that is
  // next by time.
  const places = calls.flatMap(({ stop_id }, at) => (stop_id === stop ? [at] : []))
  return places.toSorted((one, other) => Math.abs(one - expected) - Math.abs(other - expected))[0] ?? expected
}

/** Whether the trip needs an explanation because it is late at a stop ahead, is canceled, or skips stops. */
export function isDisturbed(trip: Pick<Trip, 'calls' | 'vehicle' | 'status'>, nowMillis: number): boolean {
  return trip.status === 'canceled' || trip.calls.some(isOff) || delayAhead(trip, nowMillis) !== undefined
}

/** The first delay of at least LATE_SECONDS at the stops ahead; undefined if there is none. */
export function delayAhead(trip: Pick<Trip, 'calls' | 'vehicle'>, nowMillis: number): number | undefined {
  const ahead = trip.calls.slice(nextCallOf(trip, nowMillis))
  const delays = ahead.map(({ departure, arrival }) => (departure ?? arrival)?.delay_seconds ?? 0)
  return delays.find((seconds) => seconds >= LATE_SECONDS)
}

/** Whether the trip does not serve this stop, because the call is canceled or skipped. */
export function isOff({ status }: TripCall): boolean {
  return status === 'canceled' || status === 'skipped'
}

function leavesAt({ departure, arrival }: TripCall): number {
  const time = departure ?? arrival
  return time === null ? Number.NEGATIVE_INFINITY : Date.parse(timeOf(time))
}
