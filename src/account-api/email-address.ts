// Which texts are e-mail addresses to sign up with: what mail servers deliver to, and nothing that a mail's header could
// take for more than one address.
import { Type } from '@sinclair/typebox'

/** A name, an @ and a domain: the unquoted form of RFC 5321, with the letters of RFC 6531. */
const ADDRESS =
  /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?)*$/u
const NAME_BYTES = 64
const ADDRESS_BYTES = 254

/** A member that holds an address. */
export const EMAIL_MEMBER = Type.String({ maxLength: 1_000 })

/** The address of a text without the blanks around it, or undefined where it is none. */
export function parseEmail(text: string): string | undefined {
  const address = text.trim().normalize('NFC')
  if (Buffer.byteLength(address) > ADDRESS_BYTES || !ADDRESS.test(address)) return undefined
  return Buffer.byteLength(address.slice(0, address.indexOf('@'))) <= NAME_BYTES ? address : undefined
}
