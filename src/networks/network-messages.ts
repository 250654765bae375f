// A network as threads send it to each other: settings, the path of its snapshot, and what live feeds say in shared memory.
import type { PackedOverlay } from '../../indexes/live/build-overlay.ts'
import type { PackedVehicles } from '../../indexes/live/build-vehicles.ts'
import type { FeedStatus, LastError, LiveCapabilities, NetworkSettings } from './network.ts'

/** A network as a data thread is told of it. */
export interface NetworkMessage {
  readonly settings: NetworkSettings
  /** Undefined where the network has no snapshot. */
  readonly snapshot: SnapshotMessage | undefined
  readonly lastError: LastError | undefined
  /** What live feeds say of this snapshot; absent where that has not changed. */
  readonly live?: PackedLive
}

/** Where a snapshot's bytes are: a file to map, or memory shared between the threads where it may not be mapped. */
export type SnapshotMessage = { readonly path: string } | { readonly bytes: Uint8Array }

/** What live feeds say of a network, as it is sent. `takeLive` alone combines it with what was sent before. */
export interface PackedLive {
  /** Grows with each one of a network: a later one is never replaced by an earlier one. */
  readonly version: number
  readonly capabilities: LiveCapabilities
  readonly feeds: readonly FeedStatus[]
  /** `same` if it has not changed. */
  readonly overlay: PackedOverlay | 'same' | undefined
  /** The message that brought the overlay, if an earlier one did. */
  readonly overlayVersion?: number
  readonly vehicles: PackedVehicles | undefined
  /** Undefined until a feed has carried an alert; `same` if they have not changed. */
  readonly alerts: PackedAlerts | 'same' | undefined
  /** The message that brought the alerts, if an earlier one did. */
  readonly alertsVersion?: number
}

/** The alerts of a network, as they are sent. */
export interface PackedAlerts {
  /** `NetworkAlerts`, as text (src/docs/decisions, live data). */
  readonly json: string
}
