// Stores the kinds of content that each live feed has ever had. They outlast a restart, so a network does not lose a
// capability if a feed is empty, late or failing at startup.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { VehicleKnowledge } from '../../indexes/live/vehicles.ts'
import type { LiveCapabilities } from '../networks/network.ts'
import { KeptFile } from '../system/kept-file.ts'
import type { LiveNetworkOrder } from './live-messages.ts'

/** A kind of content that a feed may provide, as in the setting `provides`. */
export type FeedKind = 'trips' | 'vehicles' | 'alerts'

/** A kind of content seen in a feed; `estimated`: trips from which vehicles could be estimated. */
export type SeenKind = FeedKind | 'estimated'

/** The kinds of content seen in all feeds, in one file of the data directory. */
export class SeenBook {
  private readonly file: KeptFile<Record<string, readonly SeenKind[]>>
  private readonly seen: Record<string, readonly SeenKind[]>

  /** @param onProblem called if the file cannot be written; the write is retried later */
  constructor(dataDir: string, onProblem: (message: string) => void) {
    mkdirSync(dataDir, { recursive: true })
    this.file = new KeptFile(join(dataDir, 'seen-live-data.json'), onProblem)
    this.seen = this.file.read() ?? {}
  }

  /** Records the kinds of content of a feed. */
  note(network: string, feed: string, kinds: readonly SeenKind[]): void {
    const key = `${network}/${feed}`
    const known = this.seen[key] ?? []
    const added = kinds.filter((kind) => !known.includes(kind))
    if (added.length === 0) return
    this.seen[key] = [...known, ...added]
    this.file.keep(this.seen)
  }

  /** The kinds of content that a feed has ever had. */
  kindsOf(network: string, feed: string): readonly SeenKind[] {
    return this.seen[`${network}/${feed}`] ?? []
  }

  /**
   * The kinds of data that the feeds of a network can provide. If a feed has the setting `provides`, these are the
   * kinds in the setting. If they include trips, estimated positions are added once they were seen. If a feed does not
   * have the setting, these are trips, alerts, and all kinds that were ever seen in the feed. Trips and alerts are
   * included even if they were never seen, so that no capability disappears while the feed is configured.
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
