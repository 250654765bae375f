// Builds the RAPTOR routes of a layer (see route-layer.ts) from trip instances, and mirrors the layer for a backward
// search.
import { NONE } from '../../loaders/columns.ts'
import type { PointPlaces } from './change-points.ts'
import {
  arrivalAt,
  CAN_ALIGHT,
  CAN_BOARD,
  firstCallOf,
  firstInstanceOf,
  INSTANCE_BITS,
  ROUTE_SIZE,
  ROW,
  type RouteLayer,
  USE_BITS,
  VISIT_BITS,
} from './route-layer.ts'
import type { TimeColumns } from './time-rows.ts'

/** Classes of trips. All trips in a class have the same line and the same sequence of calls. */
export interface RouteClasses {
  readonly line: Uint32Array
  /** Class → its first call; has one extra entry. */
  readonly callOffset: Uint32Array
  /** Call → point << USE_BITS | sum of CAN_…. */
  readonly callAt: Uint32Array
}

/** The trip instances from which a layer is built. */
export interface LayerTrips extends TimeColumns {
  readonly classes: RouteClasses
  /** Class → its first instance; has one extra entry. */
  readonly classOffset: Uint32Array
  /** Instance → its number in the caller's data. Instances with the same times stay in the order of the input. */
  readonly label: Uint32Array
  readonly start: Int32Array
  readonly row: Uint32Array
}

/** The columns of a layer, before they are packed into one array. */
interface LayerParts extends TimeColumns {
  readonly routes: Int32Array
  readonly calls: Uint32Array
  /** As in RouteLayer, but the value at ROW is an index in `departure` and `arrival`. */
  readonly instances: Int32Array
  readonly label: Uint32Array
  readonly routeOf: Uint32Array
}

/** A RAPTOR route under construction. */
interface Lane {
  readonly class: number
  /** Indexes of instances in `LayerTrips`. */
  readonly instances: number[]
}

/** Builds a layer from trip instances. */
export function buildLayer(trips: LayerTrips, places: PointPlaces): RouteLayer {
  const { classes, classOffset, departure, arrival } = trips
  const lanes: Lane[] = []
  for (let each = 0; each < classes.line.length; each++) {
    if (classOffset[each] < classOffset[each + 1]) lanes.push(...splitLanes(trips, each))
  }
  const lengthOfClass = (each: number) => classes.callOffset[each + 1] - classes.callOffset[each]
  const instanceCount = classOffset[classes.line.length]
  const parts: LayerParts = {
    routes: new Int32Array((lanes.length + 1) * ROUTE_SIZE),
    calls: new Uint32Array(lanes.reduce((sum, lane) => sum + lengthOfClass(lane.class), 0)),
    instances: new Int32Array(instanceCount << INSTANCE_BITS),
    departure,
    arrival,
    label: new Uint32Array(instanceCount),
    routeOf: new Uint32Array(instanceCount),
  }
  let call = 0
  let place = 0
  for (const [route, lane] of lanes.entries()) {
    const [first, end] = [classes.callOffset[lane.class], classes.callOffset[lane.class + 1]]
    parts.routes.set([call, place, classes.line[lane.class]], route * ROUTE_SIZE)
    parts.calls.set(classes.callAt.subarray(first, end), call)
    for (const instance of lane.instances) {
      parts.instances[place << INSTANCE_BITS] = trips.start[instance]
      parts.instances[(place << INSTANCE_BITS) | ROW] = trips.row[instance]
      parts.label[place] = trips.label[instance]
      parts.routeOf[place] = route
      place++
    }
    call += end - first
  }
  parts.routes.set([call, place], lanes.length * ROUTE_SIZE)
  return packLayer(parts, places)
}

/**
 * Groups the instances of a class into routes in which no instance overtakes another. Each instance joins the first
 * route whose instances it does not overtake.
 */
function splitLanes(trips: LayerTrips, inClass: number): Lane[] {
  const { classes, classOffset, start, row, arrival } = trips
  const count = classes.callOffset[inClass + 1] - classes.callOffset[inClass]
  const ends = (instance: number) => start[instance] + arrival[row[instance] + count - 1]
  const isAfter = (a: number, b: number) => start[a] - start[b] || ends(a) - ends(b) || a - b
  const sorted = new Uint32Array(classOffset[inClass + 1] - classOffset[inClass])
  let isSorted = true
  for (let at = 0; at < sorted.length; at++) {
    sorted[at] = classOffset[inClass] + at
    isSorted &&= at === 0 || isAfter(sorted[at - 1], sorted[at]) < 0
  }
  if (!isSorted) sorted.sort(isAfter)
  const lanes: Lane[] = []
  for (const instance of sorted) {
    const lane = lanes.find(({ instances }) => !overtakes(trips, instance, { earlier: instances.at(-1), count }))
    if (lane === undefined) lanes.push({ class: inClass, instances: [instance] })
    else lane.instances.push(instance)
  }
  return lanes
}

/**
 * Whether an instance overtakes another instance that starts at the same time or earlier. The first instance overtakes
 * if it departs or arrives earlier than the other at some call.
 */
function overtakes(
  { start, row, departure, arrival }: LayerTrips,
  later: number,
  { earlier = later, count }: { readonly earlier: number | undefined; readonly count: number },
): boolean {
  const [one, other] = [row[later], row[earlier]]
  if (one === other) return false
  const ahead = start[later] - start[earlier]
  for (let call = count - 1; call >= 0; call--) {
    if (ahead + departure[one + call] < departure[other + call]) return true
    if (ahead + arrival[one + call] < arrival[other + call]) return true
  }
  return false
}

