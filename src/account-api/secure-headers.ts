// What browsers are told to keep to, on every answer of the account port.
import type { AccountAddresses } from './account-api.ts'
import { isSecure } from './session-cookie.ts'

/** Everything from here, nothing inline, in nobody's frame. */
export const CONTENT_POLICY =
  "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'"

const YEAR_SECONDS = 31_536_000

/** Puts the headers on a response, which it gives back. */
export function secureHeaders(addresses: AccountAddresses): (response: Response) => Response {
  const always: Readonly<Record<string, string>> = {
    'Content-Security-Policy': CONTENT_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    ...(isSecure(addresses) ? { 'Strict-Transport-Security': `max-age=${YEAR_SECONDS}; includeSubDomains` } : {}),
  }
  return (response) => {
    for (const [name, value] of Object.entries(always)) response.headers.set(name, value)
    if (!response.headers.has('cache-control')) response.headers.set('Cache-Control', 'no-store')
    return response
  }
}
