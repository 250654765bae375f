// Carries delays along blocks to trips without updates. If a vehicle ends a trip late, it starts its next trip late,
// unless the layover between the two trips is long enough.
import { Blocks } from '../timetable/blocks.ts'
import { NO_RUN } from '../timetable/board-cursor.ts'
import type { StopIndex, Timetable } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import { type LiveCall, type LiveTrip, scheduledCalls, stopsOfTrip, useOfCall } from './live-trip.ts'
import { INSTANCE_RUNS } from './overlay.ts'
import type { ScheduledCall } from './predict.ts'

/** Carries delays from trips to the next trips of their blocks. */
export class BlockCarrier {
  private readonly timetable: Timetable
  private blocks: Blocks | undefined

  constructor(timetable: Timetable) {
    this.timetable = timetable
  }

  /** Adds the trips that start late because of an earlier trip. `keyOf` returns the key of a trip in `trips`. */
  carryOn(trips: Map<string, LiveTrip>, keyOf: (trip: Pick<LiveTrip, 'instance' | 'ref'>) => string): void {
    for (const trip of [...trips.values()]) {
      let last: LiveTrip | undefined = trip
      while (last !== undefined) {
        const next: LiveTrip | undefined = this.followerOf(last)
        if (next === undefined || trips.has(keyOf(next))) break
        trips.set(keyOf(next), next)
        last = next
      }
    }
  }

  /**
   * The next trip of the same vehicle on the same day, with the carried delay. Undefined if there is no next trip, or
   * if it can leave on time.
   */
  private followerOf(trip: LiveTrip): LiveTrip | undefined {
    const { instance, calls, state } = trip
    const end = calls.at(-1)
    if (instance === undefined || state !== INSTANCE_RUNS || end === undefined || !end.isPredicted) return undefined
    const next = this.nextOfBlock(instance)
    if (next === undefined) return undefined
    const scheduled = scheduledCalls(this.timetable, next)
    const delay = end.arrival - scheduled[0].departure
    return delay > 0 ? this.delayed(next, { scheduled, delay, after: trip }) : undefined
  }

  private delayed(
    instance: TripInstance,
    how: { readonly scheduled: readonly ScheduledCall[]; readonly delay: number; readonly after: LiveTrip },
  ): LiveTrip {
    const { timetable } = this
    const { trip } = instance
    const stops = stopsOfTrip(timetable, trip)
    const pattern = timetable.trips.pattern[trip]
    return {
      instance,
      day: instance.day,
      ref: '',
      name: '',
      line: timetable.patterns.line[pattern],
      direction: timetable.patterns.direction[pattern],
      state: INSTANCE_RUNS,
      feed: how.after.feed,
      timestampSeconds: how.after.timestampSeconds,
      headsign: '',
      vehicle: how.after.vehicle,
      isCarried: true,
      calls: how.scheduled.map(
        (scheduled, position): LiveCall => ({
          stop: stops[position] as StopIndex,
          position,
          scheduled,
          arrival: scheduled.arrival + how.delay,
          departure: scheduled.departure + how.delay,
          isPredicted: true,
          isSkipped: false,
          isUnplanned: false,
          headsign: '',
          ...useOfCall(timetable, { trip, position }, undefined),
        }),
      ),
    }
  }

  private nextOfBlock({ trip, day, runStartSeconds }: TripInstance): TripInstance | undefined {
    if (runStartSeconds !== NO_RUN) return undefined
    this.blocks ??= new Blocks(this.timetable)
    const next = this.blocks.nextOf(trip, day)
    return next === undefined ? undefined : { trip: next, day, runStartSeconds: NO_RUN }
  }
}
