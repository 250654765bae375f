// Blocks: the trips that one vehicle runs on a service day, one after the other. A block is ignored on service days on
// which its trips overlap, but not on other days.
import { EMPTY_STRING, type StringIndex } from '../../loaders/strings.ts'
import { callCount, isActive, stopTimeAt, type Timetable, type TripIndex } from './timetable.ts'

/** A trip, and the next trip of the same vehicle. */
export type BlockJoin = readonly [from: TripIndex, to: TripIndex]

/**
 * The blocks with more than one trip. Frequency trips are excluded, because a `block_id` belongs to the trip, not to
 * one of its runs.
 */
export class Blocks {
  private readonly timetable: Timetable
  private readonly tripsOf: ReadonlyMap<StringIndex, readonly TripIndex[]>

  constructor(timetable: Timetable) {
    this.timetable = timetable
    this.tripsOf = groupTrips(timetable)
  }

  /** The joins of all blocks on a service day. */
  *joinsOn(day: number): Generator<BlockJoin> {
    for (const trips of this.tripsOf.values()) yield* this.joinsOf(trips, day)
  }

  /**
   * The trip that the same vehicle runs next on a day; undefined if there is none or the block is ignored on this day.
   */
  nextOf(trip: TripIndex, day: number): TripIndex | undefined {
    const block = this.tripsOf.get(this.timetable.trips.block[trip])
    if (block === undefined) return undefined
    for (const [from, to] of this.joinsOf(block, day)) if (from === trip) return to
    return undefined
  }

  private *joinsOf(block: readonly TripIndex[], day: number): Generator<BlockJoin> {
    if (this.overlaps(block, day)) return
    let before: TripIndex | undefined
    for (const trip of block) {
      if (!isActive(this.timetable, this.timetable.trips.service[trip], day)) continue
      if (before !== undefined) yield [before, trip]
      before = trip
    }
  }

  /** Whether trips of a block overlap on a day. */
  private overlaps(block: readonly TripIndex[], day: number): boolean {
    const { timetable } = this
    let busyUntil = Number.NEGATIVE_INFINITY
    for (const trip of block) {
      if (!isActive(timetable, timetable.trips.service[trip], day)) continue
      if (firstDeparture(timetable, trip) < busyUntil) return true
      busyUntil = Math.max(busyUntil, lastArrival(timetable, trip))
    }
    return false
  }
}

/** The trips of each block, sorted by start. */
function groupTrips(timetable: Timetable): ReadonlyMap<StringIndex, readonly TripIndex[]> {
  const { trips, patterns } = timetable
  const blocks = new Map<StringIndex, TripIndex[]>()
  for (let trip = 0 as TripIndex; trip < trips.id.length; trip++) {
    const block = trips.block[trip]
    if (block === EMPTY_STRING || patterns.isFrequency[trips.pattern[trip]] === 1) continue
    blocks.getOrInsertComputed(block, () => []).push(trip)
  }
  const start = (trip: TripIndex) => firstDeparture(timetable, trip)
  const end = (trip: TripIndex) => lastArrival(timetable, trip)
  for (const [block, list] of blocks) {
    if (list.length < 2) blocks.delete(block)
    else list.sort((a, b) => start(a) - start(b) || end(a) - end(b) || a - b)
  }
  return blocks
}

function firstDeparture(timetable: Timetable, trip: TripIndex): number {
  return timetable.stopTimes.departureSeconds[stopTimeAt(timetable, trip, 0)]
}

function lastArrival(timetable: Timetable, trip: TripIndex): number {
  const last = callCount(timetable, timetable.trips.pattern[trip]) - 1
  return timetable.stopTimes.arrivalSeconds[stopTimeAt(timetable, trip, last)]
}
