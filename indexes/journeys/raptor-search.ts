// RAPTOR (Delling, Pajor, Werneck 2012) over layers of routes: round by round the earliest arrival at every stop with one
// vehicle more. Labels stay from one departure to the next, which come latest first (rRAPTOR). Nothing is allocated while
// it runs but the log of rides, which grows and is used again. A backward search is the same over mirrored layers.
import { NO_RIDE, RideLog } from './ride-log.ts'
import { CAN_ALIGHT, CAN_BOARD, type RouteLayer } from './route-layer.ts'
import type { FoundJourney, FoundRide, SearchBounds, SearchGround, WalkEnds } from './search-ground.ts'

/** Vehicles of a journey, at most. */
export const MAX_VEHICLES = 7
/** Not reached. */
export const UNREACHED = 0x7fff_ffff

/** The labels of one timetable, used search after search. */
export class RaptorSearch {
  /** Per number of vehicles: earliest arrival in a vehicle with at most so many; by stop. */
  private readonly arrival: Int32Array[]
  /** Per number of vehicles: earliest boarding after exactly so many, or fewer. */
  private readonly ready: Int32Array[]
  private readonly arrivalRide: Int32Array[]
  private readonly arrivalPosition: Int32Array[]
  private readonly readyRide: Int32Array[]
  private readonly readyPosition: Int32Array[]
  private readonly target = new Int32Array(MAX_VEHICLES + 1)
  private readonly egress: Int32Array
  private egressStops: readonly number[] = []
  /** Stops whose boarding time improved, and those where somebody arrived earlier: lists with marks. */
  private readonly readyStops: Uint32Array
  private readyCount = 0
  private readonly readyMark: Uint32Array
  private readonly arrivedStops: Uint32Array
  private arrivedCount = 0
  private readonly arrivedMark: Uint32Array
  private stamp = 0
  private queue = new Uint32Array(1024)
  private queueCount = 0
  private firstPosition = new Int32Array(0)
  private readonly rides = new RideLog()
  /** Instance → the fewest vehicles with which it was gone on in, seated. */
  private continuedIn = new Uint8Array(0)
  private ground: SearchGround | undefined
  private bounds: SearchBounds | undefined
  private routeBase: readonly number[] = []
  private targetRide = NO_RIDE
  private targetPosition = 0

  constructor(stopCount: number) {
    const perRound = () => Array.from({ length: MAX_VEHICLES + 1 }, () => new Int32Array(stopCount))
    this.arrival = perRound()
    this.ready = perRound()
    this.arrivalRide = perRound()
    this.arrivalPosition = perRound()
    this.readyRide = perRound()
    this.readyPosition = perRound()
    this.egress = new Int32Array(stopCount).fill(UNREACHED)
    this.readyStops = new Uint32Array(stopCount)
    this.readyMark = new Uint32Array(stopCount)
    this.arrivedStops = new Uint32Array(stopCount)
    this.arrivedMark = new Uint32Array(stopCount)
  }

  /** Begins a search towards some stops. `worst` is the first arrival that is of no use. */
  begin(ground: SearchGround, to: WalkEnds, worst = UNREACHED, bounds?: SearchBounds): void {
    this.ground = ground
    this.bounds = bounds
    let routes = 0
    this.routeBase = ground.layers.map((layer) => {
      routes += layer.routeCount
      return routes - layer.routeCount
    })
    if (this.firstPosition.length < routes) {
      this.firstPosition = new Int32Array(routes).fill(-1)
      this.queue = new Uint32Array(routes)
    }
    for (let round = 0; round <= MAX_VEHICLES; round++) {
      ;(this.arrival[round] as Int32Array).fill(UNREACHED)
      ;(this.ready[round] as Int32Array).fill(UNREACHED)
    }
    for (const stop of this.egressStops) this.egress[stop] = UNREACHED
    this.egressStops = to.stops
    for (let at = 0; at < to.stops.length; at++) this.egress[to.stops[at] as number] = to.seconds[at] as number
    this.target.fill(worst)
    this.rides.clear()
    const instances = ground.continuations?.next.length ?? 0
    if (this.continuedIn.length < instances) this.continuedIn = new Uint8Array(instances)
    this.continuedIn.fill(MAX_VEHICLES + 1)
  }

