// How fast accounts and addresses may ask: token buckets in memory that all data threads share, kept as the instant at
// which a bucket is full again (GCRA), so that one compare-and-swap decides and nothing has to be refilled or swept.

const CELL_COUNT = 1 << 20
const MICROS_PER_SECOND = 1_000_000

/** A sustained rate and what may come at once. */
export interface Rate {
  readonly perSecond: number
  /** At least 1. */
  readonly burst: number
}

/** What a bucket said. */
export interface RateReading {
  readonly isAllowed: boolean
  /** Requests that may come right after this one. */
  readonly left: number
  /** Until the bucket is full again; if the request was refused, until the next one is allowed. Seconds, rounded up. */
  readonly seconds: number
}

/** The shared memory, made once by the control thread. */
export function allocateRateCells(): SharedArrayBuffer {
  return new SharedArrayBuffer(CELL_COUNT * BigInt64Array.BYTES_PER_ELEMENT)
}

/** One thread's hold on the buckets. */
export class RateCells {
  private readonly cells: BigInt64Array

  constructor(memory: SharedArrayBuffer) {
    this.cells = new BigInt64Array(memory)
  }

  /** Takes one request out of a bucket. @param nowMicros the same clock on every thread, in microseconds */
  take(cell: number, { perSecond, burst }: Rate, nowMicros: number): RateReading {
    const interval = MICROS_PER_SECOND / perSecond
    const depth = interval * burst
    for (;;) {
      const before = Atomics.load(this.cells, cell)
      const emptiest = nowMicros + depth
      if (Number(before) > emptiest + 1) {
        // The clock was set back: the bucket is empty, but no emptier than that.
        Atomics.compareExchange(this.cells, cell, before, BigInt(Math.ceil(emptiest)))
        continue
      }
      const after = Math.max(Number(before), nowMicros) + interval
      if (after - nowMicros > depth + 1) {
        return { isAllowed: false, left: 0, seconds: toSeconds(after - depth - nowMicros) }
      }
      if (Atomics.compareExchange(this.cells, cell, before, BigInt(Math.ceil(after))) === before) {
        const left = Math.floor((nowMicros + depth - after) / interval + 1e-6)
        return { isAllowed: true, left: Math.max(0, left), seconds: toSeconds(after - nowMicros) }
      }
    }
  }
}

function toSeconds(micros: number): number {
  return Math.max(1, Math.ceil(micros / MICROS_PER_SECOND))
}

/** The bucket of an address: one of very many, by a hash that nobody outside can aim. */
export function cellOfAddress(address: string, seed: bigint): number {
  return Number(Bun.hash.wyhash(address, seed) & BigInt(CELL_COUNT - 1))
}
