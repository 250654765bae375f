// A scratch buffer for assembling JSON from prepared fragments. For boards, this takes a quarter of the time that
// joining strings takes (1.2 against 4.8 µs for ten rows). Each thread has one buffer, which one answer at a time uses.
// A Response copies the bytes of the buffer.
import { nextIndex } from '../../loaders/columns.ts'
import { type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import type { LocalTime } from './timestamps.ts'

const encoder = new TextEncoder()
const INITIAL_BYTES = 1 << 16
/** The ASCII code of a comma, which separates the elements of a list. */
export const COMMA = 0x2c
/** The ASCII code of `]`, which ends a list. */
export const LIST_END = 0x5d
const QUOTE = 0x22
const BACKSLASH = 0x5c
const ZERO = 0x30
const FOUR_DIGITS = 10_000
const FIRST_PRINTABLE = 0x20
const LAST_ASCII = 0x7f
/** Longest text, in UTF-16 units, that is written one unit at a time. */
const SHORT_TEXT = 48
/** Bytes of a local timestamp, `2024-01-03T18:15:10+01:00`. */
const TIMESTAMP_BYTES = 25

/** A fragment of JSON as UTF-8. */
export function fragment(json: string): Uint8Array {
  return encoder.encode(json)
}

/**
 * A buffer in which an answer is written. Behind the answer, the buffer can have room for pieces that are kept for
 * later answers: moving bytes within one buffer takes a third of the time of copying them from another buffer.
 */
export class JsonBytes {
  private bytes: Uint8Array<ArrayBuffer>
  /** Offset in the buffer at which the room for kept pieces starts. */
  private room = INITIAL_BYTES
  private length = 0
  private readonly keptLimit: number
  /**
   * Position of the next kept piece. Positions only grow. A position modulo `keptLimit` is the offset in the room for
   * pieces.
   */
  private keptEnd = 0

  /** @param keptBytes size of the room for kept pieces */
  constructor(keptBytes = 0) {
    this.keptLimit = keptBytes
    this.bytes = new Uint8Array(INITIAL_BYTES + keptBytes)
  }

  /** Bytes written so far. */
  get size(): number {
    return this.length
  }

  /** Pieces at lower positions have been overwritten. */
  get keptFrom(): number {
    return this.keptEnd - this.keptLimit
  }

  /**
   * Keeps the bytes from offset `start` to the end of the answer as a piece; overwrites the oldest pieces. Returns the
   * position of the piece, or -1 if the piece is too long.
   */
  keepFrom(start: number): number {
    const byteCount = this.length - start
    if (byteCount >= this.keptLimit) return -1
    let at = this.keptEnd % this.keptLimit
    // If the piece does not fit before the end of the room, it is stored at the start. At least one position is then
    // skipped, so that the piece never counts as adjacent to the previous one.
    if (at + byteCount >= this.keptLimit) {
      this.keptEnd += this.keptLimit - at
      at = 0
    }
    const place = this.keptEnd
    this.bytes.copyWithin(this.room + at, start, this.length)
    this.keptEnd += byteCount
    return place
  }

  /**
   * Appends a kept piece, or several adjacent pieces.
   * @param place position of the first piece
   * @param byteCount length of all these pieces
   */
  pushKept(place: number, byteCount: number): void {
    this.reserve(byteCount)
    const from = this.room + (place % this.keptLimit)
    this.bytes.copyWithin(this.length, from, from + byteCount)
    this.length += byteCount
  }

  /** Clears the buffer. */
  clear(): this {
    this.length = 0
    return this
  }

  /** The bytes written so far, valid until the next `clear`. */
  view(): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(0, this.length)
  }

  /** Appends a prepared fragment. */
  push(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Appends the bytes [from, to) of another array. */
  pushRange(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from)
    this.bytes.set(bytes.subarray(from, to), this.length)
    this.length += to - from
  }

  /** Appends one ASCII character. */
  pushByte(byte: number): void {
    this.reserve(1)
    this.bytes[this.length++] = byte
  }

  /** Removes the last bytes. */
  drop(byteCount: number): void {
    this.length -= byteCount
  }

  /** Appends an integer. */
  pushNumber(value: number): void {
    if (value < 0 || value >= FOUR_DIGITS) return this.pushText(String(value))
    this.reserve(4)
    for (let unit = value >= 1000 ? 1000 : value >= 100 ? 100 : value >= 10 ? 10 : 1; unit >= 1; unit /= 10) {
      this.bytes[this.length++] = ZERO + (Math.floor(value / unit) % 10)
    }
  }

  /** Appends JSON text. */
  pushText(json: string): void {
    this.reserve(json.length * 3)
    if (json.length <= SHORT_TEXT && this.pushAscii(json)) return
    this.length += encoder.encodeInto(json, this.bytes.subarray(this.length)).written
  }

  /**
   * Appends a short text one UTF-16 unit at a time, in less than half of the encoder's time. False if the text is not
   * ASCII.
   */
  private pushAscii(text: string): boolean {
    const { bytes, length } = this
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      if (unit > LAST_ASCII) return false
      bytes[length + at] = unit
    }
    this.length = length + text.length
    return true
  }

  /** Appends a text of the pool with the escapes that a JSON string needs, without quotes. */
  pushPoolText(pool: StringPool, index: StringIndex): void {
    const start = pool.offsets[index]
    const end = pool.offsets[nextIndex(index)]
    this.reserve(end - start)
    const { bytes, length } = this
    for (let from = start, to = length; from < end; from++, to++) {
      const byte = pool.bytes[from]
      if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) {
        this.pushText(JSON.stringify(textOf(pool, index)).slice(1, -1))
        return
      }
      bytes[to] = byte
    }
    this.length = length + end - start
  }

  /** Appends a local timestamp, without quotes. */
  pushLocalTime(localTime: LocalTime, epochSeconds: number): void {
    this.reserve(TIMESTAMP_BYTES)
    localTime.write(epochSeconds, this.bytes, this.length)
    this.length += TIMESTAMP_BYTES
  }

  private reserve(byteCount: number): void {
    if (this.length + byteCount <= this.room) return
    const room = Math.max(this.room * 2, this.length + byteCount)
    const wider = new Uint8Array(room + this.keptLimit)
    wider.set(this.view())
    wider.set(this.bytes.subarray(this.room), room)
    this.bytes = wider
    this.room = room
  }
}

