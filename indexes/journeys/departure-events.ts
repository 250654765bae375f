// Lists the times at which it is useful to leave the origin: a rider who leaves at such a time reaches a stop within
// walking distance just as a vehicle departs. Each time is listed once, latest first.

import { firstWhere } from '../../loaders/columns.ts'
import { departureAt, firstCallOf, firstInstanceOf, type RouteLayer, VISIT_BITS } from './route-layer.ts'
import type { SearchBounds, SearchGround, WalkEnds } from './search-ground.ts'
import { MAX_VEHICLES } from './search-state.ts'

/** The times at which to leave the origin, and the points to which riders walk when they leave at each time. */
export interface DepartureEvents {
  /** Latest first, without duplicates. */
  readonly moments: readonly number[]
  readonly endsAt: readonly WalkEnds[]
}

/** The window in which to list departures from the origin, and limits known from earlier searches. */
export interface EventWindow {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly bounds: SearchBounds
  /**
   * Number of vehicles → a time. A rider who leaves at or before this time gets no new journey with that number of
   * vehicles. The time for one vehicle is before `from`.
   */
  readonly lastKnown: readonly number[]
}

/**
 * Lists the times in a window at which leaving the origin may lead to a new journey. For each time, lists the points to
 * which riders walk.
 */
export function listEvents(
  { layers, masked }: Pick<SearchGround, 'layers' | 'masked'>,
  access: WalkEnds,
  { from, to, bounds, lastKnown }: EventWindow,
): DepartureEvents {
  const byMoment = new Map<number, { stops: number[]; seconds: number[] }>()
  for (const [number, layer] of layers.entries()) {
    const mask = number === 0 ? masked : undefined
    for (const [at, stop] of access.stops.entries()) {
      const seconds = access.seconds[at]
      const label = bounds.arrival + (stop << bounds.shift)
      const lastOfUse = -bounds.data[label + bounds.mask]
      const window = { from: from + seconds, to: Math.min(to + seconds, lastOfUse + 1) }
      eachDeparture(layer, mask, stop, window, (departs) => {
        let vehicles = MAX_VEHICLES
        while (departs - seconds <= lastKnown[vehicles]) vehicles--
        if (-departs < bounds.data[label + (vehicles & bounds.mask)]) return
        const ends = byMoment.getOrInsertComputed(departs - seconds, () => ({ stops: [], seconds: [] }))
        if (ends.stops.at(-1) === stop) return
        ends.stops.push(stop)
        ends.seconds.push(seconds)
      })
    }
  }
  const moments = [...byMoment.keys()].sort((a, b) => b - a)
  return { moments, endsAt: moments.map((moment) => byMoment.get(moment) as WalkEnds) }
}

function eachDeparture(
  layer: RouteLayer,
  masked: Uint8Array | undefined,
  stop: number,
  window: { readonly from: number; readonly to: number },
  visit: (departs: number) => void,
): void {
  const { data, visitOffset, visits } = layer
  for (let at = data[visitOffset + stop]; at < data[visitOffset + stop + 1]; at++) {
    const route = data[visits + (at << VISIT_BITS)]
    const position = data[visits + (at << VISIT_BITS) + 1] - firstCallOf(layer, route)
    const end = firstInstanceOf(layer, route + 1)
    const isInWindow = (instance: number) => departureAt(layer, instance, position) >= window.from
    for (let instance = firstWhere(firstInstanceOf(layer, route), end, isInWindow); instance < end; instance++) {
      const departs = departureAt(layer, instance, position)
      if (departs >= window.to) break
      if (masked === undefined || masked[instance] === 0) visit(departs)
    }
  }
}
