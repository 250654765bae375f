// GTFS-Realtime messages for tests, as an agency would publish them. The official bindings encode them from plain
// objects.
import GtfsRealtime from 'gtfs-realtime-bindings'

const { transit_realtime: wire } = GtfsRealtime

/** The bytes of a message. @param entities objects with the field names of the bindings */
export function realtimeFeed(
  timestampSeconds: number,
  entities: readonly GtfsRealtime.transit_realtime.IFeedEntity[],
  incrementality: 'FULL_DATASET' | 'DIFFERENTIAL' = 'FULL_DATASET',
): Uint8Array<ArrayBuffer> {
  const message = {
    header: {
      gtfsRealtimeVersion: '2.0',
      timestamp: timestampSeconds,
      incrementality: wire.FeedHeader.Incrementality[incrementality],
    },
    entity: [...entities],
  }
  return new Uint8Array(wire.FeedMessage.encode(wire.FeedMessage.fromObject(message)).finish())
}

/** A trip update with departure delays. @param delays stop id → delay in seconds */
export function delayedTrip(tripId: string, startDate: string, delays: Readonly<Record<string, number>>) {
  return {
    id: `update-${tripId}`,
    tripUpdate: {
      trip: { tripId, startDate },
      stopTimeUpdate: Object.entries(delays).map(([stopId, delay]) => ({ stopId, departure: { delay } })),
    },
  }
}

/** A trip update that cancels a trip. */
export function canceledTrip(tripId: string, startDate: string) {
  const { CANCELED } = wire.TripDescriptor.ScheduleRelationship
  return { id: `cancel-${tripId}`, tripUpdate: { trip: { tripId, startDate, scheduleRelationship: CANCELED } } }
}
