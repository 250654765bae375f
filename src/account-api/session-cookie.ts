// The cookie that contains the session token.
import type { AccountAddresses } from './account-api.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'

const SESSION_COOKIE = { name: 'quai_session', sameSite: 'Lax', shape: /^[A-Za-z0-9_-]{43}$/ } as const

/** The session token in a request's cookies; undefined if absent or malformed. */
export function readSessionToken(headers: Headers, addresses: AccountAddresses): string | undefined {
  return readCookie(headers, SESSION_COOKIE, addresses)
}

/** The Set-Cookie value for a new session. */
export function sessionCookie(token: string, lifeSeconds: number, addresses: AccountAddresses): string {
  return setCookie(SESSION_COOKIE, { value: token, maxAgeSeconds: lifeSeconds }, addresses)
}

/** The Set-Cookie value that clears the session. */
export function endedSessionCookie(addresses: AccountAddresses): string {
  return setCookie(SESSION_COOKIE, { value: '', maxAgeSeconds: 0 }, addresses)
}

/**
 * The cookie's name.
 * @param isOverHttps result of `isSecure`
 */
export function sessionCookieName(isOverHttps: boolean): string {
  return cookieName(SESSION_COOKIE, isOverHttps)
}
