// The networks of one thread: their mapped snapshots and live data, and how snapshots and live data are replaced.

import { digestOf, type LiveDigests, OPENED, type OpenedLive, takeLive } from '../networks/live-state.ts'
import { type Network, type NetworkStreets, Networks, type Snapshot } from '../networks/network.ts'
import type {
  IdentifiedSnapshot,
  NetworkMessage,
  PackedLive,
  SnapshotMessage,
  StreetsMessage,
} from '../networks/network-messages.ts'
import { SnapshotViews, type Towns } from '../rendering/snapshot-view.ts'
import { ThreadStreets } from '../streets/served-streets.ts'
import { MemorySweeper } from '../system/memory-sweeper.ts'
import { ThreadSnapshot } from './thread-snapshot.ts'

class ThreadNetwork implements Network {
  settings: NetworkMessage['settings']
  lastError: NetworkMessage['lastError']
  streetsError: NetworkMessage['streetsError']
  live: OpenedLive | undefined
  current: Snapshot | undefined
  snapshot: ThreadSnapshot | undefined
  snapshotPath: string | undefined
  streets: NetworkStreets | undefined
  streetsSource: StreetsMessage | undefined

  constructor(message: NetworkMessage, snapshot: ThreadSnapshot | undefined) {
    this.settings = message.settings
    this.lastError = message.lastError
    this.streetsError = message.streetsError
    this.live = message.live && takeLive(undefined, message.live, OPENED)
    this.snapshot = snapshot
    this.snapshotPath = pathOf(message.snapshot)
  }
}

/** A network that has been prepared and can replace the one that is served. */
interface PreparedNetwork {
  readonly network: ThreadNetwork
  readonly message: NetworkMessage
  readonly snapshot: ThreadSnapshot | undefined
  readonly streets: NetworkStreets | undefined
}

/** How a thread serves its networks. */
interface ThreadOptions {
  /** Size of the cache of rendered text, in bytes. */
  readonly textCacheBytes: number
  /** Finds the towns of stops and areas, if addresses are loaded. */
  readonly towns?: Towns | undefined
  /**
   * When snapshots are opened: by default, when they are received; with `when_used`, when `open` is first called for
   * the network.
   */
  readonly opens?: 'at_once' | 'when_used'
}

/**
 * Minimum time between two garbage collections, per network. A collection takes 10 ms with one network and 100 ms with
 * 400. If dozens of networks were replaced one after another, a collection for each of them would delay requests.
 */
const REST_MILLIS_PER_NETWORK = 250

/** The networks of one thread. */
export class ThreadNetworks {
  readonly networks: Networks
  readonly views: SnapshotViews
  private list: readonly ThreadNetwork[]
  /** The ids of all networks in configured order. A network that was just added may not be served yet. */
  private order: readonly string[]
  private readonly prepared = new Map<number, PreparedNetwork>()
  private readonly sweeper = new MemorySweeper()
  private readonly streets = new ThreadStreets()
  private readonly opens: ThreadOptions['opens']

  constructor(messages: readonly NetworkMessage[], { textCacheBytes, towns, opens = 'at_once' }: ThreadOptions) {
    this.opens = opens
    this.list = messages.map((message) => this.startWith(message))
    this.order = this.list.map(({ settings }) => settings.id)
    this.networks = new Networks(this.list)
    this.views = new SnapshotViews(this.networks, textCacheBytes, towns)
    this.sweeper.sweepSoon() // frees the garbage that startup left; otherwise, the next collection would come late
  }

