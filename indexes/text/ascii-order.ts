// Compares UTF-8 bytes with a text. If the text is ASCII, as most searched texts are, the bytes need not be decoded.

/** The bytes of a text in a larger array. */
export interface TextRange {
  readonly bytes: ArrayLike<number>
  readonly start: number
  readonly end: number
}

const ASCII = /^[\0-\x7f]*$/

/** Whether a text contains only ASCII characters. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/**
 * Compares a range of UTF-8 bytes with an ASCII text, in the order of code units. Returns −1 if the range sorts before
 * the text, and 0 if they are equal. Returns 1 if the range starts with the text and is longer, and 2 if the range
 * sorts after everything that starts with the text. Comparing bytes gives the same order, because all bytes and all
 * code units of other characters are greater than those of ASCII characters.
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
