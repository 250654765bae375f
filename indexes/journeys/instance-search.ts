// Finds the instance of a route to board. Takes numbers instead of objects, since a search calls it thousands of times.
import { departureAt, INSTANCE_BITS, ROW, type RouteLayer } from './route-layer.ts'

/**
 * The first instance of a route that departs from a position at or after a time, among those before a limit; the limit
 * if there is none. Most trips of a route take equally long and start close together, so the search begins with the
 * instance that would be the first if all took as long as the last one.
 */
export function findInstance(layer: RouteLayer, position: number, from: number, first: number, limit: number): number {
  const { data, instances } = layer
  let low = first
  let high = limit
  const startsFrom = from - data[data[instances + ((limit - 1) << INSTANCE_BITS) + ROW] + position]
  while (low < high) {
    const middle = (low + high) >> 1
    if (data[instances + (middle << INSTANCE_BITS)] < startsFrom) low = middle + 1
    else high = middle
  }
  if (low === limit || departureAt(layer, low, position) >= from) return findBefore(layer, position, from, first, low)
  low++
  let step = 1
  for (; low + step < limit && departureAt(layer, low + step, position) < from; step *= 2) low += step + 1
  return halve(layer, position, from, low, Math.min(limit, low + step))
}

/** Like `findInstance`, for a limit that is the end or departs late enough: searches backwards from it. */
export function findBefore(layer: RouteLayer, position: number, from: number, first: number, limit: number): number {
  let high = limit
  let step = 1
  for (; high - step >= first && departureAt(layer, high - step, position) >= from; step *= 2) high -= step
  return step === 1 ? high : halve(layer, position, from, Math.max(first, high - step), high)
}

function halve(layer: RouteLayer, position: number, from: number, first: number, limit: number): number {
  let low = first
  let high = limit
  while (low < high) {
    const middle = (low + high) >> 1
    if (departureAt(layer, middle, position) < from) low = middle + 1
    else high = middle
  }
  return low
}
