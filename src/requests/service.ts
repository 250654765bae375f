// What every controller is made with: the networks, the gate, the clocks, and what the server's settings say.

import type { AddressLimits, Peers } from '../access/address-limits.ts'
import type { Gate } from '../access/gate.ts'
import type { Planners } from '../journeys/planner-desk.ts'
import type { ThreadCounts } from '../metrics/thread-counts.ts'
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
  /** How fast one address may ask without a good key; unlimited where absent. */
  readonly addressLimits?: AddressLimits | undefined
  /** Service time: boards, ages, `generated_at`. */
  readonly clock: Clock
  /** True time: how long a cached answer may be kept. */
  readonly trueClock: Clock
  /** Address of the API without a slash at its end. */
  readonly baseUrl: string
  /** Origins whose pages may read answers; `*` is all of them. */
  readonly corsOrigins: readonly string[]
  /** Version of this program: a part of every ETag. */
  readonly version: string
  readonly logger: Logger
  /** The networks' snapshots with what is rendered of them. */
  readonly views: SnapshotViews
  /** Undefined where none are configured, or none could be loaded. */
  readonly addresses?: ServedAddresses | undefined
  /** The open streams. */
  readonly streams: StreamHub
  /** Plans journeys. */
  readonly planners: Planners
  /** What this thread counts; undefined where nobody asks. */
  readonly counts?: ThreadCounts | undefined
  /** What this thread logs of requests; undefined where nobody asks. */
  readonly requestLog?: RequestLog | undefined
}

/** The HTTP server under a request: it knows the connection, and can be told how long that may be idle. */
export interface Connections extends Peers {
  /** @param seconds 0 is for ever */
  timeout(request: Request, seconds: number): void
}

/** What the HTTP server gives with a request. The server is absent if a test asks without one. */
export interface Context {
  readonly request: Request
  readonly server?: Connections | null
}

/** Answers a request of one route: at once, or later. */
export type Endpoint = (context: Context) => Response | Promise<Response>

/** An endpoint that Bun's own router can take too, which gives no context. What it throws is answered as our bug. */
export interface RoutedEndpoint extends Endpoint {
  readonly direct: (request: Request, server: Connections) => Response | Promise<Response>
}
