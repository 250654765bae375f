// A network's live state as a planner has it when one feed has told of trips, and of nothing else.
import type GtfsRealtime from 'gtfs-realtime-bindings'
import type { Network, NetworkLive } from '../../../src/networks/network.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import { liveFromFeed } from './live-from-feed.ts'

/** The live state in which a feed `trips` has told of these. */
export function toldTrips(
  network: Network,
  entities: readonly GtfsRealtime.transit_realtime.IFeedEntity[],
  atMillis: number,
): NetworkLive {
  return liveFromFeed(network, realtimeFeed(atMillis / 1000, entities), { atMillis, id: 'trips' })
}
