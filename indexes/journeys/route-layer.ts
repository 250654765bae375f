// Routes for RAPTOR: the trip instances of some days by stop sequence, with no overtaking. Times are grouped by stop,
// so that the search for the earliest trip at a stop reads a few adjacent numbers.
import { NONE } from '../../loaders/columns.ts'
import type { LineIndex } from '../timetable/timetable.ts'
import type { PointPlaces } from './change-points.ts'

/** A position where riders can board, or alight. */
export const CAN_BOARD = 1
export const CAN_ALIGHT = 2

/** Routes and their instances. Times are seconds after the span's base; a mirrored layer counts backwards. */
export interface RouteLayer {
  readonly routeCount: number
  /** Route → its first position; one longer. */
  readonly positionOffset: Uint32Array
  readonly pointAt: Uint32Array
  /** Sum of CAN_…, by position. */
  readonly use: Uint8Array
  readonly line: Uint32Array
  /** Route → its first instance; one longer. The instances of a route are sorted by time. */
  readonly instanceOffset: Uint32Array
  /** Route → the offset of its times: position × instances of the route + instance. */
  readonly timeOffset: Uint32Array
  readonly departure: Int32Array
  readonly arrival: Int32Array
  /** Instance → the caller's number for it. */
  readonly label: Int32Array
  /** Instance → its route. */
  readonly routeOf: Uint32Array
  /** Point → its first visit; one longer. A visit is a boardable position. A hub has the visits of its points. */
  readonly visitOffset: Uint32Array
  readonly visitRoute: Uint32Array
  readonly visitPosition: Uint32Array
}

/** A trip instance to add. */
export interface LayerInstance {
  readonly label: number
  /** Seconds after the span's base; never decrease from call to call. */
  readonly departure: Int32Array
  readonly arrival: Int32Array
}

/** Instances that call at the same points in the same order, with the same rights to board and alight. */
export interface LayerGroup {
  readonly line: LineIndex
  readonly points: readonly number[]
  readonly use: readonly number[]
  readonly instances: LayerInstance[]
}

/** Builds routes from instances. */
export function buildLayer(groups: readonly LayerGroup[], places: PointPlaces): RouteLayer {
  const routes = groups.flatMap((group) => splitLanes(group.instances).map((instances) => ({ group, instances })))
  const positions = routes.reduce((sum, { group }) => sum + group.points.length, 0)
  const instanceCount = routes.reduce((sum, { instances }) => sum + instances.length, 0)
  const timeCount = routes.reduce((sum, { group, instances }) => sum + group.points.length * instances.length, 0)
  const departure = new Int32Array(timeCount)
  const layer = {
    routeCount: routes.length,
    positionOffset: new Uint32Array(routes.length + 1),
    pointAt: new Uint32Array(positions),
    use: new Uint8Array(positions),
    line: new Uint32Array(routes.length),
    instanceOffset: new Uint32Array(routes.length + 1),
    timeOffset: new Uint32Array(routes.length),
    departure,
    // Vehicles of many operators arrive and depart at the same time: one column less, half as much to read.
    arrival: groups.some(hasStays) ? new Int32Array(timeCount) : departure,
    label: new Int32Array(instanceCount),
    routeOf: new Uint32Array(instanceCount),
  }
  let position = 0
  let instance = 0
  let time = 0
  for (const [route, { group, instances }] of routes.entries()) {
    const { points, use, line } = group
    layer.line[route] = line
    layer.timeOffset[route] = time
    layer.pointAt.set(points, position)
    layer.use.set(use, position)
    const count = instances.length
    for (const [at, one] of instances.entries()) {
      layer.label[instance + at] = one.label
      layer.routeOf[instance + at] = route
      for (let call = 0; call < points.length; call++) {
        layer.departure[time + call * count + at] = one.departure[call]
        layer.arrival[time + call * count + at] = one.arrival[call]
      }
    }
    position += points.length
    instance += count
    time += points.length * count
    layer.positionOffset[route + 1] = position
    layer.instanceOffset[route + 1] = instance
  }
  return { ...layer, ...indexVisits(layer, places) }
}

/** Whether any vehicle of a group departs from a call later than it arrives. */
function hasStays({ instances }: LayerGroup): boolean {
  return instances.some(({ departure, arrival }) => arrival.some((seconds, call) => seconds !== departure[call]))
}

