// Rate limits per client address, for public pages and for requests with rejected credentials. The limit on rejected
// credentials keeps attackers from guessing keys. All data threads share the rate-limit buckets.

import { allocateCells, cellOfAddress, type Rate, RateCells, type RateReading } from '../metering/limit-cells.ts'
import type { Clock } from '../system/clock.ts'
import { countedAddress, isLoopback, TrustedProxies } from './client-address.ts'
import { CrowdedConnections } from './crowded-connections.ts'
import type { Forwarder } from './untrusted-forwarders.ts'

/** The rate limit per address, applied separately to each kind of request, such as requests for public pages. */
export const ADDRESS_RATE: Rate = { perSecond: 10, burst: 50 }

const MICROS_PER_MILLI = 1_000

/** What a thread needs to create its AddressLimits. It is sent to each thread in a message. */
export interface AddressLimitsStart {
  /** Cells from `allocateCells`, shared by all threads. */
  readonly cells: SharedArrayBuffer
  /** Secret for hashing addresses to cells, so that an attacker cannot find an address that shares a client's cell. */
  readonly seed: bigint
  readonly trustedProxies: readonly string[]
}

/** Creates the shared state, with all buckets full. */
export function startAddressLimits(trustedProxies: readonly string[]): AddressLimitsStart {
  const [seed = 0n] = crypto.getRandomValues(new BigUint64Array(1))
  return { cells: allocateCells(), seed, trustedProxies }
}

/** The method of the HTTP server that returns client addresses. */
export interface Peers {
  requestIP(request: Request): { readonly address: string; readonly port: number } | null
}

/** The rate limits per address, in one thread. All threads share the buckets. */
export class AddressLimits {
  readonly crowd = new CrowdedConnections()
  private readonly rates: RateCells
  private readonly seed: bigint
  private readonly proxies: TrustedProxies
  private readonly clock: Clock

  /**
   * @param clock system time, the same on all threads
   * @param onUntrusted called for each forwarding header from an untrusted address
   */
  constructor(start: AddressLimitsStart, clock: Clock, onUntrusted?: (forwarder: Forwarder) => void) {
    this.rates = new RateCells(start.cells)
    this.seed = start.seed
    this.proxies = new TrustedProxies(start.trustedProxies, onUntrusted)
    this.clock = clock
  }

  /** Replaces the trusted proxies. */
  trust(proxies: readonly string[]): void {
    this.proxies.replace(proxies)
  }

  /**
   * The address of the client that sent a request, in the form that rate limits use. Undefined for a trusted proxy, or
   * if the client has disconnected.
   */
  clientOf(request: Request, peers: Peers): string | undefined {
    const peer = peers.requestIP(request)?.address
    if (peer === undefined) return undefined
    const client = this.proxies.clientOfRequest(request.headers, peer)
    return this.proxies.isTrusted(client) ? undefined : countedAddress(client)
  }

  /**
   * Counts a request. Returns the seconds to wait if the address is over its limit, otherwise 0. With `sparesLoopback`,
   * requests from this machine are not limited, because they come from monitoring or from a proxy that all clients
   * share.
   */
  take(request: Request, peers: Peers, kind: { readonly name: string; readonly sparesLoopback: boolean }): number {
    const peer = peers.requestIP(request)?.address
    if (peer === undefined) return 0 // the client disconnected
    const client = this.proxies.clientOfRequest(request.headers, peer)
    if (kind.sparesLoopback && isLoopback(client)) return 0
    const cell = cellOfAddress(`${kind.name} ${countedAddress(client)}`, this.seed)
    const reading: RateReading = this.rates.take(cell, ADDRESS_RATE, this.clock.nowMillis() * MICROS_PER_MILLI)
    return reading.isAllowed ? 0 : reading.seconds
  }
}
