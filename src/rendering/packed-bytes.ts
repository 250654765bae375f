// A compact binary encoding. Integers use as few bytes as possible, and a string is stored without the prefix that it
// shares with the previous string.

const SEVEN_BITS = 128
/** Maximum number of bytes that are read as one integer. */
const MOST_BYTES = 7
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const LOW_SURROGATE = /^[\udc00-\udfff]/

/** Collects the encoded bytes. */
export class PackedWriter {
  private readonly bytes: number[] = []

  get length(): number {
    return this.bytes.length
  }

  /** Writes a non-negative integer. */
  number(value: number): void {
    let left = value
    for (; left >= SEVEN_BITS; left = Math.floor(left / SEVEN_BITS)) this.bytes.push((left % SEVEN_BITS) + SEVEN_BITS)
    this.bytes.push(left)
  }

  /** Writes a signed integer. */
  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /**
   * Writes a string without the prefix that it shares with `before`.
   * @param before a string that must also be passed to `PackedReader.text`
   */
  text(text: string, before = ''): void {
    let shared = 0
    while (shared < text.length && text.charCodeAt(shared) === before.charCodeAt(shared)) shared++
    if (LOW_SURROGATE.test(text.slice(shared))) shared--
    const own = Buffer.from(text.slice(shared))
    this.number(shared)
    this.number(own.length)
    for (const byte of own) this.bytes.push(byte)
  }

  toText(): string {
    return Buffer.from(this.bytes).toString('base64url')
  }
}

/** Reads the output of a PackedWriter. Past the end of the bytes, it reads zeros. */
export class PackedReader {
  private readonly bytes: Uint8Array
  private at = 0

  constructor(text: string) {
    this.bytes = Buffer.from(text, 'base64url')
  }

  /** Whether all bytes have been read. */
  get isAtEnd(): boolean {
    return this.at >= this.bytes.length
  }

  number(): number {
    let value = 0
    for (let place = 1, count = 0; count < MOST_BYTES; place *= SEVEN_BITS, count++) {
      const byte = this.bytes[this.at++] ?? 0
      value += (byte % SEVEN_BITS) * place
      if (byte < SEVEN_BITS) break
    }
    return value
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  text(before = ''): string {
    const known = before.slice(0, this.number())
    const length = this.number()
    const own = this.bytes.subarray(this.at, this.at + length)
    this.at += length
    return known + decoder.decode(own)
  }
}
