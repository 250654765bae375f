// The overlay and the alerts that the live thread last sent for a network. An equal overlay and equal alerts are not
// sent again, so responses that were made from them stay cached.
import type { NetworkAlerts } from '../../indexes/live/alerts.ts'
import { isSameOverlay, type PackedOverlay } from '../../indexes/live/build-overlay.ts'
import type { PackedLive } from '../networks/network-messages.ts'

/** The parts of a network's live data that were last sent. */
export class SentLive {
  private overlay: PackedOverlay | undefined
  private alerts: NetworkAlerts | undefined

  /**
   * Returns both parts in the form in which they are sent. A part that has not changed is `same`.
   * @param isWhole whether unchanged parts are sent too
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
