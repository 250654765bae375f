// Converts a timetable to the named columns of a snapshot file, and back. For example, `stops.id` is the column `id` of
// the group `stops`. The column names of carried tables (see timetable-meta.ts) may contain further dots.
import { columnArray, type TypedArray } from '../../loaders/columns.ts'
import {
  type ColumnGroup,
  type ColumnTypes,
  checkColumns,
  F64,
  I32,
  type NamedColumns,
  namesOf,
  SnapshotUnusable,
  U8,
  U32,
} from '../../loaders/snapshot-file.ts'
import type { Timetable, TimetableMeta } from './timetable.ts'

type GroupName = Exclude<keyof Timetable, 'meta' | 'carried'>

/** The column types that `toNarrowest` creates. */
const NARROWED: ColumnTypes = ['u8', 'u16', 'u32']
/** The column types for decimal numbers, which are stored as precisely as in the feed. */
const DECIMAL: ColumnTypes = ['f32', 'f64']

/** The columns of each group, each with the types that its array may have. */
const GROUPS: { readonly [Group in GroupName]: ColumnGroup<keyof Timetable[Group] & string> } = {
  strings: { bytes: U8, offsets: U32 },
  stops: {
    id: U32,
    code: U32,
    name: U32,
    lat: F64,
    lon: F64,
    area: U32,
    wheelchair: U8,
    platformCode: U32,
    zoneId: U32,
    lineOffset: U32,
    lineAt: U32,
    dailyDepartures: U32,
    callKinds: U8,
  },
  areas: {
    id: U32,
    code: U32,
    name: U32,
    lat: F64,
    lon: F64,
    accessible: U8,
    stopOffset: U32,
    stopAt: U32,
    lineOffset: U32,
    lineAt: U32,
  },
  stationParts: { id: U32, stop: U32, area: U32 },
  lines: {
    id: U32,
    code: U32,
    name: U32,
    mode: U8,
    routeType: U32,
    color: U32,
    textColor: U32,
    operator: U32,
    agency: U32,
    sortOrder: U32,
    fareNetwork: U32,
    accessible: U8,
    directionOffset: U32,
    patternOffset: U32,
    byId: U32,
  },
  directions: {
    line: U32,
    directionId: U8,
    headsign: U32,
    name: U32,
    stopOffset: U32,
    stopAt: U32,
    shapeOffset: U32,
    shapeAt: U32,
  },
  patterns: {
    line: U32,
    direction: U32,
    stopOffset: U32,
    stopAt: U32,
    pickupType: U8,
    dropOffType: U8,
    tripOffset: U32,
    timeOffset: U32,
    isFrequency: U8,
  },
  trips: {
    id: U32,
    idRank: U32,
    byId: U32,
    pattern: U32,
    service: U32,
    headsign: U32,
    shortName: U32,
    pathId: U32,
    block: U32,
    shape: U32,
    wheelchair: U8,
    bikes: U8,
    sequenceProfile: U32,
    headsignProfile: U32,
    distanceProfile: U32,
    frequencyOffset: U32,
  },
  callProfiles: { stopSequence: NARROWED, headsign: U32, shapeDistance: F64 },
  stopTimes: { arrivalSeconds: U32, departureSeconds: U32 },
  frequencies: { startSeconds: U32, endSeconds: U32, headwaySeconds: U32, exactTimes: U8 },
  boards: {
    offset: U32,
    departureSeconds: U32,
    trip: U32,
    position: NARROWED,
    frequencyOffset: U32,
    frequencyTrip: U32,
    frequencyPosition: NARROWED,
  },
  serviceDays: { serviceId: U32, activeDays: U8, zeroSeconds: F64, tripCount: U32 },
  shapes: { id: U32, pointOffset: U32, latE6: I32, lonE6: I32, distance: DECIMAL },
  transfers: {
    fromStop: U32,
    toStop: U32,
    fromArea: U32,
    toArea: U32,
    fromLine: U32,
    toLine: U32,
    fromTrip: U32,
    toTrip: U32,
    type: U8,
    minSeconds: U32,
  },
  stationWays: {
    stopOffset: U32,
    toStop: U32,
    seconds: U32,
    doorOffset: U32,
    doorLat: F64,
    doorLon: F64,
    inSeconds: U32,
    outSeconds: U32,
    stepFreeSeconds: U32,
    stepFreeInSeconds: U32,
    stepFreeOutSeconds: U32,
  },
  stopWords: { tokenBytes: U8, tokenOffset: U32, postingOffset: U32, posting: U32 },
  placeOrders: {
    plainName: U32,
    plainCode: U32,
    dailyDepartures: U32,
    byName: U32,
    byRelevance: U32,
    relevanceRank: U32,
  },
  pointTrees: { stops: U8, areas: U8 },
}

