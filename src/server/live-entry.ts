// The start of the live thread: the code of several replicas is loaded only if there are some.
import { runLiveThread } from '../realtime/live-thread.ts'

/** Runs in a Worker. */
export function runLive(): void {
  runLiveThread(async (start, post) => {
    const { FleetNetworks } = await import('../fleet-live/fleet-networks.ts')
    return new FleetNetworks(start, post)
  })
}
