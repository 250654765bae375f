// The labels of a search: when and how each point is reached and can be boarded with a given number of vehicles. The
// labels of a point are adjacent, one per number of vehicles, so that labels that are compared share a cache line.
import { NONE } from '../../loaders/columns.ts'
import { NO_RIDE } from './ride-log.ts'

/** Maximum number of vehicles of a journey. */
export const MAX_VEHICLES = 7
/** Labels of a point: for 0 to MAX_VEHICLES vehicles. As a shift: label = point << SHIFT | vehicles. */
export const LABEL_SHIFT = 3
/** Not reached. */
export const UNREACHED = 0x7fff_ffff
/** Earlier than all times. */
export const NEVER = -0x8000_0000

/** Distinct points, in insertion order. */
class PointList {
  readonly points: Uint32Array
  count = 0
  private readonly mark: Uint32Array
  private stamp = 1

  constructor(pointCount: number) {
    this.points = new Uint32Array(pointCount)
    this.mark = new Uint32Array(pointCount)
  }

  clear(): void {
    this.count = 0
    // Marks hold 32 bits: long before they run out, all are reset.
    if (++this.stamp === 0x7fff_ffff) {
      this.mark.fill(0)
      this.stamp = 1
    }
  }

  add(point: number): void {
    if (this.mark[point] === this.stamp) return
    this.mark[point] = this.stamp
    this.points[this.count++] = point
  }
}

/** All labels of a search. */
export class SearchLabels {
  /** Earliest arrival in a vehicle, with at most this many vehicles. */
  readonly arrival: Int32Array
  /** The ride and its position, if the last improvement used exactly this many vehicles. */
  readonly arrivalRide: Int32Array
  readonly arrivalPosition: Int32Array
  /** Earliest boarding after at least one and at most this many vehicles; for 0, after none. */
  readonly ready: Int32Array
  readonly readyRide: Int32Array
  readonly readyPosition: Int32Array
  /** Until then, boarding at the previous alighting point would be quicker than the change there. */
  readonly readyUntil: Int32Array
  /** Points with improved boarding, and points with an improved arrival, since the lists were cleared. */
  readonly boardable: PointList
  readonly reached: PointList
  private hubOf: Uint32Array | undefined

  constructor(pointCount: number) {
    const labels = () => new Int32Array(pointCount << LABEL_SHIFT)
    this.arrival = labels()
    this.arrivalRide = labels()
    this.arrivalPosition = labels()
    this.ready = labels()
    this.readyRide = labels()
    this.readyPosition = labels()
    this.readyUntil = labels()
    this.boardable = new PointList(pointCount)
    this.reached = new PointList(pointCount)
  }

  /** @param hubOf the hubs of points; undefined if there are none */
  reset(hubOf: Uint32Array | undefined): void {
    this.hubOf = hubOf
    this.arrival.fill(UNREACHED)
    this.ready.fill(UNREACHED)
  }

  /** A point can be boarded without having used any vehicle. */
  start(point: number, time: number): void {
    const label = point << LABEL_SHIFT
    if (time >= this.ready[label]) return
    this.ready[label] = time
    this.readyRide[label] = NO_RIDE
    this.readyUntil[label] = NEVER
    this.boardable.add(point)
  }

  /** Counts start points as boardable with any number of vehicles too. */
  countStarts(points: readonly number[]): void {
    const { ready } = this
    for (const point of points) {
      const label = point << LABEL_SHIFT
      for (let more = label + 1; more <= label + MAX_VEHICLES; more++) {
        ready[more] = Math.min(ready[more], ready[label])
      }
    }
  }

  /** A ride reaches a point earlier than all rides with as few vehicles. */
  arrive(point: number, vehicles: number, time: number, ride: number, position: number): void {
    const { arrival } = this
    const first = (point << LABEL_SHIFT) | vehicles
    const last = (point << LABEL_SHIFT) | MAX_VEHICLES
    for (let label = first; label <= last && time < arrival[label]; label++) arrival[label] = time
    this.arrivalRide[first] = ride
    this.arrivalPosition[first] = position
    this.reached.add(point)
    const hub = this.hubOf === undefined ? NONE : this.hubOf[point]
    if (hub !== NONE) this.arriveAtHub(hub, vehicles, time)
  }

  /** A member of a hub is reached. Only bounds for a search in the other direction read the arrivals of hubs. */
  private arriveAtHub(hub: number, vehicles: number, time: number): void {
    const { arrival } = this
    const last = (hub << LABEL_SHIFT) | MAX_VEHICLES
    for (let label = (hub << LABEL_SHIFT) | vehicles; label <= last && time < arrival[label]; label++) {
      arrival[label] = time
    }
  }

  /** A rider with the label `from` can board at a point earlier than all with as few vehicles. */
  change(point: number, vehicles: number, time: number, from: number, until: number): void {
    const { ready } = this
    const first = (point << LABEL_SHIFT) | vehicles
    const last = (point << LABEL_SHIFT) | MAX_VEHICLES
    for (let label = first; label <= last && time < ready[label]; label++) ready[label] = time
    this.readyRide[first] = this.arrivalRide[from]
    this.readyPosition[first] = this.arrivalPosition[from]
    this.readyUntil[first] = until
    this.boardable.add(point)
  }
}
