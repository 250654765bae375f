// The stops and areas of a network as a place set. If a stop is near an area with the same name, a search by name finds
// only the area, but the stop can still be found by its code. A stop without lines is never found.
import { type Column, columnArray, NONE, nextIndex, sealColumn } from '../../loaders/columns.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { convexHull, type Hull } from '../spatial/convex-hull.ts'
import { greatCircleMeters } from '../spatial/great-circle.ts'
import { normalizeWords } from '../text/normalize.ts'
import { findToken, type PrefixTree } from '../text/prefix-tree.ts'
import { type AreaIndex, eachStop, type Timetable } from '../timetable/timetable.ts'
import { buildPlaceSet, type EntryIndex, type PlaceSet } from './place-set.ts'

/** The places of a network as a set, and the stop or area of each place. */
export interface StopPlaces {
  readonly set: PlaceSet
  /** Place → a stop index, or the number of stops plus an area index. */
  readonly numberOf: Column<EntryIndex>
  /**
   * The normalized codes of stops and areas. The postings of a code are numbers as in `numberOf`; areas come before
   * stops.
   */
  readonly codes: PrefixTree
  /** The corners of the convex hull of all stops, in degrees. */
  readonly hullLat: Column<number>
  readonly hullLon: Column<number>
}

/** The input of buildStopPlaces. */
export interface StopNetwork {
  readonly timetable: Timetable
  /** Words that match all places of the network: its own name and its city. */
  readonly networkWords: string
  /** Returns the name of the town at a position in degrees; empty if it is unknown. */
  readonly townAt: (lat: number, lon: number) => string
}

/** An area represents the stops that have the same name as the area and are within this distance of it. */
const AREA_METERS = 300
/** A place with at least this many departures per day has the highest importance. */
const BUSY_DEPARTURES = 3000
const UNITS_PER_DEGREE = 1e7

interface Source {
  /** A stop index, or the number of stops plus an area index. */
  readonly number: number
  readonly name: string
  readonly lat: number
  readonly lon: number
  readonly town: number
  readonly importance: number
}

/** Builds the set. */
export function buildStopPlaces({ timetable, networkWords, townAt }: StopNetwork): StopPlaces {
  const towns: string[] = []
  const townNumbers = new Map<string, number>()
  const townOf = (lat: number, lon: number) =>
    townNumbers.getOrInsertComputed(`${townAt(lat, lon)} ${networkWords}`, (text) => towns.push(text) - 1)
  const sources = listSources(timetable, townOf).sort((a, b) =>
    a.name === b.name ? a.number - b.number : a.name < b.name ? -1 : 1,
  )
  const names: string[] = []
  const entryOffset: number[] = []
  for (const [entry, { name }] of sources.entries()) {
    if (name === names.at(-1)) continue
    names.push(name)
    entryOffset.push(entry)
  }
  entryOffset.push(sources.length)
  const set = buildPlaceSet({
    names,
    entryOffset,
    towns,
    town: sealColumn(Uint32Array.from(sources, ({ town }) => town)),
    postcode: sealColumn(new Uint32Array(sources.length).fill(NONE)),
    importance: sealColumn(Uint8Array.from(sources, ({ importance }) => importance)),
    lat: sealColumn(Int32Array.from(sources, ({ lat }) => Math.round(lat * UNITS_PER_DEGREE))),
    lon: sealColumn(Int32Array.from(sources, ({ lon }) => Math.round(lon * UNITS_PER_DEGREE))),
  })
  return {
    set,
    numberOf: sealColumn(Uint32Array.from(sources, ({ number }) => number)),
    codes: listCodes(timetable),
    ...hullOfStops(timetable),
  }
}

/**
 * Finds the stops and areas whose normalized code is `typed`, which must be normalized, too. Returns numbers as in
 * `numberOf`.
 */
export function findByCode({ codes }: StopPlaces, typed: string): number[] {
  const token = findToken(codes, typed)
  const found: number[] = []
  if (token < 0) return found
  for (let at = codes.postingOffset[token]; at < codes.postingOffset[token + 1]; at++) found.push(codes.posting[at])
  return found
}

/** The hull of all stops. */
export function hullOf({ hullLat, hullLon }: StopPlaces): Hull {
  return { lat: Array.from(columnArray(hullLat)), lon: Array.from(columnArray(hullLon)) }
}

