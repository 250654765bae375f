// Finds the stops at which riders can board some trip, and the stops at which they can alight. Some feeds list stops
// that allow neither. Without this check, the planner would look for impossible journeys on all days before and after
// the time of a query.

import { columnArray, nextIndex } from '../../loaders/columns.ts'
import type { Overlay } from '../live/overlay.ts'
import type { PatternIndex, PatternStopIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import { CAN_ALIGHT, CAN_BOARD } from './route-layer.ts'
import type { WalkEnds } from './search-ground.ts'
import { usesOf } from './trip-classes.ts'

/** The stops near the origin and near the destination, and the live data. */
interface Ends {
  readonly access: WalkEnds<StopIndex>
  readonly egress: WalkEnds<StopIndex>
  readonly overlay: Overlay | undefined
}

/** Records at which stops of a timetable riders can board or alight, on any day. */
export class UsedStops {
  private readonly timetable: Timetable
  private known: Uint8Array | undefined

  constructor(timetable: Timetable) {
    this.timetable = timetable
  }

  /**
   * False if riders cannot board any trip at the origin on any day, or cannot alight from any trip at the destination
   * on any day. Then there is no journey.
   */
  mayConnect({ access, egress, overlay }: Ends): boolean {
    return this.isUsed(access, CAN_BOARD, overlay) && this.isUsed(egress, CAN_ALIGHT, overlay)
  }

  /**
   * Whether riders may be able to board or alight (`use`) at any of the stops. Stops at which live trips call also
   * count, because the timetable may not use them.
   */
  private isUsed({ stops }: WalkEnds<StopIndex>, use: number, overlay: Overlay | undefined): boolean {
    const { uses } = this
    if (stops.some((stop) => ((uses[stop] as number) & use) !== 0)) return true
    if (overlay === undefined) return false
    const called = columnArray(overlay.calls.stop)
    return stops.some((stop) => called.includes(stop))
  }

  /** Stop → the CAN_… bits of all calls at the stop, combined. */
  private get uses(): Uint8Array {
    this.known ??= readUses(this.timetable)
    return this.known
  }
}

function readUses(timetable: Timetable): Uint8Array {
  const { patterns, stops } = timetable
  const uses = new Uint8Array(stops.id.length)
  for (let pattern = 0 as PatternIndex; pattern < patterns.line.length; pattern = nextIndex(pattern)) {
    const first = patterns.stopOffset[pattern]
    for (const [call, use] of usesOf(timetable, pattern).entries()) {
      const stop = patterns.stopAt[(first + call) as PatternStopIndex]
      uses[stop] = (uses[stop] as number) | use
    }
  }
  return uses
}
