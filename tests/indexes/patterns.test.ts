// Tests which trips share a pattern, the order of trips and times, and which calls a board has. Fails if one trip
// overtakes another in the same pattern, or if row numbers in the timetable depend on the order of the feed's rows.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type StopTimeIndex, stopTimeAt, type Timetable, type TripIndex } from '../../indexes/timetable/timetable.ts'
import { bySize, SEED } from '../size.ts'
import { numbersOf, rowsOf, sketchFeed, textsOf, timetableOf } from './built-feed.ts'

const STOPS = { A: '48.1,7', B: '48.2,7', C: '48.3,7', D: '48.4,7' }

/** One string per pattern: its stops, then its trips. */
function patternsOf(timetable: Timetable): string[] {
  const stopIds = textsOf(timetable, timetable.stops.id)
  const stops = rowsOf(
    timetable.patterns.stopOffset,
    numbersOf(timetable.patterns.stopAt).map((stop) => stopIds[stop]),
  )
  const trips = rowsOf(timetable.patterns.tripOffset, textsOf(timetable, timetable.trips.id))
  return stops.map((list, pattern) => `${list.join('')}: ${trips[pattern]?.join(' ')}`)
}

/**
 * A feed with these stop_times, all on one line and in one direction. Each row is written as `trip stop time` or
 * `trip stop arrival/departure`, and may end with a pickup_type.
 */
function timedFeed(calls: readonly string[], more: Record<string, string> = {}): Record<string, string> {
  const trips = [...new Set(calls.map((call) => call.split(' ')[0] ?? ''))]
  const rows = calls.map((call, i) => {
    const [trip, stop, time = '', pickup = ''] = call.split(' ')
    const [arrival, departure = arrival] = time.split('/')
    return `${trip},${arrival}:00,${departure}:00,${stop},${i},${pickup}`
  })
  return {
    ...sketchFeed({ stops: STOPS, trips: trips.map((id) => ({ id, calls: 'A B', direction: 0 as const })) }),
    'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type', ...rows].join('\n'),
    ...more,
  }
}