  /** Prepares a network without changing what is served. Returns why the network cannot be served, or undefined. */
  prepare(number: number, message: NetworkMessage): string | undefined {
    try {
      const known = this.find(message.settings.id)
      const isServed = known !== undefined && isSame(known.snapshot, message.snapshot)
      const snapshot = isServed ? known.snapshot : snapshotOf(message)
      if (this.opens === 'at_once') snapshot?.open()
      const isStreetSame = isServed && Bun.deepEquals(known.streetsSource, message.streets)
      const streets = isStreetSame ? known.streets : this.openStreets(message, snapshot)
      this.prepared.set(number, { network: known ?? new ThreadNetwork(message, snapshot), message, snapshot, streets })
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Serves a prepared network. Requests in progress still use the old snapshot; later requests use the new one. */
  commit(number: number): void {
    const prepared = this.prepared.get(number)
    if (prepared === undefined)
      throw new Error(
        `the network change with the number ${number} cannot be applied, because this thread did not prepare the change`,
      )
    this.prepared.delete(number)
    const { network, message, snapshot, streets } = prepared
    const { id } = message.settings
    if (!this.order.includes(id)) return // the network was removed in the meantime
    const isReplaced =
      (network.snapshot !== undefined && network.snapshot !== snapshot) ||
      (network.streets !== undefined && network.streets !== streets)
    network.lastError = message.lastError
    network.settings = message.settings
    if (network.snapshot !== snapshot) network.current = undefined
    network.snapshot = snapshot
    if (this.opens === 'at_once') network.current = snapshot?.open()
    network.snapshotPath = pathOf(message.snapshot)
    network.streets = streets
    network.streetsSource = message.streets
    network.streetsError = message.streetsError
    if (message.live !== undefined) network.live = takeLive(network.live, message.live, OPENED)
    if (this.find(id) === undefined) this.serve([...this.list, network])
    this.networks.noteChange()
    this.views.dropReplaced(id)
    this.streets.keepOnly(new Set(this.list.flatMap(({ streetsSource }) => streetsSource?.graph ?? [])))
    if (isReplaced) this.sweepSoon()
  }

  /** Collects the garbage of replaced and removed networks. */
  private sweepSoon(): void {
    this.sweeper.sweepSoon(this.list.length * REST_MILLIS_PER_NETWORK)
  }

  /** Opens the snapshot of a network, unless it is already open. */
  open(id: string): void {
    const network = this.find(id)
    if (network?.snapshot === undefined || network.current !== undefined) return
    network.current = network.snapshot.openIfThere()
    this.networks.noteChange()
  }

  /** Serves exactly these networks, in this order. Added networks follow with their own messages. */
  select(ids: readonly string[]): void {
    const count = this.list.length
    this.order = ids
    this.serve(this.list.filter(({ settings }) => ids.includes(settings.id)))
    this.views.prune()
    if (this.list.length < count) this.sweepSoon()
  }

  /** Discards a prepared network. */
  discard(number: number): void {
    this.prepared.delete(number)
  }

  /** Replaces the live data of a network. */
  replaceLive(id: string, live: PackedLive): void {
    const network = this.find(id)
    if (network !== undefined) network.live = takeLive(network.live, live, OPENED)
  }

  /** The ids of all served snapshots. */
  snapshotIds(): Set<string> {
    return new Set(this.list.flatMap(({ snapshot }) => snapshot?.message.id ?? []))
  }

  /** Maps the id of each network to a digest of its live data. */
  digestLive(): LiveDigests {
    return Object.fromEntries(this.list.map(({ settings, live }) => [settings.id, live ? digestOf(live) : 'none']))
  }

  private serve(list: readonly ThreadNetwork[]): void {
    const placeOf = ({ settings }: ThreadNetwork) => this.order.indexOf(settings.id)
    this.list = list.toSorted((a, b) => placeOf(a) - placeOf(b))
    this.networks.replace(this.list)
  }

  private startWith(message: NetworkMessage): ThreadNetwork {
    const snapshot = snapshotOf(message)
    const current = this.opens === 'at_once' ? snapshot?.openIfThere() : undefined
    const isGone = this.opens === 'at_once' && current === undefined
    const network = new ThreadNetwork(message, isGone ? undefined : snapshot)
    network.current = current
    network.streets = this.openStreets(message, network.snapshot)
    network.streetsSource = message.streets
    return network
  }

  private openStreets({ streets }: NetworkMessage, snapshot: ThreadSnapshot | undefined): NetworkStreets | undefined {
    return snapshot && this.streets.open(streets, snapshot.message)
  }

  private find(id: string): ThreadNetwork | undefined {
    return this.list.find(({ settings }) => settings.id === id)
  }
}

function snapshotOf({ snapshot }: NetworkMessage): ThreadSnapshot | undefined {
  return snapshot && new ThreadSnapshot(snapshot)
}

function pathOf(message: SnapshotMessage | undefined): string | undefined {
  return message !== undefined && 'path' in message ? message.path : undefined
}

function isSame(served: ThreadSnapshot | undefined, sent: IdentifiedSnapshot | undefined): boolean {
  return served === undefined ? sent === undefined : served.isOf(sent)
}
