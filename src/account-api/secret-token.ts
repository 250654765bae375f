// Tokens for sessions and email links: random, shown once, and stored as digests.

const TOKEN_BYTES = 32

/** A new token: 256 random bits, as 43 characters that are safe in cookies and URLs. */
export function makeToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url')
}

/** The stored digest of a token: its SHA-256. A random token needs neither a salt nor a slow hash. */
export function tokenDigest(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}
