// The stops and areas of one network as a place set. A stop that its area represents, by name and position, is found
// only by its code.
import { NONE, sealColumn } from '../../loaders/columns.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { greatCircleMeters } from '../spatial/great-circle.ts'
import { normalizeWords } from '../text/normalize.ts'
import { type AreaIndex, eachStop, type Timetable } from '../timetable/timetable.ts'
import { buildPlaceSet, type EntryIndex, type PlaceSet } from './place-set.ts'

/** The set, and the stop or area of each place. */
export interface StopPlaces {
  readonly set: PlaceSet
  /** Place → a stop index, or the stop count + an area index. */
  readonly numberOf: Uint32Array
  /** Normalized code → the stops and areas with it, areas first. */
  readonly byCode: ReadonlyMap<string, readonly number[]>
}

/** Data about a network that is not in its timetable. */
export interface StopSurroundings {
  /** Words that match all places of the network: its own name and its city. */
  readonly networkWords: string
  /** The town at a position in degrees; empty if unknown. */
  readonly townAt: (lat: number, lon: number) => string
}

/** An area represents its stops of the same name within this distance. */
const AREA_METERS = 300
/** Departures per day from which a place has the highest importance. */
const BUSY_DEPARTURES = 3000
const UNITS_PER_DEGREE = 1e7

interface Source {
  readonly number: number
  readonly name: string
  readonly lat: number
  readonly lon: number
}

/** Builds the set. */
export function buildStopPlaces(timetable: Timetable, { networkWords, townAt }: StopSurroundings): StopPlaces {
  const sources = listSources(timetable).sort((a, b) =>
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
  const towns: string[] = []
  const townNumbers = new Map<string, number>()
  const town = sources.map(({ lat, lon }) => {
    const text = `${townAt(lat, lon)} ${networkWords}`
    return townNumbers.getOrInsertComputed(text, () => towns.push(text) - 1)
  })
  const { dailyDepartures } = timetable.placeOrders
  const scale = 255 / Math.log1p(BUSY_DEPARTURES)
  const set = buildPlaceSet({
    names,
    entryOffset,
    towns,
    town: sealColumn(Uint32Array.from(town)),
    postcode: sealColumn(new Uint32Array(sources.length).fill(NONE)),
    importance: sealColumn(
      Uint8Array.from(sources, ({ number }) => Math.min(255, scale * Math.log1p(dailyDepartures[number]))),
    ),
    lat: sealColumn(Int32Array.from(sources, ({ lat }) => Math.round(lat * UNITS_PER_DEGREE))),
    lon: sealColumn(Int32Array.from(sources, ({ lon }) => Math.round(lon * UNITS_PER_DEGREE))),
  })
  return { set, numberOf: Uint32Array.from(sources, ({ number }) => number), byCode: mapCodes(timetable) }
}

/** The stop index, or the stop count + area index, of a place. */
export function stopNumberOf({ numberOf }: StopPlaces, entry: EntryIndex): number {
  return numberOf[entry]
}

/** All areas, and the stops that no area represents. */
function listSources({ stops, areas, strings }: Timetable): Source[] {
  const sources: Source[] = []
  const stopCount = stops.name.length
  for (let area = 0 as AreaIndex; area < areas.name.length; area++) {
    const name = textOf(strings, areas.name[area])
    sources.push({ number: stopCount + area, name, lat: areas.lat[area], lon: areas.lon[area] })
  }
  const plain = new Map<StringIndex, string>()
  const plainName = (text: StringIndex): string => {
    let words = plain.get(text)
    if (words === undefined) {
      words = normalizeWords(textOf(strings, text)).join(' ')
      plain.set(text, words)
    }
    return words
  }
  for (const stop of eachStop({ stops })) {
    const area = stops.area[stop]
    const lat = stops.lat[stop]
    const lon = stops.lon[stop]
    const isStoodFor =
      area !== NONE &&
      plainName(stops.name[stop]) === plainName(areas.name[area]) &&
      greatCircleMeters(lat, lon, areas.lat[area], areas.lon[area]) <= AREA_METERS
    if (!isStoodFor) sources.push({ number: stop, name: textOf(strings, stops.name[stop]), lat, lon })
  }
  return sources
}

function mapCodes({ stops, areas, strings }: Timetable): Map<string, number[]> {
  const byCode = new Map<string, number[]>()
  const enter = (code: StringIndex, number: number) => {
    const words = normalizeWords(textOf(strings, code)).join(' ')
    if (words === '') return
    byCode.getOrInsertComputed(words, () => []).push(number)
  }
  for (let area = 0 as AreaIndex; area < areas.code.length; area++) enter(areas.code[area], stops.code.length + area)
  for (const stop of eachStop({ stops })) enter(stops.code[stop], stop)
  return byCode
}
