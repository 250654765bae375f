// Brings what changes on the control thread to the data threads, and keeps what changes before they run: nothing that
// happens while a service starts is lost, or arrives out of order.
import type { RingChange } from '../access/key-ring.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import type { LiveFeeds } from '../realtime/live-feeds.ts'
import type { DataThreads } from './data-threads.ts'

/** The way from the control thread to the data threads. */
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

  /** Settles once the change holds on every thread; at once before they run. */
  async changeAccess(change: RingChange): Promise<void> {
    if (this.isOpen) await this.threads.changeAccess(change)
    else this.early.push(change)
  }

  /** Has a network served as it is now; why it cannot be, where it cannot. */
  async replaceNetwork(message: NetworkMessage): Promise<string | undefined> {
    this.hasEarlyNetworks ||= !this.isOpen
    return this.isOpen ? await this.threads.replaceNetwork(await this.liveFeeds.add(message)) : undefined
  }

  replaceLive(network: string, live: PackedLive): void {
    if (this.isOpen) this.threads.replaceLive(network, live)
    else this.earlyLive.push([network, live])
  }

  /** The threads run: brings them what changed since they were told what to start with. */
  async open(networks: () => readonly NetworkMessage[]): Promise<void> {
    this.isOpen = true
    // All posted before anything else can happen, so that none arrives after a later change.
    await Promise.all(this.early.map((change) => this.threads.changeAccess(change)))
    for (const [network, live] of this.earlyLive) this.threads.replaceLive(network, live)
    if (this.hasEarlyNetworks) await Promise.all(networks().map((message) => this.replaceNetwork(message)))
  }
}
