// Routes in the sense of RAPTOR, for some service days. The trip instances of a route have the same sequence of stops,
// and none of them overtakes another. Everything that a search reads is in one array. This is faster because a search
// enters its loops thousands of times, and setting up each further array would cost as much as several steps of a loop.
//
//   data  routes       route → its first call, its first instance, its line; has one extra entry
//         calls        call → its point, and whether riders may board or alight there
//         instances    instance → its first departure, and where its row of times starts
//         departure    row + position → seconds after the first departure
//         arrival      row + position + arrivalShift; the shift is 0 if arrival and departure are the same at all calls
//         visitOffset  point → its first visit; has one extra entry
//         visits       visit → a route, and its call at the point; only calls at which riders can board
/** Bits for what riders may do at a call: board, alight. */
export const CAN_BOARD = 1
export const CAN_ALIGHT = 2
/** A call is stored as point << USE_BITS | sum of CAN_…. */
export const USE_BITS = 2
/** The record of a RAPTOR route has 4 numbers: its first call, its first instance, its line, and one that is unused. */
export const ROUTE_SIZE = 4
export const FIRST_INSTANCE = 1
export const LINE = 2
/** The record of an instance has two numbers: its first departure, and the start of its row of times. */
export const INSTANCE_BITS = 1
export const ROW = 1
/** The record of a visit has two numbers: a route, and a call of the route. */
export const VISIT_BITS = 1

/**
 * RAPTOR routes and their trip instances. Times are in seconds after the span's base; in a mirrored layer they are
 * negated.
 */
export interface RouteLayer {
  readonly routeCount: number
  readonly callCount: number
  /** All columns in one array; the routes come first. */
  readonly data: Int32Array
  /** Indexes in `data` at which the other columns start. */
  readonly calls: number
  readonly instances: number
  readonly departure: number
  readonly arrivalShift: number
  readonly visitOffset: number
  readonly visits: number
  /** Instance → its number in the caller's data; see `LayerTrips`. */
  readonly label: Uint32Array
  /** Instance → its route. */
  readonly routeOf: Uint32Array
}

/** The first call of a route. */
export function firstCallOf({ data }: RouteLayer, route: number): number {
  return data[route * ROUTE_SIZE]
}

/** The first instance of a route. */
export function firstInstanceOf({ data }: RouteLayer, route: number): number {
  return data[route * ROUTE_SIZE + FIRST_INSTANCE]
}

/** The line of a route. */
export function lineOf({ data }: RouteLayer, route: number): number {
  return data[route * ROUTE_SIZE + LINE]
}

/** Number of calls of a route. */
export function lengthOf(layer: RouteLayer, route: number): number {
  return firstCallOf(layer, route + 1) - firstCallOf(layer, route)
}

/** The transfer point of a call. */
export function pointAt({ data, calls }: RouteLayer, call: number): number {
  return data[calls + call] >>> USE_BITS
}

/** What riders may do at a call: a sum of CAN_…. */
export function useAt({ data, calls }: RouteLayer, call: number): number {
  return data[calls + call] & (CAN_BOARD | CAN_ALIGHT)
}

/** The time at which an instance departs from a position of its route. */
export function departureAt({ data, instances }: RouteLayer, instance: number, position: number): number {
  const at = instances + (instance << INSTANCE_BITS)
  return data[at] + data[data[at + ROW] + position]
}

/** The time at which an instance arrives at a position of its route. */
export function arrivalAt(layer: RouteLayer, instance: number, position: number): number {
  const { data, instances, arrivalShift } = layer
  const at = instances + (instance << INSTANCE_BITS)
  return data[at] + data[data[at + ROW] + arrivalShift + position]
}