  /**
   * Leaves at a moment, which is not later than that of the leave before. Journeys that are there earlier than all found
   * so far with as few vehicles are handed over, fewest vehicles first.
   */
  leave(at: number, from: WalkEnds, found: (journey: FoundJourney) => void, shouldStop: () => boolean): boolean {
    this.stamp++
    this.readyCount = 0
    const ready = this.ready[0] as Int32Array
    for (let each = 0; each < from.stops.length; each++) {
      const stop = from.stops[each] as number
      const time = at + (from.seconds[each] as number)
      if (time >= (ready[stop] as number)) continue
      ready[stop] = time
      ;(this.readyRide[0] as Int32Array)[stop] = NO_RIDE
      this.markReady(stop)
    }
    for (let round = 1; round <= MAX_VEHICLES && this.readyCount > 0; round++) {
      if (shouldStop()) return false
      this.targetRide = NO_RIDE
      this.collectRoutes()
      this.stamp++
      this.arrivedCount = 0
      for (let each = 0; each < this.queueCount; each++) this.scanFrom(this.queue[each] as number, round)
      if (this.targetRide !== NO_RIDE) found(this.unroll(at, round))
      this.stamp++
      this.readyCount = 0
      if (round < MAX_VEHICLES) this.walk(round)
    }
    return true
  }

  /**
   * What this search, run backwards from an end without a target, tells the one that runs forwards to it: when the last
   * vehicle of use leaves each stop, and when the last one of use gets there.
   */
  fillBounds(bounds: SearchBounds, end: { readonly at: number; readonly egress: WalkEnds }): void {
    const { board, alight } = bounds
    const arrival = this.arrival[MAX_VEHICLES] as Int32Array
    const ready = this.ready[MAX_VEHICLES] as Int32Array
    for (let stop = 0; stop < board.length; stop++) {
      board[stop] = -(arrival[stop] as number)
      alight[stop] = -(ready[stop] as number)
    }
    for (const [at, stop] of end.egress.stops.entries()) {
      alight[stop] = Math.max(alight[stop] as number, end.at - (end.egress.seconds[at] as number))
    }
  }

  private markReady(stop: number): void {
    if (this.readyMark[stop] === this.stamp) return
    this.readyMark[stop] = this.stamp
    this.readyStops[this.readyCount++] = stop
  }

  /** The routes that can be boarded where boarding improved, with the first position of each. */
  private collectRoutes(): void {
    this.queueCount = 0
    const { layers } = this.groundNow()
    for (let number = 0; number < layers.length; number++) {
      const { visitOffset, visitRoute, visitPosition } = layers[number] as RouteLayer
      const base = this.routeBase[number] as number
      for (let each = 0; each < this.readyCount; each++) {
        const stop = this.readyStops[each] as number
        const end = visitOffset[stop + 1] as number
        for (let visit = visitOffset[stop] as number; visit < end; visit++) {
          const route = base + (visitRoute[visit] as number)
          const position = visitPosition[visit] as number
          const first = this.firstPosition[route] as number
          if (first < 0) this.queue[this.queueCount++] = route
          if (first < 0 || position < first) this.firstPosition[route] = position
        }
      }
    }
  }

  private scanFrom(joined: number, round: number): void {
    const { layers, lines } = this.groundNow()
    const first = this.firstPosition[joined] as number
    this.firstPosition[joined] = -1
    const number = layers.length > 1 && joined >= (this.routeBase[1] as number) ? 1 : 0
    const layer = layers[number] as RouteLayer
    const route = joined - (this.routeBase[number] as number)
    if (lines !== undefined && lines[layer.line[route] as number] === 0) return
    this.scan(layer, number, route, first, round, NO_RIDE, -1)
  }

