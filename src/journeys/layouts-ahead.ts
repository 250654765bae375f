// Lays out the days of a new snapshot before the snapshot is served. Writes the layouts to files next to the snapshot.
import { JourneyPlanner } from '../../indexes/journeys/planner.ts'
import type { Snapshot } from '../networks/network.ts'
import { type LayoutRules, nameLayouts, shareInFiles } from './layout-files.ts'

/**
 * Lays out the days that queries at `at.seconds` need, with straight-line walks.
 * @param at.seconds in seconds after 1970
 */
export function layOutAhead(
  { id, timetable }: Snapshot,
  { transferWalkMeters, changeSeconds }: LayoutRules,
  at: { readonly path: string; readonly seconds: number; readonly warn: (message: string) => void },
): void {
  const name = nameLayouts(id, { transferWalkMeters, changeSeconds, isWheelchair: false })
  const share = shareInFiles({ snapshotPath: at.path, name, warn: at.warn })
  const planner = new JourneyPlanner(timetable, { walkMeters: transferWalkMeters, changeSeconds }, { share })
  const steps = planner.prepare({ seconds: at.seconds, isArriveBy: false }, true)
  while (steps.next().done !== true);
}
