// The live data of a network, as any thread holds it. The live thread sends only changes. `takeLive` is the only
// function that combines a message with the previous state.
import type { NetworkAlerts } from '../../indexes/live/alerts.ts'
import { isSameOverlay, openOverlay, type PackedOverlay } from '../../indexes/live/build-overlay.ts'
import { openVehicles, type PackedVehicles } from '../../indexes/live/build-vehicles.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import type { Vehicles } from '../../indexes/live/vehicles.ts'
import type { FeedStatus, LiveCapabilities } from './network.ts'
import type { PackedAlerts, PackedLive } from './network-messages.ts'

/** The complete live data of a network. Immutable; each change creates a new one. */
export interface LiveState<OverlayForm, VehiclesForm, AlertsForm> {
  /** Number of the newest message. */
  readonly version: number
  readonly capabilities: LiveCapabilities
  readonly feeds: readonly FeedStatus[]
  readonly vehicles: VehiclesForm | undefined
  readonly overlay: OverlayForm | undefined
  /** Number of the message that set or removed the overlay; 0 if there was no such message. */
  readonly overlayVersion: number
  readonly alerts: AlertsForm | undefined
  /** Number of the message that set the alerts; 0 if there was no such message. */
  readonly alertsVersion: number
}

/** Functions that convert the parts of a message to the form in which a thread stores them. */
export interface LiveForms<OverlayForm, VehiclesForm, AlertsForm> {
  readonly overlay: (packed: PackedOverlay) => OverlayForm
  readonly vehicles: (packed: PackedVehicles) => VehiclesForm
  readonly alerts: (packed: PackedAlerts) => AlertsForm
}

/** Live data in the form that data threads and planners read. */
export type OpenedLive = LiveState<Overlay, Vehicles, NetworkAlerts>

/** Converts live data to the form of OpenedLive. */
export const OPENED: LiveForms<Overlay, Vehicles, NetworkAlerts> = {
  overlay: openOverlay,
  vehicles: openVehicles,
  alerts: ({ json }) => JSON.parse(json),
}

/** Live data in the form in which a new thread receives it. */
export type WholeLive = LiveState<PackedOverlay, PackedVehicles, PackedAlerts>

/** Leaves live data in the form of `WholeLive`. */
export const WHOLE: LiveForms<PackedOverlay, PackedVehicles, PackedAlerts> = {
  overlay: (packed) => packed,
  vehicles: (packed) => packed,
  alerts: (packed) => packed,
}

/**
 * The state after a message, or `known` itself if nothing changes. Messages may arrive out of order, because a message
 * with a snapshot is not sent until all threads are ready. The overlay of a late message is still used if all messages
 * that overtook it had `same` as their overlay. This is also true of alerts.
 */
export function takeLive<OverlayForm, VehiclesForm, AlertsForm>(
  known: LiveState<OverlayForm, VehiclesForm, AlertsForm> | undefined,
  packed: PackedLive,
  forms: LiveForms<OverlayForm, VehiclesForm, AlertsForm>,
): LiveState<OverlayForm, VehiclesForm, AlertsForm> {
  const { version, overlay, overlayVersion = version, alerts, alertsVersion = version } = packed
  const before: LiveState<OverlayForm, VehiclesForm, AlertsForm> = known ?? NOTHING
  const isNewest = version > before.version
  const hasOverlay = overlay !== 'same' && overlayVersion > before.overlayVersion
  const hasAlerts = alerts !== 'same' && alertsVersion > before.alertsVersion
  if (!isNewest && !hasOverlay && !hasAlerts) return before
  const { capabilities, feeds, vehicles } = isNewest
    ? { capabilities: packed.capabilities, feeds: packed.feeds, vehicles: inForm(packed.vehicles, forms.vehicles) }
    : before
  return {
    version: Math.max(version, before.version),
    capabilities,
    feeds,
    vehicles,
    overlay: hasOverlay ? inForm(overlay, forms.overlay) : before.overlay,
    overlayVersion: hasOverlay ? overlayVersion : before.overlayVersion,
    alerts: hasAlerts ? inForm(alerts, forms.alerts) : before.alerts,
    alertsVersion: hasAlerts ? alertsVersion : before.alertsVersion,
  }
}

/** The state before the first message. */
const NOTHING: LiveState<never, never, never> = {
  version: 0,
  capabilities: { trips: false, alerts: false, vehicles: 'none' },
  feeds: [],
  vehicles: undefined,
  overlay: undefined,
  overlayVersion: 0,
  alerts: undefined,
  alertsVersion: 0,
}

/**
 * What the live thread last sent for a network: the overlay and the alerts. If they are unchanged, they are not sent
 * again, so responses that were made from them stay cached.
 */
export class SentLive {
  private overlay: PackedOverlay | undefined
  private alerts: NetworkAlerts | undefined

  /**
   * Returns the overlay and the alerts in the form in which they are sent. If one of them has not changed, it is
   * `same`, unless `isWhole` is true.
   * @param isWhole whether the overlay and the alerts are sent even if they have not changed
   */
  next(
    overlay: PackedOverlay | undefined,
    alerts: NetworkAlerts | undefined,
    isWhole: boolean,
  ): Pick<PackedLive, 'overlay' | 'alerts'> {
    const isOverlaySame = !isWhole && isSameOverlay(overlay, this.overlay)
    const areAlertsSame = !isWhole && alerts === this.alerts
    if (!isOverlaySame) this.overlay = overlay
    this.alerts = alerts
    return {
      overlay: isOverlaySame ? 'same' : overlay,
      alerts: areAlertsSame ? 'same' : alerts && { json: JSON.stringify(alerts) },
    }
  }
}

/** Network id → digest of the network's live data. */
export type LiveDigests = Readonly<Record<string, string>>

/** A digest of all live data that affects responses. Threads with the same digest give the same live responses. */
export function digestOf({ capabilities, overlay, vehicles, alerts }: OpenedLive): string {
  let hash = Bun.hash.wyhash(JSON.stringify([capabilities, alerts]))
  const add = (part: unknown): void => {
    if (ArrayBuffer.isView(part))
      hash = Bun.hash.wyhash(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), hash)
    else if (typeof part === 'object' && part !== null) for (const value of Object.values(part)) add(value)
    else hash = Bun.hash.wyhash(String(part), hash)
  }
  add([overlay, vehicles])
  return hash.toString(16)
}

function inForm<Packed, Form>(packed: Packed | undefined, form: (packed: Packed) => Form): Form | undefined {
  return packed === undefined ? undefined : form(packed)
}
