// RAPTOR (Delling, Pajor, Werneck 2012) over layers of routes: each round computes the earliest arrival at every point
// with one more vehicle. Labels are kept between departures, which are processed latest first (rRAPTOR). The search
// allocates nothing but the ride log, which grows and is reused. A backward search is the same over mirrored layers.
import { NONE } from '../../loaders/columns.ts'
import { HubChanges } from './hub-changes.ts'
import { PendingChanges } from './pending-changes.ts'
import { NO_RIDE, RideLog } from './ride-log.ts'
import { CAN_ALIGHT, CAN_BOARD, type RouteLayer } from './route-layer.ts'
import type { FoundJourney, FoundRide, SearchBounds, SearchGround, SearchTask, WalkEnds } from './search-ground.ts'
import { LABEL_SHIFT, MAX_VEHICLES, NEVER, SearchLabels, UNREACHED } from './search-labels.ts'
import { SeatedMarks } from './seated-marks.ts'

/** The labels of one timetable, reused by every search. */
export class RaptorSearch {
  private readonly labels: SearchLabels
  /** By number of vehicles: the earliest arrival at the end. */
  private readonly target = new Int32Array(MAX_VEHICLES + 1)
  private targetRide = NO_RIDE
  private targetPosition = 0
  /** Point → seconds from it to the end; UNREACHED if there is no walk. */
  private readonly egress: Int32Array
  private egressPoints: readonly number[] = []
  /** Point → seconds from the start to it, if there is a walk. */
  private readonly access: Int32Array
  private leaveBefore = UNREACHED
  private lastKnown: readonly number[] | undefined
  /** Maximum number of vehicles with which something may still be found. */
  private mostVehicles = MAX_VEHICLES
  private isForBounds = false
  private queue = new Uint32Array(0)
  private queueCount = 0
  /** Route → the first position where it can be boarded; −1 if it is not queued. */
  private firstPosition = new Int32Array(0)
  private readonly rides = new RideLog()
  private readonly seated = new SeatedMarks()
  private readonly pending = new PendingChanges()
  private ground: SearchGround | undefined
  private bounds: SearchBounds | undefined
  private boundsEnd = UNREACHED
  private routeBase: readonly number[] = []
  /** Undefined if no stop has a hub. */
  private hubOf: Uint32Array | undefined
  private readonly hubChanges: HubChanges

  constructor(pointCount: number) {
    this.labels = new SearchLabels(pointCount)
    this.egress = new Int32Array(pointCount).fill(UNREACHED)
    this.access = new Int32Array(pointCount)
    this.hubChanges = new HubChanges(this.labels, this.pending, pointCount)
  }

  /** Starts a search. */
  begin(ground: SearchGround, task: SearchTask): void {
    const { access, egress } = task
    this.ground = ground
    this.bounds = task.bounds
    const { hubOf, firstHub } = ground.footpaths
    this.hubOf = firstHub < hubOf.length ? hubOf : undefined
    this.boundsEnd = task.bounds?.end ?? UNREACHED
    this.leaveBefore = task.leaveBefore ?? UNREACHED
    this.isForBounds = task.isForBounds === true
    this.lastKnown = task.lastKnown
    this.mostVehicles = task.mostVehicles ?? MAX_VEHICLES
    let routes = 0
    this.routeBase = ground.layers.map((layer) => {
      routes += layer.routeCount
      return routes - layer.routeCount
    })
    if (this.queue.length < routes) {
      this.firstPosition = new Int32Array(routes).fill(-1)
      this.queue = new Uint32Array(routes)
    }
    this.labels.reset(this.hubOf)
    this.seated.reset(routes, ground.continuations)
    for (const point of this.egressPoints) this.egress[point] = UNREACHED
    this.egressPoints = egress.stops
    for (const [at, point] of egress.stops.entries()) this.egress[point] = egress.seconds[at]
    for (const [at, point] of access.stops.entries()) this.access[point] = access.seconds[at]
    this.target.fill(task.worst ?? UNREACHED)
    this.rides.clear()
  }

