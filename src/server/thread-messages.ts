// Messages between the control thread and data threads. Snapshots are sent as paths: each thread maps them.

import type { AddressLimitsStart } from '../access/address-limits.ts'
import type { FleetNotice, FleetRequest } from '../access/fleet-talk.ts'
import type { RingChange } from '../access/key-ring.ts'
import type { AccessStart } from '../access/open-gate.ts'
import type { Forwarder } from '../access/untrusted-forwarders.ts'
import type { RouteReport } from '../metering/route-counts.ts'
import type { LiveDigests } from '../networks/live-state.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import type { AddressesMessage } from '../places/served-addresses.ts'
import type { PageAddresses } from '../requests/service.ts'
import type { EndedStream, ReconnectsStart } from '../streams/free-reconnects.ts'
import type { LogLevel } from '../system/log.ts'

/** Parameters of a data thread's start. */
export interface DataThreadStart {
  /** Index of the data thread, from 0; also its writer number in the ledger. */
  readonly ordinal: number
  /** How many data threads there are. */
  readonly threads: number
  readonly access: AccessStart
  readonly addressLimits: AddressLimitsStart
  readonly bind: string
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly baseUrl: string
  readonly corsOrigins: readonly string[]
  readonly pages: PageAddresses
  /** Share of the text cache, in bytes. */
  readonly textCacheBytes: number
  /** The value of QUAI_CLOCK, and the real time at which the process read it. */
  readonly clock: { readonly setting: string | undefined; readonly readAtMillis: number }
  readonly log: ThreadLog
  readonly networks: readonly NetworkMessage[]
  readonly streams: StreamsStart
  /** Shared counters of all data threads (metrics/thread-counts.ts). */
  readonly counts: SharedArrayBuffer
  /** Undefined if there are none. */
  readonly addresses: AddressesMessage | undefined
}

/** Log settings of a data thread. */
export interface ThreadLog {
  readonly level: LogLevel
  readonly requests: 'off' | 'errors' | 'all'
  /** Limit for this thread; above it, requests are sampled. */
  readonly requestLinesPerSecond: number
}

/** Settings that a reload changes on data threads. */
export interface ThreadReload {
  /** Ids of the networks in order; new ones follow with `prepare` and `commit`. */
  readonly networks: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly log: ThreadLog
}

/** State of streams shared by the data threads. */
export interface StreamsStart {
  /** The open streams of all threads. */
  readonly slots: SharedArrayBuffer
  /** Streams that the previous process ended. */
  readonly reconnects: ReconnectsStart
}

/** Messages from the control thread. */
export type ToDataThread =
  | { readonly kind: 'start'; readonly start: DataThreadStart }
  | { readonly kind: 'listen'; readonly port: number }
  /** Prepare this network while the current one is served. Answered by `prepared`. */
  | { readonly kind: 'prepare'; readonly network: NetworkMessage; readonly number: number }
  /** Serve the state prepared under this number. Answered by `committed`. */
  | { readonly kind: 'commit'; readonly number: number }
  /** Discard the prepared state, because another thread failed to prepare it. */
  | { readonly kind: 'discard'; readonly number: number }
  | { readonly kind: 'live'; readonly network: string; readonly live: PackedLive }
  /** Answered by `live_digested`. */
  | { readonly kind: 'digest_live'; readonly number: number }
  /** Answered by `reloaded`. */
  | { readonly kind: 'reload'; readonly reload: ThreadReload; readonly number: number }
  /** Serve these addresses from now on. Answered by `addresses_replaced`. */
  | { readonly kind: 'addresses'; readonly addresses: AddressesMessage; readonly number: number }
  | { readonly kind: 'access'; readonly change: RingChange; readonly number: number }
  /** In a cluster: an answer to `fleet`. */
  | { readonly kind: 'fleet'; readonly notice: FleetNotice }
  | RoomMessage
  | LeaveMessage

/** Messages of an orderly shutdown. */
export type LeaveMessage =
  /** Close each connection after its next response, and list the open streams. Answered by `ending`. */
  | { readonly kind: 'drain' }
  /** Refuse new streams, and list the open ones. Answered by `ending`. */
  | { readonly kind: 'refuse_streams' }
  /** End the streams that were listed. Answered by `streams_ended`. */
  | { readonly kind: 'end_streams' }
  | { readonly kind: 'stop' }

/** Messages sent when there are too many connections. */
export type RoomMessage =
  /** Refuse requests on exactly these connections. */
  | { readonly kind: 'turn_away'; readonly connections: readonly string[] }
  /** Close idle connections. */
  | { readonly kind: 'close_idle' }
  /** Stop accepting connections; requests in progress continue. Answered by `paused`. */
  | { readonly kind: 'pause' }
  /** Accept connections on this port again. Answered by `listening`. */
  | { readonly kind: 'resume'; readonly port: number }

/** Messages from a data thread. */
export type FromDataThread =
  /** From now on, the thread receives messages. Messages posted earlier can be lost. */
  | { readonly kind: 'awake' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly port: number }
  /** The access change with this number applies from the next request. */
  | { readonly kind: 'applied'; readonly number: number }
  /** `problem` is the reason why this thread cannot serve the network; it keeps the current one. */
  | { readonly kind: 'prepared'; readonly number: number; readonly problem: string | undefined }
  | { readonly kind: 'reloaded'; readonly number: number }
  | { readonly kind: 'committed'; readonly number: number }
  /** `problem` is the reason why this thread keeps its old addresses. */
  | { readonly kind: 'addresses_replaced'; readonly number: number; readonly problem: string | undefined }
  | { readonly kind: 'paused' }
  /** Digests of this thread, and of its planner once it is awake. */
  | {
      readonly kind: 'live_digested'
      readonly number: number
      readonly serving: LiveDigests
      readonly planning: LiveDigests | undefined
    }
  | { readonly kind: 'ending'; readonly streams: readonly EndedStream[] }
  | { readonly kind: 'streams_ended' }
  /** Unsolicited: an untrusted address sends X-Forwarded-For. */
  | { readonly kind: 'forwarder'; readonly forwarder: Forwarder }
  /** Unsolicited, every ten seconds and before `stopped`: the responses by key and route. */
  | { readonly kind: 'routes'; readonly report: RouteReport }
  /** Unsolicited, in a cluster: a question that only other replicas or the database can answer. */
  | { readonly kind: 'fleet'; readonly request: FleetRequest }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' }
