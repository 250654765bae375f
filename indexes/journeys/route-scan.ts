// Scans the routes of a round: riders board, ride, alight, or stay seated when a vehicle continues as another trip.
import { NONE } from '../../loaders/columns.ts'
import {
  ARRIVES,
  INSTANCE,
  NEXT_CALL,
  NEXT_INSTANCE,
  NEXT_RECORD,
  NEXT_ROUTE,
  NO_RECORD,
  RECORD_BITS,
} from './continuations.ts'
import { findBefore, findInstance } from './instance-search.ts'
import { NO_RIDE } from './ride-log.ts'
import {
  CAN_ALIGHT,
  departureAt,
  FIRST_INSTANCE,
  firstCallOf,
  firstInstanceOf,
  INSTANCE_BITS,
  LINE,
  lengthOf,
  lineOf,
  pointAt,
  ROUTE_SIZE,
  ROW,
  USE_BITS,
} from './route-layer.ts'
import type { RouteQueue } from './route-queue.ts'
import { MAX_VEHICLES, NEVER, NO_MARK, type SearchState, UNREACHED } from './search-state.ts'

/** The route scans of one search. */
export class RouteScan {
  private readonly state: SearchState
  private readonly queue: RouteQueue
  /**
   * Whether `rideOn` last returned because the ride is over: it is no longer useful, or its route has ended. False if
   * the ride only paused at a call where an earlier instance may be boarded.
   */
  private isOver = false

  constructor(state: SearchState, queue: RouteQueue) {
    this.state = state
    this.queue = queue
  }

  /** Scans the queued routes. */
  scanQueued(round: number): void {
    const { ground } = this.state
    for (let number = 0; number < ground.layers.length; number++) this.scan(number, round, NO_RIDE)
  }

  /**
   * Scans the queued routes of a layer. At each call where riders can now board earlier, boards the earliest instance.
   * Alights at each call where this leads to an earlier arrival. With `seatedRide`, scans only the route of that ride,
   * in which the rider already sits.
   */
  private scan(number: number, round: number, seatedRide: number): void {
    const { state, queue } = this
    const { data, shift, mask, ready, ridden, marked, hubOf, rides, ground, queueBase } = state
    const layer = ground.layers[number]
    const { lines } = ground
    const { data: columns, calls } = layer
    const routeBase = state.routeBase[number]
    const base = state.callBase[number]
    const slot = round & mask
    const slotBefore = (round - 1) & mask
    const isSeated = seatedRide !== NO_RIDE
    const lastQueued = isSeated ? 1 : queueBase[number + 1]
    for (let each = isSeated ? 0 : queueBase[number]; each < lastQueued; each++) {
      const joined = isSeated ? routeBase + rides.routeOf(seatedRide) : data[each]
      const marks = state.marks + (joined << 1)
      const hasMarks = data[marks] !== NO_MARK
      const route = (joined - routeBase) * ROUTE_SIZE
      if (!isSeated && (!hasMarks || (lines !== undefined && lines[columns[route + LINE]] === 0))) continue
      const firstCall = columns[route]
      const firstInstance = columns[route + FIRST_INSTANCE]
      const end = columns[route + ROUTE_SIZE]
      const lastMark = hasMarks ? data[marks + 1] - base : -1
      let call = isSeated ? firstCall : data[marks] - base
      data[marks] = NO_MARK
      let ride = seatedRide
      let limit = isSeated ? firstInstance + rides.instanceOf(ride) : columns[route + ROUTE_SIZE + FIRST_INSTANCE]
      let isRiding = isSeated
      while (call < end) {
        if (data[marked + base + call] === 1) {
          data[marked + base + call] = 0
          const point = columns[calls + call] >>> USE_BITS
          const label = hubOf === undefined ? (point << shift) | slotBefore : this.boardingLabel(point, slotBefore)
          const from = data[ready + label]
          const next = (base + call + 1) << shift
          const now = ridden + ((next | slot) << 1)
          const earlier = ridden + ((next | slotBefore) << 1)
          const known = data[earlier] < data[now] ? earlier : now
          const isEarlier = from <= data[known + 1]
          if (isEarlier || queue.leadsOn(number, joined, base + call, round, from, data[known])) {
            if (isSeated) queue.mark(joined, base + call)
            const before = isEarlier && data[known] < limit - firstInstance ? firstInstance + data[known] : limit
            if (before > firstInstance && from <= departureAt(layer, before - 1, call - firstCall)) {
              const boarded = this.board(number, joined, round, call, label, before, ride)
              if (boarded !== ride) limit = firstInstance + rides.instanceOf(boarded)
              if (boarded !== ride) isRiding = true
              ride = boarded
            }
          }
        }
        call++
        if (isRiding) {
          call = this.rideOn(number, round, ride, limit, call, isSeated)
          isRiding = !this.isOver
        }
        if (!isRiding) while (call <= lastMark && data[marked + base + call] === 0) call++
        if (!isRiding && call > lastMark) break
      }
      if (ride !== NO_RIDE) this.rideInSeatTransfers(ride, round)
    }
  }

