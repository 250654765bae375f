// The lines of a stop or an area.
import { linesOfArea } from '../../indexes/timetable/areas.ts'
import { linesOfStop } from '../../indexes/timetable/stops.ts'
import type { LineIndex } from '../../indexes/timetable/timetable.ts'
import type { Place, SnapshotRows } from './snapshot-view.ts'

/** The lines of a stop or an area, in the order of the timetable's lines. */
export function linesOf({ timetable }: SnapshotRows, place: Place): LineIndex[] {
  return place.kind === 'stop' ? linesOfStop(timetable, place.stop) : linesOfArea(timetable, place.area)
}
