// What every controller is made with: the networks, the gate, the clocks, and what the server's settings say.
import type { Gate } from '../access/gate.ts'
import type { Clock } from '../clock.ts'
import type { Networks } from '../network.ts'
import type { SnapshotViews } from './snapshot-view.ts'

/** Where bugs are reported; pino's loggers fit. */
export interface Logger {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** The parts of a server. */
export interface Service {
  readonly networks: Networks
  readonly gate: Gate
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
  /** The endpoints that the controllers have made, by the paths of their routes. */
  readonly endpoints: Map<string, Endpoint>
}

/** Answers a request of one route. */
export type Endpoint = (context: { readonly request: Request }) => Response
