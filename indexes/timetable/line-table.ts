// Builds the line columns, in line order. A line is a GTFS route that has trips.
import { columnArray, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { modeOfRouteType } from './modes.ts'
import { type Numbering, numberRows, pick, sortRowsById } from './numbering.ts'
import type { PatternLayout } from './patterns.ts'
import type { Lines } from './timetable.ts'

/** wheelchair_accessible 1: the vehicle can carry a wheelchair. */
const CARRIES_WHEELCHAIR = 1

/** Builds the lines. `directionOffset` contains the first direction of each line. */
export function buildLines(
  feed: Feed,
  parts: { lines: Numbering; layout: PatternLayout; directionOffset: Uint32Array },
): Lines {
  const { lines, layout } = parts
  const { routes } = feed
  const type = columnArray(routes.type)
  const agency = columnArray(routes.agency)
  const agencyName = columnArray(feed.agencies.name)
  const idRank = numberRows(sortRowsById(feed.strings, routes.id, lines.rowOf), routes.count).numberOf
  const rankOfLine = pick(sealColumn(idRank), lines.rowOf)
  return {
    id: sealColumn(pick(routes.id, lines.rowOf)),
    code: sealColumn(pick(routes.shortName, lines.rowOf)),
    name: sealColumn(pick(routes.longName, lines.rowOf)),
    mode: sealColumn(Uint8Array.from(lines.rowOf, (row) => modeOfRouteType(type[row]))),
    routeType: sealColumn(pick(routes.type, lines.rowOf)),
    color: sealColumn(pick(routes.color, lines.rowOf)),
    textColor: sealColumn(pick(routes.textColor, lines.rowOf)),
    operator: sealColumn(Uint32Array.from(lines.rowOf, (row) => agencyName[agency[row]])),
    agency: sealColumn(pick(routes.agency, lines.rowOf)),
    sortOrder: sealColumn(pick(routes.sortOrder, lines.rowOf)),
    fareNetwork: sealColumn(pick(routes.networkId, lines.rowOf)),
    accessible: sealColumn(markAccessible(feed, lines)),
    directionOffset: sealColumn(parts.directionOffset),
    patternOffset: sealColumn(patternOffsets(layout, lines.count)),
    byId: sealColumn(numberRows(rankOfLine, lines.count).numberOf),
  }
}

/** Line → 1 if it has trips and all of them are wheelchair-accessible. */
function markAccessible(feed: Feed, lines: Numbering): Uint8Array {
  const routeOf = columnArray(feed.trips.route)
  const wheelchair = columnArray(feed.trips.wheelchair)
  const hasTrips = new Uint8Array(lines.count)
  const hasOther = new Uint8Array(lines.count)
  for (let trip = 0; trip < feed.trips.count; trip++) {
    const line = lines.numberOf[routeOf[trip]]
    hasTrips[line] = 1
    if (wheelchair[trip] !== CARRIES_WHEELCHAIR) hasOther[line] = 1
  }
  return hasTrips.map((has, line) => Number(has === 1 && hasOther[line] === 0))
}

function patternOffsets({ groups, groupOf }: PatternLayout, lineCount: number): Uint32Array {
  const offset = new Uint32Array(lineCount + 1)
  for (const group of groupOf) {
    const line = groups[group]?.line ?? 0
    offset[line + 1] = offset[line + 1] + 1
  }
  for (let line = 0; line < lineCount; line++) offset[line + 1] = offset[line + 1] + offset[line]
  return offset
}
