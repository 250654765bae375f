// What the control thread and the data threads say to each other. Snapshots travel as paths: each thread maps them.

import type { AddressLimitsStart } from '../access/address-limits.ts'
import type { RingChange } from '../access/key-ring.ts'
import type { AccessStart } from '../access/open-gate.ts'
import type { Forwarder } from '../access/untrusted-forwarders.ts'
import type { LiveDigests } from '../networks/live-state.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import type { AddressesMessage } from '../places/served-addresses.ts'
import type { EndedStream, ReconnectsStart } from '../streams/free-reconnects.ts'
import type { LogLevel } from '../system/log.ts'

/** What a data thread begins with. */
export interface DataThreadStart {
  /** Which of the data threads this is, from 0: its writer in the ledger. */
  readonly ordinal: number
  readonly access: AccessStart
  readonly addressLimits: AddressLimitsStart
  readonly bind: string
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
  readonly baseUrl: string
  readonly corsOrigins: readonly string[]
  /** Share of the text cache, in bytes. */
  readonly textCacheBytes: number
  /** The setting of QUAI_CLOCK, and the true instant at which the process read it. */
  readonly clock: { readonly setting: string | undefined; readonly readAtMillis: number }
  readonly log: ThreadLog
  readonly networks: readonly NetworkMessage[]
  readonly streams: StreamsStart
  /** Where all data threads count: metrics/thread-counts.ts. */
  readonly counts: SharedArrayBuffer
  /** Undefined where there are none. */
  readonly addresses: AddressesMessage | undefined
}

/** What a data thread logs. */
export interface ThreadLog {
  readonly level: LogLevel
  readonly requests: 'off' | 'errors' | 'all'
  /** Of this thread; beyond it a line stands for several requests. */
  readonly requestLinesPerSecond: number
}

/** What changes at a reload on every data thread. */
export interface ThreadReload {
  /** Ids of the networks in their order; those that are new come with `prepare` and `commit`. */
  readonly networks: readonly string[]
  readonly trustedProxies: readonly string[]
  readonly log: ThreadLog
}

/** What the data threads share of their streams. */
export interface StreamsStart {
  /** The open streams of all threads. */
  readonly slots: SharedArrayBuffer
  /** Those that the last process ended. */
  readonly reconnects: ReconnectsStart
}

/** From the control thread. */
export type ToDataThread =
  | { readonly kind: 'start'; readonly start: DataThreadStart }
  | { readonly kind: 'listen'; readonly port: number }
  /** Make this ready beside what is served. Answered by `prepared`. */
  | { readonly kind: 'prepare'; readonly network: NetworkMessage; readonly number: number }
  /** Serve what was prepared under this number. Answered by `committed`. */
  | { readonly kind: 'commit'; readonly number: number }
  /** Another thread could not prepare it: forget it. */
  | { readonly kind: 'discard'; readonly number: number }
  | { readonly kind: 'live'; readonly network: string; readonly live: PackedLive }
  /** Answered by `live_digested`. */
  | { readonly kind: 'digest_live'; readonly number: number }
  /** Answered by `reloaded`. */
  | { readonly kind: 'reload'; readonly reload: ThreadReload; readonly number: number }
  /** Serve these addresses from now on. Answered by `addresses_replaced`. */
  | { readonly kind: 'addresses'; readonly addresses: AddressesMessage; readonly number: number }
  | { readonly kind: 'access'; readonly change: RingChange; readonly number: number }
  | RoomMessage
  /** Go on answering, each connection for one more answer; end all streams. Answered by `draining`. */
  | { readonly kind: 'drain' }
  /** End all streams and open none any more. Answered by `streams_ended`. */
  | { readonly kind: 'end_streams' }
  | { readonly kind: 'stop' }

/** What makes room where connections are too many. */
export type RoomMessage =
  /** Refuse requests on these connections, and on no others. */
  | { readonly kind: 'turn_away'; readonly connections: readonly string[] }
  /** Close connections on which nothing is under way. */
  | { readonly kind: 'close_idle' }
  /** Take no connections; what is under way goes on. Answered by `paused`. */
  | { readonly kind: 'pause' }
  /** Take connections on this port again. Answered by `listening`. */
  | { readonly kind: 'resume'; readonly port: number }

/** From a data thread. */
export type FromDataThread =
  /** It listens to messages: one that is posted before may be lost. */
  | { readonly kind: 'awake' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly port: number }
  /** The access change of this number holds from the next request on. */
  | { readonly kind: 'applied'; readonly number: number }
  /** `problem` says why this thread cannot serve it; the thread goes on with what it has. */
  | { readonly kind: 'prepared'; readonly number: number; readonly problem: string | undefined }
  | { readonly kind: 'reloaded'; readonly number: number }
  | { readonly kind: 'committed'; readonly number: number }
  /** `problem` says why this thread goes on with what it had. */
  | { readonly kind: 'addresses_replaced'; readonly number: number; readonly problem: string | undefined }
  | { readonly kind: 'paused' }
  /** Of this thread, and of its planner once that is awake. */
  | {
      readonly kind: 'live_digested'
      readonly number: number
      readonly serving: LiveDigests
      readonly planning: LiveDigests | undefined
    }
  | { readonly kind: 'draining'; readonly ended: readonly EndedStream[] }
  | { readonly kind: 'streams_ended'; readonly ended: readonly EndedStream[] }
  /** An address forwards for others and is not trusted. Asked for by nobody. */
  | { readonly kind: 'forwarder'; readonly forwarder: Forwarder }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'stopped' }
