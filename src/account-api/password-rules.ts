// Password rules: long enough, and not a common password. There are no rules on characters (NIST SP 800-63B, ASVS 6.2),
// and passwords are used exactly as typed.
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { isCommonPassword } from './common-passwords.ts'

/** Minimum length. */
export const MIN_PASSWORD_CHARACTERS = 8
/** More than any password manager generates, and few enough that length doesn't affect hashing cost. */
const MAX_CHARACTERS = 1_000

/** Why a password is rejected for the account of an address, or undefined. */
export function passwordProblem(password: string, email: string): AccountProblem | undefined {
  const characters = [...password].length
  if (characters < MIN_PASSWORD_CHARACTERS)
    return refused(`The password is too short. Use at least ${MIN_PASSWORD_CHARACTERS} characters.`)
  if (characters > MAX_CHARACTERS) return refused(`The password is too long. Use at most ${MAX_CHARACTERS} characters.`)
  const folded = password.toLowerCase()
  if (isCommonPassword(folded))
    return refused(
      'This password is in a list of common passwords, words and names, so it is easy to guess. Choose another one.',
    )
  const address = email.toLowerCase()
  const [name = ''] = address.split('@')
  if (folded === address || folded === name)
    return refused('The password is the e-mail address or the part before its @. Choose another one.')
  return undefined
}

function refused(detail: string): AccountProblem {
  return new Problem('password_refused', detail)
}
