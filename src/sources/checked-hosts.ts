// Resolves each host of a download only once. If a redirect leads to another host, or if the first host is private,
// connects only to the resolved addresses. This prevents DNS rebinding.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPrivateAddress } from './private-address.ts'

/** Resolves a host to all its addresses, as strings. An IPv6 address as host is passed without brackets. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

/** Codes of the connection errors after which another address of the same host is tried. */
const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ETIMEDOUT']

/** The hosts of one download. */
export class CheckedHosts {
  private readonly lookUp: ResolveHost
  private readonly known = new Map<string, Promise<readonly string[]>>()
  /** Hosts that must be reached at their resolved addresses. */
  private readonly pinned = new Set<string>()

  /** @param lookUp the system's resolver if absent */
  constructor(lookUp: ResolveHost = lookUpAddresses) {
    this.lookUp = lookUp
  }

  /** The addresses of a host. Each host is resolved only once. */
  readonly resolve: ResolveHost = (host) => {
    return this.known.getOrInsertComputed(host, () => {
      const found = this.lookUp(host)
      found.catch(() => undefined) // prevents an unhandled rejection; the caller gets the error too
      return found
    })
  }

  /**
   * Resolves the first host, which the operator chose and which may be private. If it is private, redirects may also
   * lead to private addresses, and the host is pinned. A public first host is not pinned, so that the system can pick
   * the fastest address. A host that cannot be resolved is not refused, because a proxy may resolve it.
   */
  async open(first: URL): Promise<void> {
    const host = hostOf(first)
    const addresses = await this.resolve(host).catch(() => [])
    this.known.set(host, Promise.resolve(addresses))
    if (addresses.some(isPrivateAddress)) this.pin(first)
  }

  /** Pins the host of a URL to its resolved addresses. */
  pin(url: URL): void {
    const host = hostOf(url)
    if (isIP(host) === 0) this.pinned.add(host)
  }

  /** Fetches a URL, through a checked address if the host is pinned. */
  async fetch(url: URL, init: BunFetchRequestInit & { readonly headers: Headers }): Promise<Response> {
    const host = hostOf(url)
    if (!this.pinned.has(host)) return await fetch(url.href, init)
    const headers = new Headers(init.headers)
    headers.set('host', url.host)
    const addresses = await this.resolve(host)
    for (const [at, address] of addresses.entries()) {
      const target = new URL(url)
      target.hostname = isIP(address) === 6 ? `[${address}]` : address
      try {
        // Keep-alive is off, because another host name may have the same address and must not reuse this connection.
        return await fetch(target.href, { ...init, headers, tls: { serverName: host }, keepalive: false })
      } catch (error) {
        if (at === addresses.length - 1 || !isUnreachable(error)) throw error
      }
    }
    throw new Error(`the host ${host} has no IP address`)
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNREACHABLE.includes(String(error.code))
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function lookUpAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}
