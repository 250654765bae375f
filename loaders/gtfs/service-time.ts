// Parses GTFS times (`H:MM:SS`, `HH:MM:SS` or `HHH:MM:SS`) to seconds after the service day's zero, which is noon minus
// 12 hours. Times can be several weeks past 24:00.

/** Returned by `parseServiceTime` if the field is empty. */
export const NO_TIME = -1
/** Returned by `parseServiceTime` if the field is not a valid time. */
export const INVALID_TIME = -2

const COLON = 0x3a
const ZERO = 0x30
/** Maximum number of digits in the hour. 999 hours are more than 41 days. */
const MAX_HOUR_DIGITS = 3

/** The time in `bytes[start, end)` in seconds; NO_TIME or INVALID_TIME if there is none. */
export function parseServiceTime(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return NO_TIME
  let at = start
  let hours = 0
  while (at < end && bytes[at] !== COLON) {
    const digit = bytes[at] - ZERO
    if (digit < 0 || digit > 9 || at - start >= MAX_HOUR_DIGITS) return INVALID_TIME
    hours = hours * 10 + digit
    at++
  }
  if (at === start || end - at !== 6 || bytes[at + 3] !== COLON) return INVALID_TIME
  const minutes = twoDigits(bytes, at + 1)
  const seconds = twoDigits(bytes, at + 4)
  return minutes < 0 || seconds < 0 ? INVALID_TIME : hours * 3600 + minutes * 60 + seconds
}

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at] - ZERO
  const ones = bytes[at + 1] - ZERO
  return tens < 0 || tens > 5 || ones < 0 || ones > 9 ? -1 : tens * 10 + ones
}
