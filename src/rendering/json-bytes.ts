// A scratch buffer for assembling JSON from prepared fragments: a quarter of the cost of joining strings on boards (1.2
// against 4.8 µs for ten rows). One per thread, used by one answer at a time; a Response copies its bytes.
import { nextIndex } from '../../loaders/columns.ts'
import { type StringIndex, type StringPool, textOf } from '../../loaders/strings.ts'
import type { LocalTime } from './timestamps.ts'

const encoder = new TextEncoder()
const INITIAL_BYTES = 1 << 16
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

/** An answer under construction. */
export class JsonBytes {
  private bytes: Uint8Array<ArrayBuffer> = new Uint8Array(INITIAL_BYTES)
  private length = 0

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

  /** Appends a short text one unit at a time, at less than half of the encoder's cost. False if it is not ASCII. */
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

  /** Appends a text of the pool in the form used inside a JSON string. */
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
    if (this.length + byteCount <= this.bytes.length) return
    const wider = new Uint8Array(Math.max(this.bytes.length * 2, this.length + byteCount))
    wider.set(this.view())
    this.bytes = wider
  }
}
