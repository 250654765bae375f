// `bun run contracts`: writes a file with the digests of common passwords, which sign-up refuses. A test fails if the
// file is out of date.
import { join } from 'node:path'
import { dictionary } from '@zxcvbn-ts/language-common'
import frequencyLists from 'zxcvbn/lib/frequency_lists.js'
import { COMMON_DIGEST_BYTES, commonDigest } from '../account-api/common-passwords.ts'
import { MIN_PASSWORD_CHARACTERS } from '../account-api/password-rules.ts'

const FILE = join(import.meta.dir, '..', 'account-api', 'common-passwords.bin')

/**
 * Leaked passwords, words and names: all entries in the lists of the packages @zxcvbn-ts/language-common and zxcvbn,
 * except those that are shorter than the shortest allowed password.
 */
export function listCommonPasswords(): string[] {
  const all = [...Object.values(dictionary).flat(), ...Object.values(frequencyLists).flat()]
  const folded = new Set(all.map((password) => String(password).toLowerCase()))
  return [...folded].filter((password) => [...password].length >= MIN_PASSWORD_CHARACTERS)
}

/** The content of the file: the digests in ascending order, without separators. */
export function commonPasswordsFile(passwords: readonly string[]): Buffer {
  const digests = passwords.map(commonDigest).sort(Buffer.compare)
  const file = Buffer.concat(digests)
  if (file.byteLength !== passwords.length * COMMON_DIGEST_BYTES) throw new Error('a digest has the wrong length')
  return file
}

if (import.meta.main) {
  const passwords = listCommonPasswords()
  await Bun.write(FILE, commonPasswordsFile(passwords))
  console.log(`${FILE}: ${passwords.length} passwords`)
}
