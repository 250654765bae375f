// The dependencies of all controllers: networks, gate, clocks and settings.

import type { AddressLimits, Peers } from '../access/address-limits.ts'
import type { Gate } from '../access/gate.ts'
import type { Planners } from '../journeys/planner-desk.ts'
import type { RouteTally, ThreadCounts } from '../metrics/thread-counts.ts'
import type { Networks } from '../networks/network.ts'
import type { ServedAddresses } from '../places/served-addresses.ts'
import type { SnapshotViews } from '../rendering/snapshot-view.ts'
import type { StreamHub } from '../streams/stream-hub.ts'
import type { Clock } from '../system/clock.ts'
import type { Logger } from '../system/log.ts'
import type { RequestLog } from './request-log.ts'

/** The parts of a server. */
export interface Service {
  readonly networks: Networks
  readonly gate: Gate
  /** Rate limits of an address without a valid key; unlimited if absent. */
  readonly addressLimits?: AddressLimits | undefined
  /** Service time, for boards, ages and `generated_at`. */
  readonly clock: Clock
  /** Real time, for the lifetime of kept answers. */
  readonly trueClock: Clock
  /** Address of the API without a trailing slash. */
  readonly baseUrl: string
  /** Origins whose pages may read responses; `*` allows all. */
  readonly corsOrigins: readonly string[]
  /** Version of this program; part of every ETag. */
  readonly version: string
  readonly logger: Logger
  /** The networks' snapshots and the texts rendered from them. */
  readonly views: SnapshotViews
  /** Undefined if none are configured or loading failed. */
  readonly addresses?: ServedAddresses | undefined
  /** The open streams. */
  readonly streams: StreamHub
  /** Plans journeys. */
  readonly planners: Planners
  /** Counters of this thread; undefined if not counting. */
  readonly counts?: ThreadCounts | undefined
  /** Counts of this thread by key and route; undefined if not counting. */
  readonly tally?: RouteTally | undefined
  /** The request log; undefined if not logging. */
  readonly requestLog?: RequestLog | undefined
  /** Addresses of the pages on other ports; undefined if there are none. */
  readonly pages?: PageAddresses | undefined
}

/** Public addresses of the pages on other ports. */
export interface PageAddresses {
  readonly consoleUrl: string
  readonly explorerUrl: string
}

/** The HTTP server of a request: gives the peer's address and sets the connection's idle timeout. */
export interface Connections extends Peers {
  /** Sets the idle timeout. @param seconds 0 disables it */
  timeout(request: Request, seconds: number): void
}

/** A request and its server, which is absent in tests without one. */
export interface Context {
  readonly request: Request
  readonly server?: Connections | null
}

/** Handles a request of one route, synchronously or asynchronously. */
export type Endpoint = (request: Request, server?: Context['server']) => Response | Promise<Response>

/**
 * An endpoint for the app, and for Bun's router, which passes no context. Errors that `direct` throws become 500
 * responses.
 */
export interface RoutedEndpoint {
  (context: Context): Response | Promise<Response>
  readonly direct: (request: Request, server: Connections) => Response | Promise<Response>
}
