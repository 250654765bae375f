// The bytes of a vector tile while it is written: Protocol Buffers of small numbers, in memory that is reused. Messages
// are written in place: their length goes before them once it is known.

const FIRST_BYTES = 1 << 10
/** A field's wire type, below its number. */
const VARINT = 0
const BYTES = 2
/** Most bytes of a number. */
const MOST_VARINT_BYTES = 5

const encoder = new TextEncoder()

/** Bytes that grow and are reused. Numbers are below 2^31. */
export class TileBytes {
  /** How many are written. May be set back, which drops the rest. */
  length = 0
  private array = new Uint8Array(FIRST_BYTES)

  /** A number without a field. */
  varint(value: number): void {
    this.reserve(MOST_VARINT_BYTES)
    let rest = value
    while (rest > 0x7f) {
      this.array[this.length++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.array[this.length++] = rest
  }

  /** A number without a field, with the sign in its lowest bit. */
  zigzag(value: number): void {
    this.varint(((value << 1) ^ (value >> 31)) >>> 0)
  }

  numberField(field: number, value: number): void {
    this.varint(field * 8 + VARINT)
    this.varint(value)
  }

  textField(field: number, text: string): void {
    this.bytesField(field, encoder.encode(text))
  }

  bytesField(field: number, bytes: Uint8Array): void {
    this.varint(field * 8 + BYTES)
    this.varint(bytes.length)
    this.reserve(bytes.length)
    this.array.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Begins a message, or a packed list; returns what `close` is given. */
  open(field: number): number {
    this.varint(field * 8 + BYTES)
    // One byte for the length, as most messages are short.
    this.reserve(1)
    return ++this.length
  }

  /** Ends a message. */
  close(start: number): void {
    const length = this.length - start
    let more = 0
    for (let rest = length >>> 7; rest > 0; rest >>>= 7) more++
    if (more > 0) {
      this.reserve(more)
      this.array.copyWithin(start + more, start, this.length)
    }
    this.length = start - 1
    this.varint(length)
    this.length += length
  }

  /** A copy of all bytes. */
  copy(): Uint8Array<ArrayBuffer> {
    return this.array.slice(0, this.length)
  }

  private reserve(more: number): void {
    if (this.length + more <= this.array.length) return
    const wider = new Uint8Array(Math.max(2 * this.array.length, this.length + more))
    wider.set(this.array)
    this.array = wider
  }
}