describe('patterns', () => {
  test('trips with the same calls form one pattern, soonest first, whatever the order of rows', async () => {
    const late = { id: 'late', calls: 'A B C', direction: 0, hour: 9 } as const
    const soon = { id: 'soon', calls: 'A B C', direction: 0, hour: 7 } as const
    // `twin` has the same times as `soon`, so these two trips are sorted by id.
    const twin = { id: 'twin', calls: 'A B C', direction: 0, hour: 7 } as const
    const back = { id: 'back', calls: 'C B A', direction: 1, hour: 7 } as const
    for (const trips of [
      [late, back, twin, soon],
      [soon, late, twin, back],
    ]) {
      expect(patternsOf(await timetableOf(sketchFeed({ stops: STOPS, trips })))).toEqual([
        'ABC: soon twin late',
        'CBA: back',
      ])
    }
  })

  test('a trip that overtakes starts a new pattern; one that only catches up does not', async () => {
    const timetable = await timetableOf(
      timedFeed([
        'slow A 08:00',
        'slow B 08:30',
        'slow C 09:00',
        // `fast` leaves A after `slow`, but reaches B before `slow`.
        'fast A 08:10',
        'fast B 08:20',
        'fast C 09:00',
        // `level` leaves A last, and reaches B and C at the same time as `slow`.
        'level A 08:20',
        'level B 08:30',
        'level C 09:00',
      ]),
    )
    expect(patternsOf(timetable)).toEqual(['ABC: slow level', 'ABC: fast'])
  })

  test('overtaking a trip that waits at a stop counts too', async () => {
    const timetable = await timetableOf(
      timedFeed([
        'waits A 08:00',
        'waits B 08:10/08:20',
        'waits C 08:30',
        // `passes` reaches B after `waits`, but leaves B before `waits`.
        'passes A 08:05',
        'passes B 08:12/08:13',
        'passes C 08:30',
      ]),
    )
    expect(patternsOf(timetable)).toEqual(['ABC: waits', 'ABC: passes'])
  })

  test('calls with different boarding rules are different patterns, most days first', async () => {
    const timetable = await timetableOf(
      timedFeed([
        'a A 08:00',
        'a B 08:10 1',
        'a C 08:20',
        'b A 09:00',
        'b B 09:10',
        'b C 09:20',
        'c A 10:00',
        'c B 10:10',
        'c C 10:20',
      ]),
    )
    expect(patternsOf(timetable)).toEqual(['ABC: b c', 'ABC: a'])
    expect(rowsOf(timetable.patterns.stopOffset, numbersOf(timetable.patterns.pickupType))).toEqual([
      [0, 0, 0],
      [0, 1, 0],
    ])
  })

  test('a frequency trip is a separate pattern, with times relative to its first departure', async () => {
    const timetable = await timetableOf(
      timedFeed(['f A 06:00', 'f B 06:10', 'g A 06:00', 'g B 06:10', 't A 06:00', 't B 06:10'], {
        'frequencies.txt': `trip_id,start_time,end_time,headway_secs,exact_times
          f,10:00:00,11:00:00,1200,0
          f,07:00:00,08:00:00,600,1
          g,22:00:00,24:00:00,1000,0`,
      }),
    )
    expect(patternsOf(timetable)).toEqual(['AB: t', 'AB: f', 'AB: g'])
    expect(numbersOf(timetable.patterns.isFrequency)).toEqual([0, 1, 1])
    expect(numbersOf(timetable.stopTimes.departureSeconds)).toEqual([21600, 22200, 0, 600, 0, 600])
    expect(numbersOf(timetable.trips.frequencyOffset)).toEqual([0, 0, 2, 3])
    expect(numbersOf(timetable.frequencies.startSeconds)).toEqual([25200, 36000, 79200])
    expect(numbersOf(timetable.boards.frequencyTrip)).toEqual([1, 2])
    // g's last run leaves 7000 s after 22:00 (7 x 1000 s, before 24:00) and arrives 600 s later.
    expect(timetable.meta.maxTimeSeconds).toBe(79200 + 7000 + 600)
  })

  test('stop sequences and call headsigns are stored once for all trips that share them', async () => {
    const files = sketchFeed({
      stops: STOPS,
      trips: [
        { id: 'a', calls: 'A B', direction: 0 },
        { id: 'b', calls: 'A B', direction: 0, hour: 9 },
        { id: 'c', calls: 'A B', direction: 0, hour: 10 },
      ],
    })
    const timetable = await timetableOf({
      ...files,
      'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign
        a,08:00:00,08:00:00,A,5,
        a,08:10:00,08:10:00,B,7,
        b,09:00:00,09:00:00,A,5,Port
        b,09:10:00,09:10:00,B,7,
        c,10:00:00,10:00:00,A,0,Port
        c,10:10:00,10:10:00,B,1,`,
    })
    expect(numbersOf(timetable.callProfiles.stopSequence)).toEqual([5, 7, 0, 1])
    expect(numbersOf(timetable.trips.sequenceProfile)).toEqual([0, 0, 2])
    expect(textsOf(timetable, timetable.callProfiles.headsign)).toEqual(['Port', ''])
    expect(numbersOf(timetable.trips.headsignProfile)).toEqual([0xffff_ffff, 0, 0])
    expect(numbersOf(timetable.trips.distanceProfile)).toEqual([0xffff_ffff, 0xffff_ffff, 0xffff_ffff])
  })
})

/** The board of each stop, as `time trip position` with the time in hours. */
function boardsOf(timetable: Timetable): string[][] {
  const trips = textsOf(timetable, timetable.trips.id)
  const { boards } = timetable
  const positions = numbersOf(boards.position)
  const seconds = numbersOf(boards.departureSeconds)
  return rowsOf(
    boards.offset,
    numbersOf(boards.trip).map((trip, row) => `${(seconds[row] ?? 0) / 3600} ${trips[trip]} ${positions[row]}`),
  )
}

describe('boards', () => {
  test('a loop departs from its first call and not from its last one at the same stop', async () => {
    const timetable = await timetableOf(
      sketchFeed({ stops: STOPS, trips: [{ id: 'o', calls: 'A B C A', direction: 0 }] }),
    )
    expect(boardsOf(timetable)[0]).toEqual(['8 o 0'])
  })

  test('calls in the same second are ordered by line, then trip id', async () => {
    const timetable = await timetableOf(
      sketchFeed({
        stops: STOPS,
        trips: [
          { id: 'z', calls: 'A B', route: '2', direction: 0 },
          { id: 'y', calls: 'A B', route: '10', direction: 0 },
          { id: 'b', calls: 'A C', route: '10', direction: 0 },
          { id: 'x', calls: 'A B', route: '2', direction: 1 },
        ],
      }),
    )
    expect(boardsOf(timetable)).toEqual([['8 x 0', '8 z 0', '8 b 0', '8 y 0'], [], [], []])
  })
})

test('patterns of random trips never overtake and contain every call of the feed once', async () => {
  const trip = fc.record({
    list: fc.constantFrom('A B C', 'A B C D', 'C B A'),
    start: fc.integer({ min: 0, max: 20 }),
    steps: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 3, maxLength: 3 }),
  })
  const minute = (minutes: number) =>
    `${String(8 + Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  await fc.assert(
    fc.asyncProperty(fc.array(trip, { minLength: 1, maxLength: 25 }), async (trips) => {
      const calls = trips.flatMap(({ list, start, steps }, i) => {
        let minutes = start
        return list.split(' ').map((stop, at) => {
          if (at > 0) minutes += steps[at - 1] ?? 0
          return `t${i} ${stop} ${minute(minutes)}`
        })
      })
      const timetable = await timetableOf(timedFeed(calls))
      expect(listCalls(timetable).sort()).toEqual([...calls].sort())
    }),
    { seed: SEED, numRuns: bySize({ quick: 60, ci: 300, full: 2000 }) },
  )

  /** All calls, written as for `timedFeed`. Throws if a trip overtakes the previous trip in its pattern. */
  function listCalls(timetable: Timetable): string[] {
    const { patterns, stopTimes } = timetable
    const stopIds = textsOf(timetable, timetable.stops.id)
    const tripIds = textsOf(timetable, timetable.trips.id)
    const lists = rowsOf(patterns.stopOffset, numbersOf(patterns.stopAt))
    const trips = rowsOf(patterns.tripOffset, [...tripIds.keys()])
    const secondsAt = (trip: number, position: number) =>
      stopTimes.departureSeconds[stopTimeAt(timetable, trip as TripIndex, position) as StopTimeIndex]
    return lists.flatMap((stops, pattern) =>
      (trips[pattern] ?? []).flatMap((trip, i, all) =>
        stops.map((stop, position) => {
          const seconds = secondsAt(trip, position)
          if (i > 0) expect(seconds).toBeGreaterThanOrEqual(secondsAt(all[i - 1] ?? 0, position))
          return `${tripIds[trip]} ${stopIds[stop]} ${minute(seconds / 60 - 480)}`
        }),
      ),
    )
  }
})
