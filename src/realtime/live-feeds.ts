// The live feeds of all networks as the control thread sees them: a live thread where there are any, else nothing.
import { openOverlay, type PackedOverlay } from '../../indexes/live/build-overlay.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import type { NetworkConfig } from '../config.ts'
import type { FeedStatus } from '../network.ts'
import type { NetworkMessage } from '../thread-messages.ts'
import { LiveControl, type LiveControlParts } from './live-control.ts'
import type { LiveNetworkOrder, LiveThreadStart, PackedLive, UnmatchedUpdates } from './live-messages.ts'

/** The live feeds. */
export class LiveFeeds {
  private readonly control: LiveControl | undefined
  private readonly networks: readonly LiveNetworkOrder[]
  /** The newest of each network, by its id. */
  private readonly newest = new Map<string, Pick<PackedLive, 'version' | 'feeds'>>()
  /** The newest overlay of each network: shared memory that the data threads read too. */
  private readonly overlays = new Map<
    string,
    { readonly version: number; readonly overlay: PackedOverlay | undefined }
  >()
  private isStarted = false

  /** Wakes the live thread, where some network has live feeds. */
  constructor(networks: readonly NetworkConfig[], parts: LiveControlParts) {
    this.networks = networks
      .filter(({ feeds, scheduledVehicles }) => feeds.length > 0 || scheduledVehicles)
      .map(({ id, feeds, scheduledVehicles }) => ({ id, feeds, scheduledVehicles }))
    this.control = this.networks.length === 0 ? undefined : new LiveControl(this.remembering(parts))
  }

  /** Begins to poll. */
  async start(start: Omit<LiveThreadStart, 'networks'>): Promise<void> {
    await this.control?.start({ ...start, networks: this.networks })
    this.isStarted = true
  }

  /** A network's message with what its feeds say of its snapshot. */
  async add(message: NetworkMessage): Promise<NetworkMessage> {
    if (this.control === undefined || message.snapshot === undefined) return message
    const live = await this.control.prepare(message.settings.id, message.snapshot)
    if (live !== undefined) this.remember(message.settings.id, live)
    return live === undefined ? message : { ...message, live }
  }

  /** How each feed fares that was heard of. */
  listFeeds(): { readonly network: string; readonly status: FeedStatus }[] {
    return [...this.newest].flatMap(([network, { feeds }]) => feeds.map((status) => ({ network, status })))
  }

  /** What live feeds say of a network's trips now; undefined where they are silent. */
  overlayOf(network: string): Overlay | undefined {
    const overlay = this.overlays.get(network)?.overlay
    return overlay === undefined ? undefined : openOverlay(overlay)
  }

  /** Which updates of a network's feeds stand for no trip now. */
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

  private remember(network: string, { version, feeds, overlay }: PackedLive): void {
    const before = this.overlays.get(network)
    if (overlay !== 'same' && (before === undefined || before.version < version)) {
      this.overlays.set(network, { version, overlay })
    }
    const known = this.newest.get(network)
    if (known === undefined || known.version <= version) this.newest.set(network, { version, feeds })
  }

  close(): void {
    this.control?.close()
  }
}
