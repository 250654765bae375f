// In-seat transfers in the form that the search reads. If the vehicle of a trip instance continues as another trip, the
// instance of the other trip is called the next instance.
import { arrivalAt, firstCallOf, firstInstanceOf, lengthOf, type RouteLayer } from './route-layer.ts'

/** In-seat transfers. Routes, instances and calls are numbered over all layers. */
export interface Continuations {
  /** Route → the first record of its instances; has one extra entry. */
  readonly offset: Uint32Array
  /** Records of 1 << RECORD_BITS numbers each, sorted by route and instance. */
  readonly records: Int32Array
}

/** Each record has 1 << RECORD_BITS numbers, at the following indexes. */
export const RECORD_BITS = 3
/** Index of the instance within its route. */
export const INSTANCE = 0
/** Time at which the instance arrives at its last call. */
export const ARRIVES = 1
/** Index of the next instance, over all layers. */
export const NEXT_PLACE = 2
/** Number of the next instance's route, over all layers. */
export const NEXT_ROUTE = 3
/** Index of the next instance within its route. */
export const NEXT_INSTANCE = 4
/** Number of the next instance's second call, over all layers. */
export const NEXT_CALL = 5
/** Index of the next instance's first record; NO_RECORD if the vehicle does not continue after the next instance. */
export const NEXT_RECORD = 6
export const NO_RECORD = -1

/** Pairs of an instance and its next instance, both as indexes over all layers. An instance may be in several pairs. */
export interface SeatedPlaces {
  readonly from: Uint32Array
  readonly to: Uint32Array
}

/** Builds the records for pairs of an instance and its next instance. */
export function toContinuations(pairs: SeatedPlaces, layers: readonly RouteLayer[]): Continuations {
  const { from, to, firstOf } = sortPairs(pairs, layers)
  const routeCount = layers.reduce((sum, layer) => sum + layer.routeCount, 0)
  const offset = new Uint32Array(routeCount + 1)
  const records = new Int32Array(from.length << RECORD_BITS)
  for (let record = 0; record < from.length; record++) {
    const [one, other] = [placeIn(layers, from[record]), placeIn(layers, to[record])]
    const last = lengthOf(one.layer, one.route) - 1
    offset[one.routeBase + one.route + 1] = record + 1
    const at = record << RECORD_BITS
    records[at + INSTANCE] = one.place - firstInstanceOf(one.layer, one.route)
    records[at + ARRIVES] = arrivalAt(one.layer, one.place, last)
    records[at + NEXT_PLACE] = to[record]
    records[at + NEXT_ROUTE] = other.routeBase + other.route
    records[at + NEXT_INSTANCE] = other.place - firstInstanceOf(other.layer, other.route)
    records[at + NEXT_CALL] = other.callBase + firstCallOf(other.layer, other.route) + 1
    records[at + NEXT_RECORD] = firstOf[to[record]] < firstOf[to[record] + 1] ? firstOf[to[record]] : NO_RECORD
  }
  for (let route = 0; route < routeCount; route++) offset[route + 1] = Math.max(offset[route + 1], offset[route])
  return { offset, records }
}

/**
 * Sorts the pairs by the first instance, then by the second. Also returns a table: instance → its first pair, with one
 * extra entry.
 */
function sortPairs({ from, to }: SeatedPlaces, layers: readonly RouteLayer[]): SeatedPlaces & { firstOf: Uint32Array } {
  const firstOf = new Uint32Array(layers.reduce((sum, { label }) => sum + label.length, 0) + 1)
  for (const place of from) firstOf[place + 1] = firstOf[place + 1] + 1
  for (let place = 0; place + 1 < firstOf.length; place++) firstOf[place + 1] = firstOf[place + 1] + firstOf[place]
  const next = firstOf.slice()
  const sorted = { from: new Uint32Array(from.length), to: new Uint32Array(from.length) }
  for (let pair = 0; pair < from.length; pair++) {
    const [one, other] = [from[pair], to[pair]]
    let at = next[one]
    next[one] = at + 1
    for (; at > firstOf[one] && sorted.to[at - 1] > other; at--) sorted.to[at] = sorted.to[at - 1]
    sorted.to[at] = other
  }
  for (let place = 0; place + 1 < firstOf.length; place++) sorted.from.fill(place, firstOf[place], firstOf[place + 1])
  return { ...sorted, firstOf }
}

/** Converts an instance index over all layers to a layer and an index in that layer. */
export function placeIn(layers: readonly RouteLayer[], place: number) {
  let [routeBase, callBase, rest] = [0, 0, place]
  for (const layer of layers) {
    if (rest < layer.label.length) return { layer, routeBase, callBase, place: rest, route: layer.routeOf[rest] }
    rest -= layer.label.length
    routeBase += layer.routeCount
    callBase += layer.callCount
  }
  throw new Error(`no layer of the search has a trip instance with the index ${place}`)
}
