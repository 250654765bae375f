// The positions of stops and stations, the walks between them, and the stops where a journey may start or end. Part of
// the journey oracle, which reads the text of a feed and shares no code with the planner.
import { eachRow, type FeedText } from './feed-text.ts'
import { type PlainWays, readAccess, readWays } from './journey-pathways.ts'
import type { TextStops } from './text-stops.ts'

const EARTH_RADIUS_METERS = 6_371_008.8
const DETOUR = 1.3
const METERS_PER_SECOND = 1.2
/** Less than the length of any degree of latitude. Only used to skip places that can't be near. */
const LEAST_METERS_PER_DEGREE = 110_000

/** A point in degrees. */
export interface PlainPoint {
  readonly lat: number
  readonly lon: number
}

/** Where a journey starts or ends; ids are the feed's own. */
export type PlainEnd =
  | { readonly kind: 'stop'; readonly id: string }
  | { readonly kind: 'area'; readonly id: string }
  | ({ readonly kind: 'point' } & PlainPoint)

/** The stations, and the stops with location_type 0. Stops are numbered in the order of stops.txt. */
export interface JourneyPlaces {
  readonly ids: readonly string[]
  readonly numberOf: ReadonlyMap<string, number>
  readonly points: readonly PlainPoint[]
  /** Stop number → the id of its station; '' if the stop is in no station. */
  readonly parents: readonly string[]
  readonly stations: ReadonlyMap<string, PlainPoint>
  /**
   * stop_id → for a stop, its number; for a boarding area, the number of its platform; for a station, its id; undefined
   * for other places.
   */
  placeOf(id: string): number | string | undefined
  pointOf(end: PlainEnd): PlainPoint
  /**
   * The ways through stations along pathways (pathways.txt): between platforms, and between platforms and entrances.
   */
  readonly ways: PlainWays
  /** Whether the rider cannot board or alight at a stop. */
  isClosed(id: string): boolean
  /**
   * Stop number → seconds of the walk from `end` to the stop ('into'), or from the stop to `end` ('out'). -1 if the
   * stop is too far away, or if the rider cannot use the stop or any route to it.
   */
  reach(end: PlainEnd, maxWalkMeters: number, side: 'into' | 'out'): Int32Array
}

/** The great-circle distance in meters, by the haversine formula. */
export function straightMeters(from: PlainPoint, to: PlainPoint): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const byLat = Math.sin(radians(to.lat - from.lat) / 2) ** 2
  const byLon = Math.sin(radians(to.lon - from.lon) / 2) ** 2
  const share = byLat + Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * byLon
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.min(1, Math.sqrt(share)))
}

/** The estimated length of a walk between two points, in meters. */
export function metersWalked(from: PlainPoint, to: PlainPoint): number {
  return Math.round(straightMeters(from, to) * DETOUR)
}

/** The duration of a walk, in seconds. */
export function secondsWalked(meters: number): number {
  return Math.ceil(meters / METERS_PER_SECOND)
}

/** Numbers the stops that text-stops.ts has read, and reads the stations of stops.txt. */
export async function readPlaces(feed: FeedText, stops: TextStops, isWheelchair = false): Promise<JourneyPlaces> {
  const ids = [...stops.names.keys()]
  const numberOf = new Map(ids.map((id, number) => [id, number]))
  const points = [...stops.points.values()]
  const stations = new Map<string, PlainPoint>()
  const columns = ['stop_id', 'stop_lat', 'stop_lon', 'location_type']
  await eachRow(feed, 'stops.txt', columns, ([id = '', lat = '', lon = '', type = '']) => {
    if (type !== '1' || lat === '' || lon === '' || stations.has(id)) return
    stations.set(id, { lat: Number(lat), lon: Number(lon) })
  })
  const parents: string[] = ids.map(() => '')
  for (const [station, children] of stops.childrenOf) {
    for (const child of children) parents[numberOf.get(child) ?? 0] = station
  }
  const pointOf = (end: PlainEnd): PlainPoint => {
    if (end.kind === 'point') return end
    const point = end.kind === 'stop' ? points[numberOf.get(end.id) ?? -1] : stations.get(end.id)
    if (point === undefined) throw new Error(`the feed has no ${end.kind} ${end.id}`)
    return point
  }
  const ways = await readWays(feed, isWheelchair, metersWalked)
  const accessOf = await readAccess(feed)
  const isClosed = (id: string) => isWheelchair && accessOf(id) === '2'
  return {
    ways,
    isClosed,
    ids,
    numberOf,
    points,
    parents,
    stations,
    placeOf: (id) => numberOf.get(stops.platformOf.get(id) ?? '') ?? (stations.has(id) ? id : undefined),
    pointOf,
    reach: (end, maxWalkMeters, side) => {
      const from = pointOf(end)
      return Int32Array.from(points, (point, number) => {
        if (isClosed(ids[number])) return -1
        if (end.kind === 'stop' && ids[number] === end.id) return 0
        if (end.kind === 'area' && parents[number] === end.id) return 0
        const meters = metersWalked(from, point)
        if (meters > maxWalkMeters) return -1
        const other = end.kind === 'stop' ? end.id : ''
        const [start, stop] = side === 'into' ? [other, ids[number]] : [ids[number], other]
        const inside = ways.between.get(start)?.get(stop)
        if (inside !== undefined) return inside === Infinity ? -1 : inside
        const doors = ways[side].get(ids[number]) ?? []
        const byDoor = doors.map((door) => secondsWalked(metersWalked(from, door)) + door.seconds)
        const best = byDoor.length > 0 ? Math.min(...byDoor) : secondsWalked(meters)
        return best === Infinity ? -1 : best
      })
    },
  }
}

/** Calls `visit` for every two points with a walk of at most `maxMeters` between them, once in each direction. */
export function pairsWithin(
  points: readonly PlainPoint[],
  maxMeters: number,
  visit: (from: number, to: number, meters: number) => void,
): void {
  const byLat = points.map((_, number) => number).sort((a, b) => points[a].lat - points[b].lat)
  const band = (maxMeters + 1) / DETOUR / LEAST_METERS_PER_DEGREE
  for (const [rank, from] of byLat.entries()) {
    const here = points[from]
    for (let next = rank + 1; next < byLat.length; next++) {
      const to = byLat[next]
      const there = points[to]
      if (there.lat - here.lat > band) break
      const meters = metersWalked(here, there)
      if (meters > maxMeters) continue
      visit(from, to, meters)
      visit(to, from, meters)
    }
  }
}
