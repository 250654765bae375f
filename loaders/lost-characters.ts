// Characters of a file that cannot be read: bytes that are no UTF-8 are taken as Windows-1252, NUL as a blank. A character
// that a producer's own program lost stays lost, and is told of.
import { isUtf8 } from 'node:buffer'

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const SPACE = 0x20
/** Bytes from here on are no ASCII. */
const FIRST_HIGH_BYTE = 0x80
/** What is written for a character that could not be read. */
const REPLACEMENT = Buffer.from('\ufffd')
/** Longest text told as an example. */
const EXAMPLE_LENGTH = 80

const decoder = new TextDecoder()
const encoder = new TextEncoder()
const windows1252 = new TextDecoder('windows-1252')

/** Where a block stands, and who is told what was found in it. */
export interface CharacterMending {
  /** Line of its first byte. */
  readonly line: number
  /** Bytes at its start that were mended, and told of, before; they end with a line. */
  readonly toldBytes: number
  /** The byte between fields. */
  readonly separator: number
  readonly tell: (line: number, example: string, action: 'repaired' | 'reported') => void
}

/** Whether whole rows need no mending. Native searches alone: nearly every block is sound. */
export function isReadable(block: Uint8Array): boolean {
  return block.indexOf(0) < 0 && isUtf8(block) && !holdsReplacement(block)
}

/**
 * Whole rows with every character readable. Only the faulty fields are taken anew: their neighbors may well be UTF-8. Both
 * encodings agree on separators and line ends. NUL bytes are blanked in place.
 */
export function mendCharacters(block: Uint8Array, mending: CharacterMending): Uint8Array {
  const { line: firstLine, toldBytes, separator, tell } = mending
  const pieces: Uint8Array[] = []
  let line = firstLine
  let kept = 0
  let start = 0
  let hasHighByte = false
  let hasNul = false
  for (let at = 0; at <= block.length; at++) {
    const byte = at < block.length ? block[at] : separator
    if (byte >= FIRST_HIGH_BYTE) hasHighByte = true
    if (byte === 0) {
      hasNul = true
      block[at] = SPACE
    }
    if (byte !== separator && byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue
    const field = block.subarray(start, at)
    if (hasHighByte && !isUtf8(field)) {
      const text = windows1252.decode(field)
      pieces.push(block.subarray(kept, start), encoder.encode(text))
      kept = at
      tell(line, toExample(text), 'repaired')
    } else if (hasNul) tell(line, toExample(decoder.decode(field)), 'repaired')
    else if (hasHighByte && start >= toldBytes && holdsReplacement(field)) {
      tell(line, toExample(decoder.decode(field)), 'reported')
    }
    if (byte === LINE_FEED || (byte === CARRIAGE_RETURN && block[at + 1] !== LINE_FEED)) line++
    start = at + 1
    hasHighByte = false
    hasNul = false
  }
  pieces.push(block.subarray(kept))
  return Buffer.concat(pieces)
}

function holdsReplacement(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(REPLACEMENT) >= 0
}

function toExample(field: string): string {
  return field.trim().slice(0, EXAMPLE_LENGTH)
}