/** All areas with lines, and the stops with lines that no area represents. */
function listSources(timetable: Timetable, townOf: (lat: number, lon: number) => number): Source[] {
  const { stops, areas, strings, placeOrders } = timetable
  const scale = 255 / Math.log1p(BUSY_DEPARTURES)
  const sources: Source[] = []
  const stopCount = stops.name.length
  const add = (number: number, text: StringIndex, point: { lat: number; lon: number }) => {
    const importance = Math.min(255, scale * Math.log1p(placeOrders.dailyDepartures[number]))
    sources.push({
      number,
      name: textOf(strings, text),
      ...point,
      town: townOf(point.lat, point.lon),
      importance,
    })
  }
  for (const area of eachArea({ areas })) {
    if (areas.lineOffset[area] === areas.lineOffset[nextIndex(area)]) continue
    add(stopCount + area, areas.name[area], { lat: areas.lat[area], lon: areas.lon[area] })
  }
  const isSameName = nameComparison(timetable)
  for (const stop of eachStop({ stops })) {
    if (stops.lineOffset[stop] === stops.lineOffset[nextIndex(stop)]) continue
    const area = stops.area[stop]
    const lat = stops.lat[stop]
    const lon = stops.lon[stop]
    const isStoodFor =
      area !== NONE &&
      isSameName(stops.name[stop], areas.name[area]) &&
      greatCircleMeters(lat, lon, areas.lat[area], areas.lon[area]) <= AREA_METERS
    if (!isStoodFor) add(stop, stops.name[stop], { lat, lon })
  }
  return sources
}

/** Returns a function that checks whether two names consist of the same words. */
function nameComparison({ strings }: Timetable): (one: StringIndex, other: StringIndex) => boolean {
  const plain = new Map<StringIndex, string>()
  const plainName = (text: StringIndex) =>
    plain.getOrInsertComputed(text, () => normalizeWords(textOf(strings, text)).join(' '))
  return (one, other) => one === other || plainName(one) === plainName(other)
}

/** The codes of all stops and areas with lines, sorted; areas come before stops with the same code. */
function listCodes({ stops, areas, strings }: Timetable): PrefixTree {
  const byCode = new Map<string, number[]>()
  const enter = (code: StringIndex, number: number) => {
    const words = normalizeWords(textOf(strings, code)).join(' ')
    if (words !== '') byCode.getOrInsertComputed(words, () => []).push(number)
  }
  for (const area of eachArea({ areas })) {
    const hasLines = areas.lineOffset[area] < areas.lineOffset[nextIndex(area)]
    if (hasLines) enter(areas.code[area], stops.code.length + area)
  }
  for (const stop of eachStop({ stops })) {
    if (stops.lineOffset[stop] < stops.lineOffset[nextIndex(stop)]) enter(stops.code[stop], stop)
  }
  const codes = [...byCode.keys()].sort()
  const offsets = (lengths: readonly number[]) => {
    const sums = new Uint32Array(lengths.length + 1)
    for (const [at, length] of lengths.entries()) sums[at + 1] = sums[at] + length
    return sealColumn<number>(sums)
  }
  return {
    tokenBytes: sealColumn<number>(new Uint8Array(Buffer.from(codes.join('')))),
    tokenOffset: offsets(codes.map((code) => Buffer.byteLength(code))),
    postingOffset: offsets(codes.map((code) => byCode.get(code)?.length ?? 0)),
    posting: sealColumn<number>(Uint32Array.from(codes.flatMap((code) => byCode.get(code) ?? []))),
  }
}

function hullOfStops({ stops }: Timetable): Pick<StopPlaces, 'hullLat' | 'hullLon'> {
  const { lat, lon } = convexHull(
    Array.from(eachStop({ stops }), (stop) => ({ lat: stops.lat[stop], lon: stops.lon[stop] })),
  )
  return { hullLat: sealColumn(Float64Array.from(lat)), hullLon: sealColumn(Float64Array.from(lon)) }
}

function* eachArea({ areas }: Pick<Timetable, 'areas'>): Generator<AreaIndex> {
  for (let area = 0 as AreaIndex; area < areas.id.length; area = nextIndex(area)) yield area
}
