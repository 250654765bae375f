// Cookies of the account API. Over https, the name prefix `__Host-` binds a cookie to this host and to https. Over
// http, which is for local use only, browsers reject that prefix, so it is left out.
import type { AccountAddresses } from './account-api.ts'

/** A cookie that the account API sets. */
export interface CookieKind {
  /** The cookie's name over http. */
  readonly name: string
  readonly sameSite: 'Lax' | 'Strict'
}

/** Whether the console uses https. */
export function isSecure({ consoleUrl }: AccountAddresses): boolean {
  return consoleUrl.startsWith('https:')
}

/**
 * The cookie's name.
 * @param isOverHttps result of `isSecure`
 */
export function cookieName({ name }: CookieKind, isOverHttps: boolean): string {
  return isOverHttps ? `__Host-${name}` : name
}

/** The first value with the expected format among the cookies of this name; undefined if there is none. */
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

/** A Set-Cookie value; a max age of 0 removes the cookie. */
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
