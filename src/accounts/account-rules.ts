// Rules for accounts and keys: names, addresses, scopes and limits.
import { ACCOUNT_SCOPE, READ_SCOPE } from '../access/key-ring.ts'
import { AccountRefusal } from './account-store.ts'

/** The scopes that a key can have. */
const KEY_SCOPES: readonly string[] = [READ_SCOPE, ACCOUNT_SCOPE]
/** Maximum spend cap in cents. */
export const SPEND_CAP_CENTS = 100_000_000

const EMAIL = /^[^\s@]+@[^\s@]+$/
const EMAIL_CHARACTERS = 254
const NAME_CHARACTERS = 100
/**
 * Characters that have an effect instead of being shown: controls, line and paragraph separators, and bidirectional
 * controls.
 */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
/** A visible character. A name needs at least one; spaces and joiners are not enough. */
const VISIBLE = /[^\p{Z}\p{C}]/u

/** Trims an email address; throws if it is invalid. */
export function checkEmail(email: string): string {
  const trimmed = email.trim()
  if (trimmed.length <= EMAIL_CHARACTERS && EMAIL.test(trimmed)) return trimmed
  throw new AccountRefusal('invalid', `"${email}" is not a valid email address`)
}

/** Trims the name of a key; throws if it is invalid. */
export function checkName(name: string): string {
  const trimmed = name.trim()
  if (VISIBLE.test(trimmed) && trimmed.length <= NAME_CHARACTERS && !CONTROL_CHARACTERS.test(trimmed)) return trimmed
  throw new AccountRefusal(
    'invalid',
    `the key name is not valid; expected 1 to ${NAME_CHARACTERS} characters, not only spaces, and no control characters`,
  )
}

/** The distinct scopes of a new key; refuses an empty list and unknown scopes. */
export function checkScopes(scopes: readonly string[]): string[] {
  for (const scope of scopes) {
    if (KEY_SCOPES.includes(scope)) continue
    throw new AccountRefusal('invalid', `"${scope}" is not a scope; expected ${KEY_SCOPES.join(' or ')}`)
  }
  if (scopes.length === 0)
    throw new AccountRefusal('invalid', `a key needs at least one scope: ${KEY_SCOPES.join(' or ')}`)
  return [...new Set(scopes)]
}
