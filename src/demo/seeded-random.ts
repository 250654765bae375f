// The demo's only source of randomness: streams of numbers, each determined by a seed and a name. A seed therefore
// always gives the same city, and a change to the code for one part of the city does not change other parts.

/** Returns the next number of a stream, from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** The stream for a seed and a name. Streams with different names are unrelated. */
export function seededRandom(seed: number, stream: string): Random {
  let state = seed | 0
  for (let i = 0; i < stream.length; i++) state = Math.imul(state ^ stream.charCodeAt(i), 0x01000193) ^ (state >>> 15)
  // mulberry32: 32 bits of state, full period, and random enough for a demo.
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A number from `min` (inclusive) to `max` (exclusive). */
export function between(random: Random, min: number, max: number): number {
  return min + random() * (max - min)
}

/** A whole number from 0 (inclusive) to `count` (exclusive). */
export function below(random: Random, count: number): number {
  return Math.floor(random() * count)
}

/** Picks one of the values at random. */
export function pick<T>(random: Random, values: readonly T[]): T {
  return values[below(random, values.length)]
}
