// Writes the protocol buffer wire format byte by byte, including messages that no library would write.

/**
 * The bytes of a varint.
 * @param value negative values take ten bytes, as the format requires
 */
export function varint(value: number | bigint): number[] {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return [...bytes, Number(rest)]
}

/** A field of wire type 0: a varint. */
export const number = (field: number, value: number | bigint): number[] => [...varint(field * 8), ...varint(value)]

/** A field of wire type 1: eight bytes. */
export const fixed64 = (field: number): number[] => [...varint(field * 8 + 1), 1, 2, 3, 4, 5, 6, 7, 8]

/** A field of wire type 5: a 32-bit float. */
export const float = (field: number, value: number): number[] => [
  ...varint(field * 8 + 5),
  ...new Uint8Array(Float32Array.of(value).buffer),
]

/** A field of wire type 2. Its content is the given strings and bytes, one after the other. */
export function bytes(field: number, ...content: readonly (string | readonly number[])[]): number[] {
  const whole = content.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part)] : part))
  return [...varint(field * 8 + 2), ...varint(whole.length), ...whole]
}

/** A group (wire types 3 and 4) around fields. */
export const group = (field: number, ...content: readonly (readonly number[])[]): number[] => [
  ...varint(field * 8 + 3),
  ...content.flat(),
  ...varint(field * 8 + 4),
]

/** The bytes of a message with these fields. */
export const message = (...fields: readonly (readonly number[])[]): Uint8Array => Uint8Array.from(fields.flat())
