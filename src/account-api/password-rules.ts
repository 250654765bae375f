// Password rules: long enough, and not a common password. There are no rules on characters (NIST SP 800-63B, ASVS 6.2),
// and passwords are used exactly as typed.
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
// The 3000 most common passwords of at least 8 characters, as in zxcvbn (MIT).
import commonPasswords from './common-passwords.txt' with { type: 'text' }

const MIN_CHARACTERS = 8
/** More than any password manager generates, and few enough that length doesn't affect hashing cost. */
const MAX_CHARACTERS = 1_000

const COMMON: ReadonlySet<string> = new Set(commonPasswords.split('\n'))

/** Why a password is rejected for the account of an address, or undefined. */
export function passwordProblem(password: string, email: string): AccountProblem | undefined {
  const characters = [...password].length
  if (characters < MIN_CHARACTERS)
    return refused(`The password is too short. Use at least ${MIN_CHARACTERS} characters.`)
  if (characters > MAX_CHARACTERS) return refused(`The password is too long. Use at most ${MAX_CHARACTERS} characters.`)
  const folded = password.toLowerCase()
  if (COMMON.has(folded))
    return refused('This password is one of the 3000 most common ones and easy to guess. Choose another one.')
  const address = email.toLowerCase()
  const [name = ''] = address.split('@')
  if (folded === address || folded === name)
    return refused('The password is the e-mail address or the part before its @. Choose another one.')
  return undefined
}

function refused(detail: string): AccountProblem {
  return new Problem('password_refused', detail)
}