  /**
   * Searches from one departure time, which is not later than that of the previous call. Reports journeys that arrive
   * earlier than all found so far with as few vehicles, fewest vehicles first. False if aborted.
   */
  leave(at: number, from: WalkEnds, found: (journey: FoundJourney) => void, shouldStop: () => boolean): boolean {
    const { labels } = this
    while (this.mostVehicles > 0 && at <= (this.lastKnown?.[this.mostVehicles] ?? NEVER)) this.mostVehicles--
    const { mostVehicles } = this
    labels.boardable.clear()
    for (let each = 0; each < from.stops.length; each++) {
      labels.start(from.stops[each], at + from.seconds[each])
    }
    for (let round = 1; round <= mostVehicles && labels.boardable.count > 0; round++) {
      if (shouldStop()) return false
      this.targetRide = NO_RIDE
      this.collectRoutes()
      labels.reached.clear()
      for (let each = 0; each < this.queueCount; each++) this.scanFrom(this.queue[each], round)
      if (this.targetRide !== NO_RIDE) found(this.unroll(at, round))
      labels.boardable.clear()
      if (round < mostVehicles) this.walk(round)
    }
    return true
  }

  /** The bounds for a search in the other direction, after its only `leave`. Valid until this search begins again. */
  boundsForOther(from: WalkEnds): SearchBounds {
    const { labels, target } = this
    labels.countStarts(from.stops)
    return { arrival: labels.arrival, ready: labels.ready, end: target[MAX_VEHICLES] }
  }

  /** The routes that can be boarded at points with improved boarding, with the first position of each. */
  private collectRoutes(): void {
    const { queue, firstPosition } = this
    const { layers } = this.groundNow()
    const { points, count } = this.labels.boardable
    let queueCount = 0
    for (let number = 0; number < layers.length; number++) {
      const { visitOffset, visitRoute, visitPosition } = layers[number]
      const base = this.routeBase[number]
      for (let each = 0; each < count; each++) {
        const point = points[each]
        const end = visitOffset[point + 1]
        for (let visit = visitOffset[point]; visit < end; visit++) {
          const route = base + visitRoute[visit]
          const position = visitPosition[visit]
          const first = firstPosition[route]
          if (first < 0) queue[queueCount++] = route
          if (first < 0 || position < first) firstPosition[route] = position
        }
      }
    }
    this.queueCount = queueCount
  }

  private scanFrom(joined: number, round: number): void {
    const { layers, lines } = this.groundNow()
    const first = this.firstPosition[joined]
    this.firstPosition[joined] = -1
    const number = layers.length > 1 && joined >= this.routeBase[1] ? 1 : 0
    const layer = layers[number]
    const route = joined - this.routeBase[number]
    if (lines !== undefined && lines[layer.line[route]] === 0) return
    this.scan(layer, number, route, first, round, NO_RIDE)
  }

  /**
   * Scans a route from a position on and boards the earliest instance at each point; first continues seated in
   * `seatedRide`, if given.
   */
  private scan(
    layer: RouteLayer,
    number: number,
    route: number,
    first: number,
    round: number,
    seatedRide: number,
  ): void {
    const { pointAt, use, departure, arrival: arrivals, positionOffset, instanceOffset } = layer
    const { labels, egress, rides, hubOf } = this
    const { arrival: best, ready } = labels
    const start = positionOffset[route]
    const length = positionOffset[route + 1] - start
    const firstInstance = instanceOffset[route]
    const count = instanceOffset[route + 1] - firstInstance
    const masked = number === 0 ? this.groundNow().masked : undefined
    let worst = this.target[round]
    let instance = seatedRide === NO_RIDE ? -1 : rides.instance[seatedRide]
    // A boarding is logged once it is useful; until then only its label is kept.
    let ride = seatedRide
    let boarding = 0
    let boardedAt = seatedRide === NO_RIDE ? -1 : rides.from[seatedRide]
    let row = layer.timeOffset[route] + first * count
    for (let position = first; position < length; position++, row += count) {
      const point = pointAt[start + position]
      const rights = use[start + position]
      // Alighting is possible only after the boarding position: before it, `instance` is still none.
      if (instance >= 0 && (rights & CAN_ALIGHT) !== 0) {
        const there = arrivals[row + instance]
        const isEarlier = there < worst && there < best[(point << LABEL_SHIFT) | round]
        if (isEarlier && position > boardedAt && this.canStillArrive(point, round, there)) {
          if (ride === NO_RIDE) ride = this.board(boarding, number, route, instance, boardedAt)
          labels.arrive(point, round, there, ride, position)
          const walk = egress[point]
          if (walk !== UNREACHED && there + walk < worst) {
            worst = there + walk
            this.reachTarget(round, worst, ride, position)
          }
        }
      }
      if ((rights & CAN_BOARD) === 0) continue
      const label = hubOf === undefined ? (point << LABEL_SHIFT) | (round - 1) : this.boardingLabel(point, round)
      const from = ready[label]
      const limit = instance < 0 ? count : instance
      if (limit === 0 || from > departure[row + limit - 1]) continue
      let taken = findInstance(departure, row, limit, from)
      if (masked !== undefined) while (taken < limit && masked[firstInstance + taken] === 1) taken++
      if (taken >= limit || (round === 1 && this.leavesTooLate(departure[row + taken], point))) continue
      // Continuing from an earlier instance covers later ones too, except one that is too late to leave for from here.
      if (instance >= 0 && round === 1 && this.leavesTooLate(departure[row + instance], point)) {
        this.goOn(layer, number, route, instance, ride, round, boarding, boardedAt)
        worst = this.target[round]
      }
      instance = taken
      ride = NO_RIDE
      boarding = label
      boardedAt = position
    }
    if (instance >= 0) this.goOn(layer, number, route, instance, ride, round, boarding, boardedAt)
  }

