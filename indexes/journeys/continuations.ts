// In-seat transfers as the search reads them: for each route, which of its instances go on as which trips.
import { arrivalAt, firstCallOf, firstInstanceOf, lengthOf, type RouteLayer } from './route-layer.ts'

/** In-seat transfers. Routes, places and calls are numbered over all layers. */
export interface Continuations {
  /** Route → its first record; one longer. */
  readonly offset: Uint32Array
  /** Records of RECORD_BITS, by route and instance. */
  readonly records: Int32Array
}

/** A record: 1 << RECORD_BITS numbers. */
export const RECORD_BITS = 3
/** The instance, within its route, and when it arrives at its last call. */
export const INSTANCE = 0
export const ARRIVES = 1
/** The instance that it continues as. */
export const NEXT_PLACE = 2
export const NEXT_ROUTE = 3
export const NEXT_INSTANCE = 4
/** The call after its first one. */
export const NEXT_CALL = 5
/** The first record of that instance; NO_RECORD if it does not go on. */
export const NEXT_RECORD = 6
export const NO_RECORD = -1

/** An instance and the one that its vehicle continues as, by their places. */
export type SeatedPair = readonly [from: number, to: number]

/** The records of some pairs. */
export function toContinuations(pairs: readonly SeatedPair[], layers: readonly RouteLayer[]): Continuations {
  const sorted = pairs.toSorted(([a, first], [b, second]) => a - b || first - second)
  const firstOf = new Map<number, number>()
  for (const [record, [from]] of sorted.entries()) if (!firstOf.has(from)) firstOf.set(from, record)
  const routeCount = layers.reduce((sum, layer) => sum + layer.routeCount, 0)
  const offset = new Uint32Array(routeCount + 1)
  const records = new Int32Array(sorted.length << RECORD_BITS)
  for (const [record, [from, to]] of sorted.entries()) {
    const [one, other] = [placeIn(layers, from), placeIn(layers, to)]
    const last = lengthOf(one.layer, one.route) - 1
    offset[one.routeBase + one.route + 1] = record + 1
    records.set(
      [
        one.place - firstInstanceOf(one.layer, one.route),
        arrivalAt(one.layer, one.place, last),
        to,
        other.routeBase + other.route,
        other.place - firstInstanceOf(other.layer, other.route),
        other.callBase + firstCallOf(other.layer, other.route) + 1,
        firstOf.get(to) ?? NO_RECORD,
      ],
      record << RECORD_BITS,
    )
  }
  for (let route = 0; route < routeCount; route++) offset[route + 1] = Math.max(offset[route + 1], offset[route])
  return { offset, records }
}

/** The layer of a place in the concatenated layers, and the place within it. */
export function placeIn(layers: readonly RouteLayer[], place: number) {
  let [routeBase, callBase, rest] = [0, 0, place]
  for (const layer of layers) {
    if (rest < layer.label.length) return { layer, routeBase, callBase, place: rest, route: layer.routeOf[rest] }
    rest -= layer.label.length
    routeBase += layer.routeCount
    callBase += layer.callCount
  }
  throw new Error('every place is in a layer')
}
