// Computes the price of a journey: with GTFS Fares V2 if the feed has leg rules, otherwise with GTFS Fares V1.
import type { Timetable } from '../timetable/timetable.ts'
import { FareClasses } from './fare-classes.ts'
import { FareProducts } from './fare-products.ts'
import { type Fare, type FareRide, nameRide } from './fare-ride.ts'

/** The fares of one timetable. */
export class Fares {
  private readonly timetable: Timetable
  private readonly products: FareProducts
  private readonly classes: FareClasses
  private readonly isJoined: boolean

  constructor(timetable: Timetable) {
    this.timetable = timetable
    this.products = new FareProducts(timetable)
    this.classes = new FareClasses(timetable)
    this.isJoined = timetable.meta.carried.some(({ columns }) => columns.includes('feed_ordinal'))
  }

  /**
   * The lowest adult price for the rides of a journey. `rides` are in the order of travel. Undefined if the feed has no
   * fares, or no fare for one of the rides. 0 means that the rides are free, never that the price is unknown.
   */
  cheapest(rides: readonly FareRide[]): Fare | undefined {
    if (rides.length === 0 || (this.products.isEmpty && this.classes.isEmpty)) return undefined
    const named = rides.map((ride) => nameRide(this.timetable, ride, this.isJoined))
    return this.products.isEmpty ? this.classes.cheapest(named) : this.products.cheapest(named)
  }
}
