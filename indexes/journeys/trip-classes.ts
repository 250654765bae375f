// Groups trips into classes. In the timetable, trips that overtake each other on any day of the feed are in different
// patterns. A search covers only a few days, and does not need this split. So patterns with the same line, points and
// boarding types form one class. build-layer.ts splits classes into routes again if trips overtake each other on the
// days of the search.
import { NONE, nextIndex } from '../../loaders/columns.ts'
import {
  callCount,
  type PatternIndex,
  type PatternStopIndex,
  type Timetable,
  type TripIndex,
} from '../timetable/timetable.ts'
import type { RouteClasses } from './build-layer.ts'
import type { ChangePoints } from './change-points.ts'
import { CAN_ALIGHT, CAN_BOARD, USE_BITS } from './route-layer.ts'

const NO_PICKUP = 1
const NO_DROP_OFF = 1

/** The classes of a timetable. Trips of a class have the same line, points, and pickup and drop-off types. */
export interface TripClasses extends RouteClasses {
  /** Trip → its class; NONE if the trip is excluded. */
  readonly classOf: Uint32Array
}

/** Converts each byte to one character, so that bytes can be used as the key of a map. */
const BYTES = new TextDecoder('latin1')

/** Collects classes and numbers them in order of appearance. */
export class ClassBook {
  private readonly classes = new Map<string, number>()
  private readonly line: number[] = []
  private readonly callOffset: number[] = [0]
  private readonly callAt: number[] = []

  /** The number of the class for a line and a list of calls. A call is a transfer point combined with CAN_… bits. */
  numberOf(line: number, calls: Uint32Array): number {
    const key = `${line} ${BYTES.decode(calls)}`
    return this.classes.getOrInsertComputed(key, () => {
      this.line.push(line)
      for (const call of calls) this.callAt.push(call)
      this.callOffset.push(this.callAt.length)
      return this.line.length - 1
    })
  }

  seal(): RouteClasses {
    return {
      line: Uint32Array.from(this.line),
      callOffset: Uint32Array.from(this.callOffset),
      callAt: Uint32Array.from(this.callAt),
    }
  }
}

/**
 * Assigns each trip to its class.
 * @param leftOut trip → 1 if the trip is excluded
 */
export function classifyTrips(timetable: Timetable, points: ChangePoints, leftOut?: Uint8Array): TripClasses {
  const { patterns, trips } = timetable
  const book = new ClassBook()
  const classOf = new Uint32Array(trips.id.length).fill(NONE)
  for (let pattern = 0 as PatternIndex; pattern < patterns.line.length; pattern++) {
    const uses = usesOf(timetable, pattern)
    const end = patterns.tripOffset[nextIndex(pattern)]
    let plain: number | undefined
    for (let trip = patterns.tripOffset[pattern]; trip < end; trip++) {
      if (leftOut?.[trip] === 1) continue
      const isSingled = points.isSingled[trip] === 1
      if (isSingled || plain === undefined) {
        const found = book.numberOf(patterns.line[pattern], callsOf(timetable, points, { trip, uses }))
        classOf[trip] = found
        if (!isSingled) plain = found
      } else classOf[trip] = plain
    }
  }
  return { ...book.seal(), classOf }
}

function callsOf(
  { patterns, trips }: Timetable,
  points: ChangePoints,
  { trip, uses }: { readonly trip: TripIndex; readonly uses: Uint8Array },
): Uint32Array {
  const pattern = trips.pattern[trip]
  const first = patterns.stopOffset[pattern]
  const line = patterns.line[pattern]
  return Uint32Array.from(uses, (use, call) => {
    const stop = patterns.stopAt[(first + call) as PatternStopIndex]
    return (points.pointOf(stop, line, trip) << USE_BITS) | use
  })
}

/** For each call of a pattern, whether riders may board and alight there, as a sum of CAN_…. */
export function usesOf(timetable: Timetable, pattern: PatternIndex): Uint8Array {
  const { patterns } = timetable
  const count = callCount(timetable, pattern)
  const first = patterns.stopOffset[pattern]
  return Uint8Array.from({ length: count }, (_, call) => {
    const at = (first + call) as PatternStopIndex
    const boards = call < count - 1 && patterns.pickupType[at] !== NO_PICKUP
    const alights = call > 0 && patterns.dropOffType[at] !== NO_DROP_OFF
    return (boards ? CAN_BOARD : 0) + (alights ? CAN_ALIGHT : 0)
  })
}
