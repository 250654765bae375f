// The live feeds of all networks, for the control thread. Runs a live thread if a network has live feeds or scheduled
// vehicles.
import { openOverlay, type PackedOverlay } from '../../indexes/live/build-overlay.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import type { LiveFigures } from '../accounts/fleet.ts'
import type { NetworkConfig } from '../config/config.ts'
import { type LiveForms, type LiveState, takeLive, WHOLE } from '../networks/live-state.ts'
import type { FeedStatus } from '../networks/network.ts'
import type { NetworkMessage, PackedLive, SnapshotMessage } from '../networks/network-messages.ts'
import type { LogLevel } from '../system/log.ts'
import type {
  FromLiveThread,
  LiveNetworkOrder,
  LiveThreadStart,
  ToLiveThread,
  UnmatchedUpdates,
} from './live-messages.ts'

/** Callbacks to the control thread for live data, failures and problems. */
export interface LiveControlParts {
  readonly onLive: (network: string, live: PackedLive) => void
  readonly onFailure: (error: Error) => void
  readonly onProblem: (message: string) => void
}

/** Start parameters of the live thread, except the networks. */
type LiveSurroundings = Omit<LiveThreadStart, 'networks'>

/** How long a stopping replica waits for its live thread to give up the role of the poller. */
const LEAVE_MILLIS = 1_000

/** The parts of live data that the control thread keeps: the overlays, but not the vehicles or alerts. */
const OVERLAYS_ALONE: LiveForms<PackedOverlay, undefined, undefined> = {
  overlay: WHOLE.overlay,
  vehicles: () => undefined,
  alerts: () => undefined,
}

/** The live feeds, as seen by the control thread. */
export class LiveFeeds {
  private readonly parts: LiveControlParts
  private control: LiveControl | undefined
  private orders: readonly LiveNetworkOrder[]
  private surroundings: LiveSurroundings | undefined
  /**
   * Network id → the network's current live state. The overlays are in shared memory, which the data threads read too.
   */
  private readonly newest = new Map<string, LiveState<PackedOverlay, undefined, undefined>>()
  private isStarted = false

  /** Creates the live thread if a network has live feeds or scheduled vehicles. */
  constructor(networks: readonly NetworkConfig[], parts: LiveControlParts) {
    this.parts = this.remembering(parts)
    this.orders = networks.filter(isLive).map(toOrder)
    this.control = this.orders.length === 0 ? undefined : new LiveControl(this.parts)
  }

  /** Starts polling. */
  async start(surroundings: LiveSurroundings): Promise<void> {
    this.surroundings = surroundings
    await this.control?.start({ ...surroundings, networks: this.orders })
    this.isStarted = true
  }

  /**
   * Switches to new settings. If all feeds of a network were removed, the live thread keeps the network without feeds,
   * so that the feeds' data is removed too. Afterward, the caller must call `add` again for each network whose settings
   * changed.
   */
  async reload(networks: readonly NetworkConfig[], logLevel: LogLevel): Promise<void> {
    const { surroundings } = this
    if (surroundings === undefined) throw new Error('the live feeds were not started')
    const known = new Set(this.orders.map(({ id }) => id))
    this.surroundings = { ...surroundings, logLevel }
    this.orders = networks.filter((network) => isLive(network) || known.has(network.id)).map(toOrder)
    for (const id of this.newest.keys()) if (!networks.some((network) => network.id === id)) this.newest.delete(id)
    if (this.control !== undefined) this.control.reload({ networks: this.orders, logLevel })
    else if (this.orders.length > 0) {
      this.control = new LiveControl(this.parts)
      await this.control.start({ ...this.surroundings, networks: this.orders })
    }
  }

  /**
   * Adds the live data for a network's snapshot to the network's message. If there is no live data, returns the message
   * unchanged.
   */
  async add(message: NetworkMessage): Promise<NetworkMessage> {
    if (this.control === undefined || message.snapshot === undefined) return message
    const live = await this.control.prepare(message.settings.id, message.snapshot)
    if (live !== undefined) this.remember(message.settings.id, live)
    return live === undefined ? message : { ...message, live }
  }

  /** The status of each feed that has reported one. */
  listFeeds(): { readonly network: string; readonly status: FeedStatus }[] {
    return [...this.newest].flatMap(([network, { feeds }]) => feeds.map((status) => ({ network, status })))
  }

  /** The current overlay of a network; undefined if the network has none. */
  overlayOf(network: string): Overlay | undefined {
    const overlay = this.newest.get(network)?.overlay
    return overlay === undefined ? undefined : openOverlay(overlay)
  }

