// The known-device cookie, which is set at login. Attempts from a known browser have their own limit, so strangers
// can't lock the owner out. The cookie is not a credential: a thief gains only as many attempts as one additional
// network address would give.
import assert from 'node:assert'
import { foldEmail } from '../accounts/store-rows.ts'
import type { Clock } from '../system/clock.ts'
import type { AccountAddresses } from './account-api.ts'
import { readCookie, setCookie } from './cookies.ts'

/** How long a browser stays known after a login. */
export const DEVICE_LIFE_MILLIS = 180 * 86_400_000

/**
 * Maximum number of accounts with an entry in a cookie. The accounts with the most recent logins keep their entries.
 */
const ACCOUNTS_LIMIT = 4
const ID_BYTES = 12
const SECONDS_DIGITS = 10
/** An entry: the browser's id, the entry's expiry in Unix seconds, and a signature. */
const ENTRY = `[\\w-]{16}\\.\\d{${SECONDS_DIGITS}}\\.[\\w-]{43}`
const SEPARATOR = '~'
const DEVICE_COOKIE = {
  name: 'quai_device',
  sameSite: 'Strict',
  shape: new RegExp(`^${ENTRY}(?:${SEPARATOR}${ENTRY}){0,${ACCOUNTS_LIMIT - 1}}$`),
} as const

/** The known-device cookie of a request; undefined if absent or malformed. */
export function readDeviceCookie(headers: Headers, addresses: AccountAddresses): string | undefined {
  return readCookie(headers, DEVICE_COOKIE, addresses)
}

/** The Set-Cookie value for a known-device cookie. */
export function deviceCookie(value: string, addresses: AccountAddresses): string {
  return setCookie(DEVICE_COOKIE, { value, maxAgeSeconds: DEVICE_LIFE_MILLIS / 1_000 }, addresses)
}

/** Signs and verifies known-device cookies. Stores nothing. */
export class Devices {
  private readonly secret: Uint8Array
  private readonly secrets: readonly Uint8Array[]
  private readonly clock: Clock

  /**
   * @param secrets a cookie signed with any of them is accepted; the first one signs new cookies
   * @param clock the system clock
   */
  constructor(secrets: readonly Uint8Array[], clock: Clock) {
    assert(secrets[0] !== undefined, 'there is no secret to sign browser cookies with')
    this.secret = secrets[0]
    this.secrets = secrets
    this.clock = clock
  }

  /** The browser's id in the cookie's entry for an email address; undefined if there is no valid entry. */
  find(cookie: string | undefined, email: string): string | undefined {
    return this.entries(cookie).find((entry) => this.isFor(entry, email))?.id
  }

  /** The cookie's value after a login with an email address. Entries for other accounts are kept. */
  renew(cookie: string | undefined, email: string): string {
    const others = this.entries(cookie).filter((entry) => !this.isFor(entry, email))
    const id =
      this.find(cookie, email) ?? Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString('base64url')
    const end = `${Math.floor((this.clock.nowMillis() + DEVICE_LIFE_MILLIS) / 1_000)}`.padStart(SECONDS_DIGITS, '0')
    const signature = sign(this.secret, `${id}.${end}`, email).toString('base64url')
    return [`${id}.${end}.${signature}`, ...others.map(({ text }) => text)].slice(0, ACCOUNTS_LIMIT).join(SEPARATOR)
  }

  private entries(cookie: string | undefined): Entry[] {
    const entries = (cookie ?? '').split(SEPARATOR).filter((text) => text !== '')
    const nowMillis = this.clock.nowMillis()
    return entries.map(toEntry).filter(({ end }) => Number(end) * 1_000 > nowMillis)
  }

  private isFor({ id, end, signature }: Entry, email: string): boolean {
    const given = Buffer.from(signature, 'base64url')
    return this.secrets.some((secret) => {
      const expected = sign(secret, `${id}.${end}`, email)
      return given.byteLength === expected.byteLength && crypto.timingSafeEqual(given, expected)
    })
  }
}

/** One account's entry in the cookie. */
interface Entry {
  readonly text: string
  readonly id: string
  readonly end: string
  readonly signature: string
}

function toEntry(text: string): Entry {
  const [id = '', end = '', signature = ''] = text.split('.')
  return { text, id, end, signature }
}

function sign(secret: Uint8Array, idAndEnd: string, email: string): Buffer {
  return new Bun.CryptoHasher('sha256', secret).update(`${idAndEnd}.${foldEmail(email)}`).digest()
}
