// Computes walks inside stations from the text of pathways.txt. It tries every pathway again and again until no time
// improves. Part of the journey oracle, which shares no code with the planner.
import { eachRow, type FeedText } from './feed-text.ts'

const METERS_PER_SECOND = 1.2
/** Climbing one step of a staircase takes as long as walking this number of meters. */
const STEP_METERS = 0.6

/** A row of stops.txt to which pathways may lead. */
interface PathPlace {
  readonly kind: 'platform' | 'entrance' | 'inside'
  /** The stop_id of the platform; for a boarding area, the stop_id of its platform; '' for other places. */
  readonly platform: string
  /** '' if the place is in no station. */
  readonly station: string
  /** Degrees; undefined if the feed gives none. */
  readonly point: { readonly lat: number; readonly lon: number } | undefined
  /** Whether the place is an entrance that wheelchairs cannot pass. */
  readonly isShut: boolean
}

interface Leg {
  readonly from: string
  readonly to: string
  readonly seconds: number
  /** Whether a wheelchair can pass the leg. */
  readonly isStepFree: boolean
}

/**
 * An entrance of a platform. `seconds` is the time of the walk between the entrance and the platform; Infinity if the
 * rider cannot use any route.
 */
export interface PlainDoor {
  readonly lat: number
  readonly lon: number
  readonly seconds: number
}

/** The routes inside stations, by stop_id. */
export interface PlainWays {
  /** Platform → other platform → seconds of the walk; Infinity if the rider cannot use any route between them. */
  readonly between: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Platform → the entrances by which riders come in. */
  readonly into: ReadonlyMap<string, readonly PlainDoor[]>
  /** Platform → the entrances by which riders leave. */
  readonly out: ReadonlyMap<string, readonly PlainDoor[]>
}

/**
 * Returns a function that finds a row's wheelchair_boarding in stops.txt. If the row has none, the value of its parent
 * station applies.
 */
export async function readAccess(feed: FeedText): Promise<(id: string) => string> {
  const own = new Map<string, readonly [access: string, parent: string]>()
  await eachRow(feed, 'stops.txt', ['stop_id', 'parent_station', 'wheelchair_boarding'], (row) => {
    const [id = '', parent = '', access = ''] = row
    if (!own.has(id)) own.set(id, [access, parent])
  })
  return (id) => {
    const [access, parent] = own.get(id) ?? ['', '']
    return access === '' || access === '0' ? (own.get(parent)?.[0] ?? '') : access
  }
}

/**
 * Reads pathways.txt.
 * @param metersWalked estimates the length of a walk between two points, for pathways without a stated length
 */
export async function readWays(
  feed: FeedText,
  isWheelchair: boolean,
  metersWalked: (from: NonNullable<PathPlace['point']>, to: NonNullable<PathPlace['point']>) => number,
): Promise<PlainWays> {
  const places = await readPathPlaces(feed)
  const legs: Leg[] = []
  const seen = new Set<string>()
  const columns = ['pathway_id', 'from_stop_id', 'to_stop_id', 'pathway_mode', 'is_bidirectional']
  await eachRow(feed, 'pathways.txt', [...columns, 'traversal_time', 'length', 'stair_count'], (row) => {
    const [id = '', from = '', to = '', mode = '', ways = '', time = '', length = '', stairs = ''] = row
    const [start, end] = [places.get(from), places.get(to)]
    if (id === '' || seen.has(id) || start === undefined || end === undefined) return
    const isInside = start.station === '' ? start.platform !== '' && start.platform === end.platform : true
    if (start.station !== end.station || (!isInside && from !== to)) return
    if (ways !== '0' && ways !== '1') return
    seen.add(id)
    const straight = start.point && end.point ? metersWalked(start.point, end.point) : 0
    const step = Number(stairs === '' ? 0 : stairs)
    const guess = isMeasure(length) ? Number(length) : step !== 0 ? Math.abs(step) * STEP_METERS : straight
    const seconds = isMeasure(time) ? Math.ceil(Number(time)) : Math.ceil(guess / METERS_PER_SECOND)
    const isStepFree = mode !== '2' && mode !== '4' && !start.isShut && !end.isShut
    legs.push({ from, to, seconds, isStepFree })
    if (ways === '1' && mode !== '7') legs.push({ from: to, to: from, seconds, isStepFree })
  })
  const all = listWays(places, legs)
  if (!isWheelchair) return all
  return leftOf(
    all,
    listWays(
      places,
      legs.filter(({ isStepFree }) => isStepFree),
    ),
  )
}