  /**
   * Follows a ride from the call `from`, and alights at each useful call. Returns the next call at which an earlier
   * instance may be boarded, or the call at which the ride ends. The loop reads columns directly, because a function
   * call at each step would be slower.
   */
  private rideOn(number: number, round: number, ride: number, place: number, from: number, isSeated: boolean): number {
    const { state } = this
    const { data, shift, mask, arrival, ready, ridden, egress, marked, arrivalRide, arrivalPosition, hubOf, bounds } =
      state
    const layer = state.ground.layers[number]
    const { data: columns, calls } = layer
    const base = state.callBase[number]
    const route = layer.routeOf[place] * ROUTE_SIZE
    const firstCall = columns[route]
    const end = columns[route + ROUTE_SIZE]
    const instance = place - columns[route + FIRST_INSTANCE]
    const at = layer.instances + (place << INSTANCE_BITS)
    const start = columns[at]
    const row = columns[at + ROW] + layer.arrivalShift - firstCall
    const startBefore = instance === 0 ? 0 : columns[at - 2]
    const rowBefore = instance === 0 ? 0 : columns[at - 2 + ROW] - firstCall - 1
    const slot = round & mask
    const slotBefore = (round - 1) & mask
    const isPlain = !isSeated && hubOf === undefined
    let worst = state.target[round]
    let call = from
    this.isOver = true
    for (; call < end; call++) {
      const known = (base + call) << shift
      const now = ridden + ((known | slot) << 1)
      if (data[now] <= instance || data[ridden + ((known | slotBefore) << 1)] <= instance) return call
      data[now] = instance
      data[now + 1] = instance === 0 ? NEVER : startBefore + columns[rowBefore + call]
      const there = start + columns[row + call]
      if (there >= worst) return call
      const word = columns[calls + call]
      const point = word >>> USE_BITS
      const label = (point << shift) | slot
      if (
        (word & CAN_ALIGHT) !== 0 &&
        there < data[arrival + label] &&
        (bounds === undefined || this.canStillArrive(point, round, there))
      ) {
        const last = arrival + ((point << shift) | mask)
        for (let more = arrival + label; more <= last && there < data[more]; more++) data[more] = there
        data[arrivalRide + label] = ride
        data[arrivalPosition + label] = call - firstCall
        state.addReached(point)
        if (hubOf !== undefined) state.arriveAtHub(hubOf[point], round, there)
        const arrives = there + data[egress + point]
        if (data[egress + point] !== UNREACHED && arrives < worst) {
          worst = arrives
          this.reachEnd(round, worst, ride, call - firstCall)
        }
      }
      if (data[marked + base + call] === 0) continue
      // Boarding here is useful only if riders can catch an earlier instance. If they cannot, the mark is cleared and
      // the ride goes on. If there are hubs or the rider stayed seated, `scan` checks the call instead.
      const departsBefore = instance === 0 ? NEVER : startBefore + columns[rowBefore + call + 1]
      if (!isPlain || data[ready + ((point << shift) | slotBefore)] <= departsBefore) break
      data[marked + base + call] = 0
    }
    this.isOver = call === end
    return call
  }

  private reachEnd(round: number, time: number, ride: number, position: number): void {
    const { state } = this
    const { target } = state
    for (let more = round; more <= MAX_VEHICLES; more++) if (time < target[more]) target[more] = time
    state.targetRide = ride
    state.targetPosition = position
  }

  /**
   * Boards the earliest instance of a route that riders can board at a call. Considers only instances before `limit`.
   * Returns the new ride, or `ride` if there is no such instance.
   */
  private board(
    number: number,
    joined: number,
    round: number,
    call: number,
    label: number,
    limit: number,
    ride: number,
  ): number {
    const { data, ready, readyRide, readyPosition, readyUntil, rides, ground, routeBase } = this.state
    const layer = ground.layers[number]
    const route = joined - routeBase[number]
    const position = call - firstCallOf(layer, route)
    const first = firstInstanceOf(layer, route)
    const from = data[ready + label]
    const isFirst = limit === firstInstanceOf(layer, route + 1)
    let taken = (isFirst ? findInstance : findBefore)(layer, position, from, first, limit)
    const masked = number === 0 ? ground.masked : undefined
    if (masked !== undefined) while (taken < limit && masked[taken] === 1) taken++
    if (taken === limit) return ride
    if (round === 1) {
      const point = pointAt(layer, call)
      if (this.leavesTooLate(departureAt(layer, taken, position), point)) return ride
      // If there is already a `ride`, the new ride replaces it and uses an earlier instance. Usually the in-seat
      // transfers that are followed for the new ride include those of `ride`. They do not if the instance of `ride`
      // departs too late for a journey that starts here. In that case, the in-seat transfers of `ride` are followed
      // now.
      const isLate =
        ride !== NO_RIDE && this.leavesTooLate(departureAt(layer, first + rides.instanceOf(ride), position), point)
      if (isLate) this.rideInSeatTransfers(ride, round)
    }
    const until = data[readyUntil + label]
    return rides.add(
      number,
      route,
      taken - first,
      position,
      data[readyRide + label],
      data[readyPosition + label],
      until,
    )
  }

