// Relays changes from the control thread to the data threads. Changes that occur before the threads run are stored and
// sent later in order, so that none is lost.
import type { RingChange } from '../access/key-ring.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import type { LiveFeeds } from '../realtime/live-feeds.ts'
import type { DataThreads } from './data-threads.ts'

/** Relays changes to the data threads. */
export class ThreadRelay {
  private readonly threads: DataThreads
  private readonly liveFeeds: LiveFeeds
  private isOpen = false
  private hasEarlyNetworks = false
  private readonly early: RingChange[] = []
  private readonly earlyLive: (readonly [network: string, live: PackedLive])[] = []

  constructor(threads: DataThreads, liveFeeds: LiveFeeds) {
    this.threads = threads
    this.liveFeeds = liveFeeds
  }

  /**
   * Relays a change of accounts or keys to the data threads. Resolves when the change applies on every thread, or at
   * once if no threads run yet.
   */
  async changeAccess(change: RingChange): Promise<void> {
    if (this.isOpen) await this.threads.changeAccess(change)
    else this.early.push(change)
  }

  /** Publishes a network's current state. Returns an error message if a thread cannot serve it. */
  async replaceNetwork(message: NetworkMessage): Promise<string | undefined> {
    this.hasEarlyNetworks ||= !this.isOpen
    return this.isOpen ? await this.threads.replaceNetwork(await this.liveFeeds.add(message)) : undefined
  }

  replaceLive(network: string, live: PackedLive): void {
    if (this.isOpen) this.threads.replaceLive(network, live)
    else this.earlyLive.push([network, live])
  }

  /** Called once the threads run. Sends the stored changes; every later change is relayed at once. */
  async open(networks: () => readonly NetworkMessage[]): Promise<void> {
    this.isOpen = true
    // All stored changes are posted synchronously, so that no later change arrives before them.
    await Promise.all(this.early.map((change) => this.threads.changeAccess(change)))
    for (const [network, live] of this.earlyLive) this.threads.replaceLive(network, live)
    if (this.hasEarlyNetworks) await Promise.all(networks().map((message) => this.replaceNetwork(message)))
  }
}
