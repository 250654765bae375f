// What descriptors say of trips that the timetable does not have: that they run, and that they are called off again.
import type { TripDescriptor } from '../../loaders/gtfs-rt/message.ts'
import type { LiveTrip } from './live-trip.ts'

/** Whether a descriptor means a trip beside those of the timetable. */
export function isNewTrip(trip: TripDescriptor): boolean {
  return isAdded(trip) || trip.relationship === 'duplicated'
}

/** Whether a descriptor means a trip that the timetable does not have. */
export function isAdded({ relationship }: TripDescriptor): boolean {
  return relationship === 'added' || relationship === 'new'
}

/** Whether a trip is called off. */
export function isOff({ relationship }: TripDescriptor): boolean {
  return relationship === 'canceled' || relationship === 'deleted'
}

/** An added trip is called off, by an update of its own. */
export interface Ending {
  readonly trip: TripDescriptor
  readonly timestampSeconds: number
}

/** Takes out the added trips that were called off after they were last spoken of. */
export function endAdded(
  trips: Map<string, LiveTrip>,
  { trip: { tripId, startDate }, timestampSeconds }: Ending,
): void {
  for (const [key, { instance, name, ref, timestampSeconds: spokenSeconds }] of trips) {
    const isOfDay = startDate === undefined || ref.startsWith(`${startDate}:`)
    if (instance === undefined && name === tripId && isOfDay && spokenSeconds <= timestampSeconds) trips.delete(key)
  }
}
