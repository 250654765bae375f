// What an account and a key may be called and may have.
import { ACCOUNT_SCOPE, READ_SCOPE } from '../access/key-ring.ts'
import { AccountRefusal } from './account-store.ts'

/** The scopes a key can have. */
const KEY_SCOPES: readonly string[] = [READ_SCOPE, ACCOUNT_SCOPE]
/** Most that an owner may set as spend cap, in cents. */
export const SPEND_CAP_CENTS = 100_000_000

const EMAIL = /^[^\s@]+@[^\s@]+$/
const EMAIL_CHARACTERS = 254
const NAME_CHARACTERS = 100
/** What is obeyed instead of shown: controls, line ends, overrides of the reading direction. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u
/** Anything that leaves ink: spaces and joiners alone make no name. */
const VISIBLE = /[^\p{Z}\p{C}]/u

/** An e-mail address without what surrounds it; refused where it is none. */
export function checkEmail(email: string): string {
  const trimmed = email.trim()
  if (trimmed.length <= EMAIL_CHARACTERS && EMAIL.test(trimmed)) return trimmed
  throw new AccountRefusal('invalid', `"${email}" is not a valid e-mail address`)
}

/** A key's name without what surrounds it; refused where it can't be one. */
export function checkName(name: string): string {
  const trimmed = name.trim()
  if (VISIBLE.test(trimmed) && trimmed.length <= NAME_CHARACTERS && !CONTROL_CHARACTERS.test(trimmed)) return trimmed
  throw new AccountRefusal(
    'invalid',
    `the key name is not valid; expected 1 to ${NAME_CHARACTERS} characters, not only spaces, without control characters`,
  )
}

/** The scopes of a new key, each once; refused where there are none, or others than there are. */
export function checkScopes(scopes: readonly string[]): string[] {
  for (const scope of scopes) {
    if (KEY_SCOPES.includes(scope)) continue
    throw new AccountRefusal('invalid', `"${scope}" is not a scope; expected ${KEY_SCOPES.join(' or ')}`)
  }
  if (scopes.length === 0)
    throw new AccountRefusal('invalid', `a key needs at least one scope: ${KEY_SCOPES.join(' or ')}`)
  return [...new Set(scopes)]
}
