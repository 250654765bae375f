// The cookie that a session's token travels in.
import type { AccountAddresses } from './account-api.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'

const SESSION_COOKIE = { name: 'quai_session', sameSite: 'Lax', shape: /^[A-Za-z0-9_-]{43}$/ } as const

/** The token in a request's cookies; undefined where there is none, or none of its shape. */
export function readSessionToken(headers: Headers, addresses: AccountAddresses): string | undefined {
  return readCookie(headers, SESSION_COOKIE, addresses)
}

/** The Set-Cookie of a session that has begun. */
export function sessionCookie(token: string, lifeSeconds: number, addresses: AccountAddresses): string {
  return setCookie(SESSION_COOKIE, { value: token, maxAgeSeconds: lifeSeconds }, addresses)
}

/** The Set-Cookie of a session that has ended. */
export function endedSessionCookie(addresses: AccountAddresses): string {
  return setCookie(SESSION_COOKIE, { value: '', maxAgeSeconds: 0 }, addresses)
}

/** The cookie's name. @param isOverHttps as `isSecure` says */
export function sessionCookieName(isOverHttps: boolean): string {
  return cookieName(SESSION_COOKIE, isOverHttps)
}
