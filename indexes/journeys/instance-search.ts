// Finds the instance of a route that a rider boards. The functions take numbers rather than objects because a search
// calls them thousands of times.
import { departureAt, INSTANCE_BITS, ROW, type RouteLayer } from './route-layer.ts'

/**
 * Finds the first instance of a route that departs from `position` no earlier than `from`. Considers only instances
 * before `limit`; returns `limit` if none of them fits. Most trips on a route take the same time. The search therefore
 * first assumes that all instances take as long as the last one, and then corrects the result.
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

/**
 * Does what `findInstance` does, but searches backward from `limit`. Requires that the instance at `limit` departs late
 * enough, or that `limit` is the end of the route.
 */
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
