// Predicts a run's times. Predictions for the near future are exact. Predictions further ahead mostly assume that the
// current delay stays the same, so they are revised later, as on real departure boards. Times are in seconds after the
// service day's zero (local noon minus 12 hours).
import { callCountOf, nextPosition, plannedArrival, plannedDeparture, type Run } from './run.ts'

/** Predictions up to this many seconds ahead are exact. */
const SURE_SECONDS = 300
/** In predictions at least this many seconds ahead, the current delay has its maximum weight, VAGUE_SHARE. */
const VAGUE_SECONDS = 2700
const VAGUE_SHARE = 0.6

/**
 * Returns each call's arrival and departure as expected at an instant. The times never decrease. Calls in the past have
 * their actual times.
 */
export function predictTimes(run: Run, seconds: number): number[] {
  const next = nextPosition(run, seconds)
  const at = Math.max(0, next - 1)
  const lateNow = run.times[at * 2 + 1] - plannedDeparture(run, at)
  const expected = run.times.slice(0, next * 2)
  let last = seconds
  for (let position = next; position < callCountOf(run); position++) {
    const arrival = expectAt(run.times[position * 2], plannedArrival(run, position) + lateNow, seconds)
    const departure = expectAt(run.times[position * 2 + 1], plannedDeparture(run, position) + lateNow, seconds)
    // If the vehicle has arrived at the call, the arrival is the actual time.
    const arrived = arrival <= seconds ? arrival : Math.max(arrival, last)
    last = Math.max(departure, arrived)
    expected.push(arrived, last)
  }
  return expected
}

function expectAt(real: number, asNow: number, seconds: number): number {
  const ahead = real - seconds
  if (ahead <= SURE_SECONDS) return real
  const vagueness = VAGUE_SHARE * Math.min(1, (ahead - SURE_SECONDS) / (VAGUE_SECONDS - SURE_SECONDS))
  return Math.round(real + (asNow - real) * vagueness)
}
