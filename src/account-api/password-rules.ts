// Password rules: a password must be long enough and must not be a common password. It must not repeat one character,
// and must not consist only of the owner's address, the service's name or the service's host name. No kinds of
// characters are required or refused (NIST SP 800-63B, ASVS 6.2), and passwords are used exactly as typed.
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import { isCommonPassword } from './common-passwords.ts'

/** Minimum length of a password. */
export const MIN_PASSWORD_CHARACTERS = 8
/** Maximum length: more than any password manager generates, and short enough to hash at the usual cost. */
const MAX_CHARACTERS = 1_000
/** The name of this service, which attackers try first. */
const SERVICE_WORDS = ['quai']
/** Minimum length of a forbidden word. Shorter parts of an address, such as "fr", occur in too many good passwords. */
const MIN_WORD_CHARACTERS = 3

/**
 * Why a password is rejected for the account with the given email address; undefined if the password is accepted.
 * @param host name of the console's host
 */
export function passwordProblem(password: string, email: string, host = ''): AccountProblem | undefined {
  const characters = [...password].length
  if (characters < MIN_PASSWORD_CHARACTERS)
    return refused(`The password is too short. Use at least ${MIN_PASSWORD_CHARACTERS} characters.`)
  if (characters > MAX_CHARACTERS) return refused(`The password is too long. Use at most ${MAX_CHARACTERS} characters.`)
  if (new Set(password).size === 1) return refused('The password repeats a single character. Choose another one.')
  const folded = password.toLowerCase()
  if (isCommonPassword(folded))
    return refused(
      'This password is on a list of common passwords, words and names, so it is easy to guess. Choose another one.',
    )
  const address = email.toLowerCase()
  const [name = ''] = address.split('@')
  if (folded === address || folded === name)
    return refused('The password is the email address or the part before its @. Choose another one.')
  if (isMadeOf(knownWords(address, host), folded))
    return refused(
      'The password is only the email address, the name of this service or its host name, with a few digits or ' +
        'punctuation marks added. Choose another one.',
    )
  return undefined
}

/**
 * Words that an attacker would try first: the service's name, and parts of the owner's address and of the host name.
 */
function knownWords(address: string, host: string): readonly string[] {
  const parts = `${address} ${host.toLowerCase()}`.split(/[^\p{L}\p{N}]+/u)
  const words = parts.filter((part) => part.length >= MIN_WORD_CHARACTERS && /\p{L}/u.test(part))
  return [...SERVICE_WORDS, ...words].sort((one, other) => other.length - one.length)
}

/**
 * Whether a password consists of these words and a few other characters, which are not letters and would be too few for
 * a password.
 */
function isMadeOf(words: readonly string[], folded: string): boolean {
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), folded)
  return rest !== folded && [...rest].length < MIN_PASSWORD_CHARACTERS && !/\p{L}/u.test(rest)
}

function refused(detail: string): AccountProblem {
  return new Problem('password_refused', detail)
}
