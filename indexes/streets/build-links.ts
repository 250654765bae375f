// Links the stops of a timetable to a street graph, and finds all walks between stops that are short enough for a
// transfer.
import { columnArray, GrowingColumn, NONE, nextIndex, sealColumn } from '../../loaders/columns.ts'
import { NODE_NOT_STEP_FREE, STEP_FREE } from '../../loaders/osm/foot-access.ts'
import { textOf } from '../../loaders/strings.ts'
import type { WalkPlace } from '../spatial/walking.ts'
import { eachStop, type StopIndex, type Timetable } from '../timetable/timetable.ts'
import { BarrierCrossings } from './barrier-crossings.ts'
import { MetPoints, slotOf } from './met-points.ts'
import { NO_WALK, type ProfileLinks, type StopLinks } from './stop-links.ts'
import { StopPlatforms } from './stop-platforms.ts'
import { StreetBall } from './street-ball.ts'
import { DECIMETERS, edgeAt, type StreetGraph } from './street-graph.ts'
import { SNAP_METERS, StreetSnap, type StreetStart, type WalkProfile } from './street-snap.ts'

/** The links of all stops, the number of stops with links, and the stops that have none. */
export interface BuiltLinks {
  readonly links: StopLinks
  readonly linkedStops: number
  /** The ids of stops without links: no street is near the stop or its entrances. */
  readonly unlinkedIds: readonly string[]
}

/** A stop or an entrance. */
interface LinkPlace extends WalkPlace {
  readonly stop?: StopIndex
}

/**
 * Links all stops.
 * @param transferWalkMeters the maximum length of a transfer walk
 */
export function buildStopLinks(graph: StreetGraph, timetable: Timetable, transferWalkMeters: number): BuiltLinks {
  const places = linkPlaces(timetable)
  const snap = new StreetSnap(graph)
  const platforms = new StopPlatforms(graph, timetable)
  const barriers = new BarrierCrossings(graph.barriers)
  const startsOf = (profile: WalkProfile) =>
    places.map((place) => {
      if (place === undefined) return []
      return snap.find(place, {
        profile,
        farthestMeters: SNAP_METERS,
        isPreferred: place.stop === undefined ? undefined : platforms.preferredBy(place.stop),
        isBarred: barriers.barredFrom(place),
      })
    })
  const [foot, stepFree] = [startsOf('foot'), startsOf('step_free')]
  const profiles = { foot: linkProfile(graph, foot), stepFree: linkProfile(graph, stepFree) }
  const walks = findWalks(graph, profiles, { foot, stepFree, maxMeters: transferWalkMeters })
  return { links: { ...profiles, ...walks }, ...countLinked(timetable, foot) }
}

/** The stops, then the entrances. Undefined for a stop that can be reached only through its entrances. */
function linkPlaces({ stops, stationWays }: Timetable): (LinkPlace | undefined)[] {
  const places: (LinkPlace | undefined)[] = []
  for (const stop of eachStop({ stops })) {
    places.push(hasDoors(stationWays, stop) ? undefined : { stop, lat: stops.lat[stop], lon: stops.lon[stop] })
  }
  for (let door = 0; door < stationWays.doorLat.length; door++) {
    places.push({ lat: stationWays.doorLat[door], lon: stationWays.doorLon[door] })
  }
  return places
}

/** Whether a stop has entrances. */
export function hasDoors({ doorOffset }: Timetable['stationWays'], stop: StopIndex): boolean {
  return doorOffset[stop] < doorOffset[nextIndex(stop)]
}

function linkProfile(graph: StreetGraph, starts: readonly (readonly StreetStart[])[]): ProfileLinks {
  const all = starts.flat()
  const offset = new Uint32Array(starts.length + 1)
  for (const [point, own] of starts.entries()) offset[point + 1] = offset[point] + own.length
  const pointOf = Uint32Array.from(starts.flatMap((own, point) => own.map(() => point)))
  const byEdge = Uint32Array.from(all, (_, link) => link).sort((a, b) => all[a].edge - all[b].edge || a - b)
  return {
    linkOffset: sealColumn(offset),
    edge: sealColumn(Uint32Array.from(all, ({ edge }) => edge)),
    toFirst: sealColumn(Uint16Array.from(all, ({ toFirst }) => toFirst)),
    off: sealColumn(Uint16Array.from(all, ({ off }) => off)),
    byEdge: sealColumn(byEdge),
    pointOf: sealColumn(pointOf),
    ...buildMeets(graph, all, pointOf),
  }
}

type Meets = Pick<ProfileLinks, 'slotNode' | 'slotOffset' | 'metPoint' | 'metLength'>

