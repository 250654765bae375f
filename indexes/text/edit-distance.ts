// Edit distance between two words. An edit leaves out, inserts or replaces a letter, or swaps two adjacent letters.

/** Maximum length of a word that is compared. */
export const MAX_EDIT_LENGTH = 32

/** Two edits are allowed if the typed or the intended word has at least this many letters; otherwise one. */
const LONG_WORD = 8

/**
 * Maximum number of edits for a typed word with `length` letters. Two even if the typed word is slightly shorter than
 * LONG_WORD, because the intended word may be longer.
 */
export function editLimit(length: number): number {
  if (length > MAX_EDIT_LENGTH) return 0
  return length >= LONG_WORD - 2 ? 2 : length >= 4 ? 1 : 0
}

/** Maximum number of edits between a typed word and an intended word, by their lengths. */
export function editsAllowed(typedLength: number, length: number): number {
  return Math.max(typedLength, length) >= LONG_WORD ? 2 : 1
}

/**
 * The letters of a word as a set of 32 bits. If the sets of two words differ in more bits than the allowed edits can
 * change, the words need not be compared.
 */
export function letterSet(word: string): number {
  let set = 0
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at)
    // Each letter a–z has its own bit. Digits share four bits, and all other characters share one.
    set |= code >= 97 && code <= 122 ? 1 << (code - 97) : code >= 48 && code <= 57 ? 1 << (26 + (code & 3)) : 1 << 30
  }
  return set
}

/** Number of bits that are set in a number. */
export function countBits(set: number): number {
  let bits = set - ((set >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

// Three rows of the distance table, reused by each comparison.
let before = new Uint8Array(MAX_EDIT_LENGTH + 1)
let last = new Uint8Array(MAX_EDIT_LENGTH + 1)
let next = new Uint8Array(MAX_EDIT_LENGTH + 1)

/**
 * Number of edits between a typed word and a word of a name, by optimal string alignment. With `asPrefix`, the typed
 * word is compared with the nearest prefix of the name's word. Returns `limit` + 1 if the number is above `limit`, or
 * if more than MAX_EDIT_LENGTH letters of a word would have to be compared.
 */
export function editDistance(
  typed: string,
  word: string,
  { limit, asPrefix }: { readonly limit: number; readonly asPrefix: boolean },
): number {
  const columns = asPrefix ? Math.min(word.length, typed.length + limit) : word.length
  if (columns > MAX_EDIT_LENGTH || typed.length > MAX_EDIT_LENGTH) return limit + 1
  if (typed.length - columns > limit || (!asPrefix && columns - typed.length > limit)) return limit + 1
  for (let column = 0; column <= columns; column++) last[column] = column
  for (let row = 1; row <= typed.length; row++) {
    const letter = typed.charCodeAt(row - 1)
    next[0] = row
    let least = row
    for (let column = 1; column <= columns; column++) {
      const other = word.charCodeAt(column - 1)
      let slips = Math.min(last[column - 1] + Number(letter !== other), last[column] + 1, next[column - 1] + 1)
      const isSwap =
        row > 1 && column > 1 && letter === word.charCodeAt(column - 2) && typed.charCodeAt(row - 2) === other
      if (isSwap) slips = Math.min(slips, before[column - 2] + 1)
      next[column] = slips
      if (slips < least) least = slips
    }
    // Ends early only if all later rows are certainly above the limit. A least distance of limit + 1 is not enough,
    // because a swap in the next row starts from the row before this one, which may still be within the limit.
    if (least > limit + 1) return limit + 1
    const free = before
    before = last
    last = next
    next = free
  }
  let distance = last[columns]
  if (asPrefix) for (let column = 0; column < columns; column++) distance = Math.min(distance, last[column])
  return Math.min(distance, limit + 1)
}
