// Where a redirect may lead: to the web, not back to plain http, and not from outside into a private network, since
// whoever answers at an outside address could otherwise make this machine ask its neighbors.
import type { ResolveHost } from './checked-hosts.ts'
import { isPrivateAddress } from './private-address.ts'

/** A redirect as it came. */
export interface Redirect {
  /** The address that was asked for at first: the operator's own choice, so it may be a private one. */
  readonly first: URL
  /** The address that redirects. */
  readonly from: URL
  /** Its Location header. */
  readonly location: string | null
}

/** A redirect to follow, or the end of the sentence "… redirects". */
export type RedirectVerdict =
  | { readonly kind: 'follow'; readonly to: URL }
  | { readonly kind: 'refuse'; readonly why: string }

/** Judges one redirect. What `resolve` throws is the caller's. */
export async function judgeRedirect(redirect: Redirect, resolve: ResolveHost): Promise<RedirectVerdict> {
  const { first, from, location } = redirect
  const to = location === null ? null : URL.parse(location, from.href)
  if (to === null) return { kind: 'refuse', why: 'to nowhere' }
  if (to.protocol !== 'https:' && to.protocol !== 'http:') return { kind: 'refuse', why: `to ${to.protocol}` }
  if (from.protocol === 'https:' && to.protocol === 'http:') return { kind: 'refuse', why: 'from https to http' }
  if (to.hostname === first.hostname) return { kind: 'follow', to }
  const isInside = (await isPrivateHost(to, resolve)) && !(await isPrivateHost(first, resolve))
  return isInside ? { kind: 'refuse', why: 'into a private network' } : { kind: 'follow', to }
}

async function isPrivateHost(url: URL, resolve: ResolveHost): Promise<boolean> {
  const addresses = await resolve(url.hostname.replace(/^\[|\]$/g, ''))
  return addresses.some(isPrivateAddress)
}
