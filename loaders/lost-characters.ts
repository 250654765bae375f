// Repairs unreadable characters: invalid UTF-8 is read as Windows-1252, and NUL as a space. A replacement character
// that the producer's software wrote is only reported, because the original cannot be recovered.
import { isUtf8 } from 'node:buffer'

const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
const SPACE = 0x20
/** The lowest byte that is not ASCII. */
const FIRST_HIGH_BYTE = 0x80
/** U+FFFD, which software writes instead of a character that it cannot read. */
const REPLACEMENT = Buffer.from('\ufffd')
/** Maximum number of characters that a problem quotes from a field. */
const EXAMPLE_LENGTH = 80

const decoder = new TextDecoder()
const encoder = new TextEncoder()
const windows1252 = new TextDecoder('windows-1252')

/** Where a block is in its file, and how to report its problems. */
export interface CharacterMending {
  /** Line number of the first byte of the block. */
  readonly line: number
  /**
   * Number of bytes at the start of the block that have already been repaired and reported. These bytes are complete
   * lines.
   */
  readonly reportedBytes: number
  /** The byte between fields. */
  readonly separator: number
  readonly report: (line: number, example: string, action: 'repaired' | 'reported') => void
}

/** Whether a block needs no repair. Uses only native searches, because nearly every block is readable. */
export function isReadable(block: Uint8Array): boolean {
  return block.indexOf(0) < 0 && isUtf8(block) && !holdsReplacement(block)
}

/**
 * Makes every character in a block of complete rows readable. Only fields that are not UTF-8 are decoded as
 * Windows-1252, because one file may have fields in both encodings. Separators and line ends are the same in both. NUL
 * bytes are replaced in `block` itself.
 */
export function mendCharacters(block: Uint8Array, mending: CharacterMending): Uint8Array {
  const { line: firstLine, reportedBytes, separator, report } = mending
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
      report(line, toExample(text), 'repaired')
    } else if (hasNul) report(line, toExample(decoder.decode(field)), 'repaired')
    else if (hasHighByte && start >= reportedBytes && holdsReplacement(field)) {
      report(line, toExample(decoder.decode(field)), 'reported')
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