  /** Rides a route from a position on, boarding at each stop the earliest instance there is. */
  private scan(
    layer: RouteLayer,
    number: number,
    route: number,
    first: number,
    round: number,
    seatedRide: number,
    seatedInstance: number,
  ): void {
    const { stopAt, use, departure, arrival: arrivals, positionOffset, instanceOffset, timeOffset } = layer
    const start = positionOffset[route] as number
    const length = (positionOffset[route + 1] as number) - start
    const firstInstance = instanceOffset[route] as number
    const count = (instanceOffset[route + 1] as number) - firstInstance
    const times = timeOffset[route] as number
    const masked = number === 0 ? this.groundNow().masked : undefined
    const ready = this.ready[round - 1] as Int32Array
    const best = this.arrival[round] as Int32Array
    const { target, egress } = this
    const alightBound = this.bounds?.alight
    let instance = seatedInstance
    let ride = seatedRide
    for (let position = first; position < length; position++) {
      const stop = stopAt[start + position] as number
      const rights = use[start + position] as number
      const row = times + position * count
      if (ride !== NO_RIDE && position > (this.rides.from[ride] as number) && (rights & CAN_ALIGHT) !== 0) {
        const there = arrivals[row + instance] as number
        const isUseful = alightBound === undefined || there <= (alightBound[stop] as number)
        if (isUseful && there < (best[stop] as number) && there < (target[round] as number)) {
          this.arrive(stop, there, round, ride, position)
          const walk = egress[stop] as number
          if (walk !== UNREACHED && there + walk < (target[round] as number)) {
            for (let more = round; more <= MAX_VEHICLES; more++) {
              if (there + walk < (target[more] as number)) target[more] = there + walk
            }
            this.targetRide = ride
            this.targetPosition = position
          }
        }
      }
      if ((rights & CAN_BOARD) === 0 || position === length - 1) continue
      const from = ready[stop] as number
      if (from === UNREACHED) continue
      const limit = instance < 0 ? count : instance
      if (instance >= 0 && (limit === 0 || from > (departure[row + limit - 1] as number))) continue
      const earliest = findInstance(departure, row, limit, from)
      let taken = earliest
      if (masked !== undefined) while (taken < limit && masked[firstInstance + taken] === 1) taken++
      if (taken >= limit) continue
      instance = taken
      ride = this.rides.add(
        number,
        route,
        taken,
        position,
        (this.readyRide[round - 1] as Int32Array)[stop] as number,
        (this.readyPosition[round - 1] as Int32Array)[stop] as number,
      )
    }
    if (ride !== NO_RIDE) this.goOn(layer, number, route, instance, ride, round)
  }

  /** Stays seated where the vehicle goes on as another trip, or one that follows it does. */
  private goOn(layer: RouteLayer, number: number, route: number, from: number, ride: number, round: number): void {
    const { continuations, layers, lines } = this.groundNow()
    if (continuations === undefined) return
    const joined = (this.routeBase[number] as number) + route
    if (continuations.routeHas[joined] === 0) return
    const firstInstance = layer.instanceOffset[route] as number
    const count = (layer.instanceOffset[route + 1] as number) - firstInstance
    const base = number === 0 ? 0 : (layers[0] as RouteLayer).label.length
    const length = (layer.positionOffset[route + 1] as number) - (layer.positionOffset[route] as number)
    const lastRow = (layer.timeOffset[route] as number) + (length - 1) * count
    const masked = number === 0 ? this.groundNow().masked : undefined
    const boarded = this.rides.from[ride] as number
    // Who came in a seat cannot have come in a later vehicle's.
    const end = this.rides.isSeated[ride] === 1 ? from + 1 : count
    const seen: number[] = []
    for (let instance = from; instance < end; instance++) {
      if ((layer.arrival[lastRow + instance] as number) >= (this.target[round] as number)) return
      if (masked !== undefined && masked[firstInstance + instance] === 1) continue
      const next = continuations.next[base + firstInstance + instance] as number
      if (next < 0) continue
      const firstOfLive = (layers[0] as RouteLayer).label.length
      const target = next < firstOfLive ? 0 : 1
      const nextLayer = layers[target] as RouteLayer
      const place = target === 0 ? next : next - firstOfLive
      const nextRoute = nextLayer.routeOf[place] as number
      const nextJoined = (this.routeBase[target] as number) + nextRoute
      if (seen.includes(nextJoined) || lines?.[nextLayer.line[nextRoute] as number] === 0) continue
      seen.push(nextJoined)
      // Ridden from its start with as few vehicles before: nothing is reached earlier now.
      if ((this.continuedIn[next] as number) <= round) continue
      this.continuedIn[next] = round
      const seated =
        instance === from
          ? ride
          : this.rides.add(
              number,
              route,
              instance,
              boarded,
              this.rides.before[ride] as number,
              this.rides.beforePosition[ride] as number,
              this.rides.isSeated[ride] as number,
            )
      const nextInstance = place - (nextLayer.instanceOffset[nextRoute] as number)
      const goingOn = this.rides.add(target, nextRoute, nextInstance, 0, seated, length - 1, 1)
      this.scan(nextLayer, target, nextRoute, 0, round, goingOn, nextInstance)
    }
  }

