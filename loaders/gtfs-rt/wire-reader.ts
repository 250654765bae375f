// Reads the wire format of protocol buffers, strictly: a part never reaches past the part it lies in, and what breaks the
// format throws. Knows no field; decode-message.ts and its neighbors do.
import { RealtimeUnreadable } from './unreadable.ts'

/** Wire types, the low three bits of a tag. */
const VARINT = 0
const FIXED_64 = 1
const BYTES = 2
const GROUP_START = 3
const GROUP_END = 4
const FIXED_32 = 5

/** A varint has at most so many bytes, a tag half as many. */
const MAX_VARINT_BYTES = 10
const MAX_TAG_BYTES = 5
/** Unknown groups may nest so deep; what is known does not nest by itself. */
const MAX_GROUP_DEPTH = 100
/**
 * Messages within a message. An average part of real feeds has 17 bytes, so that the 64 MB a fetch may bring hold as many;
 * hostile parts of two bytes would else take fifty times their size.
 */
const MAX_PARTS = 4_000_000
/** Later than any instant that is meant: the end of the year 9999, in seconds after 1970. */
export const MAX_INSTANT_SECONDS = 253_402_300_799

/** Texts of up to so many bytes are looked for among those read before, in so many places (a power of two). */
const MAX_KNOWN_TEXT_BYTES = 48
const KNOWN_TEXTS = 8192

/** The tag of a field: its number and its wire type. */
export const varintTag = (field: number): number => (field << 3) | VARINT
export const bytesTag = (field: number): number => (field << 3) | BYTES
export const fixed32Tag = (field: number): number => (field << 3) | FIXED_32

/**
 * A place in the bytes of one message. `end` is where the innermost entered part ends; nothing reads past it, so that a
 * part is read by `while (reader.at < reader.end)`.
 */