/** Puts the parts of a layer into one array, and adds for each point a list of the calls at which riders can board. */
function packLayer(parts: LayerParts, places: PointPlaces): RouteLayer {
  const { routes, calls, instances, departure, arrival, label, routeOf } = parts
  const { visitOffset, visits } = indexVisits(parts, places)
  const isApart = arrival !== departure
  const sections = [routes, calls, instances, departure, ...(isApart ? [arrival] : []), visitOffset, visits]
  const data = new Int32Array(sections.reduce((sum, { length }) => sum + length, 0))
  const begins = sections.map((_, at) => sections.slice(0, at).reduce((sum, { length }) => sum + length, 0))
  for (const [at, section] of sections.entries()) data.set(section, begins[at])
  const [, , firstInstance, firstDeparture] = begins
  for (let at = firstInstance + ROW; at < firstDeparture; at += 1 << INSTANCE_BITS) data[at] = data[at] + firstDeparture
  return {
    routeCount: routes.length / ROUTE_SIZE - 1,
    callCount: calls.length,
    data,
    calls: begins[1],
    instances: firstInstance,
    departure: firstDeparture,
    arrivalShift: isApart ? departure.length : 0,
    visitOffset: begins[sections.length - 2],
    visits: begins[sections.length - 1],
    label,
    routeOf,
  }
}

/**
 * Lists, for each point, the calls at which riders can board. The list for a hub contains the calls at all its points.
 */
function indexVisits({ routes, calls }: LayerParts, { count: pointCount, hubOf }: PointPlaces) {
  const offset = new Int32Array(pointCount + 1)
  const each = (visit: (route: number, call: number, point: number) => void) => {
    for (let route = 0; (route + 1) * ROUTE_SIZE < routes.length; route++) {
      const last = routes[(route + 1) * ROUTE_SIZE] - 1
      for (let call = routes[route * ROUTE_SIZE]; call < last; call++) {
        if ((calls[call] & CAN_BOARD) === 0) continue
        const point = calls[call] >>> USE_BITS
        visit(route, call, point)
        if (hubOf[point] !== NONE) visit(route, call, hubOf[point])
      }
    }
  }
  each((_route, _call, point) => {
    offset[point + 1] = offset[point + 1] + 1
  })
  for (let point = 0; point < pointCount; point++) offset[point + 1] = offset[point + 1] + offset[point]
  const next = offset.slice()
  const visits = new Int32Array(offset[pointCount] << VISIT_BITS)
  each((route, call, point) => {
    const at = next[point]
    next[point] = at + 1
    visits[at << VISIT_BITS] = route
    visits[(at << VISIT_BITS) | 1] = call
  })
  return { visitOffset: offset, visits }
}

/** Builds the layer for a backward search: calls and instances in reverse order, times negated. */
export function mirrorLayer(layer: RouteLayer, places: PointPlaces): RouteLayer {
  const { data, arrivalShift } = layer
  const [instanceCount, rowCount] = [layer.label.length, rowsOf(layer)]
  const departure = new Int32Array(rowCount)
  const parts: LayerParts = {
    routes: data.slice(0, (layer.routeCount + 1) * ROUTE_SIZE),
    calls: new Uint32Array(layer.callCount),
    instances: new Int32Array(instanceCount << INSTANCE_BITS),
    departure,
    arrival: arrivalShift === 0 ? departure : new Int32Array(rowCount),
    label: new Uint32Array(instanceCount),
    routeOf: layer.routeOf,
  }
  const isTurned = new Uint8Array(rowCount)
  for (let route = 0; route < layer.routeCount; route++) {
    const [firstCall, lastCall] = [firstCallOf(layer, route), firstCallOf(layer, route + 1) - 1]
    for (let call = firstCall; call <= lastCall; call++) {
      parts.calls[call] = turnedCall(data[layer.calls + firstCall + lastCall - call])
    }
    const [first, last] = [firstInstanceOf(layer, route), firstInstanceOf(layer, route + 1) - 1]
    for (let instance = first; instance <= last; instance++) {
      const place = first + last - instance
      const row = data[layer.instances + (instance << INSTANCE_BITS) + ROW] - layer.departure
      parts.instances[place << INSTANCE_BITS] = -arrivalAt(layer, instance, lastCall - firstCall)
      parts.instances[(place << INSTANCE_BITS) | ROW] = row
      parts.label[place] = layer.label[instance]
      if (isTurned[row] === 1) continue
      isTurned[row] = 1
      turnRow(layer, parts, { row, end: row + lastCall - firstCall })
    }
  }
  return packLayer(parts, places)
}

/** Number of values in each time column. */
function rowsOf({ departure, arrivalShift, visitOffset }: RouteLayer): number {
  return arrivalShift > 0 ? arrivalShift : visitOffset - departure
}

function turnedCall(call: number): number {
  const boards = (call & CAN_ALIGHT) === 0 ? 0 : CAN_BOARD
  const alights = (call & CAN_BOARD) === 0 ? 0 : CAN_ALIGHT
  return (call & ~(CAN_BOARD | CAN_ALIGHT)) | boards | alights
}

function turnRow(
  { data, departure, arrivalShift }: RouteLayer,
  to: TimeColumns,
  { row, end }: { readonly row: number; readonly end: number },
): void {
  const arrival = departure + arrivalShift
  const last = data[arrival + end]
  for (let at = row; at <= end; at++) {
    to.departure[at] = last - data[arrival + row + end - at]
    to.arrival[at] = last - data[departure + row + end - at]
  }
}
