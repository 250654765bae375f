// Running times of trips, relative to their first departure. Most trips of a line repeat the times of others, an hour
// or a day later, so equal rows are stored once: a few percent of all calls, which stay in the processor's cache.
import { GrowingColumn } from '../../loaders/columns.ts'

/** Rows of times. Row + position → seconds after the first departure of a trip. */
export interface TimeColumns {
  readonly departure: Int32Array
  /** The same array if no vehicle departs later than it arrives, so that there is half as much to read. */
  readonly arrival: Int32Array
}

const HASH_START = 0x811c_9dc5
const HASH_PRIME = 0x0100_0193

/** Rows under construction. */
export class TimeRows {
  /** The next row: its times, by position. The caller fills them in. */
  readonly departures: Int32Array
  readonly arrivals: Int32Array
  private readonly departure = new GrowingColumn(Int32Array)
  private readonly arrival = new GrowingColumn(Int32Array)
  private readonly byHash = new Map<number, { readonly row: number; readonly count: number }>()
  private hasStays = false

  /** @param mostCalls of one trip */
  constructor(mostCalls: number) {
    this.departures = new Int32Array(mostCalls)
    this.arrivals = new Int32Array(mostCalls)
  }

  /** Stores the next row, or finds an equal one. @param count its number of calls */
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
    // Different rows with the same hash are rare; all but the first are stored each time they occur.
    if (known === undefined) byHash.set(hash, { row, count })
    return row
  }

  /** The rows. */
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
