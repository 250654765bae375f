// The moments at which leaving makes a difference: when a vehicle that one can walk to departs. One event a stop and
// departure, latest first.

import { CAN_BOARD, type RouteLayer } from './route-layer.ts'
import type { SearchGround, WalkEnds } from './search-ground.ts'

/** Moments, and the stops that matter at each. */
export interface DepartureEvents {
  /** Latest first, each once. */
  readonly moments: readonly number[]
  readonly endsAt: readonly WalkEnds[]
}

/** The events of [from, to): when one leaves for departures at stops that can be walked to, until the last of use there. */
export function listEvents(
  { layers, masked }: Pick<SearchGround, 'layers' | 'masked'>,
  access: WalkEnds,
  window: { readonly from: number; readonly to: number },
  lastOfUse: Int32Array,
): DepartureEvents {
  const byMoment = new Map<number, { stops: number[]; seconds: number[] }>()
  for (const [number, layer] of layers.entries()) {
    const mask = number === 0 ? masked : undefined
    for (const [at, stop] of access.stops.entries()) {
      const seconds = access.seconds[at] as number
      const to = Math.min(window.to + seconds, (lastOfUse[stop] as number) + 1)
      eachDeparture(layer, mask, stop, { from: window.from + seconds, to }, (departs) => {
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
  for (let at = visitOffset[stop] as number; at < (visitOffset[stop + 1] as number); at++) {
    const route = visitRoute[at] as number
    const position = visitPosition[at] as number
    if (((use[(positionOffset[route] as number) + position] as number) & CAN_BOARD) === 0) continue
    const first = instanceOffset[route] as number
    const count = (instanceOffset[route + 1] as number) - first
    const row = (timeOffset[route] as number) + position * count
    let instance = firstNotBelow(departure, row, count, window.from)
    for (; instance < count; instance++) {
      const departs = departure[row + instance] as number
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
    if ((numbers[row + middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
