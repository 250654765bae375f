// Starts the live thread. The code for clusters is loaded only if this process is a replica of a cluster.
import { runLiveThread } from '../realtime/live-thread.ts'

/** Starts the live thread; runs in a Worker. */
export function runLive(): void {
  runLiveThread(async (start, post) => {
    const { FleetNetworks } = await import('../fleet-live/fleet-networks.ts')
    return new FleetNetworks(start, post)
  })
}
