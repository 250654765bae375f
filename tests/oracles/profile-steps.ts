// The profile of a stop: for each time at the stop, the arrival at the destination. Part of the journey oracle.
import { NEVER } from './journey-ground.ts'

/** Times at the stop in order, each with the arrival at the destination. Arrivals increase as well. */
export interface Steps {
  readonly moments: Int32Array
  readonly arrivals: Int32Array
}

/** The steps of a stop from which the destination cannot be reached. */
export const NO_STEPS: Steps = { moments: new Int32Array(0), arrivals: new Int32Array(0) }

/** The arrival of a rider who is at the stop at a time: the arrival of the first step at this time or later. */
export function arrivalFrom({ moments, arrivals }: Steps, moment: number): number {
  let [low, high] = [0, moments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (moments[middle] < moment) low = middle + 1
    else high = middle
  }
  return low < arrivals.length ? arrivals[low] : NEVER
}

/**
 * A step is packed into one number: (time + EARLIEST) × ARRIVALS + arrival. Time and arrival are in seconds after the
 * pile's start. The numbers sort by time and then by arrival. Times can be up to EARLIEST seconds before the start.
 */
const ARRIVALS = 2 ** 22
const EARLIEST = 2 ** 21

/** Collects steps in any order. */
export class StepPile {
  private readonly start: number
  private packed = new Float64Array(16)
  private count = 0

  /** @param start an instant; the times and arrivals of all steps must be within a few weeks of it */
  constructor(start: number) {
    this.start = start
  }

  add(moment: number, arrives: number): void {
    if (this.count === this.packed.length) {
      const longer = new Float64Array(2 * this.count)
      longer.set(this.packed)
      this.packed = longer
    }
    this.packed[this.count++] = (moment - this.start + EARLIEST) * ARRIVALS + arrives - this.start
  }

  /**
   * Adds the steps of another stop.
   * @param delay seconds that riders need from this stop to the other one
   */
  addAll({ moments, arrivals }: Steps, delay: number): void {
    for (let at = 0; at < moments.length; at++) this.add(moments[at] - delay, arrivals[at])
  }

  /** The steps in order. Drops a step if another step departs no earlier and arrives no later. */
  toSteps(): Steps {
    const sorted = this.packed.subarray(0, this.count).sort()
    // Goes through the steps from the last to the first. The kept steps move to the end of the array.
    let first = sorted.length
    let best = Number.POSITIVE_INFINITY
    for (let at = sorted.length - 1; at >= 0; at--) {
      const arrives = sorted[at] % ARRIVALS
      if (arrives >= best) continue
      const isSameMoment = first < sorted.length && momentOf(sorted[first]) === momentOf(sorted[at])
      if (!isSameMoment) first--
      sorted[first] = sorted[at]
      best = arrives
    }
    const kept = sorted.subarray(first)
    const [moments, arrivals] = [new Int32Array(kept.length), new Int32Array(kept.length)]
    for (let at = 0; at < kept.length; at++) {
      moments[at] = momentOf(kept[at]) - EARLIEST + this.start
      arrivals[at] = (kept[at] % ARRIVALS) + this.start
    }
    return { moments, arrivals }
  }
}

function momentOf(packed: number): number {
  return Math.floor(packed / ARRIVALS)
}
