// Checks that a change comes from the console's own page: by the browser's origin headers, which no page can forge, and
// by a token that only the console's pages can read.
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { AccountAddresses } from './account-api.ts'
import { isRead } from './account-message.ts'

const CSRF_HEADER = 'x-csrf-token'
const CSRF_CONTEXT = 'quai csrf'

/**
 * Rejects requests that a browser sends because of another site's page. Clients other than browsers send neither
 * Sec-Fetch-Site nor Origin. They are accepted, because no page can use their cookies.
 */
export function findForeignOrigin(request: Request, addresses: AccountAddresses): AccountProblem | undefined {
  if (isRead(request)) return undefined
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none' ? undefined : new Problem('csrf_failed')
  const origin = request.headers.get('origin')
  if (origin === null) return undefined
  const own = [addresses.accountUrl, addresses.consoleUrl].map((address) => new URL(address).origin)
  return own.includes(origin) ? undefined : new Problem('csrf_failed')
}

/** The CSRF token of a session. Only this API's responses contain it, and it doesn't reveal the session token. */
export function csrfTokenOf(sessionToken: string): string {
  return new Bun.CryptoHasher('sha256', sessionToken).update(CSRF_CONTEXT).digest('base64url')
}

/** Whether a request contains the CSRF token of its session. */
export function hasCsrfToken(headers: Headers, sessionToken: string): boolean {
  const given = Buffer.from(headers.get(CSRF_HEADER) ?? '')
  const expected = Buffer.from(csrfTokenOf(sessionToken))
  return given.byteLength === expected.byteLength && crypto.timingSafeEqual(given, expected)
}
