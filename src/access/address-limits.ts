// How fast an address may ask what nobody's key pays for: public pages, and requests with credentials that are refused, so
// that keys cannot be tried at any speed. Buckets in memory that all data threads share.

import { allocateCells, cellOfAddress, type Rate, RateCells, type RateReading } from '../metering/limit-cells.ts'
import type { Clock } from '../system/clock.ts'
import { countedAddress, isLoopback, TrustedProxies } from './client-address.ts'
import { CrowdedConnections } from './crowded-connections.ts'
import type { Forwarder } from './untrusted-forwarders.ts'

/** What one address may ask of each kind. */
export const ADDRESS_RATE: Rate = { perSecond: 10, burst: 50 }

const MICROS_PER_MILLI = 1_000

/** What threads begin with. A plain message. */
export interface AddressLimitsStart {
  /** Cells of `allocateCells`, the same on all threads. */
  readonly cells: SharedArrayBuffer
  /** Which cell an address has is nobody's business outside. */
  readonly seed: bigint
  readonly trustedProxies: readonly string[]
}

/** What threads share at the start: no request of any address is counted yet. */
export function startAddressLimits(trustedProxies: readonly string[]): AddressLimitsStart {
  const [seed = 0n] = crypto.getRandomValues(new BigUint64Array(1))
  return { cells: allocateCells(), seed, trustedProxies }
}

/** The HTTP server under a request, as far as it knows the other end of the connection. */
export interface Peers {
  requestIP(request: Request): { readonly address: string; readonly port: number } | null
}

/** The buckets of one thread's requests. */
export class AddressLimits {
  readonly crowd = new CrowdedConnections()
  private readonly rates: RateCells
  private readonly seed: bigint
  private readonly proxies: TrustedProxies
  private readonly clock: Clock

  /** @param clock true time, the same on all threads. @param onUntrusted told of proxies that are not trusted */
  constructor(start: AddressLimitsStart, clock: Clock, onUntrusted?: (forwarder: Forwarder) => void) {
    this.rates = new RateCells(start.cells)
    this.seed = start.seed
    this.proxies = new TrustedProxies(start.trustedProxies, onUntrusted)
    this.clock = clock
  }

  /** Believes these proxies from now on. */
  trust(proxies: readonly string[]): void {
    this.proxies.replace(proxies)
  }

  /** Who asks, as counted together; undefined if that is a trusted proxy, for all its clients, or gone. */
  clientOf(request: Request, peers: Peers): string | undefined {
    const peer = peers.requestIP(request)?.address
    if (peer === undefined) return undefined
    const client = this.proxies.clientOfRequest(request.headers, peer)
    return this.proxies.isTrusted(client) ? undefined : countedAddress(client)
  }

  /**
   * Counts a request of an address; how long to wait, in seconds, where that is too many. This machine's own address
   * is spared where the request is of a kind that watches over the service, or where all of its clients may share it.
   */
  take(request: Request, peers: Peers, kind: { readonly name: string; readonly sparesLoopback: boolean }): number {
    const peer = peers.requestIP(request)?.address
    if (peer === undefined) return 0 // the connection is gone
    const client = this.proxies.clientOfRequest(request.headers, peer)
    if (kind.sparesLoopback && isLoopback(client)) return 0
    const cell = cellOfAddress(`${kind.name} ${countedAddress(client)}`, this.seed)
    const reading: RateReading = this.rates.take(cell, ADDRESS_RATE, this.clock.nowMillis() * MICROS_PER_MILLI)
    return reading.isAllowed ? 0 : reading.seconds
  }
}
