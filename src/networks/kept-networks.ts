// What a thread that starts anew must be told of the networks: each as it was last told of, with what live feeds say now.
import { takeLive, WHOLE, type WholeLive } from './live-state.ts'
import type { NetworkMessage, PackedLive } from './network-messages.ts'

/** The networks as they are now. */
export class KeptNetworks {
  private readonly networks = new Map<string, NetworkMessage>()
  private readonly live = new Map<string, WholeLive>()
  private ids: readonly string[] | undefined

  constructor(networks: readonly NetworkMessage[] = []) {
    for (const network of networks) this.keep(network)
  }

  /** The ids that were said last by `select`; undefined where none ever were. */
  get selected(): readonly string[] | undefined {
    return this.ids
  }

  /** A network is served as this message says; one that was taken out is not kept. */
  keep(network: NetworkMessage): void {
    const { id } = network.settings
    if (this.ids?.includes(id) === false) return
    this.networks.set(id, network)
    if (network.live !== undefined) this.replaceLive(id, network.live)
  }

  /** Live feeds say something else now. */
  replaceLive(id: string, live: PackedLive): void {
    if (this.ids?.includes(id) === false) return
    this.live.set(id, takeLive(this.live.get(id), live, WHOLE))
  }

  /** These networks alone are served; those of them that are new come with their messages. */
  select(ids: readonly string[]): void {
    for (const id of [...this.networks.keys(), ...this.live.keys()]) {
      if (ids.includes(id)) continue
      this.networks.delete(id)
      this.live.delete(id)
    }
    this.ids = ids
  }

  /** All of them, whole. */
  list(): NetworkMessage[] {
    return [...this.networks].map(([id, network]) => {
      const live = this.live.get(id)
      return live === undefined ? network : { ...network, live }
    })
  }
}
