// Messages between threads about a network: its settings, the place of its snapshot, and live data in shared memory.
import type { PackedOverlay } from '../../indexes/live/build-overlay.ts'
import type { PackedVehicles } from '../../indexes/live/build-vehicles.ts'
import type { FeedStatus, LastError, LiveCapabilities, NetworkSettings } from './network.ts'

/** A message about a network, sent to data threads and planners. */
export interface NetworkMessage {
  readonly settings: NetworkSettings
  /** Undefined if the network has no snapshot. */
  readonly snapshot: IdentifiedSnapshot | undefined
  readonly lastError: LastError | undefined
  /** Live data that belongs to this snapshot; absent if the live data has not changed. */
  readonly live?: PackedLive
  /** The network's streets; absent if it has none, or if walks cannot follow them yet. */
  readonly streets?: StreetsMessage | undefined
  /** Why the streets could not be imported; undefined without such an error. */
  readonly streetsError?: LastError | undefined
}

/** The files that contain a network's streets. */
export interface StreetsMessage {
  /** Path of the street graph's snapshot. */
  readonly graph: string
  /** Path of the snapshot with the links from stops to streets; undefined if there is none yet. */
  readonly links: string | undefined
  readonly attribution: readonly string[]
}

/** Where a snapshot is: in a file to map, or in shared memory if the file cannot be mapped. */
export type SnapshotMessage = { readonly path: string } | { readonly bytes: Uint8Array }

/** Where a snapshot is, and its id. */
export type IdentifiedSnapshot = SnapshotMessage & { readonly id: string }

/** A network's live data in messages. Only `takeLive` combines it with earlier messages. */
export interface PackedLive {
  /** Message number. It increases with each message about a network, so that older data never replaces newer data. */
  readonly version: number
  readonly capabilities: LiveCapabilities
  readonly feeds: readonly FeedStatus[]
  /** `same` if the overlay has not changed since the previous message. */
  readonly overlay: PackedOverlay | 'same' | undefined
  /** Number of the earlier message that already contained the overlay; absent if the overlay is new. */
  readonly overlayVersion?: number
  readonly vehicles: PackedVehicles | undefined
  /** Undefined until any feed contains an alert; `same` if the alerts have not changed since the previous message. */
  readonly alerts: PackedAlerts | 'same' | undefined
  /** Number of the earlier message that already contained the alerts; absent if the alerts are new. */
  readonly alertsVersion?: number
}

/** A network's alerts in messages. */
export interface PackedAlerts {
  /** `NetworkAlerts` as JSON (for the reason, see live data in src/docs/decisions). */
  readonly json: string
}
