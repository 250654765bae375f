// A network's live state as a planner has it when one feed has told of trips, and of nothing else.
import type GtfsRealtime from 'gtfs-realtime-bindings'
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import type { Network, NetworkLive } from '../../../src/networks/network.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'

/** The live state in which a feed `trips` has told of these. */
export function toldTrips(
  network: Network,
  entities: readonly GtfsRealtime.transit_realtime.IFeedEntity[],
  atMillis: number,
): NetworkLive {
  if (network.current === undefined) throw new Error('the network has a snapshot')
  const { id: snapshotId, timetable } = network.current
  const seconds = atMillis / 1000
  const { trips } = decodeMessage(realtimeFeed(seconds, entities))
  const live = new LiveTripReader(timetable).read([{ timestampSeconds: seconds, trips }], seconds)
  const meta = { snapshotId, version: 1, baseSeconds: seconds, feedIds: ['trips'] }
  return {
    feeds: [
      {
        id: 'trips',
        fetchedAtMillis: atMillis,
        timestampMillis: atMillis,
        freshMillis: 90_000,
        maxAgeMillis: 300_000,
        carries: { trips: true, vehicles: false, alerts: false },
        matchRate: 1,
        lastError: undefined,
        budget: undefined,
      },
    ],
    capabilities: { trips: true, alerts: false, vehicles: 'estimated' },
    overlay: buildOverlay(timetable, live.trips, meta),
  }
}
