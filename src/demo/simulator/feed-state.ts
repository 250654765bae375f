// What the demo's agency publishes at an instant: three feed messages, which depend on the city, the seed and the
// instant alone, so that any moment can be had again.
import { transit_realtime } from 'gtfs-realtime-bindings'
import { listAlerts } from './alerts.ts'
import type { CityDays } from './city-days.ts'
import { listTripUpdates } from './trip-updates.ts'
import { listVehiclePositions } from './vehicle-positions.ts'

/** The feeds, by the name that stands in their address. */
export const FEEDS = ['trip-updates', 'vehicle-positions', 'alerts'] as const

/** A feed's name. */
export type FeedName = (typeof FEEDS)[number]

/** A feed message before it is bytes. */
export type FeedMessage = transit_realtime.IFeedMessage

const LISTS = {
  'trip-updates': listTripUpdates,
  'vehicle-positions': listVehiclePositions,
  alerts: listAlerts,
} as const

/** One feed at an instant, in seconds after 1970. Pure but for what `days` keeps to be faster. */
export function feedAt(days: CityDays, feed: FeedName, nowSeconds: number): FeedMessage {
  return {
    header: {
      gtfsRealtimeVersion: '2.0',
      incrementality: transit_realtime.FeedHeader.Incrementality.FULL_DATASET,
      timestamp: nowSeconds,
    },
    entity: LISTS[feed](days, nowSeconds),
  }
}

/** A message as bytes. */
export function encodeFeed(message: FeedMessage): Uint8Array {
  return transit_realtime.FeedMessage.encode(message).finish()
}