/** The JavaScript type of each member of `meta`. The member feedInfo is optional. */
const META: Readonly<Record<Exclude<keyof TimetableMeta, 'feedInfo'>, string>> = {
  timezone: 'string',
  language: 'string',
  modes: 'object',
  firstDay: 'number',
  dayCount: 'number',
  bytesPerService: 'number',
  maxTimeSeconds: 'number',
  hasShapes: 'boolean',
  agencies: 'object',
  attributions: 'object',
  carried: 'object',
}

/** All columns of a timetable by name. */
export function toNamedColumns(timetable: Timetable): Map<string, TypedArray> {
  const columns = new Map<string, TypedArray>()
  for (const group of [...namesOf(GROUPS), 'carried' as const]) {
    for (const [name, column] of Object.entries(timetable[group])) columns.set(`${group}.${name}`, columnArray(column))
  }
  return columns
}

/**
 * Assembles a timetable from named columns. Throws SnapshotUnusable if columns or members of `meta` are missing or have
 * the wrong types; the error contains their names.
 */
export function fromNamedColumns(meta: Readonly<Record<string, unknown>>, columns: NamedColumns): Timetable {
  checkMeta(meta)
  const known: TimetableMeta = meta
  checkColumns(columns, columnsNeeded(known))
  const groups: Record<string, Record<string, TypedArray>> = { carried: {} }
  for (const group of Object.keys(GROUPS)) groups[group] = {}
  for (const [name, array] of columns) {
    const { group, member } = PLACES.get(name) ?? placeOf(name)
    groups[group][member] = array
  }
  return { meta: known, ...groups } as Timetable
}

function checkMeta(meta: Readonly<Record<string, unknown>>): asserts meta is typeof meta & TimetableMeta {
  for (const [name, type] of Object.entries(META)) {
    if (typeof meta[name] !== type)
      throw new SnapshotUnusable('other_version', `the timetable's metadata has no ${name} of type ${type}`)
  }
}

/** Every column that a timetable must have, including those of its carried tables. */
function columnsNeeded({ carried }: TimetableMeta): ReadonlyMap<string, ColumnTypes> {
  if (carried.length === 0) return NEEDED
  const needed = new Map(NEEDED)
  for (const { name, columns } of carried) {
    for (const column of columns) needed.set(`carried.${name}/${column}`, U32)
  }
  return needed
}

/**
 * The columns that every timetable has. Computed once, because a process may open hundreds of snapshots when it starts.
 */
const NEEDED: ReadonlyMap<string, ColumnTypes> = new Map(
  Object.entries(GROUPS).flatMap(([group, columns]) =>
    Object.entries(columns).map(([name, types]): [string, ColumnTypes] => [`${group}.${name}`, types]),
  ),
)
/** Column → its group and member in the timetable. */
const PLACES = new Map([...NEEDED.keys()].map((name) => [name, placeOf(name)]))

function placeOf(name: string): { readonly group: string; readonly member: string } {
  const dot = name.indexOf('.')
  return { group: name.slice(0, dot), member: name.slice(dot + 1) }
}