/** All routes. The rider can only use those in `left`; the others take an infinite time. */
function leftOf(all: PlainWays, left: PlainWays): PlainWays {
  const between = new Map(
    [...all.between].map(([platform, ways]) => [
      platform,
      new Map([...ways.keys()].map((other) => [other, left.between.get(platform)?.get(other) ?? Infinity])),
    ]),
  )
  const doors = (side: 'into' | 'out') =>
    new Map(
      [...all[side]].map(([platform, list]) => {
        const some = left[side].get(platform) ?? []
        // An entrance that the rider cannot use still counts as one of the platform's entrances.
        return [platform, [...some, ...list.map((door) => ({ ...door, seconds: Infinity }))]]
      }),
    )
  return { between, into: doors('into'), out: doors('out') }
}

function isMeasure(text: string): boolean {
  return text !== '' && Number(text) >= 0
}

async function readPathPlaces(feed: FeedText): Promise<Map<string, PathPlace>> {
  const places = new Map<string, PathPlace>()
  const accessOf = await readAccess(feed)
  const columns = ['stop_id', 'stop_lat', 'stop_lon', 'location_type', 'parent_station']
  const rows: string[][] = []
  await eachRow(feed, 'stops.txt', columns, (row) => {
    rows.push([...row])
  })
  const stations = new Set(rows.filter(([, , , type]) => type === '1').map(([id]) => id))
  for (const [id = '', lat = '', lon = '', type = '', parent = ''] of rows) {
    if (type === '1' || type === '4' || places.has(id)) continue
    const kind = type === '2' ? 'entrance' : type === '3' ? 'inside' : 'platform'
    const point = lat === '' || lon === '' ? undefined : { lat: Number(lat), lon: Number(lon) }
    const station = stations.has(parent) ? parent : ''
    const isShut = kind === 'entrance' && accessOf(id) === '2'
    places.set(id, { kind, platform: kind === 'platform' ? id : '', station, point, isShut })
  }
  for (const [id = '', lat = '', lon = '', type = '', parent = ''] of rows) {
    const platform = places.get(parent)
    if (type !== '4' || places.has(id) || platform?.kind !== 'platform') continue
    const point = lat === '' || lon === '' ? undefined : { lat: Number(lat), lon: Number(lon) }
    places.set(id, { kind: 'platform', platform: parent, station: platform.station, point, isShut: false })
  }
  return places
}

function listWays(places: ReadonlyMap<string, PathPlace>, legs: readonly Leg[]): PlainWays {
  const between = new Map<string, Map<string, number>>()
  const [into, out] = [new Map<string, PlainDoor[]>(), new Map<string, PlainDoor[]>()]
  const turned = legs.map((leg) => ({ ...leg, from: leg.to, to: leg.from }))
  const platformAt = (id: string) => places.get(id)?.platform ?? ''
  const stationAt = (id: string) => places.get(id)?.station
  for (const platform of new Set(legs.flatMap(({ from, to }) => [platformAt(from), platformAt(to)]))) {
    if (platform === '') continue
    const isNear = ({ from }: Leg) => stationAt(from) === stationAt(platform)
    const starts = legs.flatMap(({ from, to }) => [from, to]).filter((id) => platformAt(id) === platform)
    const there = spread(legs.filter(isNear), starts)
    const back = spread(turned.filter(isNear), starts)
    const ways = new Map<string, number>()
    for (const [id, seconds] of there) {
      const other = platformAt(id)
      if (other === '' || other === platform) continue
      ways.set(other, Math.min(seconds, ways.get(other) ?? seconds))
    }
    between.set(platform, ways)
    const doorsAmong = (reached: ReadonlyMap<string, number>) =>
      [...reached].flatMap(([id, seconds]): PlainDoor[] => {
        const { kind, point } = places.get(id) ?? {}
        return kind === 'entrance' && point !== undefined ? [{ ...point, seconds }] : []
      })
    out.set(platform, doorsAmong(there))
    into.set(platform, doorsAmong(back))
  }
  return { between, into, out }
}

/**
 * Place → the seconds along the legs from the nearest start to this place. Leaves out places that cannot be reached.
 */
function spread(legs: readonly Leg[], starts: readonly string[]): Map<string, number> {
  const reached = new Map(starts.map((id) => [id, 0]))
  for (let isNews = true; isNews; ) {
    isNews = false
    for (const { from, to, seconds } of legs) {
      const before = reached.get(from)
      if (before === undefined || before + seconds >= (reached.get(to) ?? Number.POSITIVE_INFINITY)) continue
      reached.set(to, before + seconds)
      isNews = true
    }
  }
  return reached
}
