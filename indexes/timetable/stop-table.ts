// Builds the stop columns, and the spatial trees over stops and areas.
import Flatbush from 'flatbush'
import { type Column, columnArray, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { type Numbering, pick } from './numbering.ts'
import type { LineLists } from './stop-uses.ts'
import type { PointTrees, Stops } from './timetable.ts'
import { wheelchairAccess } from './wheelchair-access.ts'

/** Data about stops that is not in stops.txt. Each column has one value per stop index. */
export interface StopFacts {
  readonly places: StopPlaces
  readonly areaOfStop: Uint32Array
  readonly wheelchair: Uint8Array
  readonly lines: LineLists
  readonly dailyDepartures: Uint32Array
  readonly callKinds: Uint8Array
}

/** The positions of stops in degrees. Each column has one value per stop index. */
export interface StopPlaces {
  readonly lat: Float64Array
  readonly lon: Float64Array
}

/** Builds the stops in number order. */
export function buildStops(feed: Feed, stops: Numbering, facts: StopFacts): Stops {
  const { rowOf } = stops
  return {
    id: sealColumn(pick(feed.stops.id, rowOf)),
    code: sealColumn(pick(feed.stops.code, rowOf)),
    name: sealColumn(pick(feed.stops.name, rowOf)),
    lat: sealColumn(facts.places.lat),
    lon: sealColumn(facts.places.lon),
    area: sealColumn(facts.areaOfStop),
    wheelchair: sealColumn(facts.wheelchair),
    platformCode: sealColumn(pick(feed.stops.platformCode, rowOf)),
    zoneId: sealColumn(pick(feed.stops.zoneId, rowOf)),
    lineOffset: sealColumn(facts.lines.offset),
    lineAt: sealColumn(facts.lines.lineAt),
    dailyDepartures: sealColumn(facts.dailyDepartures),
    callKinds: sealColumn(facts.callKinds),
  }
}

/** The positions of stops in number order. */
export function placeStops(feed: Feed, stops: Numbering): StopPlaces {
  const lat = columnArray(feed.stops.lat)
  const lon = columnArray(feed.stops.lon)
  return {
    lat: Float64Array.from(stops.rowOf, (row) => lat[row]),
    lon: Float64Array.from(stops.rowOf, (row) => lon[row]),
  }
}

/** Stop → wheelchair_boarding: the value of the stop, or of its station if the stop has no value. */
export function readWheelchairAccess(feed: Feed, stops: Numbering): Uint8Array {
  return Uint8Array.from(stops.rowOf, wheelchairAccess(feed.stops))
}

/** Builds the trees over stops and over areas. */
export function buildPointTrees(stops: Points, areas: Points): PointTrees {
  return { stops: buildPointTree(stops), areas: buildPointTree(areas) }
}

interface Points {
  readonly lat: { readonly length: number }
  readonly lon: { readonly length: number }
}

/** A Flatbush tree over points, with longitude as x; an empty column if there are no points. */
function buildPointTree(points: Points): Column<number> {
  const lat = columnArray(points.lat)
  const lon = columnArray(points.lon)
  if (lat.length === 0) return sealColumn(new Uint8Array(0))
  const tree = new Flatbush(lat.length)
  for (let i = 0; i < lat.length; i++) tree.add(lon[i], lat[i])
  tree.finish()
  return sealColumn(new Uint8Array(tree.data))
}
