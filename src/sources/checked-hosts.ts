// The addresses of the hosts that one fetch comes by: each host is resolved once, and what is connected to is what was
// checked. A name that first leads outside and then inside (DNS rebinding) leads nowhere.
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { isPrivateAddress } from './private-address.ts'

/** All addresses of a host, as text. The host comes without the brackets of IPv6. */
export type ResolveHost = (host: string) => Promise<readonly string[]>

/** No connection could be opened: another address of the host may work. */
const UNREACHABLE = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ETIMEDOUT']

/** The hosts of one fetch. */
export class CheckedHosts {
  private readonly lookUp: ResolveHost
  private readonly known = new Map<string, Promise<readonly string[]>>()
  /** Hosts that must be connected to at the addresses known of them. */
  private readonly pinned = new Set<string>()

  /** @param lookUp the system's resolver if absent */
  constructor(lookUp: ResolveHost = lookUpAddresses) {
    this.lookUp = lookUp
  }

  /** The addresses of a host, the same each time. */
  readonly resolve: ResolveHost = (host) => {
    return this.known.getOrInsertComputed(host, () => {
      const found = this.lookUp(host)
      found.catch(() => undefined) // the caller is told
      return found
    })
  }

  /**
   * Resolves the address that is asked first: an operator's choice, so it may lie inside, and then a redirect may lead
   * inside too. Such a host is pinned; one outside is left to the system, which picks the fastest of its addresses. So is
   * one that cannot be resolved here: behind a proxy, the proxy resolves it.
   */
  async open(first: URL): Promise<void> {
    const host = hostOf(first)
    const addresses = await this.resolve(host).catch(() => [])
    this.known.set(host, Promise.resolve(addresses))
    if (addresses.some(isPrivateAddress)) this.pin(first)
  }

  /** From now on a host is connected to at the addresses it was resolved to. */
  pin(url: URL): void {
    const host = hostOf(url)
    if (isIP(host) === 0) this.pinned.add(host)
  }

  /** Fetches, from an address that was checked if the host is pinned. */
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
        // Not kept for others: they may come to the same address by another name.
        return await fetch(target.href, { ...init, headers, tls: { serverName: host }, keepalive: false })
      } catch (error) {
        if (at === addresses.length - 1 || !isUnreachable(error)) throw error
      }
    }
    throw new Error(`${host} has no address`)
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
