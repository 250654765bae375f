// Messages between threads about a network: settings, path of its snapshot, and live data in shared memory.
import type { PackedOverlay } from '../../indexes/live/build-overlay.ts'
import type { PackedVehicles } from '../../indexes/live/build-vehicles.ts'
import type { FeedStatus, LastError, LiveCapabilities, NetworkSettings } from './network.ts'

/** A message about a network to data threads and planners. */
export interface NetworkMessage {
  readonly settings: NetworkSettings
  /** Undefined if the network has no snapshot. */
  readonly snapshot: IdentifiedSnapshot | undefined
  readonly lastError: LastError | undefined
  /** Live data for this snapshot; absent if the live data has not changed. */
  readonly live?: PackedLive
  /** The network's streets; absent if it has none, or if walks cannot follow them yet. */
  readonly streets?: StreetsMessage | undefined
  /** Why the streets could not be imported; undefined if they could. */
  readonly streetsError?: LastError | undefined
}

/** The files with the streets of a network. */
export interface StreetsMessage {
  /** Path of the graph's snapshot. */
  readonly graph: string
  /** Path of the snapshot with the links from stops to streets; undefined if there is none yet. */
  readonly links: string | undefined
  readonly attribution: readonly string[]
}

/** Where a snapshot is: in a file to map, or in shared memory if the file cannot be mapped. */
export type SnapshotMessage = { readonly path: string } | { readonly bytes: Uint8Array }

/** Where a snapshot is, and its id. */
export type IdentifiedSnapshot = SnapshotMessage & { readonly id: string }

/** Live data of a network in messages. Only `takeLive` combines it with earlier messages. */
export interface PackedLive {
  /** Number of the message: increases with each message of a network, so that older data never replaces newer data. */
  readonly version: number
  readonly capabilities: LiveCapabilities
  readonly feeds: readonly FeedStatus[]
  /** `same` if the overlay has not changed since the previous message. */
  readonly overlay: PackedOverlay | 'same' | undefined
  /** If the overlay was already in an earlier message: the number of that message. */
  readonly overlayVersion?: number
  readonly vehicles: PackedVehicles | undefined
  /** Undefined until a feed has contained an alert; `same` if the alerts have not changed since the previous message. */
  readonly alerts: PackedAlerts | 'same' | undefined
  /** If the alerts were already in an earlier message: the number of that message. */
  readonly alertsVersion?: number
}

/** The alerts of a network in messages. */
export interface PackedAlerts {
  /** `NetworkAlerts` as JSON (reason: src/docs/decisions, live data). */
  readonly json: string
}
