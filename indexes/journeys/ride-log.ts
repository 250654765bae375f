// The boardings of a search, in columns that grow and are reused.

/** No ride: the journey starts here. */
export const NO_RIDE = -1

/** Every boarding of a search with its previous ride, so that a journey can be rebuilt even if labels change later. */
export class RideLog {
  private count = 0
  /** Position of the boarding. */
  layer = new Uint8Array(1024)
  route = new Uint32Array(1024)
  instance = new Uint32Array(1024)
  from = new Uint16Array(1024)
  before = new Int32Array(1024)
  beforePosition = new Int32Array(1024)
  isSeated = new Uint8Array(1024)
  /** Until then, boarding at the previous alighting point would be quicker than the change there. */
  until = new Int32Array(1024)

  clear(): void {
    this.count = 0
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
    if (this.count === this.route.length) this.grow()
    const at = this.count++
    this.layer[at] = layer
    this.route[at] = route
    this.instance[at] = instance
    this.from[at] = from
    this.before[at] = before
    this.beforePosition[at] = beforePosition
    this.isSeated[at] = isSeated
    this.until[at] = until
    return at
  }

  /** The same boarding, of a later instance of the route. */
  addLater(ride: number, instance: number): number {
    return this.add(
      this.layer[ride],
      this.route[ride],
      instance,
      this.from[ride],
      this.before[ride],
      this.beforePosition[ride],
      this.until[ride],
      this.isSeated[ride],
    )
  }

  /** The vehicle of a ride continues from its last position as another trip. */
  addSeated(ride: number, layer: number, route: number, instance: number, lastPosition: number): number {
    return this.add(layer, route, instance, 0, ride, lastPosition, this.until[ride], 1)
  }

  private grow(): void {
    const size = this.route.length * 2
    const copy = <T extends Uint8Array | Uint16Array | Uint32Array | Int32Array>(from: T, to: T): T => {
      to.set(from)
      return to
    }
    this.layer = copy(this.layer, new Uint8Array(size))
    this.route = copy(this.route, new Uint32Array(size))
    this.instance = copy(this.instance, new Uint32Array(size))
    this.from = copy(this.from, new Uint16Array(size))
    this.before = copy(this.before, new Int32Array(size))
    this.beforePosition = copy(this.beforePosition, new Int32Array(size))
    this.isSeated = copy(this.isSeated, new Uint8Array(size))
    this.until = copy(this.until, new Int32Array(size))
  }
}
