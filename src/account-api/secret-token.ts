// Tokens of sessions and of links in mails: random, told once, kept as a digest.

const TOKEN_BYTES = 32

/** A new token: 256 random bits as 43 characters that fit a cookie and an address. */
export function makeToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url')
}

/** What is stored of a token: its SHA-256. A token is random enough to need no salt and no slow hash. */
export function tokenDigest(token: string): string {
  return new Bun.CryptoHasher('sha256').update(token).digest('hex')
}
