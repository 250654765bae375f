// Reads Protocol Buffers as extracts use them: numbers, lengths, and packed lists in which each number is stored as the
// difference from the previous one. Callers interpret the fields.

/** Wire types: the low three bits of a tag. */
const VARINT = 0
const FIXED_64 = 1
export const BYTES = 2
const FIXED_32 = 5

const MAX_VARINT_BYTES = 10
/** Maximum latitude in units of 1e-7 degrees. */
const MAX_LAT = 90e7
/** Maximum longitude in units of 1e-7 degrees. */
const MAX_LON = 180e7

/** The tag of the field with this number. `varintTag`: the field contains a varint; `bytesTag`: it contains bytes. */
export const varintTag = (field: number): number => (field << 3) | VARINT
export const bytesTag = (field: number): number => (field << 3) | BYTES

/** Thrown if bytes violate the format. The caller adds the file and the position. */
export class WireBroken extends Error {
  constructor(what: string) {
    super(what)
    this.name = 'WireBroken'
  }
}

/** A position in a message. Nothing reads past `end`. */
export class WireCursor {
  readonly bytes: Uint8Array
  at: number
  end: number

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.at = 0
    this.end = bytes.length
  }

  /** Moves to another message in the same bytes. */
  moveTo(start: number, end: number): void {
    this.at = start
    this.end = end
  }

  /** Reads the tag of the next field; 0 at the end of the message. */
  tag(): number {
    if (this.at === this.end) return 0
    const tag = this.unsigned()
    if (tag < 8 || tag > 0xffff_ffff) throw new WireBroken('a field has no valid tag')
    return tag
  }

  /** Reads a varint that must not be negative; exact up to 2^53. */
  unsigned(): number {
    const { bytes, end } = this
    let value = 0
    let scale = 1
    for (let at = this.at, last = Math.min(end, at + MAX_VARINT_BYTES); at < last; scale *= 128) {
      const byte = bytes[at++]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.at = at
        return value
      }
    }
    throw new WireBroken(`a number has more than ${MAX_VARINT_BYTES} bytes or extends beyond its message`)
  }

  /** Reads a 64-bit varint in two's complement; exact within ±2^53. */
  signed(): number {
    const { bytes, end } = this
    let low = 0
    let high = 0
    let shift = 0
    for (let at = this.at, last = Math.min(end, at + MAX_VARINT_BYTES); at < last; shift += 7) {
      const byte = bytes[at++]
      const bits = byte & 0x7f
      if (shift < 32) low |= bits << shift
      if (shift > 25) high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32)
      if (byte < 0x80) {
        this.at = at
        return high * 2 ** 32 + (low >>> 0)
      }
    }
    throw new WireBroken(`a number has more than ${MAX_VARINT_BYTES} bytes or extends beyond its message`)
  }

  /** Reads a varint with the sign in its lowest bit; exact within ±2^53. */
  zigzag(): number {
    const { bytes, end } = this
    let low = 0
    let high = 0
    let shift = 0
    for (let at = this.at, last = Math.min(end, at + MAX_VARINT_BYTES); at < last; shift += 7) {
      const byte = bytes[at++]
      const bits = byte & 0x7f
      if (shift < 32) low |= bits << shift
      if (shift > 25) high |= shift < 32 ? bits >>> (32 - shift) : bits << (shift - 32)
      if (byte < 0x80) {
        this.at = at
        const sign = -(low & 1)
        return ((high >>> 1) ^ sign) * 2 ** 32 + ((((low >>> 1) | (high << 31)) ^ sign) >>> 0)
      }
    }
    throw new WireBroken(`a number has more than ${MAX_VARINT_BYTES} bytes or extends beyond its message`)
  }

  /** Reads the length of a field that contains bytes. The bytes start at `at`; returns where they end. */
  fieldEnd(): number {
    const end = this.unsigned() + this.at
    if (end > this.end) throw new WireBroken('a field extends beyond its message')
    return end
  }

  /** Skips the content of the field whose tag was just read. */
  skip(tag: number): void {
    const type = tag & 7
    if (type === VARINT) this.unsigned()
    else if (type === BYTES) this.at = this.fieldEnd()
    else if (type === FIXED_64 || type === FIXED_32) this.at += type === FIXED_64 ? 8 : 4
    else throw new WireBroken(`a field has wire type ${type}, which is not supported`)
    if (this.at > this.end) throw new WireBroken('a field extends beyond its message')
  }
}

