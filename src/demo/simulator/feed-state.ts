// The demo's three feed messages at an instant. They depend only on the city, the seed and the instant, so the messages
// for any instant can be reproduced.
import { transit_realtime } from 'gtfs-realtime-bindings'
import { listAlerts } from './alerts.ts'
import type { CityDays } from './city-days.ts'
import { listTripUpdates } from './trip-updates.ts'
import { listVehiclePositions } from './vehicle-positions.ts'

/** Names of the feeds, as used in their URLs. */
export const FEEDS = ['trip-updates', 'vehicle-positions', 'alerts'] as const

/** The name of a feed. */
export type FeedName = (typeof FEEDS)[number]

/** A feed message before encoding. */
export type FeedMessage = transit_realtime.IFeedMessage

const LISTS = {
  'trip-updates': listTripUpdates,
  'vehicle-positions': listVehiclePositions,
  alerts: listAlerts,
} as const

/** Returns a feed's message at an instant, in seconds since 1970. Has no side effects except on the cache in `days`. */
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

/** Encodes a message. */
export function encodeFeed(message: FeedMessage): Uint8Array {
  return transit_realtime.FeedMessage.encode(message).finish()
}
