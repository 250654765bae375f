// Writes Protocol Buffers: numbers, lists and messages, as in extracts and vector tiles.

const encoder = new TextEncoder()

/** Numbers below this are written with bit operations, which are faster than divisions. */
const SMALL = 2 ** 31
/** Maximum number of bytes that a number below SMALL takes. */
const MOST_SMALL_BYTES = 5

/** A buffer that grows as needed and can be reused. Numbers are exact within ±2^53. */
export class ByteWriter {
  /** Number of bytes written. Setting a lower number drops the last bytes. */
  length = 0
  private array = new Uint8Array(64)

  /** Writes a number without a tag, as in packed lists. Negative numbers are in 64-bit two's complement. */
  varint(value: number): void {
    if (value >= 0 && value < SMALL) {
      this.reserve(MOST_SMALL_BYTES)
      let rest = value
      while (rest >= 128) {
        this.array[this.length++] = (rest & 127) | 128
        rest >>>= 7
      }
      this.array[this.length++] = rest
      return
    }
    if (value >= 0 && value < 2 ** 53) {
      let rest = value
      while (rest >= 128) {
        this.byte((rest % 128) + 128)
        rest = Math.floor(rest / 128)
      }
      this.byte(rest)
      return
    }
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest >= 128n) {
      this.byte(Number(rest & 127n) + 128)
      rest >>= 7n
    }
    this.byte(Number(rest))
  }

  /** Writes a number without a tag, with the sign in the lowest bit. */
  zigzag(value: number): void {
    this.varint(value >= 0 ? 2 * value : -2 * value - 1)
  }

  /** Writes a field with a number. */
  number(field: number, value: number): void {
    this.varint(field * 8)
    this.varint(value)
  }

  /** Writes a field with a number that has its sign in the lowest bit. */
  zigzagNumber(field: number, value: number): void {
    this.varint(field * 8)
    this.zigzag(value)
  }

  text(field: number, text: string): void {
    this.message(field, encoder.encode(text))
  }

  /** Writes a field with bytes: a message or a packed list. */
  message(field: number, bytes: Uint8Array): void {
    this.varint(field * 8 + 2)
    this.varint(bytes.length)
    this.reserve(bytes.length)
    this.array.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Starts a message or a packed list. Returns the argument for `close`. */
  open(field: number): number {
    this.varint(field * 8 + 2)
    // Reserves one byte for the length, because most messages are short.
    this.reserve(1)
    return ++this.length
  }

  /** Ends a message or a packed list, and writes its length before it. */
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

  /** A copy of the written bytes. */
  bytes(): Uint8Array<ArrayBuffer> {
    return this.array.slice(0, this.length)
  }

  private byte(value: number): void {
    this.reserve(1)
    this.array[this.length++] = value
  }

  private reserve(more: number): void {
    if (this.length + more <= this.array.length) return
    const wider = new Uint8Array(Math.max(2 * this.array.length, this.length + more))
    wider.set(this.array)
    this.array = wider
  }
}