/** How coordinates are stored in a block: units of 1e-7 degrees = offset + scale × stored number. */
export interface CoordinateScale {
  readonly scale: number
  readonly offset: number
  readonly isLat: boolean
}

/**
 * Decodes a packed list of ids, each stored as the difference from the previous id.
 * @param out receives the ids, starting at index `count`. Must have room for as many ids as the list has bytes
 * @returns the number of ids in `out`
 */
export function readIds(cursor: WireCursor, out: Float64Array, count: number): number {
  const { bytes, end } = cursor
  let { at } = cursor
  let id = 0
  while (at < end) {
    const first = at
    let byte = bytes[at++]
    let bits = byte & 0x7f
    if (byte >= 0x80) {
      byte = bytes[at++]
      bits |= (byte & 0x7f) << 7
      if (byte >= 0x80) {
        byte = bytes[at++]
        bits |= (byte & 0x7f) << 14
        if (byte >= 0x80) {
          byte = bytes[at++]
          bits |= (byte & 0x7f) << 21
        }
      }
    }
    if (byte < 0x80) id += (bits >>> 1) ^ -(bits & 1)
    else {
      cursor.at = first
      id += cursor.zigzag()
      at = cursor.at
    }
    out[count++] = id
  }
  if (at !== end) throw new WireBroken('the last id of a list extends beyond the end of the list')
  cursor.at = end
  return count
}

/** The array that receives decoded coordinates, from index `count` on. */
export interface CoordinateRows {
  readonly out: Int32Array
  readonly count: number
}

/** Decodes a packed list of coordinates, each stored as the difference from the previous one; see `readIds`. */
export function readCoordinates(
  cursor: WireCursor,
  { scale, offset, isLat }: CoordinateScale,
  rows: CoordinateRows,
): number {
  const { bytes, end } = cursor
  const { out } = rows
  const most = isLat ? MAX_LAT : MAX_LON
  let { at } = cursor
  let { count } = rows
  let value = 0
  while (at < end) {
    const first = at
    let byte = bytes[at++]
    let bits = byte & 0x7f
    if (byte >= 0x80) {
      byte = bytes[at++]
      bits |= (byte & 0x7f) << 7
      if (byte >= 0x80) {
        byte = bytes[at++]
        bits |= (byte & 0x7f) << 14
        if (byte >= 0x80) {
          byte = bytes[at++]
          bits |= (byte & 0x7f) << 21
        }
      }
    }
    if (byte < 0x80) value += (bits >>> 1) ^ -(bits & 1)
    else {
      cursor.at = first
      value += cursor.zigzag()
      at = cursor.at
    }
    const units = Math.round(value * scale + offset)
    if (!(Math.abs(units) <= most))
      throw new WireBroken('a latitude is beyond 90 degrees, or a longitude is beyond 180 degrees')
    out[count++] = units
  }
  if (at !== end) throw new WireBroken('the last coordinate of a list extends beyond the end of the list')
  cursor.at = end
  return count
}

/** Reads a single coordinate, and moves past it. */
export function readCoordinate(cursor: WireCursor, scale: CoordinateScale, rows: CoordinateRows): void {
  const { end } = cursor
  const first = cursor.at
  cursor.zigzag()
  cursor.moveTo(first, cursor.at)
  readCoordinates(cursor, scale, rows)
  cursor.end = end
}
