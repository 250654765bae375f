// Parses numbers directly from bytes, without creating strings.

const ZERO = 0x30
const MINUS = 0x2d
const PLUS = 0x2b
const POINT = 0x2e
/** Maximum number of digits for which every integer is exact as a double. */
const EXACT_DIGITS = 15
/** Largest exponent of a power of ten that is exact as a double. */
const EXACT_POWER = 22

const decoder = new TextDecoder()

/** The integer in `bytes[start, end)`; NaN if invalid or empty. */
export function parseInteger(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const isNegative = bytes[at] === MINUS
  if (isNegative || bytes[at] === PLUS) at++
  if (at >= end || end - at > EXACT_DIGITS) return Number.NaN
  let value = 0
  for (; at < end; at++) {
    const digit = bytes[at] - ZERO
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return isNegative ? -value : value
}

/** The decimal number in `bytes[start, end)`; NaN if invalid, not finite or empty. */
export function parseDecimal(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  const isNegative = bytes[at] === MINUS
  if (isNegative || bytes[at] === PLUS) at++
  let value = 0
  let digits = 0
  let decimals = 0
  let hasPoint = false
  for (; at < end; at++) {
    const byte = bytes[at]
    if (byte === POINT && !hasPoint) hasPoint = true
    else {
      const digit = byte - ZERO
      if (digit < 0 || digit > 9 || digits >= EXACT_DIGITS) return parseSlowly(bytes, start, end)
      value = value * 10 + digit
      if (value > 0) digits++
      if (hasPoint) decimals++
    }
  }
  if (digits === 0 && value === 0 && end - start <= (hasPoint ? 1 : 0) + (isNegative ? 1 : 0)) return Number.NaN
  if (decimals > EXACT_POWER) return parseSlowly(bytes, start, end)
  // `value` and the power of ten are exact, so their quotient is the nearest double, as with Number().
  const magnitude = decimals === 0 ? value : value / 10 ** decimals
  return isNegative ? -magnitude : magnitude
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

function parseSlowly(bytes: Uint8Array, start: number, end: number): number {
  const text = decoder.decode(bytes.subarray(start, end))
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN
  return Number.isFinite(value) ? value : Number.NaN
}
