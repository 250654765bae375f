// The profile of a stop: the arrival as a function of the time at which the rider is at the stop. Part of the journey
// oracle.
import { NEVER } from './journey-ground.ts'

/** Times in order; the later the time, the later the arrival. */
export interface Steps {
  readonly moments: Int32Array
  readonly arrivals: Int32Array
}

/** For a stop from which nothing leads to the destination. */
export const NO_STEPS: Steps = { moments: new Int32Array(0), arrivals: new Int32Array(0) }

/** The arrival of a rider who is at the stop at a time: that of the first step that is not earlier. */
export function arrivalFrom({ moments, arrivals }: Steps, moment: number): number {
  let [low, high] = [0, moments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (moments[middle] < moment) low = middle + 1
    else high = middle
  }
  return low < arrivals.length ? arrivals[low] : NEVER
}

/** A time and an arrival as one number, so that sorting numbers sorts by time, then by arrival. */
const ARRIVALS = 2 ** 22
const EARLIEST = 2 ** 21

/** Collects steps in any order. */
export class StepPile {
  private readonly start: number
  private packed = new Float64Array(16)
  private count = 0

  /** @param start seconds near all times and arrivals */
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

  /** @param delay how much earlier than in the steps riders must be at the stop */
  addAll({ moments, arrivals }: Steps, delay: number): void {
    for (let at = 0; at < moments.length; at++) this.add(moments[at] - delay, arrivals[at])
  }

  /** The steps that no other dominates, that is, no later step arrives as early. */
  toSteps(): Steps {
    const sorted = this.packed.subarray(0, this.count).sort()
    // Goes from the last time backward; the kept steps end up at the end, in order.
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
