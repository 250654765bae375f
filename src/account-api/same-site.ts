// Whether a change is asked for by the console's own page: by what browsers say of a request's origin, which no page can
// forge, and by a token that only a page of ours can read.
import type { AccountProblem } from '../http/account-problem.ts'
import { Problem } from '../http/problem.ts'
import type { AccountAddresses } from './account-api.ts'
import { isRead } from './account-message.ts'

const CSRF_HEADER = 'x-csrf-token'
const CSRF_CONTEXT = 'quai csrf'

/**
 * Refuses what a browser sends for a page of another site. What is no browser sends neither header, and has no cookie
 * that it wasn't given.
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

/** The CSRF token of a session: whoever has it has read it from us, and it tells nothing of the session's own token. */
export function csrfTokenOf(sessionToken: string): string {
  return new Bun.CryptoHasher('sha256', sessionToken).update(CSRF_CONTEXT).digest('base64url')
}

/** Whether a request brings the CSRF token of its session. */
export function hasCsrfToken(headers: Headers, sessionToken: string): boolean {
  const given = Buffer.from(headers.get(CSRF_HEADER) ?? '')
  const expected = Buffer.from(csrfTokenOf(sessionToken))
  return given.byteLength === expected.byteLength && crypto.timingSafeEqual(given, expected)
}
