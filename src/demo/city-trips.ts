// What runs when in the demo city: for each line its variants (whole, branch, short), and for each kind of day its
// departures, as trips with their times.
import type { CityLine, CityRhythm } from './city-lines.ts'
import { MODE_PLANS, smoothWay } from './city-lines.ts'
import { type CityMap, distanceBetween, type Platform, type Point, type Station } from './city-map.ts'

/** Kinds of days: Monday to Friday, Saturday, Sunday and public holidays. */
export const DAY_KINDS = ['SEM', 'SAM', 'DIM'] as const
export type DayKind = (typeof DAY_KINDS)[number]

/** Stations of a line in one direction, and the way between them. */
export interface Variant {
  readonly shapeId: string
  readonly direction: 0 | 1
  readonly headsign: string
  readonly stations: readonly Station[]
  readonly platforms: readonly Platform[]
  /** Points of the way; each station's platform is one of them. */
  readonly way: readonly Point[]
  /** Along the way, in metres: of each point, and of each station. */
  readonly wayMeters: readonly number[]
  readonly stationMeters: readonly number[]
}

/** One trip. */
export interface CityTrip {
  readonly id: string
  readonly variant: Variant
  readonly dayKind: DayKind
  readonly startSeconds: number
  readonly blockId: string
}

/** How often a shuttle runs; it has one trip a direction and a headway. */
export interface CityFrequency {
  readonly tripId: string
  readonly startSeconds: number
  readonly endSeconds: number
  readonly headwaySeconds: number
}

/** A line's variants, trips and frequencies. */
export interface LineService {
  readonly line: CityLine
  readonly variants: readonly Variant[]
  readonly trips: readonly CityTrip[]
  readonly frequencies: readonly CityFrequency[]
}

const HOUR = 3600
const MINUTE = 60
/** Points of the way between two stations. */
const WAY_STEPS = 4
const LAYOVER_SECONDS = 4 * MINUTE

interface Band {
  readonly from: number
  readonly to: number
  readonly headwayMinutes: number
}

const band = (from: number, to: number, headwayMinutes: number): Band => ({
  from: from * HOUR,
  to: to * HOUR,
  headwayMinutes,
})

/** From when to when, and how often, by rhythm and kind of day. Hours past 24 are after midnight. */
const BANDS: Readonly<Record<Exclude<CityRhythm, 'shuttle'>, Readonly<Record<DayKind, readonly Band[]>>>> = {
  main: {
    SEM: [
      band(5, 7, 12),
      band(7, 9.5, 6),
      band(9.5, 16, 8),
      band(16, 19.5, 6),
      band(19.5, 22, 12),
      band(22, 24.75, 20),
    ],
    SAM: [band(5.5, 9, 15), band(9, 20, 9), band(20, 25, 18)],
    DIM: [band(6.5, 10, 20), band(10, 20, 14), band(20, 24.5, 22)],
  },
  local: {
    SEM: [band(5.75, 7, 25), band(7, 9, 14), band(9, 16, 22), band(16, 19, 14), band(19, 21.5, 35)],
    SAM: [band(6.5, 20.5, 30)],
    DIM: [band(8, 20, 55)],
  },
  express: { SEM: [band(6, 9.5, 12), band(16, 19.5, 12)], SAM: [], DIM: [] },
  night: { SEM: [band(23.75, 29, 50)], SAM: [band(23.75, 29.5, 30)], DIM: [band(23.75, 28.5, 60)] },
  ferry: { SEM: [band(6.5, 20, 30)], SAM: [band(8, 21, 25)], DIM: [band(9, 21, 25)] },
}

/** Everything a line runs. */
export function serveLine(map: CityMap, line: CityLine): LineService {
  if (line.rhythm === 'shuttle') return serveShuttle(map, line)
  const whole = bothWays(map, line, line.stations, '')
  const pairs = [whole]
  if (line.branch !== undefined) {
    pairs.push(bothWays(map, line, [...line.stations.slice(0, line.branch.from), ...line.branch.stations], 'b'))
  }
  const isLong = line.rhythm === 'main' && !line.isLoop && line.stations.length >= 14
  const short = isLong
    ? bothWays(map, line, line.stations.slice(0, Math.ceil(line.stations.length * 0.65)), 's')
    : undefined
  const trips: CityTrip[] = []
  for (const dayKind of DAY_KINDS) trips.push(...serveDay(line, dayKind, { pairs, short }))
  return { line, variants: [...pairs, ...(short === undefined ? [] : [short])].flat(), trips, frequencies: [] }
}

