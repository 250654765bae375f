// The demo city's stop_times.txt, by far its largest file. The fields that all trips of a pattern share are formatted
// only once.
import { type CityFile, type CityParts, formatTime } from './city-tables.ts'
import { type CityTrip, callTimes } from './departures.ts'
import type { Pattern } from './patterns.ts'

const HEADER =
  'trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled'
/** A chunk is complete when it has this many characters. */
const CHUNK_CHARACTERS = 200_000

/** The file with the calls of all trips. */
export function stopTimeFile(parts: CityParts): CityFile {
  return {
    name: 'stop_times.txt',
    *chunks() {
      const times = new ClockTexts()
      const tails = parts.patterns.map((pattern) => callTails(pattern, parts))
      const offsets = new Map<number, number[]>()
      let chunk = `${HEADER}\n`
      for (const trip of parts.departures.trips) {
        chunk += tripRows(trip, tails[trip.pattern], { offsets: offsetsOf(trip, parts, offsets), times })
        if (chunk.length < CHUNK_CHARACTERS) continue
        yield chunk
        chunk = ''
      }
      if (chunk !== '') yield chunk
    },
  }
}

/** For each call of a pattern, the end of its row, with all fields after the times. */
function callTails(pattern: Pattern, { stops }: CityParts): string[] {
  return pattern.calls.map((call, index) => {
    const headsign = call.headsign.includes(',') ? `"${call.headsign}"` : call.headsign
    const stop = stops.platformIds[call.platform]
    return `,${stop},${index + 1},${headsign},${call.pickupType},${call.dropOffType},${call.meters}\n`
  })
}

/**
 * The times of a trip's calls, in seconds since its start. They depend on the trip's pattern and pace, and are cached
 * in `known`.
 */
function offsetsOf(trip: CityTrip, { patterns }: CityParts, known: Map<number, number[]>): number[] {
  const key = trip.pattern * MAX_PACES + trip.pace
  return known.getOrInsertComputed(key, () => callTimes(patterns[trip.pattern], trip.pace))
}

/** Must be greater than the number of paces, so that each pair of pattern and pace has its own key. */
const MAX_PACES = 64

function tripRows(
  trip: CityTrip,
  tails: readonly string[],
  clock: { readonly offsets: readonly number[]; readonly times: ClockTexts },
): string {
  const { offsets, times } = clock
  let rows = ''
  for (let call = 0; call < tails.length; call++) {
    const arrival = times.at(trip.startSeconds + offsets[call * 2])
    const departure = times.at(trip.startSeconds + offsets[call * 2 + 1])
    rows += `${trip.id},${arrival},${departure}${tails[call]}`
  }
  return rows
}

/** Formats times of day, and caches each formatted time. Each iteration over the file's chunks has its own instance. */
class ClockTexts {
  private readonly texts: string[] = []

  at(seconds: number): string {
    let text = this.texts[seconds]
    if (text === undefined) {
      text = formatTime(seconds)
      this.texts[seconds] = text
    }
    return text
  }
}
