// A network's live state, as in a planner, with the trips of one feed and nothing else.
import type GtfsRealtime from 'gtfs-realtime-bindings'
import type { Network, NetworkLive } from '../../../src/networks/network.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import { liveFromFeed } from './live-from-feed.ts'

/** The live state after a feed with the id `trips` has published these trip updates. */
export function publishedTrips(
  network: Network,
  entities: readonly GtfsRealtime.transit_realtime.IFeedEntity[],
  atMillis: number,
): NetworkLive {
  return liveFromFeed(network, realtimeFeed(atMillis / 1000, entities), { atMillis, id: 'trips' })
}
