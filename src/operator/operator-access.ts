// Access to the operator's pages. If an admin token is configured, clients must send it. Otherwise, access is limited
// to local clients that use a local host name. Checking the host name prevents DNS rebinding.
import { isIP } from 'node:net'
import { findForwardingHeader, isLoopback } from '../access/client-address.ts'
import { isOwnName, readHost } from '../access/host-names.ts'

/** Why a request is rejected. */
export interface AccessRefusal {
  readonly status: 400 | 401 | 403
  readonly sentence: string
}

/** The parts of a request that the decision depends on. */
export interface AccessRequest {
  readonly headers: Headers
  /** Address of the client; undefined if it disconnected. */
  readonly peer: string | undefined
}

const MAPPED = /^::ffff:/i

/**
 * Returns why a request is denied; undefined if it is allowed.
 * @param token the configured admin token; undefined if none is set
 */
export function findAccessRefusal(
  { headers, peer }: AccessRequest,
  token: string | undefined,
): AccessRefusal | undefined {
  if (token !== undefined) {
    if (isToken(headers.get('authorization'), token)) return undefined
    return {
      status: 401,
      sentence:
        'These pages require the admin_token. Send it as a bearer token, or as the password in Basic authentication with any user name.',
    }
  }
  const address = (peer ?? '').replace(MAPPED, '')
  // A request with a forwarding header is not local, even if it comes from a local proxy.
  if (isIP(address) === 0 || !isLoopback(address) || findForwardingHeader(headers) !== undefined) {
    return {
      status: 403,
      sentence: 'No admin_token is set, so these pages are served only to this machine. Set one, or use a tunnel.',
    }
  }
  const host = readHost(headers.get('host'))
  if (host === undefined) return { status: 400, sentence: 'The Host header must be one host, optionally with a port.' }
  if (isOwnName(host)) return undefined
  return { status: 403, sentence: `These pages are not served at this host name; use localhost or an IP address.` }
}

/** Whether an Authorization header contains the token, either as `Bearer <token>` or as the password in `Basic`. */
function isToken(authorization: string | null, token: string): boolean {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return isSame(value, token)
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return scheme !== '' && colon >= 0 && isSame(pair.slice(colon + 1), token)
}

/** Whether two strings are the same, compared in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
  return crypto.timingSafeEqual(digest(given), digest(expected))
}
