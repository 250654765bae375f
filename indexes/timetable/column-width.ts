// Stores columns of unsigned values in the narrowest type that fits. This saves memory above all for stop times, which
// make up most of a timetable.

const MAX_UINT8 = 0xff
const MAX_UINT16 = 0xffff

/** An array of the narrowest unsigned type that can hold values up to `maxValue`. */
export function allocateNarrowest(length: number, maxValue: number): Uint8Array | Uint16Array | Uint32Array {
  if (maxValue <= MAX_UINT8) return new Uint8Array(length)
  if (maxValue <= MAX_UINT16) return new Uint16Array(length)
  return new Uint32Array(length)
}

/** Copies the values into the narrowest unsigned type that fits. */
export function toNarrowest(values: Uint32Array): Uint8Array | Uint16Array | Uint32Array {
  let maxValue = 0
  for (const value of values) if (value > maxValue) maxValue = value
  const narrow = allocateNarrowest(values.length, maxValue)
  narrow.set(values)
  return narrow
}
