// Key numbers. A key's usage slots contain its number. The key's public id is made from its number, so no table is
// needed to convert one into the other.

const KEY_ID = /^key_([0-9a-f]{8})$/

/** The id of a key number: `key_` and 8 hexadecimal digits. */
export function toKeyId(keyNumber: number): string {
  return `key_${keyNumber.toString(16).padStart(8, '0')}`
}

/** The key number in a key id, from 1 to 4 294 967 295. Throws if the id is invalid. */
export function parseKeyNumber(keyId: string): number {
  const digits = KEY_ID.exec(keyId)?.[1]
  const keyNumber = digits === undefined ? 0 : Number.parseInt(digits, 16)
  if (keyNumber === 0) throw new Error(`"${keyId}" is not a key id`)
  return keyNumber
}

/** A random key number; never 0, which marks a free slot. */
export function makeKeyNumber(): number {
  const number = crypto.getRandomValues(new Uint32Array(1))[0]
  return number === 0 ? makeKeyNumber() : number
}
