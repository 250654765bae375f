// Connections beyond the limit per address: the control thread finds them every second, and the data threads refuse
// requests on them. If there are no such connections, a data thread only reads a flag for each request.
import { Problem } from '../http/problem.ts'
import type { FarEnd } from '../system/tcp-table.ts'
import { countedAddress, plainAddress, type TrustedProxies } from './client-address.ts'

/** Maximum number of connections per address, on all ports together; an IPv6 network counts as one address. */
export const ADDRESS_CONNECTION_LIMIT = 1_000

/** The method of the HTTP server that returns client addresses. */
interface Ends {
  requestIP(request: Request): FarEnd | null
}

/** Finds the excess connections. If an address has more connections than the limit, the newest ones are excess. */
export class ConnectionCount {
  private readonly proxies: TrustedProxies
  /** Name of a connection → the address of its client, from `countedAddress`. The oldest connection comes first. */
  private readonly known = new Map<string, string>()

  /** @param proxies addresses without a limit, since many clients share each of them */
  constructor(proxies: TrustedProxies) {
    this.proxies = proxies
  }

  /** The names of the excess connections among all open connections. */
  find(open: readonly FarEnd[]): string[] {
    const named = new Map(open.map((end) => [nameOf(end), end]))
    for (const name of this.known.keys()) if (!named.has(name)) this.known.delete(name)
    for (const [name, { address }] of named) if (!this.known.has(name)) this.known.set(name, countedAddress(address))
    const counts = new Map<string, number>()
    const beyond: string[] = []
    for (const [name, address] of this.known) {
      const count = (counts.get(address) ?? 0) + 1
      counts.set(address, count)
      if (count > ADDRESS_CONNECTION_LIMIT && !this.proxies.isTrusted(named.get(name)?.address ?? '')) beyond.push(name)
    }
    return beyond
  }

  /** Clears the state. Called when no address can exceed the limit. */
  forget(): void {
    this.known.clear()
  }
}

/** The excess connections, in a data thread. */
export class CrowdedConnections {
  private names: ReadonlySet<string> = new Set()
  /** Whether there are excess connections; checked before each lookup. */
  isCrowded = false

  /** Replaces the excess connections. */
  replace(names: readonly string[]): void {
    this.names = new Set(names)
    this.isCrowded = names.length > 0
  }

  /** The refusal of a request on an excess connection; undefined for any other request. */
  refusalOf(request: Request, server: Ends | null | undefined): Problem<'rate_limited'> | undefined {
    if (!this.isCrowded || server == null) return undefined
    const end = server.requestIP(request)
    if (end === null || !this.names.has(nameOf(end))) return undefined
    return new Problem('rate_limited', CROWDED, { retryAfterSeconds: 1, endsConnection: true })
  }
}

const CROWDED = `This address has more than ${ADDRESS_CONNECTION_LIMIT} open connections. Close some and reuse the others.`

function nameOf({ address, port }: FarEnd): string {
  return `${plainAddress(address)} ${port}`
}
