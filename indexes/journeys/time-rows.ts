// Running times of trips, relative to the first departure of each trip. The times of a trip form a row. Most trips of a
// line have the same running times as another trip that runs an hour or a day earlier, so equal rows are stored once.
// The stored rows contain only a few percent of all calls, and so fit in the processor's cache.
import { GrowingColumn } from '../../loaders/columns.ts'

/** Rows of times, one after another. Row + position → seconds after the first departure of a trip. */
export interface TimeColumns {
  readonly departure: Int32Array
  /**
   * The same array as `departure` if all vehicles depart from each call at the time of their arrival. A search then
   * reads only half as much memory.
   */
  readonly arrival: Int32Array
}

const HASH_START = 0x811c_9dc5
const HASH_PRIME = 0x0100_0193

/** Collects rows. */
export class TimeRows {
  /** The next row, with one value per position. The caller fills it in before calling `add`. */
  readonly departures: Int32Array
  readonly arrivals: Int32Array
  private readonly departure = new GrowingColumn(Int32Array)
  private readonly arrival = new GrowingColumn(Int32Array)
  private readonly byHash = new Map<number, { readonly row: number; readonly count: number }>()
  private hasStays = false

  /** @param mostCalls maximum number of calls in a trip */
  constructor(mostCalls: number) {
    this.departures = new Int32Array(mostCalls)
    this.arrivals = new Int32Array(mostCalls)
  }

  /**
   * Stores the next row, unless an equal row is already stored. Returns the index at which the stored row starts.
   * @param count number of calls in the row
   */
  add(count: number): number {
    const { departures, arrivals, departure, arrival, byHash } = this
    let hash = HASH_START ^ count
    for (let call = 0; call < count; call++) {
      hash = Math.imul(hash ^ departures[call], HASH_PRIME)
      hash = Math.imul(hash ^ (arrivals[call] + (hash >>> 15)), HASH_PRIME)
    }
    const known = byHash.get(hash)
    if (known !== undefined && known.count === count && this.isRow(known.row, count)) return known.row
    const row = departure.length
    for (let call = 0; call < count; call++) {
      departure.push(departures[call])
      arrival.push(arrivals[call])
      if (departures[call] !== arrivals[call]) this.hasStays = true
    }
    // Different rows rarely have the same hash. If they do, only the first of these rows is found again, and the others
    // are stored repeatedly.
    if (known === undefined) byHash.set(hash, { row, count })
    return row
  }

  /** The columns of all rows. */
  seal(): TimeColumns {
    const departure = this.departure.view().slice()
    return { departure, arrival: this.hasStays ? this.arrival.view().slice() : departure }
  }

  private isRow(row: number, count: number): boolean {
    const { departures, arrivals, departure, arrival } = this
    for (let call = 0; call < count; call++) {
      if (departure.at(row + call) !== departures[call] || arrival.at(row + call) !== arrivals[call]) return false
    }
    return true
  }
}
