// Computes a run's actual times: a smooth random delay, plus what remains of the delay of the vehicle's previous run.
import { between, type Random } from '../seeded-random.ts'
import { callCountOf, type PlannedRun, plannedArrival, plannedDeparture } from './run.ts'

/**
 * How the delay develops along a run, in seconds: a delay at the start, a delay at the end, a peak in the middle, and a
 * slow oscillation added to them.
 */
interface DelayCurve {
  readonly startSeconds: number
  readonly endSeconds: number
  readonly humpSeconds: number
  readonly swingSeconds: number
  readonly phase: number
}

/** Mode → its delays as a share of the delays of buses. */
const DELAY_SHARE = { metro: 0.35, tram: 0.6, bus: 1, ferry: 0.8 } as const
/**
 * Shares of usual, late and early runs. The remaining runs are late in the middle and almost on time again at the end.
 */
const USUAL_SHARE = 0.8
const LATE_SHARE = 0.11
const EARLY_SHARE = 0.06
const USUAL_LATEST_SECONDS = 230
const LATEST_SECONDS = 1140
/** The shortest run time of a late vehicle between two calls, as a share of the planned run time. */
const FASTEST_SHARE = 0.65
/** Longest dwell of a late vehicle. */
const LATE_DWELL_SECONDS = 30
/** The share of a late start that a run has made up by its end. */
const RECOVERED_SHARE = 0.8

/**
 * Returns a run's arrivals and departures: two values per call, never decreasing. `readySeconds` is the vehicle's
 * earliest departure, and `random` provides the run's randomness.
 */
export function drawTimes(
  run: PlannedRun,
  mode: keyof typeof DELAY_SHARE,
  given: { readonly random: Random; readonly readySeconds: number },
): number[] {
  const curve = drawCurve(given.random, DELAY_SHARE[mode])
  const count = callCountOf(run)
  const lateStart = Math.max(0, given.readySeconds - run.startSeconds - curve.startSeconds)
  const times: number[] = []
  let left = Number.NEGATIVE_INFINITY
  for (let position = 0; position < count; position++) {
    const part = position / (count - 1)
    const delay = Math.round(delayAt(curve, part) + lateStart * (1 - RECOVERED_SHARE * part))
    const planned = { arrival: plannedArrival(run, position), departure: plannedDeparture(run, position) }
    if (position === 0) {
      left = Math.max(planned.departure, planned.departure + delay)
      times.push(left, left)
      continue
    }
    const runSeconds = planned.arrival - plannedDeparture(run, position - 1)
    const arrival = Math.max(planned.arrival + delay, left + Math.ceil(runSeconds * FASTEST_SHARE))
    const dwell = Math.min(planned.departure - planned.arrival, LATE_DWELL_SECONDS)
    left = run.leftOut.includes(position) ? arrival : Math.max(arrival + dwell, planned.departure + delay)
    times.push(arrival, left)
  }
  return times
}

function drawCurve(random: Random, share: number): DelayCurve {
  const chance = random()
  const swing = { swingSeconds: between(random, 0, 22) * share, phase: random() }
  const startSeconds = between(random, 0, 45) * share
  if (chance < USUAL_SHARE) {
    return { startSeconds, endSeconds: between(random, -45, USUAL_LATEST_SECONDS) * share, humpSeconds: 0, ...swing }
  }
  if (chance < USUAL_SHARE + LATE_SHARE) {
    // Squared, so that large delays are rarer than small ones.
    const endSeconds = (USUAL_LATEST_SECONDS + random() ** 2 * (LATEST_SECONDS - USUAL_LATEST_SECONDS)) * share
    return { startSeconds, endSeconds, humpSeconds: 0, ...swing }
  }
  if (chance < USUAL_SHARE + LATE_SHARE + EARLY_SHARE) {
    return { startSeconds: 0, endSeconds: between(random, -170, -80), humpSeconds: 0, ...swing }
  }
  return { startSeconds, endSeconds: 60 * share, humpSeconds: between(random, 300, 800) * share, ...swing }
}

/** The delay in seconds at a point of the run. `part` is 0 at the start and 1 at the end. */
function delayAt(curve: DelayCurve, part: number): number {
  const eased = part * part * (3 - 2 * part)
  const hump = curve.humpSeconds * Math.sin(Math.PI * part) ** 2
  const swing = curve.swingSeconds * Math.sin(2 * Math.PI * (part * 1.5 + curve.phase)) * Math.sin(Math.PI * part)
  return curve.startSeconds + (curve.endSeconds - curve.startSeconds) * eased + hump + swing
}
