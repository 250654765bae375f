// Compares UTF-8 bytes with a string. If the string is ASCII, as most searched strings are, the bytes need not be
// decoded.

/** The bytes of a string within a larger array. */
export interface TextRange {
  readonly bytes: ArrayLike<number>
  readonly start: number
  readonly end: number
}

const ASCII = /^[\0-\x7f]*$/

/** Whether a string contains only ASCII characters. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/**
 * Compares a range of UTF-8 bytes with an ASCII string, in the order of code units. Returns −1 if the range sorts
 * before the string, and 0 if they are equal. Returns 1 if the range starts with the string and is longer, and 2 if the
 * range sorts after everything that starts with the string. Comparing bytes gives the same order as comparing code
 * units: in both, all characters outside ASCII have greater values than ASCII characters.
 */
export function compareWithAscii({ bytes, start, end }: TextRange, text: string): -1 | 0 | 1 | 2 {
  for (let at = 0; at < text.length; at++) {
    if (start + at >= end) return -1
    const byte = bytes[start + at]
    const unit = text.charCodeAt(at)
    if (byte !== unit) return byte < unit ? -1 : 2
  }
  return end - start === text.length ? 0 : 1
}