/** Groups the instances into rows without overtaking, by first fit. */
function splitLanes(instances: LayerInstance[]): LayerInstance[][] {
  instances.sort((a, b) => {
    const last = a.arrival.length - 1
    return a.departure[0] - b.departure[0] || a.arrival[last] - b.arrival[last]
  })
  const lanes: LayerInstance[][] = []
  for (const instance of instances) {
    const lane = lanes.find((each) => !overtakes(instance, each[each.length - 1]))
    if (lane === undefined) lanes.push([instance])
    else lane.push(instance)
  }
  return lanes
}

function overtakes(later: LayerInstance, earlier: LayerInstance): boolean {
  const { departure, arrival } = later
  for (let call = departure.length - 1; call >= 0; call--) {
    if (departure[call] < earlier.departure[call]) return true
    if (arrival[call] < earlier.arrival[call]) return true
  }
  return false
}

/** The positions where each point can be boarded. */
function indexVisits(
  layer: Pick<RouteLayer, 'routeCount' | 'positionOffset' | 'pointAt' | 'use'>,
  { count: pointCount, hubOf }: PointPlaces,
): Pick<RouteLayer, 'visitOffset' | 'visitRoute' | 'visitPosition'> {
  const { routeCount, positionOffset, pointAt, use } = layer
  const visitOffset = new Uint32Array(pointCount + 1)
  const each = (visit: (route: number, call: number, point: number) => void) => {
    for (let route = 0; route < routeCount; route++) {
      const first = positionOffset[route]
      const last = positionOffset[route + 1] - 1
      for (let at = first; at < last; at++) {
        if ((use[at] & CAN_BOARD) === 0) continue
        const point = pointAt[at]
        visit(route, at - first, point)
        if (hubOf[point] !== NONE) visit(route, at - first, hubOf[point])
      }
    }
  }
  each((_route, _call, point) => {
    visitOffset[point + 1] = visitOffset[point + 1] + 1
  })
  for (let point = 0; point < pointCount; point++) {
    visitOffset[point + 1] = visitOffset[point + 1] + visitOffset[point]
  }
  const next = visitOffset.slice()
  const visitRoute = new Uint32Array(visitOffset[pointCount])
  const visitPosition = new Uint32Array(visitRoute.length)
  each((route, call, point) => {
    const at = next[point]
    next[point] = at + 1
    visitRoute[at] = route
    visitPosition[at] = call
  })
  return { visitOffset, visitRoute, visitPosition }
}

/** The same layer for a backward search: calls and instances in reverse order, times negated. */
export function mirrorLayer(layer: RouteLayer, places: PointPlaces): RouteLayer {
  const { routeCount, positionOffset, instanceOffset, timeOffset } = layer
  const departure = new Int32Array(layer.departure.length)
  const mirrored = {
    ...layer,
    pointAt: new Uint32Array(layer.pointAt.length),
    use: new Uint8Array(layer.use.length),
    departure,
    arrival: layer.arrival === layer.departure ? departure : new Int32Array(layer.arrival.length),
    label: new Int32Array(layer.label.length),
  }
  for (let route = 0; route < routeCount; route++) {
    const first = positionOffset[route]
    const length = positionOffset[route + 1] - first
    const firstInstance = instanceOffset[route]
    const count = instanceOffset[route + 1] - firstInstance
    const time = timeOffset[route]
    for (let call = 0; call < length; call++) {
      const from = first + length - 1 - call
      const use = layer.use[from]
      mirrored.pointAt[first + call] = layer.pointAt[from]
      mirrored.use[first + call] =
        ((use & CAN_BOARD) === 0 ? 0 : CAN_ALIGHT) | ((use & CAN_ALIGHT) === 0 ? 0 : CAN_BOARD)
      for (let at = 0; at < count; at++) {
        const source = time + (length - 1 - call) * count + (count - 1 - at)
        mirrored.departure[time + call * count + at] = -layer.arrival[source]
        mirrored.arrival[time + call * count + at] = -layer.departure[source]
      }
    }
    for (let at = 0; at < count; at++) {
      mirrored.label[firstInstance + at] = layer.label[firstInstance + count - 1 - at]
    }
  }
  return { ...mirrored, ...indexVisits(mirrored, places) }
}
