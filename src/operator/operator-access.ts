// Who may look at the pages for operators: whoever knows the token; where none is set, this machine alone, asked by a name
// that is this machine's, so that no page of another site can read them through a name of its own.
import { isIP } from 'node:net'
import { findForwardingHeader, isLoopback } from '../access/client-address.ts'
import { isOwnName, readHost } from '../access/host-names.ts'

/** Why a request is not answered. */
export interface AccessRefusal {
  readonly status: 400 | 401 | 403
  readonly sentence: string
}

/** What is looked at of a request. */
export interface AccessRequest {
  readonly headers: Headers
  /** The other end of the connection; undefined where it is gone. */
  readonly peer: string | undefined
}

const MAPPED = /^::ffff:/i

/** Why a request may not see the pages, or undefined. @param token of the configuration; undefined where none is set */
export function findAccessRefusal(
  { headers, peer }: AccessRequest,
  token: string | undefined,
): AccessRefusal | undefined {
  if (token !== undefined) {
    if (isToken(headers.get('authorization'), token)) return undefined
    return {
      status: 401,
      sentence: 'These pages need the admin_token: as a bearer token, or as the password of any user.',
    }
  }
  const address = (peer ?? '').replace(MAPPED, '')
  // What a proxy forwards is not from this machine.
  if (isIP(address) === 0 || !isLoopback(address) || findForwardingHeader(headers) !== undefined) {
    return {
      status: 403,
      sentence: 'Without an admin_token these pages answer this machine alone. Set one, or come by a tunnel.',
    }
  }
  const host = readHost(headers.get('host'))
  if (host === undefined) return { status: 400, sentence: 'The Host header is not one host with perhaps a port.' }
  if (isOwnName(host)) return undefined
  return { status: 403, sentence: `These pages are not at that name; use localhost or an address.` }
}

/** `Bearer <token>`, or `Basic` with it as the password. */
function isToken(authorization: string | null, token: string): boolean {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return isSame(value, token)
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return scheme !== '' && colon >= 0 && isSame(pair.slice(colon + 1), token)
}

/** In a time that tells nothing of where they differ. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
  return crypto.timingSafeEqual(digest(given), digest(expected))
}
