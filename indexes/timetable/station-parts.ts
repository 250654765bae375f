// Entrances, generic nodes and boarding areas: nothing of the API, but live feeds name them, and mean the stop or the
// station that they are parts of.
import { columnArray, NONE, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { findText } from '../text/sorted-texts.ts'
import { type Numbering, pick, sortRowsById } from './numbering.ts'
import type { AreaIndex, StationParts, StopIndex, Timetable } from './timetable.ts'

const FIRST_PART_TYPE = 2

/** What a part belongs to. */
export type Whole =
  | { readonly stop: StopIndex; readonly area?: undefined }
  | { readonly stop?: undefined; readonly area: AreaIndex }

/** The stop or the area that the feed's id is a part of; undefined where it is none. */
export function findWhole({ stationParts, strings }: Timetable, feedId: string): Whole | undefined {
  const { id, stop, area } = stationParts
  const at = findText(strings, feedId, { count: id.length, textAt: (order) => id[order] })
  if (at === undefined) return undefined
  return stop[at] === NONE ? { area: area[at] } : { stop: stop[at] }
}

/** Builds the parts in the order of their ids. @param areaOfRow station row → its area */
export function buildStationParts(feed: Feed, stops: Numbering, areaOfRow: Uint32Array): StationParts {
  const locationType = columnArray(feed.stops.locationType)
  const parent = columnArray(feed.stops.parent)
  const all = Uint32Array.from({ length: feed.stops.count }, (_, row) => row)
  const parts = all.filter((row) => locationType[row] >= FIRST_PART_TYPE && parent[row] !== NONE)
  const rowOf = sortRowsById(feed.strings, feed.stops.id, parts)
  return {
    id: sealColumn(pick(feed.stops.id, rowOf)),
    stop: sealColumn(Uint32Array.from(rowOf, (row) => stops.numberOf[parent[row]])),
    area: sealColumn(Uint32Array.from(rowOf, (row) => areaOfRow[parent[row]])),
  }
}
