// A heap of numbered points, ordered by distance. All points are added first, then removed one by one, nearest first.
// Points that are never removed are never sorted.

const INITIAL_POINTS = 256

/**
 * A heap of points. The nearest comes first; among equally near points, the one with the lowest number. Each search
 * refills the heap, so only one search can run at a time.
 */
export class NearestFirst {
  private meters = new Float64Array(INITIAL_POINTS)
  private numbers = new Float64Array(INITIAL_POINTS)
  private count = 0
  private isOrdered = false

  /** Number of points that are still in the heap. */
  get length(): number {
    return this.count
  }

  /** Distance to the next point, in meters. There must be a next point. */
  get firstMeters(): number {
    this.order()
    return this.meters[0]
  }

  /** Removes all points. */
  clear(): void {
    this.count = 0
    this.isOrdered = false
  }

  /** Adds a point. Not allowed after the first `take`. */
  add(number: number, meters: number): void {
    if (this.count === this.meters.length) this.grow()
    this.meters[this.count] = meters
    this.numbers[this.count++] = number
  }

  /** Removes the next point and returns its number. There must be a next point. */
  take(): number {
    this.order()
    const first = this.numbers[0]
    this.count--
    this.numbers[0] = this.numbers[this.count]
    this.meters[0] = this.meters[this.count]
    this.sink(0)
    return first
  }

  private order(): void {
    if (this.isOrdered) return
    for (let at = (this.count >> 1) - 1; at >= 0; at--) this.sink(at)
    this.isOrdered = true
  }

  /** Moves an element down the heap until the elements below it come after it. */
  private sink(from: number): void {
    let at = from
    for (let child = 2 * at + 1; child < this.count; child = 2 * at + 1) {
      if (child + 1 < this.count && this.isBefore(child + 1, child)) child++
      if (!this.isBefore(child, at)) return
      this.swap(child, at)
      at = child
    }
  }

  private isBefore(at: number, other: number): boolean {
    const { meters, numbers } = this
    return meters[at] < meters[other] || (meters[at] === meters[other] && numbers[at] < numbers[other])
  }

  private swap(at: number, other: number): void {
    const { meters, numbers } = this
    const [ownMeters, ownNumber] = [meters[at], numbers[at]]
    meters[at] = meters[other]
    numbers[at] = numbers[other]
    meters[other] = ownMeters
    numbers[other] = ownNumber
  }

  private grow(): void {
    const [meters, numbers] = [this.meters, this.numbers]
    this.meters = new Float64Array(meters.length * 2)
    this.numbers = new Float64Array(numbers.length * 2)
    this.meters.set(meters)
    this.numbers.set(numbers)
  }
}