  private arrive(stop: number, time: number, round: number, ride: number, position: number): void {
    for (let more = round; more <= MAX_VEHICLES; more++) {
      const best = this.arrival[more] as Int32Array
      if (time < (best[stop] as number)) best[stop] = time
    }
    ;(this.arrivalRide[round] as Int32Array)[stop] = ride
    ;(this.arrivalPosition[round] as Int32Array)[stop] = position
    if (this.arrivedMark[stop] === this.stamp) return
    this.arrivedMark[stop] = this.stamp
    this.arrivedStops[this.arrivedCount++] = stop
  }

  /** From where somebody arrived earlier to where one can board then. */
  private walk(round: number): void {
    const { footpaths } = this.groundNow()
    const { offset, stop: reached, seconds } = footpaths
    const arrival = this.arrival[round] as Int32Array
    const ready = this.ready[round] as Int32Array
    const ride = this.arrivalRide[round] as Int32Array
    const position = this.arrivalPosition[round] as Int32Array
    const readyRide = this.readyRide[round] as Int32Array
    const readyPosition = this.readyPosition[round] as Int32Array
    const worst = this.target[Math.min(round + 1, MAX_VEHICLES)] as number
    const boardBound = this.bounds?.board
    for (let each = 0; each < this.arrivedCount; each++) {
      const stop = this.arrivedStops[each] as number
      const time = arrival[stop] as number
      const end = offset[stop + 1] as number
      for (let path = offset[stop] as number; path < end; path++) {
        const when = time + (seconds[path] as number)
        if (when >= worst) break
        const to = reached[path] as number
        if (when >= (ready[to] as number) || (boardBound !== undefined && when > (boardBound[to] as number))) continue
        for (let more = round; more <= MAX_VEHICLES; more++) {
          const later = this.ready[more] as Int32Array
          if (when < (later[to] as number)) later[to] = when
        }
        readyRide[to] = ride[stop] as number
        readyPosition[to] = position[stop] as number
        this.markReady(to)
      }
    }
  }

  private unroll(leaves: number, round: number): FoundJourney {
    const found: FoundRide[] = []
    const { rides } = this
    let ride = this.targetRide
    let to = this.targetPosition
    let vehicles = 0
    while (ride !== NO_RIDE) {
      const staysSeated = rides.isSeated[ride] === 1
      if (!staysSeated) vehicles++
      found.push({
        layer: rides.layer[ride] as number,
        route: rides.route[ride] as number,
        instance: rides.instance[ride] as number,
        from: rides.from[ride] as number,
        to,
        staysSeated,
      })
      to = rides.beforePosition[ride] as number
      ride = rides.before[ride] as number
    }
    return { leaves, arrives: this.target[round] as number, vehicles, rides: found.reverse() }
  }

  private groundNow(): SearchGround {
    if (this.ground === undefined) throw new Error('the search was not begun')
    return this.ground
  }
}

/** The first instance of a row that leaves at a moment or later; `limit` where none does. Few are looked at near the end. */
function findInstance(departure: Int32Array, row: number, limit: number, from: number): number {
  let low = 0
  let high = limit
  while (low < high) {
    const middle = (low + high) >> 1
    if ((departure[row + middle] as number) < from) low = middle + 1
    else high = middle
  }
  return low
}
