// Live runs of frequency trips without exact times, and the runs in the timetable that they replace.
import { nextIndex } from '../../loaders/columns.ts'
import { type BoardCursor, NO_RUN } from '../timetable/board-cursor.ts'
import type { FrequencyIndex, Timetable, TripIndex } from '../timetable/timetable.ts'
import { effectiveDeparture, type LiveCallIndex, type Overlay } from './overlay.ts'

/**
 * Finds runs in the timetable that live runs replace. A run of a frequency trip without exact times is replaced if a
 * live run of the trip is near it.
 */
export class LiveRuns {
  private readonly timetable: Timetable
  private readonly overlay: Overlay

  constructor(timetable: Timetable, overlay: Overlay) {
    this.timetable = timetable
    this.overlay = overlay
  }

  /** Whether, at this call, a run in the timetable is within half a headway of a live run. */
  isReplaced(cursor: Pick<BoardCursor, 'trip' | 'day' | 'position' | 'runStartSeconds' | 'seconds'>): boolean {
    if (cursor.runStartSeconds === NO_RUN) return false
    const { instances, calls, instanceOfTrip, meta } = this.overlay
    const headway = this.headwayOf(cursor.trip, cursor.runStartSeconds)
    if (headway === undefined) return false
    let instance = instanceOfTrip[cursor.trip]
    while (instance < instances.trip.length) {
      const call = (instances.callOffset[instance] + cursor.position) as LiveCallIndex
      const live = effectiveDeparture(this.overlay, call) + meta.baseSeconds
      const isOfDay = instances.day[instance] === cursor.day && calls.position[call] === cursor.position
      if (isOfDay && Math.abs(live - cursor.seconds) * 2 <= headway) return true
      instance = instances.next[instance]
    }
    return false
  }

  /** The headway that applies to a run of a frequency trip; undefined if the trip has exact times. */
  private headwayOf(trip: TripIndex, runStart: number): number | undefined {
    const { trips, frequencies } = this.timetable
    const end = trips.frequencyOffset[nextIndex(trip)]
    for (let row: FrequencyIndex = trips.frequencyOffset[trip]; row < end; row++) {
      const isOf = runStart >= frequencies.startSeconds[row] && runStart < frequencies.endSeconds[row]
      if (isOf) return frequencies.exactTimes[row] === 1 ? undefined : frequencies.headwaySeconds[row]
    }
    return undefined
  }
}
