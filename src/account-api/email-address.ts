// Validates the form of e-mail addresses. Rejects an address if no mail server delivers to it, or if a mail program could
// read it as several addresses.
import { Type } from '@sinclair/typebox'

/** A name, an @ and a domain: the unquoted form of RFC 5321, with the letters of RFC 6531. */
const ADDRESS =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)*$/u
const NAME_BYTES = 64
const ADDRESS_BYTES = 254

/** A member of a request body that contains an address. */
export const EMAIL_MEMBER = Type.String({ maxLength: 1_000 })

/** The trimmed address, or undefined if it is invalid. */
export function parseEmail(text: string): string | undefined {
  const address = text.trim().normalize('NFC')
  if (Buffer.byteLength(address) > ADDRESS_BYTES || !ADDRESS.test(address)) return undefined
  return Buffer.byteLength(address.slice(0, address.indexOf('@'))) <= NAME_BYTES ? address : undefined
}
