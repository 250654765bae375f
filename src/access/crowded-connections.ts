// Connections of one address beyond those that it may have: which they are, counted by the control thread each second, and
// what becomes of a request on one. While there are none a request costs the reading of a flag.
import { Problem } from '../http/problem.ts'
import type { FarEnd } from '../system/tcp-table.ts'
import { countedAddress, plainAddress, type TrustedProxies } from './client-address.ts'

/** Connections that one address may hold open, on all ports together; a network of IPv6 addresses counts as one. */
export const ADDRESS_CONNECTION_LIMIT = 1_000

/** The HTTP server under a request, as far as it knows the far end of the connection. */
interface Ends {
  requestIP(request: Request): FarEnd | null
}

/** Finds the connections beyond an address's first ones, in the order in which they were first seen. */
export class ConnectionCount {
  private readonly proxies: TrustedProxies
  /** Connection → who is counted; the oldest first. */
  private readonly known = new Map<string, string>()

  /** @param proxies addresses that may have any number, as all clients come by them */
  constructor(proxies: TrustedProxies) {
    this.proxies = proxies
  }

  /** The names of the connections that are too many, of all that are open now. */
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

  /** None are open that could be too many. */
  forget(): void {
    this.known.clear()
  }
}

/** The connections that are too many, as the thread knows them that answers requests. */
export class CrowdedConnections {
  private names: ReadonlySet<string> = new Set()
  /** Whether there are any: looked at before each request is asked about. */
  isCrowded = false

  /** These are too many from now on, and no others. */
  replace(names: readonly string[]): void {
    this.names = new Set(names)
    this.isCrowded = names.length > 0
  }

  /** The refusal of a request on one of them. */
  refusalOf(request: Request, server: Ends | null | undefined): Problem<'rate_limited'> | undefined {
    if (!this.isCrowded || server == null) return undefined
    const end = server.requestIP(request)
    if (end === null || !this.names.has(nameOf(end))) return undefined
    return new Problem('rate_limited', CROWDED, { retryAfterSeconds: 1, endsConnection: true })
  }
}

const CROWDED = `This address has more than ${ADDRESS_CONNECTION_LIMIT} open connections. Close some, and send requests on those that are left.`

function nameOf({ address, port }: FarEnd): string {
  return `${plainAddress(address)} ${port}`
}
