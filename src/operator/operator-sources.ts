// What the pages for operators are made of: everything is asked for when a page is, of whoever knows it.

import type { Forwarder } from '../access/untrusted-forwarders.ts'
import type { NetworkConfig } from '../config/config.ts'
import type { NetworksControl } from '../imports/networks-control.ts'
import type { FlushFault, LedgerLag } from '../metering/ledger.ts'
import type { LiveFeeds } from '../realtime/live-feeds.ts'
import type { Clock } from '../system/clock.ts'

/** Where the facts are. */
export interface OperatorSources {
  readonly dataDir: string
  readonly accountStore: 'SQLite' | 'PostgreSQL'
  /** The networks of the settings in force. */
  readonly configured: () => readonly NetworkConfig[]
  readonly networks: Pick<NetworksControl, 'find'>
  readonly live: Pick<LiveFeeds, 'listFeeds' | 'overlayOf' | 'listUnmatched'>
  /** What the data threads count in. */
  readonly counts: SharedArrayBuffer
  readonly openStreams: () => number
  /** Data threads that died and were replaced. */
  readonly replacedThreads: () => number
  readonly ledgerLag: () => LedgerLag
  readonly isFlushFailing: () => boolean
  readonly lastFlushFault: () => FlushFault | undefined
  /** Addresses that forward for others and are not trusted. */
  readonly listForwarders: () => readonly Forwarder[]
  readonly isStarted: () => boolean
  readonly isReady: () => boolean
  /** Service time. */
  readonly clock: Clock
  /** When the process began, by the system's clock. */
  readonly startedAtMillis: number
}
