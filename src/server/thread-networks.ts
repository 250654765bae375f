// The networks of one thread: the snapshots it has mapped, what live feeds say of them, and how both are replaced.

import { digestOf, type LiveDigests, OPENED, type OpenedLive, takeLive } from '../networks/live-state.ts'
import { type Network, Networks, type Snapshot } from '../networks/network.ts'
import type { NetworkMessage, PackedLive, SnapshotMessage } from '../networks/network-messages.ts'
import { layoutSnapshot, snapshotBytes } from '../networks/snapshot-store.ts'
import { SnapshotViews, type Towns } from '../rendering/snapshot-view.ts'
import { isErrno } from '../system/errno.ts'
import { MemorySweeper } from '../system/memory-sweeper.ts'

/** A network of this thread, and where what it serves came from. */
interface ThreadNetwork extends Network {
  live: OpenedLive | undefined
  source: SnapshotMessage | undefined
}

/** What a thread would serve of a network, made ready beside what it serves. */
interface PreparedNetwork {
  readonly network: ThreadNetwork
  readonly message: NetworkMessage
  readonly snapshot: Snapshot | undefined
}

/** The networks of one thread. */
export class ThreadNetworks {
  readonly networks: Networks
  readonly views: SnapshotViews
  private list: readonly ThreadNetwork[]
  /** Ids as they are configured. One that was just put in may not be in the list yet. */
  private order: readonly string[]
  private readonly prepared = new Map<number, PreparedNetwork>()
  private readonly sweeper = new MemorySweeper()

  /**
   * @param textCacheBytes what may be kept of rendered texts
   * @param towns the towns of places, if addresses are loaded
   */
  constructor(messages: readonly NetworkMessage[], textCacheBytes: number, towns?: Towns) {
    this.list = messages.map((message) => openNetwork(message, openIfThere(message.snapshot)))
    this.order = this.list.map(({ settings }) => settings.id)
    this.networks = new Networks(this.list)
    this.views = new SnapshotViews(this.networks, textCacheBytes, towns)
    this.sweeper.sweepSoon() // of what the start has left behind: how much may pile up later goes by what is there now
  }

  /** Why the network cannot be served as the message says, or undefined. What is served now stays untouched. */
  prepare(number: number, message: NetworkMessage): string | undefined {
    try {
      const known = this.find(message.settings.id)
      const network = known ?? openNetwork(message, openSnapshot(message.snapshot))
      const isServed = known === undefined || isSameSource(network.source, message.snapshot)
      const snapshot = isServed ? network.current : openSnapshot(message.snapshot)
      this.prepared.set(number, { network, message, snapshot })
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** One assignment: a request that has begun keeps what it read. */
  commit(number: number): void {
    const prepared = this.prepared.get(number)
    if (prepared === undefined) throw new Error(`nothing was prepared under the number ${number}`)
    this.prepared.delete(number)
    const { network, message, snapshot } = prepared
    const { id } = message.settings
    if (!this.order.includes(id)) return // taken out meanwhile
    const isReplaced = network.current !== undefined && network.current !== snapshot
    network.source = message.snapshot
    network.lastError = message.lastError
    network.settings = message.settings
    network.current = snapshot
    if (message.live !== undefined) network.live = takeLive(network.live, message.live, OPENED)
    if (this.find(id) === undefined) this.serve([...this.list, network])
    this.views.viewOf(network) // drops what was rendered of the old snapshot
    if (isReplaced) this.sweeper.sweepSoon()
  }

  /** Serves these networks alone, in this order; those of them that are new come with their messages. */
  select(ids: readonly string[]): void {
    const count = this.list.length
    this.order = ids
    this.serve(this.list.filter(({ settings }) => ids.includes(settings.id)))
    this.views.prune()
    if (this.list.length < count) this.sweeper.sweepSoon()
  }

  /** Forgets what was prepared. */
  discard(number: number): void {
    this.prepared.delete(number)
  }

  /** Puts what live feeds say now in place of what they said before. */
  replaceLive(id: string, live: PackedLive): void {
    const network = this.find(id)
    if (network !== undefined) network.live = takeLive(network.live, live, OPENED)
  }

  /** Network → what live feeds say of it, as a digest. */
  digestLive(): LiveDigests {
    return Object.fromEntries(this.list.map(({ settings, live }) => [settings.id, live ? digestOf(live) : 'none']))
  }

  private serve(list: readonly ThreadNetwork[]): void {
    const placeOf = ({ settings }: ThreadNetwork) => this.order.indexOf(settings.id)
    this.list = list.toSorted((a, b) => placeOf(a) - placeOf(b))
    this.networks.replace(this.list)
  }

  private find(id: string): ThreadNetwork | undefined {
    return this.list.find(({ settings }) => settings.id === id)
  }
}

function openNetwork(message: NetworkMessage, current: Snapshot | undefined): ThreadNetwork {
  const { settings, snapshot, lastError } = message
  return {
    settings,
    current,
    live: message.live && takeLive(undefined, message.live, OPENED),
    lastError,
    source: current === undefined ? undefined : snapshot,
  }
}

/**
 * The snapshot a thread starts with; undefined where it was found damaged and put aside since the thread was told of it.
 * What takes its place is told next.
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

/** Memory that was sent twice is not the same object here: only files are known again. */
function isSameSource(served: SnapshotMessage | undefined, told: SnapshotMessage | undefined): boolean {
  if (served === undefined || told === undefined) return served === told
  return 'path' in served && 'path' in told && served.path === told.path
}
