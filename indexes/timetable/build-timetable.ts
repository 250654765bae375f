// Builds a timetable from a feed. Each step is in its own file and builds one group of columns.
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import type { CallTable, Feed, ShapeTable } from '../../loaders/gtfs/feed.ts'
import { StringPoolBuilder } from '../../loaders/strings.ts'
import { type AreaLayout, buildAreas, layAreas } from './area-table.ts'
import { buildBoards } from './board-rows.ts'
import { buildCallProfiles } from './call-profiles.ts'
import { buildDirections } from './direction-table.ts'
import { directTrips } from './directions.ts'
import { buildLines } from './line-table.ts'
import { type Numbering, numberLines, numberStops, rankTrips } from './numbering.ts'
import { layPatterns, type TripFacts } from './patterns.ts'
import { buildPlaceOrders } from './place-orders.ts'
import { buildServiceDays } from './service-days.ts'
import { buildStationParts } from './station-parts.ts'
import { buildStationWays } from './station-ways.ts'
import { buildPointTrees, buildStops, placeStops, readWheelchairAccess, type StopPlaces } from './stop-table.ts'
import {
  countDailyDepartures,
  listCallKinds,
  listDirections,
  listLines,
  markRunning,
  type UseParts,
} from './stop-uses.ts'
import { buildStopWords } from './stop-words.ts'
import type { Areas, Shapes, Stops, Timetable } from './timetable.ts'
import { buildMeta, carryTables, findMaxTime, timezoneOf } from './timetable-meta.ts'
import { buildTransfers } from './transfer-table.ts'
import { countServiceDays, readTripCalls } from './trip-calls.ts'
import { buildFrequencies, buildPatterns, buildTrips, layStopTimes } from './trip-table.ts'

/** Options for feeds with many millions of calls. */
export interface BuildOptions {
  /**
   * Whether to drop the feed's calls after they have been read, because they need most of the feed's memory. The feed
   * must not be used afterwards.
   */
  readonly dropsCalls?: boolean
  /** Called after large objects have become unreachable, so that the caller can collect garbage. */
  readonly onFreed?: () => void
}

/**
 * Builds the timetable of a feed. The feed is not changed unless `dropsCalls` is set. The feed may be released
 * afterwards, because no column is shared with it. The numbers of stops, lines and trips depend on ids and content, not
 * on row order.
 */
export function buildTimetable(
  feed: Feed,
  { dropsCalls = false, onFreed = () => undefined }: BuildOptions = {},
): Timetable {
  const texts = StringPoolBuilder.from(feed.strings)
  const stops = numberStops(feed)
  const lines = numberLines(feed)
  const places = placeStops(feed, stops)
  const tripCalls = readTripCalls(feed, stops)
  const directionOf = directTrips(feed, { tripCalls, lines, places })
  const facts: TripFacts = { tripCalls, lines, directionOf, idRankOf: rankTrips(feed) }
  const layout = layPatterns(feed, facts)
  const { directions, offsetOfLine, directionOfGroup } = buildDirections({ feed, layout, facts, stops, texts })
  onFreed()
  const frequencies = buildFrequencies(feed, layout)
  const profiles = buildCallProfiles(feed, layout.trips.rowOf)
  const timed = {
    patterns: buildPatterns(layout, facts, directionOfGroup),
    trips: buildTrips(feed, layout, { facts, profiles, frequencies }),
    stopTimes: layStopTimes(feed, layout),
    frequencies: frequencies.frequencies,
    serviceDays: buildServiceDays(feed, timezoneOf(feed)),
  }
  if (dropsCalls) dropCalls(feed)
  onFreed()
  const boards = buildBoards({ stopCount: stops.count, ...timed })
  const lineTable = buildLines(feed, { lines, layout, directionOffset: offsetOfLine })
  const uses: UseParts = { stopCount: stops.count, ...timed, boards }
  const area = layAreas(feed, { stops, places, directionsOf: listDirections(uses), texts })
  const ground = buildGround(feed, { stops, places, area, uses })
  const placeOrders = buildPlaceOrders(texts, ground)
  const strings = texts.seal()
  return {
    meta: buildMeta(feed, { lines: lineTable, maxTimeSeconds: findMaxTime(timed) }),
    strings,
    ...ground,
    stationParts: buildStationParts(feed, stops, area.areaOfRow),
    lines: lineTable,
    directions,
    ...timed,
    callProfiles: profiles.callProfiles,
    boards,
    shapes: copyShapes(feed.shapes),
    transfers: buildTransfers(feed, {
      stopOfRow: stops.numberOf,
      areaOfRow: area.areaOfRow,
      lineOfRow: lines.numberOf,
      tripOfRow: layout.trips.numberOf,
    }),
    stationWays: buildStationWays(feed, stops),
    stopWords: buildStopWords(strings, ground.stops, ground.areas),
    placeOrders,
    pointTrees: buildPointTrees(ground.stops, ground.areas),
    carried: carryTables(feed),
  }
}

function dropCalls(feed: { calls: CallTable }): void {
  feed.calls = {
    count: 0,
    stop: sealColumn(new Uint32Array(0)),
    stopSequence: sealColumn(new Uint32Array(0)),
    arrivalSeconds: sealColumn(new Uint32Array(0)),
    departureSeconds: sealColumn(new Uint32Array(0)),
    pickupType: sealColumn(new Uint8Array(0)),
    dropOffType: sealColumn(new Uint8Array(0)),
    headsign: sealColumn(new Uint32Array(0)),
    shapeDistance: undefined,
  }
}

/** Builds the stops and areas, with their lines and departure counts. */
function buildGround(
  feed: Feed,
  parts: { stops: Numbering; places: StopPlaces; area: AreaLayout; uses: UseParts },
): { stops: Stops; areas: Areas } {
  const { stops, places, area, uses } = parts
  const running = {
    patterns: uses.patterns,
    isRunning: markRunning(uses.patterns, uses.trips, countServiceDays(feed.services)),
  }
  const wheelchair = readWheelchairAccess(feed, stops)
  const callKinds = listCallKinds(uses)
  const areaLines = listLines(running, {
    placeOf: (stop) => area.areaOfStop[stop],
    count: area.count,
  })
  return {
    stops: buildStops(feed, stops, {
      places,
      areaOfStop: area.areaOfStop,
      wheelchair,
      lines: listLines(running, { placeOf: (stop) => stop, count: stops.count }),
      dailyDepartures: countDailyDepartures(feed, uses),
      callKinds,
    }),
    areas: buildAreas(area, { callKinds, wheelchair, lines: areaLines }),
  }
}

/** Copies the shapes. Their numbers are the same as in the feed. */
function copyShapes(shapes: ShapeTable): Shapes {
  return {
    id: copy(shapes.id),
    pointOffset: copy(shapes.pointOffset),
    latE6: copy(shapes.latE6),
    lonE6: copy(shapes.lonE6),
    distance: shapes.distance === undefined ? sealColumn(new Float64Array(0)) : copy(shapes.distance),
  }
}

function copy<I extends number, Value extends number>(column: Column<I, Value>): Column<I, Value> {
  return sealColumn(columnArray(column).slice())
}
