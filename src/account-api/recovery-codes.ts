// Recovery codes: each can be used once, in place of a code from a lost authenticator app. They are shown once and
// stored as digests.

/** Number of recovery codes per account. */
export const RECOVERY_CODE_COUNT = 10
/** Crockford's base 32: without the letters i, l, o and u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** 120 random bits: too many to guess, so the digests of the codes need no slow hash (ASVS 6.5.2: 112 bits). */
const CHARACTERS = 24
const GROUP = 4

/** New codes, such as `k7dm-xq2p-hw4t-b9ra-3c5e-zn80`. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODE_COUNT }, makeRecoveryCode)
}

/**
 * The digest that is stored for a code. Ignores case, spaces and hyphens. The same code has different digests in
 * different accounts.
 */
export function recoveryCodeDigest(accountId: string, code: string): string {
  const letters = code.toLowerCase().replaceAll('-', '').replaceAll(' ', '')
  // As in Crockford's base 32, letters that look like digits are read as digits.
  const folded = letters.replaceAll('o', '0').replaceAll('i', '1').replaceAll('l', '1')
  return new Bun.CryptoHasher('sha256').update(`${accountId} ${folded}`).digest('hex')
}

function makeRecoveryCode(): string {
  const characters = [...crypto.getRandomValues(new Uint8Array(CHARACTERS))].map(
    (byte) => ALPHABET[byte % ALPHABET.length],
  )
  const groups = Array.from({ length: CHARACTERS / GROUP }, (_, at) => characters.slice(at * GROUP, (at + 1) * GROUP))
  return groups.map((group) => group.join('')).join('-')
}
