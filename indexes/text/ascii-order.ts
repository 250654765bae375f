// How texts that lie there as UTF-8 stand to one that is looked for, without decoding them: most of what is looked for is ASCII.

/** A text among bytes. */
export interface TextRange {
  readonly bytes: ArrayLike<number>
  readonly start: number
  readonly end: number
}

const ASCII = /^[\0-\x7f]*$/

/** Whether a text is ASCII alone. */
export function isAscii(text: string): boolean {
  return ASCII.test(text)
}

/**
 * Code unit by code unit: -1 where the range comes before an ASCII text, 0 where it is that, 1 where it goes on behind it, 2 where
 * it comes after all that begins with it. A byte beyond ASCII is above all that is looked for, as its character is.
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
