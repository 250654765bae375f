// The times when leaving makes a difference: when a vehicle within walking distance departs. One event per stop and
// departure, latest first.

import { CAN_BOARD, type RouteLayer } from './route-layer.ts'
import type { SearchBounds, SearchGround, WalkEnds } from './search-ground.ts'
import { LABEL_SHIFT, MAX_VEHICLES } from './search-labels.ts'

/** Departure times, and the stops that matter at each. */
export interface DepartureEvents {
  /** Latest first, without duplicates. */
  readonly moments: readonly number[]
  readonly endsAt: readonly WalkEnds[]
}

/** The input for listing events. */
export interface EventWindow {
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly bounds: SearchBounds
  /** By number of vehicles: leaving at or before this time is useless. */
  readonly lastKnown: readonly number[]
}

/** The events of a window: when to leave for useful departures at points within walking distance. */
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
      const lastOfUse = -bounds.arrival[(stop << LABEL_SHIFT) | MAX_VEHICLES]
      const window = { from: from + seconds, to: Math.min(to + seconds, lastOfUse + 1) }
      eachDeparture(layer, mask, stop, window, (departs) => {
        let vehicles = MAX_VEHICLES
        while (vehicles > 0 && departs - seconds <= lastKnown[vehicles]) vehicles--
        if (-departs < bounds.arrival[(stop << LABEL_SHIFT) | vehicles]) return
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
  const { visitOffset, visitRoute, visitPosition, instanceOffset, timeOffset, departure, use, positionOffset } = layer
  for (let at = visitOffset[stop]; at < visitOffset[stop + 1]; at++) {
    const route = visitRoute[at]
    const position = visitPosition[at]
    if ((use[positionOffset[route] + position] & CAN_BOARD) === 0) continue
    const first = instanceOffset[route]
    const count = instanceOffset[route + 1] - first
    const row = timeOffset[route] + position * count
    let instance = firstNotBelow(departure, row, count, window.from)
    for (; instance < count; instance++) {
      const departs = departure[row + instance]
      if (departs >= window.to) break
      if (masked === undefined || masked[first + instance] === 0) visit(departs)
    }
  }
}

function firstNotBelow(numbers: Int32Array, row: number, count: number, value: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[row + middle] < value) low = middle + 1
    else high = middle
  }
  return low
}
