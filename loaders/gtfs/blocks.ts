// Reports blocks whose trips overlap on a day. A block is the trips that one vehicle runs on a service day, one after
// the other. The timetable (indexes/timetable/blocks.ts) ignores a block on days on which its trips overlap.
import { nextIndex } from '../columns.ts'
import { EMPTY_STRING, type StringIndex } from '../strings.ts'
import { type ActiveDays, findDayClasses, nextActiveDay } from './day-classes.ts'
import type { CallRow, CallTable, ServiceRow, ServiceTable, TripRow, TripTable } from './feed.ts'
import type { FeedReading } from './table-reader.ts'
import { TRIPS_FILE } from './trips.ts'

const MILLIS_PER_DAY = 86_400_000

/** The tables from which blocks are read. */
export interface BlockSources {
  readonly trips: TripTable
  readonly calls: CallTable
  readonly services: ServiceTable
  /** Trip → its line number in trips.txt. */
  readonly lineOf: (trip: number) => number
}

/**
 * Reports each block whose trips overlap, at most once per block. A trip lasts from its first departure to its last
 * arrival. Time that the vehicle waits at the first or last stop does not count. The time taken is proportional to the
 * number of trips in blocks, multiplied by the number of kinds of days (day-classes.ts).
 */
export function checkBlocks(reading: FeedReading, sources: BlockSources): void {
  const { trips, services } = sources
  const kinds = findDayClasses(services)
  const days = new BlockDays(kinds.services)
  for (const [block, members] of groupByBlock(trips)) {
    if (members.length < 2) continue
    const clash = days.findClash(toSpans(sources, members))
    if (clash === undefined) continue
    const [first, second] = [clash.first, clash.second].map((trip) => reading.strings.textOf(trips.id[trip]))
    reading.problems.report({
      rule: 'block_trips_with_overlapping_stop_times',
      file: TRIPS_FILE,
      line: sources.lineOf(clash.second),
      field: 'block_id',
      example: `${reading.strings.textOf(block)} on ${dateOf(services.firstDay + kinds.firstDay[clash.day])}: ${first} and ${second}`,
      action: 'repaired',
    })
  }
}

/** The trips of each block, in row order. */
function groupByBlock(trips: TripTable): Map<StringIndex, TripRow[]> {
  const blocks = new Map<StringIndex, TripRow[]>()
  for (let trip = 0 as TripRow; trip < trips.count; trip++) {
    const block = trips.blockId[trip]
    if (block === EMPTY_STRING) continue
    blocks.getOrInsertComputed(block, () => []).push(trip)
  }
  return blocks
}

/** The time span of a trip in seconds after the service day's zero. */
interface TripSpan {
  readonly trip: TripRow
  readonly service: ServiceRow
  readonly start: number
  readonly end: number
}

/** The spans of trips, sorted by start. */
function toSpans({ trips, calls }: BlockSources, members: readonly TripRow[]): TripSpan[] {
  const spans = members.map((trip) => {
    const first = trips.callOffset[trip]
    const last = (trips.callOffset[nextIndex(trip)] - 1) as CallRow
    const service = trips.service[trip]
    return { trip, service, start: calls.departureSeconds[first], end: calls.arrivalSeconds[last] }
  })
  return spans.sort((a, b) => a.start - b.start || a.end - b.end || a.trip - b.trip)
}

/**
 * Finds overlapping trips in a block. A `day` here is the number of a kind of day (day-classes.ts). The arrays are
 * reused for all blocks.
 */
class BlockDays {
  private readonly services: ActiveDays
  /**
   * Day → the latest end of the trips checked so far, in seconds after the service day's zero; −1 if there are none.
   */
  private readonly busyUntil: Int32Array
  /** Day → the trip that has this latest end. */
  private readonly busyWith: Int32Array

  constructor(services: ActiveDays) {
    this.services = services
    this.busyUntil = new Int32Array(services.dayCount)
    this.busyWith = new Int32Array(services.dayCount)
  }

  /** The first pair of overlapping trips; undefined if there is none. `spans` must be sorted by start. */
  findClash(spans: readonly TripSpan[]): { first: TripRow; second: TripRow; day: number } | undefined {
    const { services, busyUntil, busyWith } = this
    busyUntil.fill(-1)
    for (const { trip, service, start, end } of spans) {
      for (let day = nextActiveDay(services, service, 0); day >= 0; day = nextActiveDay(services, service, day + 1)) {
        if (busyUntil[day] > start) return { first: busyWith[day] as TripRow, second: trip, day }
        if (end > busyUntil[day]) {
          busyUntil[day] = end
          busyWith[day] = trip
        }
      }
    }
    return undefined
  }
}

function dateOf(day: number): string {
  return new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10)
}
