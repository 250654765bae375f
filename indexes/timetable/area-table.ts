// Builds the area columns. The areas are the stations of a feed, or groups of stops with the same name if the feed has
// no stations. In a network of several feeds, a group can contain stops from any of the feeds without stations.
import { columnArray, NONE, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { EMPTY_STRING, type StringIndex, type StringPoolBuilder, textOf } from '../../loaders/strings.ts'
import { compareCodeUnits } from '../text/natural-order.ts'
import { groupNamesakes } from './area-groups.ts'
import { idTexts, listStations, type Numbering, pick } from './numbering.ts'
import type { LineLists } from './stop-uses.ts'
import { type Areas, STOP_HAS_BOARDINGS } from './timetable.ts'
import { WHEELCHAIRS } from './wheelchair-access.ts'

/** The areas sorted by id, and the area of each stop and station. */
export interface AreaLayout {
  readonly count: number
  readonly areas: readonly Area[]
  /** Stop → its area; NONE if the stop has no area. */
  readonly areaOfStop: Uint32Array
  /** Station row → its area; NONE for other rows. */
  readonly areaOfRow: Uint32Array
}

interface Area {
  readonly id: string
  readonly idIndex: StringIndex
  readonly code: StringIndex
  readonly name: StringIndex
  readonly lat: number
  readonly lon: number
  /** Row of the station; NONE for a generated area. */
  readonly row: number
  /** The stops of the area, ascending. */
  readonly stops: readonly number[]
}

/** Inputs to `layAreas`. */
export interface AreaParts {
  readonly stops: Numbering
  readonly places: { readonly lat: Float64Array; readonly lon: Float64Array }
  /** Stop → the directions (of lines) that serve the stop. */
  readonly directionsOf: readonly ReadonlySet<number>[]
  /** Receives the ids of generated areas. */
  readonly texts: StringPoolBuilder
}

/** Lists the areas sorted by id (UTF-16 code units). Their positions in this list are the area numbers. */
export function layAreas(feed: Feed, parts: AreaParts): AreaLayout {
  const areas = listStationAreas(feed, parts)
  areas.push(...makeAreas(feed, { ...parts, takenIds: new Set(areas.map(({ id }) => id)) }))
  areas.sort((a, b) => compareCodeUnits(a.id, b.id))
  const areaOfStop = new Uint32Array(parts.stops.count).fill(NONE)
  const areaOfRow = new Uint32Array(feed.stops.count).fill(NONE)
  for (const [number, area] of areas.entries()) {
    for (const stop of area.stops) areaOfStop[stop] = number
    if (area.row !== NONE) areaOfRow[area.row] = number
  }
  return { count: areas.length, areas, areaOfStop, areaOfRow }
}

function listStationAreas(feed: Feed, { stops }: AreaParts): Area[] {
  const parent = columnArray(feed.stops.parent)
  const stopsOfStation = new Map<number, number[]>()
  for (const row of listStations(feed)) stopsOfStation.set(row, [])
  for (const [stop, row] of stops.rowOf.entries()) stopsOfStation.get(parent[row])?.push(stop)
  return [...stopsOfStation].map(([row, members]) => {
    const idIndex = columnArray(feed.stops.id)[row] as StringIndex
    return {
      id: textOf(feed.strings, idIndex),
      idIndex,
      code: columnArray(feed.stops.code)[row] as StringIndex,
      name: columnArray(feed.stops.name)[row] as StringIndex,
      lat: columnArray(feed.stops.lat)[row],
      lon: columnArray(feed.stops.lon)[row],
      row,
      stops: members,
    }
  })
}

function makeAreas(feed: Feed, parts: AreaParts & { readonly takenIds: ReadonlySet<string> }): Area[] {
  const { stops, places, directionsOf, texts, takenIds } = parts
  const name = pick(feed.stops.name, stops.rowOf)
  const groupable = listStationlessStops(feed, stops)
  const groups = groupNamesakes({
    count: groupable.length,
    name: numberSpellings(feed, pick(sealColumn(stops.rowOf), groupable)),
    lat: Float64Array.from(groupable, (stop) => places.lat[stop]),
    lon: Float64Array.from(groupable, (stop) => places.lon[stop]),
    directionsOf: Array.from(groupable, (stop) => directionsOf[stop]),
  }).map((group) => group.map((member) => groupable[member]))
  const ids = columnArray(feed.stops.id)
  return groups.map((members) => {
    const first = members[0]
    let id = `auto-${textOf(feed.strings, ids[stops.rowOf[first]] as StringIndex)}`
    // A station in another feed may already have this id.
    while (takenIds.has(id)) id = `auto-${id}`
    return {
      id,
      idIndex: texts.internText(id),
      code: EMPTY_STRING,
      name: name[first] as StringIndex,
      lat: mean(members.map((stop) => places.lat[stop])),
      lon: meanLon(members.map((stop) => places.lon[stop])),
      row: NONE,
      stops: members,
    }
  })
}

/**
 * For each of the rows, a number for its name. Names that differ only in diacritics, case or spaces get the same
 * number.
 */
function numberSpellings({ strings, stops }: Feed, rows: Uint32Array): Uint32Array {
  const names = idTexts(strings, stops.name, rows)
  const numbers = new Map<string, number>()
  return rows.map((row) => {
    const spelling = names[row].normalize('NFKD').toLowerCase().replace(MARKS_AND_SPACES, '')
    const number = numbers.get(spelling) ?? numbers.size
    numbers.set(spelling, number)
    return number
  })
}

const MARKS_AND_SPACES = /[\p{M}\s]+/gu

/** The stops of all feeds in which no stop has a station, in ascending order. */
function listStationlessStops({ stops, stopOffsetOfFeed }: Feed, { rowOf }: Numbering): Uint32Array {
  const parent = columnArray(stops.parent)
  const feedOfRow = new Uint32Array(stops.count)
  for (const [feed, offset] of stopOffsetOfFeed.entries()) feedOfRow.fill(feed, offset)
  const grouped = new Set<number>()
  for (const row of rowOf) if (parent[row] !== NONE) grouped.add(feedOfRow[row])
  const stopNumbers = Uint32Array.from(rowOf, (_, stop) => stop)
  return stopNumbers.filter((stop) => !grouped.has(feedOfRow[rowOf[stop]]))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * The mean of the longitudes. It averages the differences from the first value, so the result is correct across the
 * antimeridian too.
 */
function meanLon(values: readonly number[]): number {
  const first = values[0]
  const lon = first + mean(values.map((value) => wrapDegrees(value - first)))
  return wrapDegrees(lon)
}

function wrapDegrees(degrees: number): number {
  if (degrees > 180) return degrees - 360
  return degrees < -180 ? degrees + 360 : degrees
}

/** Builds the area columns, in the order of the area numbers. */
export function buildAreas(
  layout: AreaLayout,
  parts: { callKinds: Uint8Array; wheelchair: Uint8Array; lines: LineLists },
): Areas {
  const { areas } = layout
  const stopOffset = new Uint32Array(areas.length + 1)
  for (const [number, { stops }] of areas.entries()) {
    stopOffset[number + 1] = stopOffset[number] + stops.length
  }
  return {
    id: sealColumn(Uint32Array.from(areas, (area) => area.idIndex)),
    code: sealColumn(Uint32Array.from(areas, (area) => area.code)),
    name: sealColumn(Uint32Array.from(areas, (area) => area.name)),
    lat: sealColumn(Float64Array.from(areas, (area) => area.lat)),
    lon: sealColumn(Float64Array.from(areas, (area) => area.lon)),
    accessible: sealColumn(Uint8Array.from(areas, (area) => Number(isAccessible(area, parts)))),
    stopOffset: sealColumn(stopOffset),
    stopAt: sealColumn(Uint32Array.from(areas.flatMap((area) => area.stops))),
    lineOffset: sealColumn(parts.lines.offset),
    lineAt: sealColumn(parts.lines.lineAt),
  }
}

/** Whether an area is accessible: it has stops where riders can board, and all of these stops are accessible. */
function isAccessible(area: Area, parts: { callKinds: Uint8Array; wheelchair: Uint8Array }): boolean {
  const boarding = area.stops.filter((stop) => (parts.callKinds[stop] & STOP_HAS_BOARDINGS) !== 0)
  return boarding.length > 0 && boarding.every((stop) => parts.wheelchair[stop] === WHEELCHAIRS)
}
