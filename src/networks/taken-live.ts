// What the live thread sends, put in the place of what a network's live feeds said before. One assignment: a request that
// has begun keeps what it read.
import type { NetworkAlerts } from '../../indexes/live/alerts.ts'
import { openOverlay } from '../../indexes/live/build-overlay.ts'
import { openVehicles } from '../../indexes/live/build-vehicles.ts'
import type { Network } from './network.ts'
import type { PackedAlerts, PackedLive } from './network-messages.ts'

/** A network of a thread that is told what its live feeds say. */
export interface ToldNetwork extends Network {
  /** Of the newest message; 0 before the first. */
  liveVersion: number
  /** Of the messages that last brought an overlay, and alerts, or that there are none. */
  overlayVersion: number
  alertVersion: number
}

/**
 * Takes what live feeds say now. A message that was overtaken counts for what the later ones called the same: the one that
 * comes with a snapshot waits until all threads are ready, others do not.
 */
export function takeLive(network: ToldNetwork, packed: PackedLive): void {
  const { version, feeds, overlay, vehicles, alerts } = packed
  const known = network.live
  const hasOverlay = overlay !== 'same' && version > network.overlayVersion
  const hasAlerts = alerts !== 'same' && version > network.alertVersion
  const isNewest = version > network.liveVersion
  if (!isNewest && !hasOverlay && !hasAlerts) return
  if (hasOverlay) network.overlayVersion = version
  if (hasAlerts) network.alertVersion = version
  const taken = {
    overlay: hasOverlay ? open(overlay, openOverlay) : known?.overlay,
    alerts: hasAlerts ? open(alerts, openAlerts) : known?.alerts,
  }
  if (!isNewest) {
    network.live = known === undefined ? undefined : { ...known, ...taken }
    return
  }
  network.liveVersion = version
  network.live = { feeds, ...taken, vehicles: open(vehicles, openVehicles) }
}

function open<Packed, Opened>(packed: Packed | undefined, opener: (packed: Packed) => Opened): Opened | undefined {
  return packed === undefined ? undefined : opener(packed)
}

function openAlerts({ json }: PackedAlerts): NetworkAlerts {
  return JSON.parse(json)
}
