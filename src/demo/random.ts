// Repeatable chance for the demo city: the same seed, the same city.

/** Draws from one seed. */
export class Chance {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** From 0, inclusive, to 1, exclusive: the mulberry32 generator. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  whole(below: number): number {
    return Math.floor(this.next() * below)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.whole(list.length)] as T
  }
}
