// Messages between threads about a network: settings, path of its snapshot, and live data in shared memory.
import type { PackedOverlay } from '../../indexes/live/build-overlay.ts'
import type { PackedVehicles } from '../../indexes/live/build-vehicles.ts'
import type { FeedStatus, LastError, LiveCapabilities, NetworkSettings } from './network.ts'

/** A network in messages to data threads. */
export interface NetworkMessage {
  readonly settings: NetworkSettings
  /** Undefined if the network has no snapshot. */
  readonly snapshot: IdentifiedSnapshot | undefined
  readonly lastError: LastError | undefined
  /** Live data for this snapshot; absent if unchanged. */
  readonly live?: PackedLive
  /** Absent if the network has no streets, or if walks cannot follow them yet. */
  readonly streets?: StreetsMessage | undefined
  /** Why the streets could not be imported. */
  readonly streetsError?: LastError | undefined
}

/** Location of the streets of a network. */
export interface StreetsMessage {
  /** Path of the graph's snapshot. */
  readonly graph: string
  /** Path of the snapshot of the links; undefined if there is none yet. */
  readonly links: string | undefined
  readonly attribution: readonly string[]
}

/** Location of a snapshot: a file to map, or shared memory if it cannot be mapped. */
export type SnapshotMessage = { readonly path: string } | { readonly bytes: Uint8Array }

/** A snapshot message with the snapshot's id. */
export type IdentifiedSnapshot = SnapshotMessage & { readonly id: string }

/** Live data of a network in messages. Only `takeLive` combines it with earlier messages. */
export interface PackedLive {
  /** Increases with each message of a network, so that an older one never replaces a newer one. */
  readonly version: number
  readonly capabilities: LiveCapabilities
  readonly feeds: readonly FeedStatus[]
  /** `same` if unchanged. */
  readonly overlay: PackedOverlay | 'same' | undefined
  /** Number of the earlier message with the overlay, if any. */
  readonly overlayVersion?: number
  readonly vehicles: PackedVehicles | undefined
  /** Undefined until a feed has contained an alert; `same` if unchanged. */
  readonly alerts: PackedAlerts | 'same' | undefined
  /** Number of the earlier message with the alerts, if any. */
  readonly alertsVersion?: number
}

/** The alerts of a network in messages. */
export interface PackedAlerts {
  /** `NetworkAlerts`, as text (src/docs/decisions, live data). */
  readonly json: string
}
