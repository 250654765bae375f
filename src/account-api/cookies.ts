// Cookies of the account API. Over https a cookie's name binds it to this host and to https (`__Host-`); over http, which is
// for this machine alone, browsers would not take that name.
import type { AccountAddresses } from './account-api.ts'

/** One of our cookies. */
export interface CookieKind {
  /** Its name over http. */
  readonly name: string
  readonly sameSite: 'Lax' | 'Strict'
}

/** Whether the console is reached over https. */
export function isSecure({ consoleUrl }: AccountAddresses): boolean {
  return consoleUrl.startsWith('https:')
}

/** The cookie's name. @param isOverHttps as `isSecure` says */
export function cookieName({ name }: CookieKind, isOverHttps: boolean): string {
  return isOverHttps ? `__Host-${name}` : name
}

/** The first value of a cookie in a request that has a shape; undefined if there is none. */
export function readCookie(
  headers: Headers,
  kind: CookieKind & { readonly shape: RegExp },
  addresses: AccountAddresses,
): string | undefined {
  const name = cookieName(kind, isSecure(addresses))
  for (const pair of (headers.get('cookie') ?? '').split(';')) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    if (kind.shape.test(value)) return value
  }
  return undefined
}

/** The Set-Cookie of a value; an age of 0 removes it. */
export function setCookie(
  kind: CookieKind,
  { value, maxAgeSeconds }: { readonly value: string; readonly maxAgeSeconds: number },
  addresses: AccountAddresses,
): string {
  const isOverHttps = isSecure(addresses)
  const name = cookieName(kind, isOverHttps)
  const text = `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${kind.sameSite}`
  return isOverHttps ? `${text}; Secure` : text
}
