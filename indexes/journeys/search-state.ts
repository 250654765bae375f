// The state of a search, which all parts of the search use. All of it is in one array, for the reason given in
// route-layer.ts.
//
//   label of a point    point << shift | (vehicles & mask)
//   label of a call     call << shift | (vehicles & mask)
//
//   data  arrival          label → earliest arrival in a vehicle, with at most the label's number of vehicles
//         ready            label → earliest boarding after riders have used 1 vehicle or more, but at most the label's
//                          number. The label for 0 vehicles has the earliest boarding of the first vehicle
//         ridden           2 × label of a call → the earliest instance ridden to the call. The next value is the time
//                          at which the preceding instance departs from the previous call
//         egress           point → seconds from the point to the end of the journey, if riders can walk there
//                          (`arrival` to `egress` are UNREACHED at first; `marked` to `isReached` are 0)
//         marked           call → 1 if riders can now board there earlier
//         isBoardable, isReached   point → the stamp that `boardable` or `reached` had when the point was added to it
//         marks            2 × route → its first marked call, or NO_MARK. The next value is its last marked call
//                          (the parts below are not cleared)
//         arrivalRide, arrivalPosition   label → the ride that improved `arrival` with the label's number of vehicles,
//                          and where riders alight from it
//         readyRide, readyPosition       label → the ride that improved `ready`, and where riders alight from it
//         readyUntil       label → the latest time at which a transfer from an earlier alighting point may end. Before
//                          this time, riders who ride back to that point could be there sooner than the transfer
//                          allows
//         access           point → seconds from the start of the journey to the point, if riders can walk there
//         boardable, reached   the points with an earlier boarding than before; the points with an earlier arrival
//         queue            routes to scan
import { NONE } from '../../loaders/columns.ts'
import { NO_RIDE, RideLog } from './ride-log.ts'
import type { SearchBounds, SearchGround, SearchTask, WalkEnds } from './search-ground.ts'
import { SeatedMarks } from './seated-marks.ts'

/** Maximum number of vehicles in a journey. */
export const MAX_VEHICLES = 7
/** Number of bits that are needed to store a number of vehicles. */
export const VEHICLE_BITS = 3
/** Time of a point that was not reached. */
export const UNREACHED = 0x7fff_ffff
/** A time before all others. */
export const NEVER = -0x8000_0000
/** Stored in place of a route's first marked call if the route has no marked calls. */
export const NO_MARK = 0x7fff_ffff

/**
 * The state of a search. Members that are named after a part of `data` (see above) contain the index at which that part
 * starts.
 */
export class SearchState {
  data = new Int32Array(0)
  /**
   * Number of bits for the number of vehicles in a label. A search with several departure times needs one label per
   * number of vehicles. A search with one departure time needs only one label of each kind per point, and so no bits.
   * This is possible because each round only improves labels, and does not read the labels that it has written itself.
   */
  readonly shift: number
  readonly mask: number
  readonly arrival = 0
  ready = 0
  ridden = 0
  egress = 0
  marked = 0
  isBoardable = 0
  isReached = 0
  marks = 0
  arrivalRide = 0
  arrivalPosition = 0
  readyRide = 0
  readyPosition = 0
  readyUntil = 0
  access = 0
  boardable = 0
  reached = 0
  queue = 0
  boardableCount = 0
  reachedCount = 0
  boardableStamp = 0
  reachedStamp = 0
  /** Layer → its first route; has one extra entry. */
  readonly routeBase: number[] = [0]
  /** Layer → its first call; has one extra entry. */
  readonly callBase: number[] = [0]
  /** Layer → the index in `data` of its first queued route; has one extra entry. */
  readonly queueBase: number[] = [0]
  readonly rides = new RideLog()
  readonly seated = new SeatedMarks()
  /** Number of vehicles → the earliest arrival at the destination. */
  readonly target = new Int32Array(MAX_VEHICLES + 1)
  /** The ride that last improved `target`, and the position where riders alight from it. */
  targetRide = NO_RIDE
  targetPosition = 0
  /** Journeys depart before this time. */
  leaveBefore = UNREACHED
  bounds: SearchBounds | undefined
  boundsEnd = UNREACHED
  /** Point → its hub; undefined if no stop has a hub. */
  hubOf: Uint32Array | undefined
  /** Maximum number of vehicles in the journeys that are still to be found. */
  mostVehicles = MAX_VEHICLES
  isForBounds = false
  private current: SearchGround | undefined
  private stamp = 0

  /** @param isOfOneTime whether each search has only one departure time */
  constructor(isOfOneTime: boolean) {
    this.shift = isOfOneTime ? 0 : VEHICLE_BITS
    this.mask = isOfOneTime ? 0 : MAX_VEHICLES
  }

  get ground(): SearchGround {
    if (this.current === undefined) throw new Error('the search has not started')
    return this.current
  }

  begin(ground: SearchGround, task: SearchTask): void {
    const { access, egress, bounds, leaveBefore, worst, mostVehicles, isForBounds } = task
    this.current = ground
    this.bounds = bounds
    this.boundsEnd = bounds?.end ?? UNREACHED
    this.leaveBefore = leaveBefore ?? UNREACHED
    this.isForBounds = isForBounds === true
    this.mostVehicles = mostVehicles ?? MAX_VEHICLES
    const { hubOf, firstHub } = ground.footpaths
    this.hubOf = firstHub < hubOf.length ? hubOf : undefined
    this.layOut(ground)
    const { data } = this
    for (const [at, point] of egress.stops.entries()) data[this.egress + point] = egress.seconds[at]
    for (const [at, point] of access.stops.entries()) data[this.access + point] = access.seconds[at]
    this.target.fill(worst ?? UNREACHED)
    this.seated.reset(ground)
    this.rides.clear()
  }