  /** The label used to board at a point in a round: its own, or its hub's if that is ready earlier. */
  private boardingLabel(point: number, round: number): number {
    const own = (point << LABEL_SHIFT) | (round - 1)
    const hub = this.hubOf === undefined ? NONE : this.hubOf[point]
    if (hub === NONE) return own
    const { ready } = this.labels
    const general = (hub << LABEL_SHIFT) | (round - 1)
    return ready[general] < ready[own] ? general : own
  }

  /** Whether the end can still be reached after alighting then, by the bounds of the other direction. */
  private canStillArrive(point: number, round: number, alights: number): boolean {
    if (this.bounds === undefined || -alights >= this.boundsEnd) return true
    const vehiclesLeft = this.mostVehicles - round
    if (-alights >= this.bounds.ready[(point << LABEL_SHIFT) | vehiclesLeft]) return true
    const hub = this.hubOf === undefined ? NONE : this.hubOf[point]
    return hub !== NONE && -alights >= this.bounds.ready[(hub << LABEL_SHIFT) | vehiclesLeft]
  }

  /** Logs a boarding with a label. */
  private board(label: number, layer: number, route: number, instance: number, position: number): number {
    const { readyRide, readyPosition, readyUntil } = this.labels
    const [before, beforePosition] = [readyRide[label], readyPosition[label]]
    return this.rides.add(layer, route, instance, position, before, beforePosition, readyUntil[label])
  }

  private leavesTooLate(departs: number, point: number): boolean {
    return departs - this.access[point] >= this.leaveBefore
  }

  private reachTarget(round: number, time: number, ride: number, position: number): void {
    const { target } = this
    for (let more = round; more <= MAX_VEHICLES; more++) if (time < target[more]) target[more] = time
    this.targetRide = ride
    this.targetPosition = position
  }

