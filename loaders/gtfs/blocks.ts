// Blocks are what one vehicle runs on a service day, one trip after the other. Where trips of a block run at the same time
// on a day they share, the block says nothing about that day: the trips that run on it lose their block.
import { sealColumn } from '../columns.ts'
import { EMPTY_STRING, type StringIndex } from '../strings.ts'
import type { CallRow, CallTable, ServiceTable, TripRow, TripTable } from './feed.ts'
import type { FeedReading } from './table-reader.ts'
import { TRIPS_FILE } from './trips.ts'

const MILLIS_PER_DAY = 86_400_000

/** What the blocks of a feed are made of. */
export interface BlockSources {
  readonly trips: TripTable
  readonly calls: CallTable
  readonly services: ServiceTable
  /** Trip → its line in trips.txt. */
  readonly lineOf: (trip: number) => number
}

/**
 * The trips, without the blocks that overlap. A trip lasts from its first departure to its last arrival: a vehicle may
 * well stand at the stop where one trip ends and the next begins. Costs a trip in a block times the days of the calendar.
 */
export function mendBlocks(reading: FeedReading, sources: BlockSources): TripTable {
  const { trips, services } = sources
  const blocks = groupByBlock(trips)
  const blockId = new Uint32Array(trips.count)
  for (let trip = 0; trip < trips.count; trip++) blockId[trip] = trips.blockId[trip as TripRow]
  const days = new BlockDays(services)
  for (const [block, members] of blocks) {
    if (members.length < 2) continue
    const clash = days.findClashes(toSpans(sources, members))
    if (clash === undefined) continue
    const [first, second] = [clash.first, clash.second].map((trip) => reading.strings.textOf(trips.id[trip as TripRow]))
    reading.problems.report({
      rule: 'block_trips_with_overlapping_stop_times',
      file: TRIPS_FILE,
      line: sources.lineOf(clash.second),
      field: 'block_id',
      example: `${reading.strings.textOf(block)} on ${dateOf(services.firstDay + clash.day)}: ${first} and ${second}`,
      action: 'repaired',
    })
    for (const trip of members) if (days.runsOnClash(trips.service[trip as TripRow])) blockId[trip] = EMPTY_STRING
  }
  return { ...trips, blockId: sealColumn(blockId) }
}

/** The trips of each block, in their order. */
function groupByBlock(trips: TripTable): Map<StringIndex, number[]> {
  const blocks = new Map<StringIndex, number[]>()
  for (let trip = 0; trip < trips.count; trip++) {
    const block = trips.blockId[trip as TripRow]
    if (block === EMPTY_STRING) continue
    const members = blocks.get(block)
    if (members === undefined) blocks.set(block, [trip])
    else members.push(trip)
  }
  return blocks
}

/** When a trip runs: seconds after the service day's zero. */
interface TripSpan {
  readonly trip: number
  readonly service: number
  readonly start: number
  readonly end: number
}

/** The spans of trips, by their start. */
function toSpans({ trips, calls }: BlockSources, members: readonly number[]): TripSpan[] {
  const spans = members.map((trip) => {
    const first = trips.callOffset[trip as TripRow]
    const last = (trips.callOffset[(trip + 1) as TripRow] - 1) as CallRow
    const service: number = trips.service[trip as TripRow]
    return { trip, service, start: calls.departureSeconds[first], end: calls.arrivalSeconds[last] }
  })
  return spans.sort((a, b) => a.start - b.start || a.end - b.end || a.trip - b.trip)
}

/** The days of one block at a time; its arrays are used again for the next. */
class BlockDays {
  private readonly services: ServiceTable
  /** Day → when the vehicle has ended its last trip so far. */
  private readonly busyUntil: Int32Array
  /** Day → the trip that ends then. */
  private readonly busyWith: Int32Array
  /** Day → 1 where trips overlap. */
  private readonly isClash: Uint8Array

  constructor(services: ServiceTable) {
    this.services = services
    this.busyUntil = new Int32Array(services.dayCount)
    this.busyWith = new Int32Array(services.dayCount)
    this.isClash = new Uint8Array(services.dayCount)
  }

  /** Marks the days on which trips overlap; the first pair found, or undefined. `spans` are in order of their start. */
  findClashes(spans: readonly TripSpan[]): { first: number; second: number; day: number } | undefined {
    const { busyUntil, busyWith, isClash } = this
    busyUntil.fill(-1)
    isClash.fill(0)
    let found: { first: number; second: number; day: number } | undefined
    for (const { trip, service, start, end } of spans) {
      for (let day = this.nextDay(service, 0); day >= 0; day = this.nextDay(service, day + 1)) {
        if ((busyUntil[day] as number) > start) {
          isClash[day] = 1
          found ??= { first: busyWith[day] as number, second: trip, day }
        }
        if (end > (busyUntil[day] as number)) {
          busyUntil[day] = end
          busyWith[day] = trip
        }
      }
    }
    return found
  }

  /** Whether a service runs on a day on which the block's trips overlap. */
  runsOnClash(service: number): boolean {
    for (let day = this.nextDay(service, 0); day >= 0; day = this.nextDay(service, day + 1)) {
      if (this.isClash[day] === 1) return true
    }
    return false
  }

  /** The first day of a service from `day` on, as a place in the calendar; −1 where there is none. */
  private nextDay(service: number, day: number): number {
    const { activeDays, bytesPerService, dayCount } = this.services
    const first = service * bytesPerService
    for (let at = day; at < dayCount; ) {
      const rest = (activeDays[first + (at >> 3)] as number) >> (at & 7)
      if (rest === 0) at = (at | 7) + 1
      else if ((rest & 1) === 1) return at
      else at++
    }
    return -1
  }
}

function dateOf(day: number): string {
  return new Date(day * MILLIS_PER_DAY).toISOString().slice(0, 10)
}