  /** The current unmatched updates of a network's feeds. */
  async listUnmatched(network: string): Promise<readonly UnmatchedUpdates[]> {
    return this.isStarted ? ((await this.control?.listUnmatched(network)) ?? []) : []
  }

  private remembering(parts: LiveControlParts): LiveControlParts {
    return {
      ...parts,
      onLive: (network, live) => {
        this.remember(network, live)
        parts.onLive(network, live)
      },
    }
  }

  private remember(network: string, live: PackedLive): void {
    if (!this.orders.some(({ id }) => id === network)) return // the message was sent before the network was removed
    this.newest.set(network, takeLive(this.newest.get(network), live, OVERLAYS_ALONE))
  }

  /**
   * In a cluster: this replica's figures on the shared live data; undefined until the live thread has reported them.
   */
  get fleetFigures(): LiveFigures | undefined {
    return this.control?.fleetFigures
  }

  /** In a cluster: gives up the role of the poller, so that another replica can take it. */
  async leave(): Promise<void> {
    if (this.surroundings?.fleet !== undefined) await this.control?.leave()
  }

  close(): void {
    this.control?.close()
  }
}

function isLive({ feeds, scheduledVehicles }: NetworkConfig): boolean {
  return feeds.length > 0 || scheduledVehicles
}

function toOrder({ id, feeds, scheduledVehicles, gtfs }: NetworkConfig): LiveNetworkOrder {
  return { id, feeds, scheduledVehicles, prefixes: gtfs.map(({ prefix }) => prefix) }
}

/** The live thread: a Worker, and the requests to it that are not answered yet. */
class LiveControl {
  private readonly worker: Worker
  private readonly parts: LiveControlParts
  private readonly awake = Promise.withResolvers<void>()
  private readonly waiting = new Map<number, PromiseWithResolvers<PackedLive | undefined>>()
  fleetFigures: LiveFigures | undefined
  private readonly left = Promise.withResolvers<void>()
  private readonly pending = new Map<number, (feeds: readonly UnmatchedUpdates[]) => void>()
  private number = 0

  constructor(parts: LiveControlParts) {
    this.parts = parts
    this.worker = new Worker(Bun.main, { argv: ['live'] })
    this.worker.onmessage = (event: MessageEvent<FromLiveThread>) => this.take(event.data)
    this.worker.onerror = (event) => parts.onFailure(new Error(event.message))
  }

  async start(start: LiveThreadStart): Promise<void> {
    await this.awake.promise
    this.post({ kind: 'start', start })
  }

  /** Switches to the new orders and log level. Later calls of `prepare` use the new orders. */
  reload(message: Omit<Extract<ToLiveThread, { kind: 'reload' }>, 'kind'>): void {
    this.post({ kind: 'reload', ...message })
  }

  /**
   * The live data for a snapshot that is about to be served; undefined if the live thread does not have the network.
   * Rejects if the snapshot cannot be read.
   */
  async prepare(network: string, snapshot: SnapshotMessage): Promise<PackedLive | undefined> {
    const number = ++this.number
    const prepared = Promise.withResolvers<PackedLive | undefined>()
    this.waiting.set(number, prepared)
    this.post({ kind: 'snapshot', network, snapshot, number })
    return await prepared.promise
  }

  /** The current unmatched updates of a network's feeds. */
  async listUnmatched(network: string): Promise<readonly UnmatchedUpdates[]> {
    const number = ++this.number
    const answer = Promise.withResolvers<readonly UnmatchedUpdates[]>()
    this.pending.set(number, answer.resolve)
    this.post({ kind: 'list_unmatched', network, number })
    return await answer.promise
  }

  async leave(): Promise<void> {
    this.post({ kind: 'leave' })
    await Promise.race([this.left.promise, Bun.sleep(LEAVE_MILLIS)])
  }

  close(): void {
    this.worker.terminate()
  }

  private post(message: ToLiveThread): void {
    this.worker.postMessage(message)
  }

  private take(message: FromLiveThread): void {
    switch (message.kind) {
      case 'awake':
        this.awake.resolve()
        break
      case 'prepared':
        this.waiting.get(message.number)?.resolve(message.live)
        this.waiting.delete(message.number)
        break
      case 'not_prepared':
        this.waiting.get(message.number)?.reject(new Error(message.problem))
        this.waiting.delete(message.number)
        break
      case 'unmatched':
        this.pending.get(message.number)?.(message.feeds)
        this.pending.delete(message.number)
        break
      case 'live':
        this.parts.onLive(message.network, message.live)
        break
      case 'fleet':
        this.fleetFigures = message.figures
        break
      case 'left':
        this.left.resolve()
        break
      case 'problem':
        this.parts.onProblem(message.message)
        break
      case 'failed':
        this.parts.onFailure(new Error(message.message))
        break
    }
  }
}
