// The boardings of a search, in one array that grows and is reused. All values of a boarding are adjacent in the array,
// which makes access fast.

/** The value at BEFORE if there is no previous ride: the journey starts with this ride. */
export const NO_RIDE = -1

/** Indexes of the values in a boarding's record. */
const LAYER = 0
const ROUTE = 1
const INSTANCE = 2
const FROM = 3
const BEFORE = 4
const BEFORE_POSITION = 5
const UNTIL = 6
const IS_SEATED = 7
const RECORD_SHIFT = 3

/**
 * Stores every boarding in a search together with its previous ride. This allows a journey to be rebuilt even after the
 * labels of the search have changed.
 */
export class RideLog {
  private count = 0
  private records = new Int32Array(1024 << RECORD_SHIFT)

  clear(): void {
    this.count = 0
  }

  layerOf(ride: number): number {
    return this.records[(ride << RECORD_SHIFT) | LAYER]
  }

  routeOf(ride: number): number {
    return this.records[(ride << RECORD_SHIFT) | ROUTE]
  }

  /** Index of the boarded instance within its route. */
  instanceOf(ride: number): number {
    return this.records[(ride << RECORD_SHIFT) | INSTANCE]
  }

  /** Position in the route at which the rider boards. */
  fromOf(ride: number): number {
    return this.records[(ride << RECORD_SHIFT) | FROM]
  }

  /** The previous ride. `beforePositionOf` is the position at which the rider alights from the previous ride. */
  beforeOf(ride: number): number {
    return this.records[(ride << RECORD_SHIFT) | BEFORE]
  }

  beforePositionOf(ride: number): number {
    return this.records[(ride << RECORD_SHIFT) | BEFORE_POSITION]
  }

  /**
   * The latest time at which a transfer from an earlier alighting may end. Before this time, a rider who rides back to
   * the stop of that alighting could be there sooner than the transfer allows.
   */
  untilOf(ride: number): number {
    return this.records[(ride << RECORD_SHIFT) | UNTIL]
  }

  isSeated(ride: number): boolean {
    return this.records[(ride << RECORD_SHIFT) | IS_SEATED] === 1
  }

  add(
    layer: number,
    route: number,
    instance: number,
    from: number,
    before: number,
    beforePosition: number,
    until: number,
    isSeated = 0,
  ): number {
    const ride = this.count++
    const at = ride << RECORD_SHIFT
    if (at === this.records.length) this.grow()
    const { records } = this
    records[at | LAYER] = layer
    records[at | ROUTE] = route
    records[at | INSTANCE] = instance
    records[at | FROM] = from
    records[at | BEFORE] = before
    records[at | BEFORE_POSITION] = beforePosition
    records[at | UNTIL] = until
    records[at | IS_SEATED] = isSeated
    return ride
  }

  /** Adds a copy of a boarding, but with a later instance of the route. */
  addLater(ride: number, instance: number): number {
    const { records } = this
    const at = ride << RECORD_SHIFT
    return this.add(
      records[at | LAYER],
      records[at | ROUTE],
      instance,
      records[at | FROM],
      records[at | BEFORE],
      records[at | BEFORE_POSITION],
      records[at | UNTIL],
      records[at | IS_SEATED],
    )
  }

  /** Adds a ride in which the rider stays seated: the vehicle continues from its last position as another trip. */
  addSeated(ride: number, layer: number, route: number, instance: number, lastPosition: number): number {
    return this.add(layer, route, instance, 0, ride, lastPosition, this.untilOf(ride), 1)
  }

  private grow(): void {
    const wider = new Int32Array(this.records.length * 2)
    wider.set(this.records)
    this.records = wider
  }
}
