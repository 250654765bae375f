// Walks inside stations, from pathways.txt: between stops, and between stops and entrances. Only the shortest times are
// stored, because journeys need nothing else.
import { columnArray, NONE, nextIndex, sealColumn } from '../../loaders/columns.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import type { Numbering } from './numbering.ts'
import { buildPathwayGraph, walkPathways } from './pathway-graph.ts'
import { BY_STEPS, type StationWays, type StopIndex, type Timetable } from './timetable.ts'

/** location_type of an entrance. */
const ENTRANCE = 2

/**
 * Other stop → seconds from the given stop to it along pathways; Infinity if all pathways between the two are closed.
 * Contains only stops to which pathways lead.
 */
export function waysFromStop({ stationWays }: Timetable, stop: StopIndex): ReadonlyMap<StopIndex, number> {
  const { stopOffset, toStop, seconds } = stationWays
  const ways = new Map<StopIndex, number>()
  const end = stopOffset[nextIndex(stop)]
  for (let at = stopOffset[stop]; at < end; at++) ways.set(toStop[at], secondsOf(seconds[at]))
  return ways
}

/** Whether pathways lead from a stop to other stops, even if these pathways are closed. */
export function hasWays({ stationWays: { stopOffset } }: Timetable, stop: StopIndex): boolean {
  return stopOffset[stop] < stopOffset[nextIndex(stop)]
}

/** An entrance of a stop's station, and the walking time between the entrance and the stop in one direction. */
export interface Door {
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  /** Infinity if the walk is not possible. */
  readonly seconds: number
}

/** The entrances from which pathways lead to a stop (`in`), or to which pathways lead from the stop (`out`). */
export function doorsOfStop(timetable: Timetable, stop: StopIndex, way: 'in' | 'out'): readonly Door[] {
  const { doorOffset } = timetable.stationWays
  const doors: Door[] = []
  const end = doorOffset[nextIndex(stop)]
  for (let at = doorOffset[stop]; at < end; at++) {
    const door = doorAt(timetable, at, way)
    if (door !== undefined) doors.push(door)
  }
  return doors
}

/** The entrance in a row of the door columns; undefined if no pathway leads through it in this direction. */
export function doorAt({ stationWays }: Timetable, row: number, way: 'in' | 'out'): Door | undefined {
  const { doorLat, doorLon, inSeconds, outSeconds } = stationWays
  const seconds = (way === 'in' ? inSeconds : outSeconds)[row]
  return seconds === NONE ? undefined : { lat: doorLat[row], lon: doorLon[row], seconds: secondsOf(seconds) }
}

function secondsOf(seconds: number): number {
  return seconds === BY_STEPS ? Infinity : seconds
}

/** Whether a stop has entrances, but none that can be used in this direction. */
export function isShut(timetable: Timetable, stop: StopIndex, way: 'in' | 'out'): boolean {
  const doors = doorsOfStop(timetable, stop, way)
  return doors.length > 0 && doors.every(({ seconds }) => seconds === Infinity)
}

/**
 * Computes the shortest walks. A walk to or from a stop uses the nearest of the stop's locations: the stop itself or
 * one of its boarding areas.
 */
export function buildStationWays(feed: Feed, stops: Numbering): StationWays {
  const placesOfStop = listPlaces(feed, stops)
  const graphs = [false, true].flatMap((isStepFree) =>
    [false, true].map((isTurned) => buildPathwayGraph(feed, { isTurned, isStepFree })),
  )
  const kinds = columnArray(feed.stops.locationType)
  const [lat, lon] = [columnArray(feed.stops.lat), columnArray(feed.stops.lon)]
  const ways: WayRow[] = []
  const doors: DoorRow[] = []
  const stopOffset = new Uint32Array(stops.count + 1)
  const doorOffset = new Uint32Array(stops.count + 1)
  for (let stop = 0; stop < stops.count; stop++) {
    const places = placesOfStop.get(stop)
    if (places !== undefined) {
      const [out, into, stepFreeOut, stepFreeIn] = graphs.map((graph) => walkPathways(graph, places))
      const stepFree = new Map(nearestStops(stepFreeOut, stops))
      for (const [other, seconds] of nearestStops(out, stops)) {
        if (other !== stop) ways.push({ other, seconds, stepFree: stepFree.get(other) ?? BY_STEPS })
      }
      const entrances = [...new Set([...out.keys(), ...into.keys()])].filter((row) => kinds[row] === ENTRANCE)
      const timesAt = (row: number, all: Reached, some: Reached) => {
        const seconds = all.get(row)
        return seconds === undefined ? [NONE, NONE] : [seconds, some.get(row) ?? BY_STEPS]
      }
      const rows = entrances.map((row): DoorRow => {
        return [lat[row], lon[row], ...timesAt(row, into, stepFreeIn), ...timesAt(row, out, stepFreeOut)]
      })
      // Sorted by their values, so that the order does not depend on row order.
      doors.push(...rows.sort((a, b) => a.map((each, at) => each - b[at]).find((each) => each !== 0) ?? 0))
    }
    stopOffset[stop + 1] = ways.length
    doorOffset[stop + 1] = doors.length
  }
  const doorTimes = (member: number) => sealColumn(Uint32Array.from(doors, (door) => door[member]))
  return {
    stopOffset: sealColumn(stopOffset),
    toStop: sealColumn(Uint32Array.from(ways, ({ other }) => other)),
    seconds: sealColumn(Uint32Array.from(ways, ({ seconds }) => seconds)),
    stepFreeSeconds: sealColumn(Uint32Array.from(ways, ({ stepFree }) => stepFree)),
    doorOffset: sealColumn(doorOffset),
    doorLat: sealColumn(Float64Array.from(doors, ([lat]) => lat)),
    doorLon: sealColumn(Float64Array.from(doors, ([, lon]) => lon)),
    inSeconds: doorTimes(2),
    stepFreeInSeconds: doorTimes(3),
    outSeconds: doorTimes(4),
    stepFreeOutSeconds: doorTimes(5),
  }
}

type Reached = ReadonlyMap<number, number>

/** A walk from one stop to another. */
interface WayRow {
  readonly other: number
  readonly seconds: number
  readonly stepFree: number
}

/**
 * Six values: latitude and longitude of an entrance; seconds from the entrance to the stop, then the same for a walk
 * without steps; seconds from the stop to the entrance, then the same for a walk without steps.
 */
type DoorRow = readonly number[]

/** Stop → its rows of stops.txt that have pathways: the stop's own row, and the rows of its boarding areas. */
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

/** The stops among the reached locations, in number order, each with its shortest time. */
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
