// Messages between the control thread and the live thread. Overlays are sent as shared memory.

import type { UnmatchedUpdate } from '../../indexes/live/feed-matches.ts'
import type { FleetLive, LiveFigures } from '../accounts/fleet.ts'
import type { PackedLive, SnapshotMessage } from '../networks/network-messages.ts'
import type { LogLevel } from '../system/log.ts'
import type { FeedKind } from './seen-book.ts'

/** How the live thread must poll a GTFS-Realtime feed. */
export interface LiveFeedOrder {
  readonly id: string
  /** A path or a URL. */
  readonly url: string
  readonly intervalSeconds: number
  readonly headers: Readonly<Record<string, string>>
  readonly budget: { readonly limit: number; readonly window: BudgetWindow } | undefined
  /** Age at which the feed's data is dropped, if configured. */
  readonly maxAgeSeconds: number | undefined
  /** The kinds of content that are read from the feed; other kinds are ignored. If undefined, all kinds are read. */
  readonly provides: readonly FeedKind[] | undefined
  /** Whether an alert without a severity gets the severity that its effect implies; true if absent. */
  readonly derivesSeverity?: boolean
  /** Prefix of the ids in this feed. If absent, the prefix is detected. */
  readonly prefix?: string | undefined
}

/** The period to which a budget's limit applies, in the UTC calendar. */
export type BudgetWindow = 'minute' | 'hour' | 'day' | 'month'

/** The feeds and settings of a network with live data. */
export interface LiveNetworkOrder {
  readonly id: string
  readonly feeds: readonly LiveFeedOrder[]
  /** Whether vehicles without live data are shown at the positions that the timetable implies. */
  readonly scheduledVehicles: boolean
  /** The id prefixes of the network's timetables. If absent, the ids have no prefixes. */
  readonly prefixes?: readonly string[]
}

/** Start parameters of the live thread. */
export interface LiveThreadStart {
  readonly dataDir: string
  readonly clock: { readonly setting: string | undefined; readonly readAtMillis: number }
  readonly networks: readonly LiveNetworkOrder[]
  readonly logLevel: LogLevel
  /** Set only in a cluster, where one replica polls the feeds for all replicas. */
  readonly fleet?: FleetLive | undefined
}

/** Messages from the control thread to the live thread. */
export type ToLiveThread =
  | { readonly kind: 'start'; readonly start: LiveThreadStart }
  /** New polling orders and log level. */
  | { readonly kind: 'reload'; readonly networks: readonly LiveNetworkOrder[]; readonly logLevel: LogLevel }
  /** The snapshot that a network is about to serve. Answered by `prepared` or `not_prepared`. */
  | { readonly kind: 'snapshot'; readonly network: string; readonly snapshot: SnapshotMessage; readonly number: number }
  /** An operator requests the unmatched updates. Answered by `unmatched`. */
  | { readonly kind: 'list_unmatched'; readonly network: string; readonly number: number }
  /** This replica is about to stop, so another replica should poll. Answered by `left`. */
  | { readonly kind: 'leave' }

/** Messages from the live thread to the control thread. */
export type FromLiveThread =
  | { readonly kind: 'awake' }
  | { readonly kind: 'prepared'; readonly number: number; readonly live: PackedLive | undefined }
  /**
   * The snapshot could not be read, for example because no file descriptor was free. The previous snapshot stays in
   * use.
   */
  | { readonly kind: 'not_prepared'; readonly number: number; readonly problem: string }
  | { readonly kind: 'live'; readonly network: string; readonly live: PackedLive }
  | { readonly kind: 'unmatched'; readonly number: number; readonly feeds: readonly UnmatchedUpdates[] }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'left' }
  | { readonly kind: 'fleet'; readonly figures: LiveFigures }
  /** A problem that operators should know. Polling continues. */
  | { readonly kind: 'problem'; readonly message: string }

/** The unmatched updates of one feed. */
export interface UnmatchedUpdates {
  readonly feed: string
  /** Total number of unmatched updates; `updates` may list fewer. */
  readonly total: number
  readonly updates: readonly UnmatchedUpdate[]
}
