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

/** The dependencies that all controllers of a server share. */
export interface Service {
  readonly networks: Networks
  readonly gate: Gate
  /** Rate limits per address, for requests without a valid key; no limits if absent. */
  readonly addressLimits?: AddressLimits | undefined
  /** Service time, for departure boards, for the age of data and for `generated_at`. */
  readonly clock: Clock
  /** Real time. Measures the age of the cached status response, because service time may be stopped. */
  readonly trueClock: Clock
  /** Public URL of the API, without a trailing slash. */
  readonly baseUrl: string
  /** Origins whose pages may read responses; `*` allows all. */
  readonly corsOrigins: readonly string[]
  /** Version of this program; part of every ETag. */
  readonly version: string
  readonly logger: Logger
  /** The networks' snapshots, and the JSON rendered from them. */
  readonly views: SnapshotViews
  /** The addresses; undefined if none are configured or if they could not be loaded. */
  readonly addresses?: ServedAddresses | undefined
  /** The open streams. */
  readonly streams: StreamHub
  /** Plans journeys. */
  readonly planners: Planners
  /** Counters of this thread; undefined if responses are not counted. */
  readonly counts?: ThreadCounts | undefined
  /** This thread's counts of responses by key and route; undefined if responses are not counted. */
  readonly tally?: RouteTally | undefined
  /** The request log; undefined if requests are not logged. */
  readonly requestLog?: RequestLog | undefined
  /** URLs of the console and the explorer, which are served on other ports; undefined if there are none. */
  readonly pages?: PageAddresses | undefined
}

/** Public URLs of the console and the explorer, which are served on other ports. */
export interface PageAddresses {
  readonly consoleUrl: string
  readonly explorerUrl: string
}

/** The HTTP server that received a request. It returns the peer's address and sets the connection's idle timeout. */
export interface Connections extends Peers {
  /** Sets the idle timeout of the request's connection. @param seconds 0 disables the timeout */
  timeout(request: Request, seconds: number): void
}

/** A request and the server that received it. Tests that run without a server leave `server` out. */
export interface Context {
  readonly request: Request
  readonly server?: Connections | null
}

/** Handles a request of one route, synchronously or asynchronously. */
export type Endpoint = (request: Request, server?: Context['server']) => Response | Promise<Response>

/**
 * An endpoint for two callers: the app calls it with a context; Bun's router calls `direct`, without a context. An
 * error in `direct` becomes a 500 response.
 */
export interface RoutedEndpoint {
  (context: Context): Response | Promise<Response>
  readonly direct: (request: Request, server: Connections) => Response | Promise<Response>
}
