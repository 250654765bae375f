// The routes to scan in a round, and the calls at which riders can board an earlier instance than in previous rounds.
import { departureAt, firstCallOf, firstInstanceOf, VISIT_BITS } from './route-layer.ts'
import { NO_MARK, type SearchState } from './search-state.ts'

/** The queue of a search. Routes and calls are numbered over all layers. */
export class RouteQueue {
  private readonly state: SearchState
  /** Route → 1 if the route is in the queue. */
  private isQueued = new Uint8Array(0)

  constructor(state: SearchState) {
    this.state = state
  }

  /**
   * For each point at which riders can now board earlier, queues the routes that call there. Marks the calls at which
   * riders can board an instance that no rider has used yet.
   */
  collect(round: number): void {
    const { state } = this
    const { data, shift, mask, ready, ridden, ground, boardable, boardableCount, queueBase } = state
    const routeCount = state.routeBase[ground.layers.length]
    if (this.isQueued.length < routeCount) this.isQueued = new Uint8Array(routeCount)
    const { isQueued } = this
    const slot = round & mask
    const slotBefore = (round - 1) & mask
    let queued = state.queue
    for (let number = 0; number < ground.layers.length; number++) {
      const { data: layer, visitOffset, visits } = ground.layers[number]
      const routeBase = state.routeBase[number]
      const callBase = state.callBase[number]
      queueBase[number] = queued
      for (let each = 0; each < boardableCount; each++) {
        const point = data[boardable + each]
        const from = data[ready + ((point << shift) | slotBefore)]
        const end = visits + (layer[visitOffset + point + 1] << VISIT_BITS)
        for (let visit = visits + (layer[visitOffset + point] << VISIT_BITS); visit < end; visit += 1 << VISIT_BITS) {
          const route = routeBase + layer[visit]
          const call = callBase + layer[visit + 1]
          if (isQueued[route] === 0) {
            isQueued[route] = 1
            data[queued++] = route
          }
          const next = (call + 1) << shift
          const now = ridden + ((next | slot) << 1)
          const before = ridden + ((next | slotBefore) << 1)
          const known = data[before] < data[now] ? before : now
          if (from <= data[known + 1] || this.leadsOn(number, route, call, round, from, data[known]))
            this.mark(route, call)
        }
      }
    }
    queueBase[ground.layers.length] = queued
    for (let each = state.queue; each < queued; each++) isQueued[data[each]] = 0
  }

  mark(route: number, call: number): void {
    const { data, marked, marks } = this.state
    const first = marks + (route << 1)
    data[marked + call] = 1
    if (data[first] === NO_MARK) {
      data[first] = call
      data[first + 1] = call
    } else if (call < data[first]) data[first] = call
    else if (call > data[first + 1]) data[first + 1] = call
  }

  /** Whether a route has marked calls. */
  hasMarks(route: number): boolean {
    const { data, marks } = this.state
    return data[marks + (route << 1)] !== NO_MARK
  }

  layerOf(route: number): number {
    const { ground, routeBase } = this.state
    return ground.layers.length > 1 && route >= routeBase[1] ? 1 : 0
  }

  /** The earliest instance in which a rider reached a call, using at most `round` vehicles. */
  riddenTo(call: number, round: number): number {
    const { data, ridden, shift, mask } = this.state
    const label = call << shift
    const now = data[ridden + ((label | (round & mask)) << 1)]
    const before = data[ridden + ((label | ((round - 1) & mask)) << 1)]
    return Math.min(before, now)
  }

  /**
   * Whether boarding at a call is useful only for an in-seat transfer: riders cannot board an earlier instance than
   * before, but they can board an instance whose in-seat transfer has not been tried yet.
   */
  leadsOn(number: number, route: number, call: number, round: number, from: number, ridden: number): boolean {
    const { ground, routeBase, callBase, seated } = this.state
    const { continuations, layers } = ground
    if (continuations === undefined || continuations.offset[route] === continuations.offset[route + 1]) return false
    const layer = layers[number]
    const local = route - routeBase[number]
    const first = firstInstanceOf(layer, local)
    const doneFrom = seated.doneFrom(route, round, firstInstanceOf(layer, local + 1) - first)
    if (doneFrom <= ridden) return false
    const position = call - callBase[number] - firstCallOf(layer, local)
    return from <= departureAt(layer, first + doneFrom - 1, position)
  }
}
