// Which passwords are taken: long enough, and not one of those that are tried first. Nothing is asked of their
// characters (NIST SP 800-63B, ASVS 6.2), and they are kept as they were typed.
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
// The 3000 most common passwords of at least 8 characters, as in zxcvbn (MIT).
import commonPasswords from './common-passwords.txt' with { type: 'text' }

const MIN_CHARACTERS = 8
/** So long that no password manager meets it, so short that hashing it costs nothing more. */
const MAX_CHARACTERS = 1_000

const COMMON: ReadonlySet<string> = new Set(commonPasswords.split('\n'))

/** Why a password is refused for the account of an address, or undefined. */
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