export class WireReader {
  at = 0
  end: number
  /** What was left out of what was read, by reason. */
  readonly leftOut: Record<string, number> = {}
  private readonly bytes: Buffer
  private parts = 0
  private readonly knownTexts: (string | undefined)[] = new Array(KNOWN_TEXTS)
  private readonly knownStarts = new Uint32Array(KNOWN_TEXTS)
  private readonly knownLengths = new Uint8Array(KNOWN_TEXTS)

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.end = bytes.byteLength
  }

  leaveOut(reason: string): void {
    this.leftOut[reason] = (this.leftOut[reason] ?? 0) + 1
  }

  /**
   * Enters the part of a BYTES field. Gives what `leave` takes, when it is read to its end.
   * @param parts as how many it counts, for the memory that is made of it
   */
  enter(parts = 1): number {
    this.parts += parts
    if (this.parts > MAX_PARTS) throw new RealtimeUnreadable('too_many_parts', `there are more than ${MAX_PARTS} parts`)
    const outerEnd = this.end
    this.end = this.readEnd()
    return outerEnd
  }

  leave(outerEnd: number): void {
    this.end = outerEnd
  }

  /** The next field's tag. */
  tag(): number {
    const first = this.bytes[this.at]
    if (first < 0x80 && first > 7 && this.at < this.end) {
      this.at++
      return first
    }
    const start = this.at
    const tag = this.unsigned()
    if (this.at - start > MAX_TAG_BYTES || tag > 0xffff_ffff || tag < 8) throw this.broken('a tag', start)
    return tag
  }

  /** A varint as a number, which is exact up to 2^53; negative ones come out near 2^64. */
  unsigned(): number {
    const { bytes, end } = this
    let at = this.at
    let value = 0
    let scale = 1
    for (const last = Math.min(end, at + MAX_VARINT_BYTES); at < last; at++) {
      const byte = bytes[at]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.at = at + 1
        return value
      }
      scale *= 128
    }
    throw at === end ? this.truncated() : this.broken('a number', this.at)
  }

  /** An int32, uint32 or enum: the low 32 bits of a varint, signed. */
  int32(): number {
    const { bytes, end } = this
    let at = this.at
    let value = 0
    let shift = 0
    for (const last = Math.min(end, at + MAX_VARINT_BYTES); at < last; at++) {
      const byte = bytes[at]
      if (shift < 32) value |= (byte & 0x7f) << shift
      if (byte < 0x80) {
        this.at = at + 1
        return value
      }
      shift += 7
    }
    throw at === end ? this.truncated() : this.broken('a number', this.at)
  }

  /** A uint32. */
  uint32(): number {
    return this.int32() >>> 0
  }

  /** An instant in seconds after 1970; 0 stands for none, as feeds have it; one past the year 9999 (milliseconds, a negative) is left out. */
  instant(): number | undefined {
    const seconds = this.unsigned()
    if (seconds === 0) return undefined
    if (seconds <= MAX_INSTANT_SECONDS) return seconds
    this.leaveOut('bad_instant')
    return undefined
  }

  /** A float; undefined for those that are no finite number. */
  float(): number | undefined {
    if (this.at + 4 > this.end) throw this.truncated()
    const value = this.bytes.readFloatLE(this.at)
    this.at += 4
    return Number.isFinite(value) ? value : undefined
  }

  /** A text; undefined for the empty one. Bytes that are no UTF-8 become replacement characters. */
  text(): string | undefined {
    const end = this.readEnd()
    const start = this.at
    this.at = end
    if (start === end) return undefined
    return end - start > MAX_KNOWN_TEXT_BYTES ? this.bytes.toString('utf8', start, end) : this.knownText(start, end)
  }

  /** The bytes of a BYTES field, read by the given function; reading goes on behind them. */
  slice<T>(read: (bytes: Uint8Array, start: number, end: number) => T): T {
    const end = this.readEnd()
    const value = read(this.bytes, this.at, end)
    this.at = end
    return value
  }

  /** Steps over a field that is not known. */
  skip(tag: number): void {
    if ((tag & 7) === GROUP_START) this.skipGroup(tag)
    else this.skipValue(tag)
  }

  private skipValue(tag: number): void {
    switch (tag & 7) {
      case VARINT:
        this.unsigned()
        return
      case FIXED_64:
        return this.stepTo(this.at + 8)
      case BYTES:
        return this.stepTo(this.readEnd())
      case FIXED_32:
        return this.stepTo(this.at + 4)
      default:
        throw this.broken('a field', this.at)
    }
  }

  /** Groups have left the format; unknown ones may still stand in it, and nest. */
  private skipGroup(tag: number): void {
    const open = [tag]
    while (open.length > 0) {
      const inner = this.tag()
      const wireType = inner & 7
      if (wireType === GROUP_START) {
        if (open.length === MAX_GROUP_DEPTH)
          throw new RealtimeUnreadable('too_deep', `groups nest deeper than ${MAX_GROUP_DEPTH} at byte ${this.at}`)
        open.push(inner)
      } else if (wireType !== GROUP_END) this.skipValue(inner)
      else if (inner >>> 3 !== (open.pop() ?? 0) >>> 3) throw this.broken('a group', this.at)
    }
  }

  private stepTo(at: number): void {
    if (at > this.end) throw this.truncated()
    this.at = at
  }

  /** Where the BYTES field ends whose length comes next. */
  private readEnd(): number {
    const end = this.unsigned() + this.at
    if (end > this.end) throw this.truncated()
    return end
  }

  /**
   * The text of bytes that are often the same: ids come again and again. One place a hash, taken over by the last that
   * came, so that no choice of texts makes it slow. Measured: 100 000 stop ids 4 ms instead of 11.
   */
  private knownText(start: number, end: number): string {
    const { bytes, knownTexts, knownStarts } = this
    let hash = end - start
    let allBits = 0
    for (let at = start; at < end; at++) {
      const byte = bytes[at]
      hash = (Math.imul(hash, 31) + byte) | 0
      allBits |= byte
    }
    const place = (hash ^ (hash >>> 13)) & (KNOWN_TEXTS - 1)
    const known = knownTexts[place]
    if (known !== undefined && this.knownLengths[place] === end - start) {
      let at = start
      for (let other = knownStarts[place]; at < end && bytes[at] === bytes[other]; other++) at++
      if (at === end) return known
    }
    // Plain ASCII is the same in both; one is made in two thirds of the time of the other.
    const text = bytes.toString(allBits < 0x80 ? 'latin1' : 'utf8', start, end)
    knownTexts[place] = text
    knownStarts[place] = start
    this.knownLengths[place] = end - start
    return text
  }

  private truncated(): RealtimeUnreadable {
    const isWhole = this.end < this.bytes.byteLength
    return isWhole
      ? this.broken('a part', this.at)
      : new RealtimeUnreadable('truncated', `it ends too early, at byte ${this.end}`)
  }

  private broken(what: string, at: number): RealtimeUnreadable {
    return new RealtimeUnreadable('decode_error', `${what} cannot be read at byte ${at}`)
  }
}
