// Entrances, generic nodes and boarding areas. The API does not return them, but live feeds may refer to them instead
// of to their stop or station.
import { columnArray, NONE, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { findText } from '../text/sorted-texts.ts'
import { type Numbering, pick, sortRowsById } from './numbering.ts'
import type { AreaIndex, StationParts, StopIndex, Timetable } from './timetable.ts'

const FIRST_PART_TYPE = 2

/** The stop or area to which an entrance, node or boarding area belongs. */
export type Whole =
  | { readonly stop: StopIndex; readonly area?: undefined }
  | { readonly stop?: undefined; readonly area: AreaIndex }

/** The stop or the area of the part with this feed id; undefined if no part has this id. */
export function findWhole({ stationParts, strings }: Timetable, feedId: string): Whole | undefined {
  const { id, stop, area } = stationParts
  const at = findText(strings, feedId, { count: id.length, textAt: (order) => id[order] })
  if (at === undefined) return undefined
  return stop[at] === NONE ? { area: area[at] } : { stop: stop[at] }
}

/**
 * Builds the parts in id order.
 * @param areaOfRow station row → its area
 */
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
