// What can be known of a run at a moment: the truth for what is near, and ever more of "as late as now" further on, so
// that expected times move as they do on real boards. Times are seconds after the service day's zero.
import { callCountOf, nextPosition, plannedArrival, plannedDeparture, type Run } from './run.ts'

/** So far ahead the agency predicts what will be. */
const SURE_SECONDS = 300
/** From here on it knows no better than this share of the difference between then and now. */
const VAGUE_SECONDS = 2700
const VAGUE_SHARE = 0.6

/** Arrival and departure of each call as expected at a moment, never decreasing; of calls already made as they were. */
export function predictTimes(run: Run, seconds: number): number[] {
  const next = nextPosition(run, seconds)
  const at = Math.max(0, next - 1)
  const lateNow = run.times[at * 2 + 1] - plannedDeparture(run, at)
  const expected = run.times.slice(0, next * 2)
  let last = seconds
  for (let position = next; position < callCountOf(run); position++) {
    const arrival = expectAt(run.times[position * 2], plannedArrival(run, position) + lateNow, seconds)
    const departure = expectAt(run.times[position * 2 + 1], plannedDeparture(run, position) + lateNow, seconds)
    // A vehicle that stands at its call has arrived there for sure.
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
