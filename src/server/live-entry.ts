// The start of the live thread. The code for clusters is loaded only if this is a replica.
import { runLiveThread } from '../realtime/live-thread.ts'

/** Runs in a Worker. */
export function runLive(): void {
  runLiveThread(async (start, post) => {
    const { FleetNetworks } = await import('../fleet-live/fleet-networks.ts')
    return new FleetNetworks(start, post)
  })
}
