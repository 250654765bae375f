// Records which kinds of content each live feed has contained so far. The record survives a restart, so that a network
// does not lose a capability if a feed is empty, late or failing at startup.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { VehicleKnowledge } from '../../indexes/live/vehicles.ts'
import type { LiveCapabilities } from '../networks/network.ts'
import { KeptFile } from '../system/kept-file.ts'
import type { LiveNetworkOrder } from './live-messages.ts'

/** A kind of content that a feed may provide, as in the setting `provides`. */
export type FeedKind = 'trips' | 'vehicles' | 'alerts'

/** A kind of content seen in a feed; `estimated` stands for trips from which vehicle positions could be estimated. */
export type SeenKind = FeedKind | 'estimated'

/** The kinds of content seen in each feed, stored in one file in the data directory. */
export class SeenBook {
  private readonly file: KeptFile<Record<string, readonly SeenKind[]>>
  private readonly seen: Record<string, readonly SeenKind[]>

  /** @param onProblem called if the file cannot be written; the write is retried later */
  constructor(dataDir: string, onProblem: (message: string) => void) {
    mkdirSync(dataDir, { recursive: true })
    this.file = new KeptFile(join(dataDir, 'seen-live-data.json'), onProblem)
    this.seen = this.file.read() ?? {}
  }

  /** Records kinds of content that a feed contains. */
  note(network: string, feed: string, kinds: readonly SeenKind[]): void {
    const key = `${network}/${feed}`
    const known = this.seen[key] ?? []
    const added = kinds.filter((kind) => !known.includes(kind))
    if (added.length === 0) return
    this.seen[key] = [...known, ...added]
    this.file.keep(this.seen)
  }

  /** All kinds of content that a feed has contained so far. */
  kindsOf(network: string, feed: string): readonly SeenKind[] {
    return this.seen[`${network}/${feed}`] ?? []
  }

  /**
   * The kinds of data that a network's feeds can provide.
   *
   * A feed with the setting `provides` can provide the kinds in the setting. If they include trips, it can also provide
   * estimated positions, once such positions have been seen. A feed without the setting can provide trips, alerts, and
   * all kinds that have been seen in it. Trips and alerts count even if they have never been seen, so that no
   * capability disappears while the feed is configured.
   */
  capabilitiesOf({ id, feeds, scheduledVehicles }: LiveNetworkOrder): LiveCapabilities {
    const provided = feeds.map((feed) => {
      const seen = this.kindsOf(id, feed.id)
      return new Set<SeenKind>(
        feed.provides === undefined
          ? ['trips', 'alerts', ...seen]
          : [...feed.provides, ...seen.filter((kind) => kind === 'estimated' && feed.provides?.includes('trips'))],
      )
    })
    const has = (kind: SeenKind) => provided.some((kinds) => kinds.has(kind))
    return { trips: has('trips'), alerts: has('alerts'), vehicles: vehiclesOf(has, scheduledVehicles) }
  }
}

function vehiclesOf(has: (kind: SeenKind) => boolean, scheduledVehicles: boolean): VehicleKnowledge {
  if (has('vehicles')) return has('estimated') || scheduledVehicles ? 'mixed' : 'gps'
  return has('trips') || scheduledVehicles ? 'estimated' : 'none'
}
