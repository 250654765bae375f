// Common passwords: the leaked passwords, words and names in the lists of zxcvbn and @zxcvbn-ts/language-common (MIT).
// Their digests are in a sorted file, which is read on first use. The digests take 280 kB of memory; a set of the
// passwords themselves would take 5 MB.
import { readFileSync } from 'node:fs'
import filePath from './common-passwords.bin' with { type: 'file' }

/** Bytes per digest. One in six billion passwords outside the list has the same digest as a password in the list. */
export const COMMON_DIGEST_BYTES = 6

let loaded: Buffer | undefined

/** The digest of a lowercase password: the first bytes of its SHA-256 hash. */
export function commonDigest(folded: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(folded).digest().subarray(0, COMMON_DIGEST_BYTES)
}

/** Whether a lowercase password is in the list. The binary search in the sorted file takes 16 steps. */
export function isCommonPassword(folded: string): boolean {
  const digests = readDigests()
  const wanted = commonDigest(folded)
  let [low, high] = [0, digests.byteLength / COMMON_DIGEST_BYTES]
  while (low < high) {
    const middle = (low + high) >>> 1
    const start = middle * COMMON_DIGEST_BYTES
    const order = digests.compare(wanted, 0, COMMON_DIGEST_BYTES, start, start + COMMON_DIGEST_BYTES)
    if (order === 0) return true
    if (order < 0) low = middle + 1
    else high = middle
  }
  return false
}

/** The number of passwords in the list. */
export function commonPasswordCount(): number {
  return readDigests().byteLength / COMMON_DIGEST_BYTES
}

function readDigests(): Buffer {
  loaded ??= readFileSync(filePath)
  return loaded
}
