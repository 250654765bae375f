// From a stop: who is there by a moment arrives then. Part of the journey oracle.
import { NEVER } from './journey-ground.ts'

/** Moments in order; the later one is there, the later one arrives. */
export interface Steps {
  readonly moments: Int32Array
  readonly arrivals: Int32Array
}

/** Where nothing leads on. */
export const NO_STEPS: Steps = { moments: new Int32Array(0), arrivals: new Int32Array(0) }

/** When one arrives who is there by a moment: by the first step that is not before it. */
export function arrivalFrom({ moments, arrivals }: Steps, moment: number): number {
  let [low, high] = [0, moments.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (moments[middle] < moment) low = middle + 1
    else high = middle
  }
  return low < arrivals.length ? arrivals[low] : NEVER
}

/** A moment and an arrival as one number, so that sorting numbers sorts by moment, then by arrival. */
const ARRIVALS = 2 ** 22
const EARLIEST = 2 ** 21

/** Collects steps in any order. */
export class StepPile {
  private readonly start: number
  private packed = new Float64Array(16)
  private count = 0

  /** @param start seconds that all moments and arrivals lie near */
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

  /** @param delay how much earlier one has to be there than the steps say */
  addAll({ moments, arrivals }: Steps, delay: number): void {
    for (let at = 0; at < moments.length; at++) this.add(moments[at] - delay, arrivals[at])
  }

  /** The steps that no other beats: later and no worse. */
  toSteps(): Steps {
    const sorted = this.packed.subarray(0, this.count).sort()
    // From the last moment on; the kept ones come to stand at the end, in order.
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