/** Builds the hash table from each corner to its points: the points with a link to an edge that ends at this corner. */
function buildMeets({ edgeFrom, edgeTo }: StreetGraph, all: readonly StreetStart[], pointOf: Uint32Array): Meets {
  const size = 2 ** Math.ceil(Math.log2(4 * all.length + 2))
  const slotNode = new Uint32Array(size).fill(NONE)
  const rows: { readonly slot: number; readonly point: number; readonly length: number }[] = []
  for (const [link, { edge, toFirst, toLast, off }] of all.entries()) {
    for (const [node, length] of [
      [edgeFrom[edge], toFirst + off],
      [edgeTo[edge], toLast + off],
    ] as const) {
      let slot = slotOf(node, size)
      while (slotNode[slot] !== node && slotNode[slot] !== NONE) slot = (slot + 1) & (size - 1)
      slotNode[slot] = node
      rows.push({ slot, point: pointOf[link], length })
    }
  }
  rows.sort((a, b) => a.slot - b.slot || a.point - b.point || a.length - b.length)
  const slotOffset = new Uint32Array(size + 1)
  for (const { slot } of rows) slotOffset[slot + 1] = slotOffset[slot + 1] + 1
  for (let slot = 0; slot < size; slot++) slotOffset[slot + 1] = slotOffset[slot + 1] + slotOffset[slot]
  return {
    slotNode: sealColumn(slotNode),
    slotOffset: sealColumn(slotOffset),
    metPoint: sealColumn(Uint32Array.from(rows, ({ point }) => point)),
    metLength: sealColumn(Uint32Array.from(rows, ({ length }) => length)),
  }
}

interface WalkStarts {
  readonly foot: readonly (readonly StreetStart[])[]
  readonly stepFree: readonly (readonly StreetStart[])[]
  readonly maxMeters: number
}

/**
 * Finds the walks from each point to all other points within `maxMeters`. The walks from a point are sorted by the
 * number of the point where they end.
 */
function findWalks(
  graph: StreetGraph,
  profiles: Pick<StopLinks, 'foot' | 'stepFree'>,
  { foot, stepFree, maxMeters }: WalkStarts,
): Pick<StopLinks, 'walkOffset' | 'walkTo' | 'walkFoot' | 'walkStepFree'> {
  const ball = new StreetBall(graph)
  const met = { foot: new MetPoints(profiles.foot), step_free: new MetPoints(profiles.stepFree) }
  const offset = new Uint32Array(foot.length + 1)
  const to = new GrowingColumn(Uint32Array)
  const lengths = { foot: new GrowingColumn(Uint16Array), step_free: new GrowingColumn(Uint16Array) }
  const stepCorners = markStepCorners(graph)
  const search = (starts: readonly StreetStart[], profile: WalkProfile) => {
    if (starts.length > 0) ball.search(starts, { profile, maxMeters })
  }
  /** Collects the points that the last search has reached. */
  const gather = (starts: readonly StreetStart[], profile: WalkProfile) => {
    const reached = new Map<number, number>()
    if (starts.length === 0) return reached
    met[profile].gather(ball, starts)
    for (let at = 0; at < met[profile].count; at++) {
      const point = met[profile].points[at]
      const length = met[profile].lengthTo(point)
      if (Math.round(length / DECIMETERS) <= maxMeters) reached.set(point, length)
    }
    return reached
  }
  for (let point = 0; point < foot.length; point++) {
    search(foot[point], 'foot')
    const onFoot = gather(foot[point], 'foot')
    // The search without steps is skipped if it starts on the same edges as the search on foot, and the search on foot
    // reached no corner with steps. Both would then reach the same corners.
    if (!isSame(foot[point], stepFree[point]) || reachesAny(ball, stepCorners)) search(stepFree[point], 'step_free')
    const withoutSteps = gather(stepFree[point], 'step_free')
    const others = new Set([...onFoot.keys(), ...withoutSteps.keys()])
    others.delete(point)
    for (const other of [...others].sort((a, b) => a - b)) {
      to.push(other)
      lengths.foot.push(onFoot.get(other) ?? NO_WALK)
      lengths.step_free.push(withoutSteps.get(other) ?? NO_WALK)
    }
    offset[point + 1] = to.length
  }
  return {
    walkOffset: sealColumn(offset),
    walkTo: to.seal(),
    walkFoot: lengths.foot.seal(),
    walkStepFree: lengths.step_free.seal(),
  }
}

/** Corner → 1 if the corner, or a street that ends there, is not step-free. */
function markStepCorners({ nodeFlags, edgeFrom, edgeTo, edgeFlags }: StreetGraph): Uint8Array {
  const marks = new Uint8Array(nodeFlags.length)
  for (let edge = edgeAt(0); edge < edgeFrom.length; edge = nextIndex(edge)) {
    if ((edgeFlags[edge] & STEP_FREE) !== 0) continue
    marks[edgeFrom[edge]] = 1
    marks[edgeTo[edge]] = 1
  }
  columnArray(nodeFlags).forEach((flags, node) => {
    if ((flags & NODE_NOT_STEP_FREE) !== 0) marks[node] = 1
  })
  return marks
}

function reachesAny({ reached, reachedCount }: StreetBall, marks: Uint8Array): boolean {
  for (let at = 0; at < reachedCount; at++) if (marks[reached[at]] === 1) return true
  return false
}

function isSame(left: readonly StreetStart[], right: readonly StreetStart[]): boolean {
  return left.length === right.length && left.every(({ edge }, at) => edge === right[at].edge)
}

function countLinked(
  { stops, stationWays, strings }: Timetable,
  starts: readonly (readonly StreetStart[])[],
): Omit<BuiltLinks, 'links'> {
  const stopCount = stops.id.length
  const unlinkedIds: string[] = []
  for (const stop of eachStop({ stops })) {
    const [first, end] = [stationWays.doorOffset[stop], stationWays.doorOffset[nextIndex(stop)]]
    const own = first < end ? starts.slice(stopCount + first, stopCount + end) : [starts[stop]]
    if (own.every((each) => each.length === 0)) unlinkedIds.push(textOf(strings, stops.id[stop]))
  }
  return { linkedStops: stopCount - unlinkedIds.length, unlinkedIds }
}
