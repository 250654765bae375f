// Walks inside stations from pathways.txt: between stops, and between stops and the street. Only the shortest times are
// stored, because journeys need nothing else.
import { columnArray, NONE, nextIndex, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import type { Numbering } from './numbering.ts'
import { buildPathwayGraph, walkPathways } from './pathway-graph.ts'
import type { StationWays, StopIndex, Timetable } from './timetable.ts'

/** location_type of an entrance. */
const ENTRANCE = 2

/** Seconds from a stop to each other stop of its station that pathways reach. */
export function waysFromStop({ stationWays }: Timetable, stop: StopIndex): ReadonlyMap<StopIndex, number> {
  const { stopOffset, toStop, seconds } = stationWays
  const ways = new Map<StopIndex, number>()
  const end = stopOffset[nextIndex(stop)]
  for (let at = stopOffset[stop]; at < end; at++) ways.set(toStop[at], seconds[at])
  return ways
}

/** An entrance of a stop's station, and the walking times between it and the stop. */
export interface Door {
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  readonly seconds: number
}

/** The entrances from which pathways lead to a stop or back. */
export function doorsOfStop({ stationWays }: Timetable, stop: StopIndex, way: 'in' | 'out'): readonly Door[] {
  const { doorOffset, doorLat, doorLon, inSeconds, outSeconds } = stationWays
  const secondsOf = way === 'in' ? inSeconds : outSeconds
  const doors: Door[] = []
  const end = doorOffset[nextIndex(stop)]
  for (let at = doorOffset[stop]; at < end; at++) {
    const seconds = secondsOf[at]
    if (seconds !== NONE) doors.push({ lat: doorLat[at], lon: doorLon[at], seconds })
  }
  return doors
}

/** Computes all walks. A boarding area counts as its stop: the nearest one is used. */
export function buildStationWays(feed: Feed, stops: Numbering): StationWays {
  const placesOfStop = listPlaces(feed, stops)
  const [forward, backward] = [buildPathwayGraph(feed, false), buildPathwayGraph(feed, true)]
  const kinds = columnArray(feed.stops.locationType)
  const [lat, lon] = [columnArray(feed.stops.lat), columnArray(feed.stops.lon)]
  const ways = { stop: [] as number[], seconds: [] as number[] }
  const doors = { row: [] as number[], into: [] as number[], out: [] as number[] }
  const stopOffset = new Uint32Array(stops.count + 1)
  const doorOffset = new Uint32Array(stops.count + 1)
  for (let stop = 0; stop < stops.count; stop++) {
    const places = placesOfStop.get(stop)
    if (places !== undefined) {
      const out = walkPathways(forward, places)
      const into = walkPathways(backward, places)
      for (const [other, seconds] of nearestStops(out, stops)) {
        if (other === stop) continue
        ways.stop.push(other)
        ways.seconds.push(seconds)
      }
      // Sorted by stored values, so that row order does not matter.
      const byPlace = (a: number, b: number) =>
        lat[a] - lat[b] ||
        lon[a] - lon[b] ||
        (into.get(a) ?? NONE) - (into.get(b) ?? NONE) ||
        (out.get(a) ?? NONE) - (out.get(b) ?? NONE)
      const entrances = [...new Set([...out.keys(), ...into.keys()])].filter((row) => kinds[row] === ENTRANCE)
      for (const row of entrances.sort(byPlace)) {
        doors.row.push(row)
        doors.into.push(into.get(row) ?? NONE)
        doors.out.push(out.get(row) ?? NONE)
      }
    }
    stopOffset[stop + 1] = ways.stop.length
    doorOffset[stop + 1] = doors.row.length
  }
  return {
    stopOffset: sealColumn(stopOffset),
    toStop: sealColumn(Uint32Array.from(ways.stop)),
    seconds: sealColumn(Uint32Array.from(ways.seconds)),
    doorOffset: sealColumn(doorOffset),
    doorLat: sealColumn(Float64Array.from(doors.row, (row) => lat[row])),
    doorLon: sealColumn(Float64Array.from(doors.row, (row) => lon[row])),
    inSeconds: sealColumn(Uint32Array.from(doors.into)),
    outSeconds: sealColumn(Uint32Array.from(doors.out)),
  }
}

/** The stops with pathways, each with its rows in stops.txt: its own and those of its boarding areas. */
function listPlaces({ pathways }: Feed, { numberOf }: Numbering): ReadonlyMap<number, readonly number[]> {
  const rows = new Set<number>(columnArray(pathways.from))
  for (const row of columnArray(pathways.to)) rows.add(row)
  const places = new Map<number, number[]>()
  for (const row of rows) {
    const stop = numberOf[row]
    if (stop !== NONE) places.getOrInsertComputed(stop, () => []).push(row)
  }
  return places
}

/** The stops among some locations, in number order. */
function nearestStops(
  reached: ReadonlyMap<number, number>,
  { numberOf }: Numbering,
): [stop: number, seconds: number][] {
  const nearest = new Map<number, number>()
  for (const [row, seconds] of reached) {
    const stop = numberOf[row]
    if (stop !== NONE) nearest.set(stop, Math.min(seconds, nearest.get(stop) ?? seconds))
  }
  return [...nearest].sort(([a], [b]) => a - b)
}