  /** Divides the array into its parts, and clears the parts that must be clear when a search starts. */
  private layOut({ layers, footpaths }: SearchGround): void {
    const points = footpaths.hubOf.length
    const labels = points << this.shift
    for (const [number, { routeCount, callCount }] of layers.entries()) {
      this.routeBase[number + 1] = this.routeBase[number] + routeCount
      this.callBase[number + 1] = this.callBase[number] + callCount
    }
    const routes = this.routeBase[layers.length]
    const calls = this.callBase[layers.length]
    let end = labels
    const part = (length: number): number => {
      end += length
      return end - length
    }
    this.ready = part(labels)
    this.ridden = part((calls + 1) << (this.shift + 1))
    this.egress = part(points)
    this.marked = part(calls + 1)
    this.isBoardable = part(points)
    this.isReached = part(points)
    this.marks = part(routes << 1)
    const cleared = end
    this.arrivalRide = part(labels)
    this.arrivalPosition = part(labels)
    this.readyRide = part(labels)
    this.readyPosition = part(labels)
    this.readyUntil = part(labels)
    this.access = part(points)
    this.boardable = part(points)
    this.reached = part(points)
    this.queue = part(routes)
    if (this.data.length < end) this.data = new Int32Array(end)
    this.data.fill(UNREACHED, 0, this.marked)
    this.data.fill(0, this.marked, cleared)
    for (let route = 0; route < routes; route++) this.data[this.marks + (route << 1)] = NO_MARK
    this.stamp = 0
  }

  /** Empties the list of points at which riders can board earlier than before. */
  clearBoardable(): void {
    this.boardableCount = 0
    this.boardableStamp = ++this.stamp
  }

  clearReached(): void {
    this.reachedCount = 0
    this.reachedStamp = ++this.stamp
  }

  addBoardable(point: number): void {
    const { data, boardableStamp } = this
    if (data[this.isBoardable + point] === boardableStamp) return
    data[this.isBoardable + point] = boardableStamp
    data[this.boardable + this.boardableCount++] = point
  }

  addReached(point: number): void {
    const { data, reachedStamp } = this
    if (data[this.isReached + point] === reachedStamp) return
    data[this.isReached + point] = reachedStamp
    data[this.reached + this.reachedCount++] = point
  }

  /** Records that riders who have not used a vehicle yet can board at a point from this time on. */
  start(point: number, time: number): void {
    const label = point << this.shift
    const { data } = this
    if (time >= data[this.ready + label]) return
    data[this.ready + label] = time
    data[this.readyRide + label] = NO_RIDE
    data[this.readyUntil + label] = NEVER
    this.addBoardable(point)
  }

  /** Rules out arrivals later than a time. */
  limitArrivals(last: number): void {
    const { target } = this
    for (let vehicles = 0; vehicles <= MAX_VEHICLES; vehicles++) {
      if (target[vehicles] > last) target[vehicles] = last + 1
    }
  }

  /**
   * Removes the start points after the first round, because the limit on departures is checked only in that round.
   * Otherwise riders could board at a start point in a later round as if they had just started. A search with several
   * departure times does not need this: its labels for 0 vehicles are read only in the first round.
   */
  endStarts(points: readonly number[]): void {
    if (this.mask === 0) for (const point of points) this.data[this.ready + point] = UNREACHED
  }

  /**
   * Records the start points in the labels for every number of vehicles. Needed if the labels are used as bounds for
   * another search.
   */
  countStarts({ stops, seconds }: WalkEnds, at: number): void {
    const { data, mask } = this
    for (const [each, point] of stops.entries()) {
      const label = this.ready + (point << this.shift)
      for (let more = label; more <= label + mask; more++) data[more] = Math.min(data[more], at + seconds[each])
    }
  }

  /**
   * Records an arrival at a point's hub, unless `hub` is NONE. A search in the opposite direction uses this arrival as
   * a bound.
   */
  arriveAtHub(hub: number, vehicles: number, time: number): void {
    if (hub === NONE) return
    const { data, arrival, shift, mask } = this
    const last = arrival + ((hub << shift) | mask)
    for (let at = arrival + ((hub << shift) | (vehicles & mask)); at <= last && time < data[at]; at++) data[at] = time
  }

  /**
   * Records a transfer to a point. The rider of the label `from` can board there earlier than all riders so far who
   * used the same number of vehicles or fewer.
   */
  change(point: number, vehicles: number, time: number, from: number, until: number): void {
    const { data, ready, shift, mask } = this
    const label = (point << shift) | (vehicles & mask)
    const last = ready + ((point << shift) | mask)
    for (let at = ready + label; at <= last && time < data[at]; at++) data[at] = time
    data[this.readyRide + label] = data[this.arrivalRide + from]
    data[this.readyPosition + label] = data[this.arrivalPosition + from]
    data[this.readyUntil + label] = until
    this.addBoardable(point)
  }
}
