// Tests that a timetable depends on the content of a feed, not on the order of its rows. Fails if the numbering or
// order of stops, lines, patterns, generated directions or boards changes when a feed is loaded with its rows in
// another order.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { bySize, SEED } from '../size.ts'
import { numbersOf, rowsOf, textsOf, timetableOf } from './built-feed.ts'
import { randomFeed } from './random-feed.ts'

/**
 * The content of a timetable. Strings replace the numbers of strings and services, because these numbers depend on the
 * order of rows.
 */
function contentsOf(timetable: Timetable): unknown {
  const { stops, areas, lines, directions, patterns, trips, callProfiles, frequencies, boards, serviceDays } = timetable
  const services = textsOf(timetable, serviceDays.serviceId)
  const sequences = numbersOf(callProfiles.stopSequence)
  const sequenceStarts = numbersOf(trips.sequenceProfile)
  const stopOffset = numbersOf(patterns.stopOffset)
  return {
    stops: [textsOf(timetable, stops.id), ...columnsOf(stops, ['area', 'lineOffset', 'lineAt', 'dailyDepartures'])],
    areas: [textsOf(timetable, areas.id), ...columnsOf(areas, ['lat', 'lon', 'stopOffset', 'stopAt', 'lineAt'])],
    lines: [textsOf(timetable, lines.id), ...columnsOf(lines, ['directionOffset', 'patternOffset', 'byId'])],
    directions: [textsOf(timetable, directions.headsign), textsOf(timetable, directions.name)],
    stopOrders: rowsOf(directions.stopOffset, numbersOf(directions.stopAt)),
    directionIds: numbersOf(directions.directionId),
    patterns: columnsOf(patterns, ['line', 'direction', 'stopOffset', 'stopAt', 'pickupType', 'tripOffset']),
    trips: [textsOf(timetable, trips.id), ...columnsOf(trips, ['idRank', 'byId', 'pattern', 'frequencyOffset'])],
    services: numbersOf(trips.service).map((service) => services[service]),
    sequences: numbersOf(trips.pattern).map((pattern, trip) => {
      const start = sequenceStarts[trip] ?? 0
      return sequences.slice(start, start + (stopOffset[pattern + 1] ?? 0) - (stopOffset[pattern] ?? 0))
    }),
    frequencies: columnsOf(frequencies, ['startSeconds', 'endSeconds', 'headwaySeconds']),
    times: columnsOf(timetable.stopTimes, ['arrivalSeconds', 'departureSeconds']),
    boards: columnsOf(boards, ['offset', 'departureSeconds', 'trip', 'position', 'frequencyTrip', 'frequencyPosition']),
    days: columnsOf(serviceDays, ['zeroSeconds', 'tripCount']),
    words: columnsOf(timetable.stopWords, ['tokenBytes', 'posting']),
  }
}

function columnsOf<Name extends string>(
  group: { readonly [name in Name]: { readonly length: number } },
  names: readonly Name[],
): number[][] {
  return names.map((name) => numbersOf(group[name]))
}

/** A file with its rows sorted by random weights. */
function shuffleRows(text: string, weights: readonly number[]): string {
  const [header = '', ...rows] = text.split('\n').filter((row) => row.trim() !== '')
  const weighed = rows.map((row, i) => ({ row, weight: weights[i % weights.length] ?? 0 }))
  return [header, ...weighed.sort((a, b) => a.weight - b.weight).map(({ row }) => row)].join('\n')
}

test('a feed with shuffled rows gives the same timetable', async () => {
  const weights = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 97, maxLength: 97 })
  await fc.assert(
    fc.asyncProperty(randomFeed, weights, fc.boolean(), async ({ files }, shuffle, hasDirections) => {
      const trips = files['trips.txt'] ?? ''
      const named = {
        ...files,
        // Without direction_id, directions are computed.
        'trips.txt': hasDirections ? trips : trips.replaceAll(/,[01],To/g, ',,To'),
        // Stops with the same name, about 100 m apart, so that areas are generated.
        'stops.txt':
          'stop_id,stop_name,stop_lat,stop_lon\ns0,Un,48.0,7\ns1,Un,48.0009,7\ns2,Un,48.0018,7\ns3,Deux,48.1,7\nS4,Deux,48.1,7.001',
      }
      const shuffled = Object.fromEntries(
        Object.entries(named).map(([name, text]) => [name, shuffleRows(text, shuffle)]),
      )
      expect(contentsOf(await timetableOf(shuffled))).toEqual(contentsOf(await timetableOf(named)))
    }),
    { seed: SEED, numRuns: bySize({ quick: 100, ci: 1000, full: 10_000 }) },
  )
})