  /** Stays seated if the vehicle, or a later one of the route, continues as another trip. */
  private goOn(
    layer: RouteLayer,
    number: number,
    route: number,
    from: number,
    written: number,
    round: number,
    boarding: number,
    boardedAt: number,
  ): void {
    const { continuations, layers, lines, masked } = this.groundNow()
    const joined = this.routeBase[number] + route
    if (continuations === undefined || continuations.routeHas[joined] === 0) return
    const ride = written === NO_RIDE ? this.board(boarding, number, route, from, boardedAt) : written
    const { seated } = this
    const firstOfLive = layers[0].label.length
    const firstInstance = (number === 0 ? 0 : firstOfLive) + layer.instanceOffset[route]
    const count = layer.instanceOffset[route + 1] - layer.instanceOffset[route]
    const last = layer.positionOffset[route + 1] - layer.positionOffset[route] - 1
    const lastRow = layer.timeOffset[route] + last * count
    const isSeated = this.rides.isSeated[ride] === 1
    const boarded = this.rides.from[ride]
    const boardRow = layer.timeOffset[route] + boarded * count
    const boardPoint = layer.pointAt[layer.positionOffset[route] + boarded]
    const tooLate = this.leaveBefore + this.access[boardPoint]
    const inTime = round === 1 ? findInstance(layer.departure, boardRow, count, tooLate) : count
    // A rider who arrived seated cannot have arrived in a later vehicle's seat.
    const end = isSeated ? from + 1 : seated.goFrom(joined, round, from, inTime)
    const turn = seated.nextTurn()
    for (let instance = from; instance < end; instance++) {
      if (layer.arrival[lastRow + instance] >= this.target[round]) return
      if (number === 0 && masked !== undefined && masked[firstInstance + instance] === 1) continue
      const first = continuations.offset[firstInstance + instance]
      const afterLast = continuations.offset[firstInstance + instance + 1]
      for (let at = first; at < afterLast; at++) {
        const next = continuations.next[at]
        const target = next < firstOfLive ? 0 : 1
        const nextLayer = layers[target]
        const place = target === 0 ? next : next - firstOfLive
        const nextRoute = nextLayer.routeOf[place]
        if (lines !== undefined && lines[nextLayer.line[nextRoute]] === 0) continue
        const nextInstance = place - nextLayer.instanceOffset[nextRoute]
        const nextJoined = this.routeBase[target] + nextRoute
        const goesOn = continuations.offset[next + 1] > continuations.offset[next]
        const reached = { route: nextJoined, instance: nextInstance, place: next, round, goesOn }
        if (!seated.isOfUse(turn, reached)) continue
        const before = instance === from ? ride : this.rides.addLater(ride, instance)
        const goingOn = this.rides.addSeated(before, target, nextRoute, nextInstance, last)
        this.scan(nextLayer, target, nextRoute, 0, round, goingOn)
      }
    }
  }

  /** Walks from the points reached earlier to the points that can then be boarded. */
  private walk(round: number): void {
    const { labels, rides, pending } = this
    const ground = this.groundNow()
    const { offset, point: end, seconds, slowest, barOffset, firstHub } = ground.footpaths
    const { ready, arrival } = labels
    const { points, count } = labels.reached
    const worst = this.target[round + 1]
    const boardBound = this.bounds?.arrival
    const boundsEnd = this.boundsEnd
    const vehiclesLeft = this.mostVehicles - round
    for (let each = 0; each < count; each++) {
      const here = points[each]
      const from = (here << LABEL_SHIFT) | round
      const time = arrival[from]
      const ride = labels.arrivalRide[from]
      const until = rides.until[ride]
      const isPending = until > time && !this.isForBounds
      if (isPending) pending.take(ground, rides, { ride, now: time })
      const laterUntil = Math.max(until, time + slowest[here])
      const hasBars = barOffset[here] !== barOffset[here + 1]
      const last = offset[here + 1]
      for (let path = offset[here]; path < last; path++) {
        const when = time + seconds[path]
        if (when >= worst) break
        const to = end[path]
        if (when >= ready[(to << LABEL_SHIFT) | round]) continue
        if (boardBound !== undefined && -when < boardBound[(to << LABEL_SHIFT) | vehiclesLeft] && -when < boundsEnd)
          continue
        if (to >= firstHub && (isPending || hasBars)) {
          this.hubChanges.change(ground, { here, hub: to, round, when, from, until: laterUntil, isPending })
          continue
        }
        if (isPending && pending.forbid(ground, to, when)) continue
        labels.change(to, round, when, from, laterUntil)
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
        layer: rides.layer[ride],
        route: rides.route[ride],
        instance: rides.instance[ride],
        from: rides.from[ride],
        to,
        staysSeated,
      })
      to = rides.beforePosition[ride]
      ride = rides.before[ride]
    }
    return { leaves, arrives: this.target[round], vehicles, rides: found.reverse() }
  }

  private groundNow(): SearchGround {
    if (this.ground === undefined) throw new Error('the search was not begun')
    return this.ground
  }
}

/** The first instance of a row that departs at or after a time; `limit` if there is none. */
function findInstance(departure: Int32Array, row: number, limit: number, from: number): number {
  let low = 0
  let high = limit
  while (low < high) {
    const middle = (low + high) >> 1
    if (departure[row + middle] < from) low = middle + 1
    else high = middle
  }
  return low
}
