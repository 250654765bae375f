// What the control thread and the live thread say to each other. Overlays travel as shared memory.

import type { UnmatchedUpdate } from '../../indexes/live/feed-matches.ts'
import type { PackedLive, SnapshotMessage } from '../networks/network-messages.ts'
import type { LogLevel } from '../system/log.ts'
import type { FeedKind } from './seen-book.ts'

/** A GTFS-Realtime feed as the live thread polls it. */
export interface LiveFeedOrder {
  readonly id: string
  /** A path, or an address on the web. */
  readonly url: string
  readonly intervalSeconds: number
  readonly headers: Readonly<Record<string, string>>
  readonly budget: { readonly limit: number; readonly window: BudgetWindow } | undefined
  /** Age at which its data is dropped, where the configuration names one. */
  readonly maxAgeSeconds: number | undefined
  /** What it carries, where the configuration says so: anything else in it is left out. */
  readonly provides: readonly FeedKind[] | undefined
  /** Whether the severity of an alert that gives none follows from its effect; it does if absent. */
  readonly derivesSeverity?: boolean
  /** Put before its ids; found by itself if absent. */
  readonly prefix?: string | undefined
}

/** What a budget is counted over, by the UTC calendar. */
export type BudgetWindow = 'minute' | 'hour' | 'day' | 'month'

/** A network that has live feeds. */
export interface LiveNetworkOrder {
  readonly id: string
  readonly feeds: readonly LiveFeedOrder[]
  /** Whether vehicles are shown at their places by the timetable where no feed tells of them. */
  readonly scheduledVehicles: boolean
  /** What the ids of its timetables begin with; nothing if absent. */
  readonly prefixes?: readonly string[]
}

/** What the live thread begins with. */
export interface LiveThreadStart {
  readonly dataDir: string
  readonly clock: { readonly setting: string | undefined; readonly readAtMillis: number }
  readonly networks: readonly LiveNetworkOrder[]
  readonly logLevel: LogLevel
}

/** From the control thread. */
export type ToLiveThread =
  | { readonly kind: 'start'; readonly start: LiveThreadStart }
  /** What is polled from now on, and what is logged. */
  | { readonly kind: 'reload'; readonly networks: readonly LiveNetworkOrder[]; readonly logLevel: LogLevel }
  /** The snapshot that a network is about to serve; answered by `prepared`. */
  | { readonly kind: 'snapshot'; readonly network: string; readonly snapshot: SnapshotMessage; readonly number: number }
  /** An operator asks which updates stand for no trip; answered by `unmatched`. */
  | { readonly kind: 'list_unmatched'; readonly network: string; readonly number: number }

/** From the live thread. */
export type FromLiveThread =
  | { readonly kind: 'awake' }
  | { readonly kind: 'prepared'; readonly number: number; readonly live: PackedLive | undefined }
  /** The snapshot could not be read, such as for want of a file descriptor; the one before stays. */
  | { readonly kind: 'not_prepared'; readonly number: number; readonly problem: string }
  | { readonly kind: 'live'; readonly network: string; readonly live: PackedLive }
  | { readonly kind: 'unmatched'; readonly number: number; readonly feeds: readonly UnmatchedUpdates[] }
  | { readonly kind: 'failed'; readonly message: string }

/** The updates of one feed that stand for no trip. */
export interface UnmatchedUpdates {
  readonly feed: string
  /** How many there are; not all may be told. */
  readonly total: number
  readonly updates: readonly UnmatchedUpdate[]
}
