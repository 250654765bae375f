// Recognizes descriptors of trips that are not in the timetable: added trips, and their cancellations.
import type { TripDescriptor } from '../../loaders/gtfs-rt/message.ts'
import type { LiveTrip } from './live-trip.ts'

/** Whether a descriptor adds a trip: a new one, or a copy of a trip in the timetable. */
export function isNewTrip(trip: TripDescriptor): boolean {
  return isAdded(trip) || trip.relationship === 'duplicated'
}

/** Whether a descriptor adds a trip that is not a copy of a trip in the timetable. */
export function isAdded({ relationship }: TripDescriptor): boolean {
  return relationship === 'added' || relationship === 'new'
}

/** Whether a trip is canceled or deleted. */
export function isOff({ relationship }: TripDescriptor): boolean {
  return relationship === 'canceled' || relationship === 'deleted'
}

/** The cancellation of an added trip. Feeds send it as a separate update. */
export interface Ending {
  readonly trip: TripDescriptor
  readonly timestampSeconds: number
}

/** Removes the added trips that were canceled after their last update. */
export function endAdded(
  trips: Map<string, LiveTrip>,
  { trip: { tripId, startDate }, timestampSeconds }: Ending,
): void {
  for (const [key, { instance, name, ref, timestampSeconds: reportedSeconds }] of trips) {
    const isOfDay = startDate === undefined || ref.startsWith(`${startDate}:`)
    if (instance === undefined && name === tripId && isOfDay && reportedSeconds <= timestampSeconds) trips.delete(key)
  }
}