  /**
   * The label to use for boarding at a point: the label of its hub if that label has an earlier time, otherwise the
   * label of the point itself.
   */
  private boardingLabel(point: number, slot: number): number {
    const { data, ready, hubOf, shift } = this.state
    const own = (point << shift) | slot
    const hub = hubOf === undefined ? NONE : hubOf[point]
    if (hub === NONE) return own
    const general = (hub << shift) | slot
    return data[ready + general] < data[ready + own] ? general : own
  }

  /**
   * Whether, according to the bounds, riders can still reach the destination after alighting at this point and time.
   */
  private canStillArrive(point: number, round: number, alights: number): boolean {
    const { bounds, boundsEnd, hubOf, mostVehicles } = this.state
    if (bounds === undefined || -alights >= boundsEnd) return true
    const { data, ready, shift, mask } = bounds
    const slot = (mostVehicles - round) & mask
    if (-alights >= data[ready + ((point << shift) | slot)]) return true
    const hub = hubOf === undefined ? NONE : hubOf[point]
    return hub !== NONE && -alights >= data[ready + ((hub << shift) | slot)]
  }

  private leavesTooLate(departs: number, point: number): boolean {
    const { data, access, leaveBefore } = this.state
    return departs - data[access + point] >= leaveBefore
  }

  /**
   * Follows in-seat transfers if the vehicle of a ride, or of a later instance of its route, continues as another trip.
   */
  private rideInSeatTransfers(ride: number, round: number): void {
    const { ground, rides, seated, routeBase } = this.state
    if (ground.continuations === undefined) return
    const { offset, records } = ground.continuations
    const joined = routeBase[rides.layerOf(ride)] + rides.routeOf(ride)
    let low = offset[joined]
    let high = offset[joined + 1]
    if (low === high) return
    const boarded = rides.instanceOf(ride)
    // A rider who stayed seated is in this vehicle and cannot use a later instance.
    const { from, end } = rides.isSeated(ride)
      ? { from: boarded, end: boarded + 1 }
      : seated.goFrom(joined, round, boarded, this.endInTime(ride, round))
    while (low < high) {
      const middle = (low + high) >> 1
      if (records[(middle << RECORD_BITS) | INSTANCE] < from) low = middle + 1
      else high = middle
    }
    if (from < end) this.follow(ride, round, low, end)
  }

  /**
   * Follows the in-seat transfers of a ride's route. Starts with the record `from`, and stops at the instance `end`.
   */
  private follow(ride: number, round: number, from: number, end: number): void {
    const { queue } = this
    const { ground, rides, seated, target, routeBase } = this.state
    const { continuations, layers, lines } = ground
    if (continuations === undefined) return
    const { offset, records } = continuations
    const number = rides.layerOf(ride)
    const route = rides.routeOf(ride)
    const boarded = rides.instanceOf(ride)
    const last = offset[routeBase[number] + route + 1]
    const turn = seated.nextTurn()
    for (let record = from; record < last; record++) {
      const at = record << RECORD_BITS
      const instance = records[at | INSTANCE]
      if (instance >= end || records[at | ARRIVES] >= target[round]) return
      const next = records[at | NEXT_ROUTE]
      const nextNumber = queue.layerOf(next)
      const nextRoute = next - routeBase[nextNumber]
      if (lines !== undefined && lines[lineOf(layers[nextNumber], nextRoute)] === 0) continue
      if (!seated.isOfUse(turn, round, records, at)) continue
      const nextInstance = records[at | NEXT_INSTANCE]
      const nextRecord = records[at | NEXT_RECORD]
      const isRidden = queue.riddenTo(records[at | NEXT_CALL], round) <= nextInstance
      // If the next trip was ridden before and its route has no marked calls, scanning the route again reaches nothing
      // new. In this case, only the in-seat transfers of the next trip are followed, if it has any.
      const isKnown = isRidden && !queue.hasMarks(next)
      if (isKnown && nextRecord === NO_RECORD) continue
      const before = instance === boarded ? ride : rides.addLater(ride, instance)
      const position = lengthOf(layers[number], route) - 1
      const goingOn = rides.addSeated(before, nextNumber, nextRoute, nextInstance, position)
      if (isKnown) this.follow(goingOn, round, nextRecord, nextInstance + 1)
      else this.scan(nextNumber, round, goingOn)
    }
  }

  /**
   * The first instance, as an index within its route, that leaves too late for a journey that starts with this ride.
   * After the first round, no instance leaves too late.
   */
  private endInTime(ride: number, round: number): number {
    const { data, access, ground, leaveBefore, rides } = this.state
    const layer = ground.layers[rides.layerOf(ride)]
    const route = rides.routeOf(ride)
    const first = firstInstanceOf(layer, route)
    const limit = firstInstanceOf(layer, route + 1)
    if (round > 1) return limit - first
    const position = rides.fromOf(ride)
    const point = pointAt(layer, firstCallOf(layer, route) + position)
    return findInstance(layer, position, leaveBefore + data[access + point], first, limit) - first
  }
}
