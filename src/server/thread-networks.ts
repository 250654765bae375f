// The networks of one thread: their mapped snapshots and live data, and how both are replaced.

import { digestOf, type LiveDigests, OPENED, type OpenedLive, takeLive } from '../networks/live-state.ts'
import { type Network, type NetworkStreets, Networks, type Snapshot } from '../networks/network.ts'
import type { NetworkMessage, PackedLive, SnapshotMessage, StreetsMessage } from '../networks/network-messages.ts'
import { layoutSnapshot, snapshotBytes, stopsPath } from '../networks/snapshot-store.ts'
import { SnapshotViews, type Towns } from '../rendering/snapshot-view.ts'
import { ThreadStreets } from '../streets/served-streets.ts'
import { isErrno } from '../system/errno.ts'
import { MemorySweeper } from '../system/memory-sweeper.ts'

/** A network of this thread and the source of its snapshot. */
interface ThreadNetwork extends Network {
  live: OpenedLive | undefined
  source: SnapshotMessage | undefined
  streetsSource: StreetsMessage | undefined
}

/** A prepared replacement of a network. */
interface PreparedNetwork {
  readonly network: ThreadNetwork
  readonly message: NetworkMessage
  readonly snapshot: Snapshot | undefined
  readonly streets: NetworkStreets | undefined
}

/** The networks of one thread. */
export class ThreadNetworks {
  readonly networks: Networks
  readonly views: SnapshotViews
  private list: readonly ThreadNetwork[]
  /** Ids in configured order. A network that was just added can be missing. */
  private order: readonly string[]
  private readonly prepared = new Map<number, PreparedNetwork>()
  private readonly sweeper = new MemorySweeper()
  private readonly streets = new ThreadStreets()

  /**
   * @param textCacheBytes size of the cache of rendered text
   * @param towns the towns of places, if addresses are loaded
   */
  constructor(messages: readonly NetworkMessage[], textCacheBytes: number, towns?: Towns) {
    this.list = messages.map((message) => this.openNetwork(message, openIfThere(message.snapshot)))
    this.order = this.list.map(({ settings }) => settings.id)
    this.networks = new Networks(this.list)
    this.views = new SnapshotViews(this.networks, textCacheBytes, towns)
    this.sweeper.sweepSoon() // frees garbage of the start; the collector's next threshold depends on what remains
  }

  /** Prepares a network without changing what is served. Returns why it cannot be served, or undefined. */
  prepare(number: number, message: NetworkMessage): string | undefined {
    try {
      const known = this.find(message.settings.id)
      const network = known ?? this.openNetwork(message, openSnapshot(message.snapshot))
      const isServed = known === undefined || isSameSource(network.source, message.snapshot)
      const snapshot = isServed ? network.current : openSnapshot(message.snapshot)
      const isSame = isServed && Bun.deepEquals(network.streetsSource, message.streets)
      const streets = isSame ? network.streets : this.streets.open(message.streets, snapshot)
      this.prepared.set(number, { network, message, snapshot, streets })
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Serves what was prepared. A single assignment: requests in progress keep the old snapshot. */
  commit(number: number): void {
    const prepared = this.prepared.get(number)
    if (prepared === undefined) throw new Error(`nothing is prepared with number ${number}`)
    this.prepared.delete(number)
    const { network, message, snapshot, streets } = prepared
    const { id } = message.settings
    if (!this.order.includes(id)) return // removed in the meantime
    const isReplaced =
      (network.current !== undefined && network.current !== snapshot) ||
      (network.streets !== undefined && network.streets !== streets)
    network.source = message.snapshot
    network.lastError = message.lastError
    network.settings = message.settings
    network.current = snapshot
    network.stopsPath = stopsPathOf(message.snapshot)
    network.streets = streets
    network.streetsSource = message.streets
    network.streetsError = message.streetsError
    if (message.live !== undefined) network.live = takeLive(network.live, message.live, OPENED)
    if (this.find(id) === undefined) this.serve([...this.list, network])
    this.views.viewOf(network) // drops texts rendered from the old snapshot
    this.streets.keepOnly(new Set(this.list.flatMap(({ streetsSource }) => streetsSource?.graph ?? [])))
    if (isReplaced) this.sweeper.sweepSoon()
  }

  /** Serves exactly these networks, in this order; new ones follow with their own messages. */
  select(ids: readonly string[]): void {
    const count = this.list.length
    this.order = ids
    this.serve(this.list.filter(({ settings }) => ids.includes(settings.id)))
    this.views.prune()
    if (this.list.length < count) this.sweeper.sweepSoon()
  }

  /** Discards what was prepared. */
  discard(number: number): void {
    this.prepared.delete(number)
  }

  /** Replaces the live data of a network. */
  replaceLive(id: string, live: PackedLive): void {
    const network = this.find(id)
    if (network !== undefined) network.live = takeLive(network.live, live, OPENED)
  }

  /** Network → digest of its live data. */
  digestLive(): LiveDigests {
    return Object.fromEntries(this.list.map(({ settings, live }) => [settings.id, live ? digestOf(live) : 'none']))
  }

  private serve(list: readonly ThreadNetwork[]): void {
    const placeOf = ({ settings }: ThreadNetwork) => this.order.indexOf(settings.id)
    this.list = list.toSorted((a, b) => placeOf(a) - placeOf(b))
    this.networks.replace(this.list)
  }

  private openNetwork(message: NetworkMessage, current: Snapshot | undefined): ThreadNetwork {
    const { settings, snapshot, lastError, streets, streetsError } = message
    return {
      settings,
      current,
      live: message.live && takeLive(undefined, message.live, OPENED),
      lastError,
      source: current === undefined ? undefined : snapshot,
      stopsPath: stopsPathOf(snapshot),
      streets: this.streets.open(streets, current),
      streetsSource: streets,
      streetsError,
    }
  }

  private find(id: string): ThreadNetwork | undefined {
    return this.list.find(({ settings }) => settings.id === id)
  }
}

/**
 * Opens the snapshot that a thread starts with. Undefined if it was found damaged and moved away after the message was
 * sent; a message with its replacement follows.
 */
function openIfThere(message: SnapshotMessage | undefined): Snapshot | undefined {
  try {
    return openSnapshot(message)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

function openSnapshot(message: SnapshotMessage | undefined): Snapshot | undefined {
  if (message === undefined) return undefined
  return layoutSnapshot('bytes' in message ? message.bytes : snapshotBytes(message.path)).snapshot
}

function stopsPathOf(message: SnapshotMessage | undefined): string | undefined {
  return message !== undefined && 'path' in message ? stopsPath(message.path) : undefined
}

/** Only files can be compared: memory that is sent twice arrives as different objects. */
function isSameSource(served: SnapshotMessage | undefined, sent: SnapshotMessage | undefined): boolean {
  if (served === undefined || sent === undefined) return served === sent
  return 'path' in served && 'path' in sent && served.path === sent.path
}
