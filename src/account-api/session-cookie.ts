// The cookie that a session's token travels in. Over https its name binds it to this host and to https (`__Host-`);
// over http, which is for this machine alone, browsers would not take that name.
import type { AccountAddresses } from './account-api.ts'

const SECURE_NAME = '__Host-quai_session'
const PLAIN_NAME = 'quai_session'
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** The token in a request's cookies; undefined where there is none, or none of its shape. */
export function readSessionToken(headers: Headers, addresses: AccountAddresses): string | undefined {
  const name = sessionCookieName(isSecure(addresses))
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    if (TOKEN.test(value)) return value
  }
  return undefined
}

/** The Set-Cookie of a session that has begun. */
export function sessionCookie(token: string, lifeSeconds: number, addresses: AccountAddresses): string {
  return cookie(token, lifeSeconds, addresses)
}

/** The Set-Cookie of a session that has ended. */
export function endedSessionCookie(addresses: AccountAddresses): string {
  return cookie('', 0, addresses)
}

/** The cookie's name. @param isOverHttps as `isSecure` says */
export function sessionCookieName(isOverHttps: boolean): string {
  return isOverHttps ? SECURE_NAME : PLAIN_NAME
}

/** Whether the console is reached over https. */
export function isSecure({ consoleUrl }: AccountAddresses): boolean {
  return consoleUrl.startsWith('https:')
}

function cookie(value: string, maxAgeSeconds: number, addresses: AccountAddresses): string {
  const rest = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax`
  return isSecure(addresses) ? `${SECURE_NAME}=${value}; ${rest}; Secure` : `${PLAIN_NAME}=${value}; ${rest}`
}