/** Longest text that is kept, in bytes. */
const LONGEST_TEXT = 0xffff

/** The rows of a response. Each live row has a number; its rendered text is kept under that number. */
interface KeptNumbers {
  readonly length: number
  /** Row → its number among the kept rows. */
  readonly boardRow: Uint32Array
  /** Whether a row is live: only live rows have a number. */
  isLive(at: number): boolean
}

/**
 * Keeps the texts of live rows while the overlay is current, since many boards show the same departures. If there is no
 * room, new texts overwrite the oldest texts. Adjacent texts are copied together.
 */
export class KeptRows {
  private out: JsonBytes | undefined
  private overlay: object | undefined
  /** Number of a row → position of its kept text. */
  private places = new Float64Array(0)
  /** Number of a row → length of its kept text in bytes; 0 if no text is kept. */
  private lengths = new Uint16Array(0)

  /**
   * Has to be called before each board: drops the kept texts if they belong to another overlay.
   * @param count number of rows that can be kept
   */
  open(out: JsonBytes, overlay: object, count: number): void {
    if (this.overlay === overlay && this.out === out) return
    if (this.places.length < count) {
      this.places = new Float64Array(count)
      this.lengths = new Uint16Array(count)
    } else this.lengths.fill(0)
    this.overlay = overlay
    this.out = out
  }

  /**
   * Appends the kept text of the live row `at`. Also appends the kept texts of the rows after it, as long as each text
   * directly follows the previous one in memory. Returns the number of rows appended; 0 if the text of row `at` is not
   * kept.
   */
  push(out: JsonBytes, rows: KeptNumbers, at: number): number {
    const { places, lengths } = this
    const first = rows.boardRow[at]
    const start = places[first]
    if (lengths[first] === 0 || start < out.keptFrom) return 0
    let end = start + lengths[first]
    let next = at + 1
    for (; next < rows.length && rows.isLive(next); next++) {
      const row = rows.boardRow[next]
      if (lengths[row] === 0 || places[row] !== end) break
      end += lengths[row]
    }
    out.pushKept(start, end - start)
    return next - at
  }

  /**
   * Keeps the bytes from offset `start` to the end of the answer as the text of a live row.
   * @param row number of the row
   */
  keep(out: JsonBytes, row: number, start: number): void {
    const length = out.size - start
    const place = length > LONGEST_TEXT ? -1 : out.keepFrom(start)
    if (place < 0) return
    this.places[row] = place
    this.lengths[row] = length
  }
}
