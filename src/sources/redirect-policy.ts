// Decides which redirects may be followed. Redirects from https to http are refused. So are redirects from a public
// host into a private network, because outsiders could use them to probe that network.
import type { ResolveHost } from './checked-hosts.ts'
import { isPrivateAddress } from './private-address.ts'

/** A received redirect. */
export interface Redirect {
  /** The original URL, which the operator chose; its host may be private. */
  readonly first: URL
  /** The URL that redirects. */
  readonly from: URL
  /** The response's Location header. */
  readonly location: string | null
}

/**
 * The URL to follow, or why the redirect is refused. `why` is the end of a sentence, such as "into a private network".
 */
export type RedirectVerdict =
  | { readonly kind: 'follow'; readonly to: URL }
  | { readonly kind: 'refuse'; readonly why: string }

/** Checks a redirect. Throws the errors of `resolve`. */
export async function judgeRedirect(redirect: Redirect, resolve: ResolveHost): Promise<RedirectVerdict> {
  const { first, from, location } = redirect
  const to = location === null ? null : URL.parse(location, from.href)
  if (to === null) return { kind: 'refuse', why: 'without a valid address' }
  if (to.protocol !== 'https:' && to.protocol !== 'http:') return { kind: 'refuse', why: `to a ${to.protocol} address` }
  if (from.protocol === 'https:' && to.protocol === 'http:') return { kind: 'refuse', why: 'from https to http' }
  if (to.hostname === first.hostname) return { kind: 'follow', to }
  const isInside = (await isPrivateHost(to, resolve)) && !(await isPrivateHost(first, resolve))
  return isInside ? { kind: 'refuse', why: 'into a private network' } : { kind: 'follow', to }
}

async function isPrivateHost(url: URL, resolve: ResolveHost): Promise<boolean> {
  const addresses = await resolve(url.hostname.replace(/^\[|\]$/g, ''))
  return addresses.some(isPrivateAddress)
}
