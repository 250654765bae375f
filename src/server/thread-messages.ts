// Messages between the control thread and data threads. A snapshot is sent as the path of its file, which each thread
// maps, or as shared memory if the file cannot be mapped.

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

/** Start parameters of a data thread. */
export interface DataThreadStart {
  /** Index of the data thread, from 0; also its writer number in the ledger. */
  readonly ordinal: number
  /** Number of data threads. */
  readonly threads: number
  readonly access: AccessStart
  readonly addressLimits: AddressLimitsStart
  readonly bind: string
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly baseUrl: string
  readonly corsOrigins: readonly string[]
  readonly pages: PageAddresses
  /** Size of the thread's cache of rendered text, in bytes. */
  readonly textCacheBytes: number
  /** The value of QUAI_CLOCK, and the real time at which the process read it. */
  readonly clock: { readonly setting: string | undefined; readonly readAtMillis: number }
  readonly log: ThreadLog
  readonly networks: readonly NetworkMessage[]
  readonly streams: StreamsStart
  /** Shared counters of all data threads (metrics/thread-counts.ts). */
  readonly counts: SharedArrayBuffer
  /** The addresses; undefined if there are none. */
  readonly addresses: AddressesMessage | undefined
}

/** Log settings of a data thread. */
export interface ThreadLog {
  readonly level: LogLevel
  readonly requests: 'off' | 'errors' | 'all'
  /** Limit for this thread. If more requests arrive in a second, only a sample of them is logged. */
  readonly requestLinesPerSecond: number
}

/** Settings of data threads that a reload changes. */
export interface ThreadReload {
  /** Ids of all networks in configured order. Added networks follow in `prepare` and `commit` messages. */
  readonly networks: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly log: ThreadLog
}

/** Stream state that the data threads share. */
export interface StreamsStart {
  /** The open streams of all threads. */
  readonly slots: SharedArrayBuffer
  /** Free reconnects for the streams that the previous process ended. */
  readonly reconnects: ReconnectsStart
}

/** Messages from the control thread. */
export type ToDataThread =
  | { readonly kind: 'start'; readonly start: DataThreadStart }
  | { readonly kind: 'listen'; readonly port: number }
  /** Prepare this network while its current snapshot is still served. Answered by `prepared`. */
  | { readonly kind: 'prepare'; readonly network: NetworkMessage; readonly number: number }
  /** Serve the network that was prepared under this number. Answered by `committed`. */
  | { readonly kind: 'commit'; readonly number: number }
  /** Discard the network that was prepared under this number, because another thread could not prepare it. */
  | { readonly kind: 'discard'; readonly number: number }
  | { readonly kind: 'live'; readonly network: string; readonly live: PackedLive }
  /** Send digests of the live data. Answered by `live_digested`. */
  | { readonly kind: 'digest_live'; readonly number: number }
  /** Apply these settings. Answered by `reloaded`. */
  | { readonly kind: 'reload'; readonly reload: ThreadReload; readonly number: number }
  /** Serve these addresses from now on. Answered by `addresses_replaced`. */
  | { readonly kind: 'addresses'; readonly addresses: AddressesMessage; readonly number: number }
  | { readonly kind: 'access'; readonly change: RingChange; readonly number: number }
  /** In a cluster: news about other replicas, or the answer to a `fleet` message from the thread. */
  | { readonly kind: 'fleet'; readonly notice: FleetNotice }
  | RoomMessage
  | LeaveMessage

/** Messages for an orderly shutdown. */
export type LeaveMessage =
  /** Close each connection after its next response, and list the open streams. Answered by `ending`. */
  | { readonly kind: 'drain' }
  /** Refuse new streams, and list the open streams. Answered by `ending`. */
  | { readonly kind: 'refuse_streams' }
  /** End the streams that were listed. Answered by `streams_ended`. */
  | { readonly kind: 'end_streams' }
  | { readonly kind: 'stop' }

/** Messages sent when there are too many connections. */
export type RoomMessage =
  /** Refuse requests on these connections, and on no others. */
  | { readonly kind: 'turn_away'; readonly connections: readonly string[] }
  /** Close idle connections. */
  | { readonly kind: 'close_idle' }
  /** Stop accepting connections; requests in progress continue. Answered by `paused`. */
  | { readonly kind: 'pause' }
  /** Accept connections on this port again. Answered by `listening`. */
  | { readonly kind: 'resume'; readonly port: number }

/** Messages from a data thread. */
export type FromDataThread =
  /** The thread receives messages from now on. Messages that were sent to it earlier may be lost. */
  | { readonly kind: 'awake' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly port: number }
  /** The access change with this number applies, starting with the next request. */
  | { readonly kind: 'applied'; readonly number: number }
  /** `problem` is the reason why this thread cannot serve the network; the thread still serves the current snapshot. */
  | { readonly kind: 'prepared'; readonly number: number; readonly problem: string | undefined }
  | { readonly kind: 'reloaded'; readonly number: number }
  | { readonly kind: 'committed'; readonly number: number }
  /** `problem` is the reason why this thread keeps its old addresses. */
  | { readonly kind: 'addresses_replaced'; readonly number: number; readonly problem: string | undefined }
  | { readonly kind: 'paused' }
  /** Digests of the live data of this thread, and of its planner once the planner is awake. */
  | {
      readonly kind: 'live_digested'
      readonly number: number
      readonly serving: LiveDigests
      readonly planning: LiveDigests | undefined
    }
  | { readonly kind: 'ending'; readonly streams: readonly EndedStream[] }
  | { readonly kind: 'streams_ended' }
  /** Not an answer: reports an untrusted address that sends X-Forwarded-For. */
  | { readonly kind: 'forwarder'; readonly forwarder: Forwarder }
  /** Not an answer: the response counts by key and route, sent every ten seconds and before `stopped`. */
  | { readonly kind: 'routes'; readonly report: RouteReport }
  /** Not an answer: in a cluster, a question that only other replicas or the database can answer. */
  | { readonly kind: 'fleet'; readonly request: FleetRequest }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' }
