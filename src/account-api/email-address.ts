// Validates the form of email addresses. Rejects addresses that no mail server would deliver to, and addresses that a
// mail program could read as several addresses.
import { Type } from '@sinclair/typebox'

/** A name, an @ and a domain: the unquoted form in RFC 5321, with the additional letters that RFC 6531 allows. */
const ADDRESS =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)*$/u
const NAME_BYTES = 64
const ADDRESS_BYTES = 254

/** Schema of an email address in a request body. */
export const EMAIL_MEMBER = Type.String({ maxLength: 1_000 })

/** The trimmed address, or undefined if it is invalid. */
export function parseEmail(text: string): string | undefined {
  const address = text.trim().normalize('NFC')
  if (Buffer.byteLength(address) > ADDRESS_BYTES || !ADDRESS.test(address)) return undefined
  return Buffer.byteLength(address.slice(0, address.indexOf('@'))) <= NAME_BYTES ? address : undefined
}