/** Back and forth all day as the bands say; every fifth trip of a peak turns short. Loops run one way round each. */
function serveDay(
  line: CityLine,
  dayKind: DayKind,
  ways: { readonly pairs: readonly (readonly Variant[])[]; readonly short: readonly Variant[] | undefined },
): CityTrip[] {
  const trips: CityTrip[] = []
  const free: { station: Station; atSeconds: number; blockId: string }[] = []
  const departures: { startSeconds: number; variant: Variant }[] = []
  for (const { from, to, headwayMinutes } of BANDS[line.rhythm as Exclude<CityRhythm, 'shuttle'>][dayKind]) {
    let count = 0
    for (let seconds = from; seconds < to; seconds += headwayMinutes * MINUTE) {
      const pair =
        count % 5 === 4 && headwayMinutes <= 8 && ways.short !== undefined
          ? ways.short
          : ways.pairs[count % ways.pairs.length]
      for (const variant of pair ?? []) {
        const offset = variant.direction === 1 ? Math.round((headwayMinutes * MINUTE) / 2 / MINUTE) * MINUTE : 0
        departures.push({ startSeconds: seconds + offset, variant })
      }
      count++
    }
  }
  departures.sort((a, b) => a.startSeconds - b.startSeconds || a.variant.direction - b.variant.direction)
  for (const { startSeconds, variant } of departures) {
    const [first] = variant.stations
    const last = variant.stations.at(-1)
    if (first === undefined || last === undefined) continue
    const at = free.findIndex((each) => each.station === first && each.atSeconds + LAYOVER_SECONDS <= startSeconds)
    const blockId = at >= 0 ? (free.splice(at, 1)[0]?.blockId ?? '') : `${line.id}-${dayKind}-${trips.length}`
    trips.push({
      id: `${line.id}-${dayKind}-${String(trips.length + 1).padStart(4, '0')}`,
      variant,
      dayKind,
      startSeconds,
      blockId,
    })
    free.push({
      station: last,
      atSeconds: timesOf(line, variant, startSeconds).at(-1)?.arrivalSeconds ?? startSeconds,
      blockId,
    })
  }
  return trips
}

function serveShuttle(map: CityMap, line: CityLine): LineService {
  const variants = bothWays(map, line, line.stations, '')
  const trips = DAY_KINDS.flatMap((dayKind) =>
    variants.map(
      (variant): CityTrip => ({
        id: `${line.id}-${dayKind}-${variant.direction}`,
        variant,
        dayKind,
        startSeconds: 7 * HOUR,
        blockId: '',
      }),
    ),
  )
  const frequencies = trips.flatMap((trip): CityFrequency[] => {
    const window = (from: number, to: number, minutes: number) => ({
      tripId: trip.id,
      startSeconds: from * HOUR,
      endSeconds: to * HOUR,
      headwaySeconds: minutes * MINUTE,
    })
    return trip.dayKind === 'DIM' ? [window(10, 19, 20)] : [window(7, 10, 8), window(10, 16, 12), window(16, 20, 8)]
  })
  return { line, variants, trips, frequencies }
}

function bothWays(map: CityMap, line: CityLine, stations: readonly Station[], suffix: string): Variant[] {
  return [
    makeVariant(map, line, stations, { direction: 0, suffix }),
    makeVariant(map, line, stations.toReversed(), { direction: 1, suffix }),
  ]
}

function makeVariant(
  map: CityMap,
  line: CityLine,
  stations: readonly Station[],
  as: { readonly direction: 0 | 1; readonly suffix: string },
): Variant {
  const platforms = stations.map((station) => map.platformOf(station, platformKind(line), as.direction))
  const way = smoothWay(
    platforms.map((platform) => platform.at),
    WAY_STEPS,
  )
  const wayMeters: number[] = [0]
  for (let i = 1; i < way.length; i++) {
    wayMeters.push((wayMeters[i - 1] as number) + distanceBetween(way[i - 1] as Point, way[i] as Point))
  }
  return {
    shapeId: `${line.id}-${as.direction}${as.suffix}`,
    direction: as.direction,
    headsign: line.isLoop
      ? `${stations.at(-1)?.name} par ${stations[Math.floor(stations.length / 2)]?.name}`
      : (stations.at(-1)?.name ?? ''),
    stations,
    platforms,
    way,
    wayMeters,
    stationMeters: platforms.map((_, index) => wayMeters[index * WAY_STEPS] as number),
  }
}

/** Metro and ferry have platforms to themselves, each tram line pair shares two, buses share by the tens of their number. */
function platformKind(line: CityLine): string {
  if (line.mode !== 'bus') return line.mode
  return line.rhythm === 'night' ? 'bus-night' : `bus-${line.sortOrder % 3}`
}

/** Arrival and departure at one station. */
export interface CityCall {
  readonly arrivalSeconds: number
  readonly departureSeconds: number
}

/** The times of a trip: by distance and the mode's speed, slower in the peaks, longer stops where many change. */
export function timesOf(line: CityLine, variant: Variant, startSeconds: number): CityCall[] {
  const { speedMetersPerSecond, dwellSeconds } = MODE_PLANS[line.mode]
  const hour = (startSeconds / HOUR) % 24
  const isPeak = (hour >= 7 && hour < 9.5) || (hour >= 16 && hour < 19.5)
  const pace = line.mode === 'bus' && isPeak ? 1.18 : isPeak ? 1.05 : 1
  const calls: CityCall[] = []
  let clock = startSeconds
  for (const [index, station] of variant.stations.entries()) {
    if (index > 0) {
      const meters = (variant.stationMeters[index] as number) - (variant.stationMeters[index - 1] as number)
      clock += Math.max(30, Math.round((meters / speedMetersPerSecond) * pace + dwellSeconds))
    }
    const isEnd = index === 0 || index === variant.stations.length - 1
    const arrivalSeconds = clock
    if (station.isHub && !isEnd) clock += dwellSeconds
    calls.push({ arrivalSeconds, departureSeconds: clock })
  }
  return calls
}
