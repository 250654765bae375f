// The initial state of the networks for a new thread: the last message about each network, with its current live data.
import { takeLive, WHOLE, type WholeLive } from './live-state.ts'
import type { NetworkMessage, PackedLive } from './network-messages.ts'

/** Stores the last message and the live data of each network. */
export class KeptNetworks {
  private readonly networks = new Map<string, NetworkMessage>()
  private readonly live = new Map<string, WholeLive>()
  private ids: readonly string[] | undefined

  constructor(networks: readonly NetworkMessage[] = []) {
    for (const network of networks) this.keep(network)
  }

  /** The ids passed to the last `select`; undefined before the first `select`. */
  get selected(): readonly string[] | undefined {
    return this.ids
  }

  /** Stores a message about a network; does nothing if the network was removed. */
  keep(network: NetworkMessage): void {
    const { id } = network.settings
    if (this.ids?.includes(id) === false) return
    this.networks.set(id, network)
    if (network.live !== undefined) this.replaceLive(id, network.live)
  }

  /** Combines the live data in a message with the stored live data. Does nothing if the network was removed. */
  replaceLive(id: string, live: PackedLive): void {
    if (this.ids?.includes(id) === false) return
    this.live.set(id, takeLive(this.live.get(id), live, WHOLE))
  }

  /** Removes all networks except these. The messages of new networks are stored later, with `keep`. */
  select(ids: readonly string[]): void {
    for (const id of [...this.networks.keys(), ...this.live.keys()]) {
      if (ids.includes(id)) continue
      this.networks.delete(id)
      this.live.delete(id)
    }
    this.ids = ids
  }

  /** The messages of all networks, each with its complete live data. */
  list(): NetworkMessage[] {
    return [...this.networks].map(([id, network]) => {
      const live = this.live.get(id)
      return live === undefined ? network : { ...network, live }
    })
  }
}
