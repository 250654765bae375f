// What the operator's pages are made from. Everything is read when a page is requested.

import type { Forwarder } from '../access/untrusted-forwarders.ts'
import type { FleetReport } from '../accounts/fleet.ts'
import type { NetworkConfig } from '../config/config.ts'
import type { NetworksControl } from '../imports/networks-control.ts'
import type { FlushFault, LedgerLag } from '../metering/ledger.ts'
import type { LiveFeeds } from '../realtime/live-feeds.ts'
import type { StreetsControl } from '../streets/streets-control.ts'
import type { Clock } from '../system/clock.ts'

/** Where the pages get their facts. */
export interface OperatorSources {
  readonly dataDir: string
  readonly accountStore: 'SQLite' | 'PostgreSQL'
  /** The networks in the current settings. */
  readonly configured: () => readonly NetworkConfig[]
  readonly networks: Pick<NetworksControl, 'find'>
  readonly streets: Pick<StreetsControl, 'state'>
  readonly live: Pick<LiveFeeds, 'listFeeds' | 'overlayOf' | 'listUnmatched'>
  /** Counters of the data threads. */
  readonly counts: SharedArrayBuffer
  readonly openStreams: () => number
  /** Number of data threads that were restarted after a crash. */
  readonly replacedThreads: () => number
  readonly ledgerLag: () => LedgerLag
  readonly isFlushFailing: () => boolean
  readonly lastFlushFault: () => FlushFault | undefined
  /** Addresses that send forwarding headers but are not trusted proxies. */
  readonly listForwarders: () => readonly Forwarder[]
  /** Reports the state of all replicas; undefined for a single service. */
  readonly reportFleet?: (() => Promise<FleetReport>) | undefined
  readonly isStarted: () => boolean
  readonly isReady: () => boolean
  /** The clock that shows service time. */
  readonly clock: Clock
  /** When the process started, in Unix milliseconds of the system clock. */
  readonly startedAtMillis: number
}
