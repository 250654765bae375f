// Tests how the calls of a trip are sorted and completed. Fails if a time from the feed is replaced, if rounding is
// wrong, if calls of two trips are mixed, or if a flexible trip is treated as a fixed one.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bySize, SEED } from '../size.ts'
import { callsByTrip, type FeedChanges, load, numbersOf, textsOf } from './loaded-feed.ts'

const HEADER = 'trip_id,arrival_time,departure_time,stop_id,stop_sequence,shape_dist_traveled'

/** Changes to the small feed: it has only the trips a1 and a2, with these lines as their stop times. */
function withCalls(...lines: readonly string[]): FeedChanges {
  return {
    'trips.txt': 'route_id,service_id,trip_id\nA,daily,a1\nA,daily,a2',
    'stop_times.txt': [HEADER, ...lines].join('\n'),
  }
}

/** Two valid calls of trip a2. */
const OTHER_TRIP = ['a2,9:00:00,9:00:00,G,1,', 'a2,9:10:00,9:10:00,P,2,']

describe('missing times', () => {
  const cases: Record<string, [lines: readonly string[], calls: string]> = {
    'are filled evenly by call, from departure to arrival': [
      ['a1,8:00:00,8:01:00,G,1,', 'a1,,,CA,2,', 'a1,,,CB,3,', 'a1,8:04:00,8:05:00,P,4,'],
      'G 08:00:00-08:01:00, CA 08:02:00, CB 08:03:00, P 08:04:00-08:05:00',
    ],
    'are rounded half up to the second': [
      ['a1,8:00:00,8:00:00,G,1,', 'a1,,,CA,2,', 'a1,8:00:01,8:00:01,P,4,'],
      'G 08:00:00, CA 08:00:01, P 08:00:01',
    ],
    'are rounded down below the half': [
      ['a1,8:00:00,8:00:00,G,1,', 'a1,,,CA,2,', 'a1,,,CB,3,', 'a1,8:00:01,8:00:01,P,4,'],
      'G 08:00:00, CA 08:00:00, CB 08:00:01, P 08:00:01',
    ],
    'are filled by distance if all calls of the gap have an increasing one': [
      ['a1,8:00:00,8:00:00,G,1,0', 'a1,,,CA,2,1', 'a1,,,CB,3,9', 'a1,8:10:00,8:10:00,P,4,10'],
      'G 08:00:00, CA 08:01:00, CB 08:09:00, P 08:10:00',
    ],
    'are filled evenly if one call of the gap has no distance': [
      ['a1,8:00:00,8:00:00,G,1,0', 'a1,,,CA,2,', 'a1,,,CB,3,9', 'a1,8:06:00,8:06:00,P,4,10'],
      'G 08:00:00, CA 08:02:00, CB 08:04:00, P 08:06:00',
    ],
    'are filled evenly if an end of the gap has no distance': [
      ['a1,8:00:00,8:00:00,G,1,', 'a1,,,CA,2,1', 'a1,,,CB,3,9', 'a1,8:06:00,8:06:00,P,4,10'],
      'G 08:00:00, CA 08:02:00, CB 08:04:00, P 08:06:00',
    ],
    'are filled evenly if the distance does not increase': [
      ['a1,8:00:00,8:00:00,G,1,0', 'a1,,,CA,2,9', 'a1,,,CB,3,9', 'a1,8:06:00,8:06:00,P,4,10'],
      'G 08:00:00, CA 08:02:00, CB 08:04:00, P 08:06:00',
    ],
    'of each gap are filled separately': [
      [
        'a1,8:00:00,8:00:00,G,1,0',
        'a1,,,CA,2,9',
        'a1,8:10:00,8:12:00,CB,3,10',
        'a1,,,CA,4,',
        'a1,8:20:00,8:20:00,P,5,',
      ],
      'G 08:00:00, CA 08:09:00, CB 08:10:00-08:12:00, CA 08:16:00, P 08:20:00',
    ],
    'may be after midnight': [
      ['a1,23:59:00,23:59:00,G,1,', 'a1,,,CA,2,', 'a1,49:01:00,49:01:00,P,3,'],
      'G 23:59:00, CA 36:30:00, P 49:01:00',
    ],
  }
  for (const [what, [lines, calls]] of Object.entries(cases)) {
    test(what, async () => expect(callsByTrip((await load(withCalls(...lines, ...OTHER_TRIP))).feed)['a1']).toBe(calls))
  }

  test('are interpolated like whole numbers, for any gap', async () => {
    const gap = fc.tuple(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 0, max: 5_000 }))
    await fc.assert(
      fc.asyncProperty(gap, async ([steps, span]) => {
        const minutes = `${Math.floor(span / 3600)}:${String(Math.floor(span / 60) % 60).padStart(2, '0')}`
        const end = `${minutes}:${String(span % 60).padStart(2, '0')}`
        const between = Array.from({ length: steps - 1 }, (_, i) => `a1,,,CA,${i + 1},`)
        const { feed } = await load(withCalls('a1,0:00:00,0:00:00,G,0,', ...between, `a1,${end},${end},P,99,`))
        // Rounded half up: floor(span × i / steps + 1/2), in integers.
        const expected = Array.from({ length: steps + 1 }, (_, i) => Math.floor((2 * span * i + steps) / (2 * steps)))
        expect(numbersOf(feed.calls.arrivalSeconds)).toEqual(expected)
        expect(numbersOf(feed.calls.departureSeconds)).toEqual(expected)
      }),
      { seed: SEED, numRuns: bySize({ quick: 50, ci: 300, full: 2_000 }) },
    )
  })
})

describe('order', () => {
  test('calls are sorted by trip and sequence, whatever the order in the file', async () => {
    const sound = ['a1,8:00:00,8:00:00,G,1,', 'a1,8:05:00,8:05:00,CA,20,', 'a1,8:10:00,8:10:00,P,100,', ...OTHER_TRIP]
    const { feed } = await load(withCalls(...sound))
    const expected = callsByTrip(feed)
    expect(expected).toEqual({ a1: 'G 08:00:00, CA 08:05:00, P 08:10:00', a2: 'G 09:00:00, P 09:10:00' })
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(sound, { minLength: sound.length }), async (lines) => {
        const shuffled = await load(withCalls(...lines))
        expect([callsByTrip(shuffled.feed), shuffled.reported]).toEqual([expected, []])
      }),
      { seed: SEED, numRuns: bySize({ quick: 30, ci: 100, full: 500 }) },
    )
  })

  test('scattered rows of a trip are checked like adjacent ones, and the first faulty line is reported', async () => {
    const rows = ['a1,8:00:00,8:00:00,G,1,', 'a1,7:00:00,7:00:00,CA,2,', 'a1,8:10:00,8:10:00,P,4,', 'a1,,,CB,5,']
    const others = ['a2,9:00:00,9:00:00,G,1,', 'a2,8:50:00,8:50:00,CA,2,', 'a2,9:10:00,9:10:00,P,3,', 'a2,,,X,4,']
    const together = await load(withCalls(...rows, ...others))
    const apart = await load(withCalls(...rows.flatMap((row, at) => [others[at] ?? '', row])))
    expect(callsByTrip(apart.feed)).toEqual(callsByTrip(together.feed))
    const drops = (line: number, by: string) => [
      `dropped_row foreign_key_violation stop_times.txt:${line === 3 ? 9 : 8} stop_id ×1 (X)`,
      `dropped_row missing_trip_edge stop_times.txt:${line === 3 ? 5 : 9}  ×1 (the last call has no time)`,
      `dropped_row stop_time_with_arrival_before_previous_departure_time stop_times.txt:${line}  ×2 (${by} s earlier)`,
    ]
    expect(together.reported.toSorted()).toEqual(drops(3, '3600'))
    expect(apart.reported.toSorted()).toEqual(drops(4, '600'))
  })

  test('a trip may call at a stop twice and dwell as long as it likes', async () => {
    const lines = ['a1,8:00:00,8:00:00,G,1,', 'a1,8:05:00,9:05:00,P,2,', 'a1,9:05:00,9:05:00,G,3,']
    const { feed, reported } = await load(withCalls(...lines, ...OTHER_TRIP))
    expect([callsByTrip(feed)['a1'], reported]).toEqual(['G 08:00:00, P 08:05:00-09:05:00, G 09:05:00', []])
  })

  test('a call with decreasing times is dropped, and the next is compared with the last kept one', async () => {
    const lines = ['a1,8:00:00,8:00:00,G,1,', 'a1,7:00:00,7:00:00,CA,2,', 'a1,,,CB,3,', 'a1,8:10:00,8:10:00,P,4,']
    const { feed } = await load(withCalls(...lines, ...OTHER_TRIP))
    expect(callsByTrip(feed)['a1']).toBe('G 08:00:00, CB 08:05:00, P 08:10:00')
  })

  test('a call without times in between does not hide decreasing times', async () => {
    const lines = ['a1,8:00:00,8:00:00,G,1,', 'a1,,,CA,2,', 'a1,7:00:00,7:00:00,CB,3,', 'a1,8:10:00,8:10:00,P,4,']
    const { feed } = await load(withCalls(...lines, ...OTHER_TRIP))
    expect(callsByTrip(feed)['a1']).toBe('G 08:00:00, CA 08:05:00, P 08:10:00')
  })
})

test('a call at a boarding area is at its platform', async () => {
  const { feed, reported } = await load({
    ...withCalls('a1,8:00:00,8:00:00,G,1,', 'a1,8:05:00,8:05:00,B,2,', ...OTHER_TRIP),
    'stops.txt': `
      stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
      B,,,,4,CA
      CA,Centre,48.58,7.75,0,S
      G,Gare,48.585,7.735,,
      P,Port,48.575,7.77,,
      S,Centre,48.58,7.75,1,`,
  })
  expect([callsByTrip(feed)['a1'], reported]).toEqual(['G 08:00:00, CA 08:05:00', []])
})

describe('GTFS-Flex', () => {
  const header =
    'trip_id,arrival_time,departure_time,stop_id,stop_sequence,location_group_id,location_id,start_pickup_drop_off_window,end_pickup_drop_off_window'
  const withFlex = (...lines: readonly string[]) => ({
    'routes.txt': 'route_id,route_short_name,route_type\nA,A,3\n7,7,3\n8,8,3',
    'trips.txt': 'route_id,service_id,trip_id\nA,daily,a1\n7,daily,f1',
    'stop_times.txt': [header, 'a1,8:00:00,8:00:00,G,1,,,,', 'a1,8:10:00,8:10:00,P,2,,,,', ...lines].join('\n'),
  })
  const kinds: Record<string, readonly string[]> = {
    'a group of stops': ['f1,,,,1,group,,,', 'f1,,,,2,group,,,'],
    'a zone': ['f1,,,,1,,zone,9:00:00,17:00:00', 'f1,,,,2,,zone,9:00:00,17:00:00'],
    'a window at a stop': ['f1,,,G,1,,,9:00:00,17:00:00', 'f1,,,P,2,,,9:00:00,17:00:00'],
    'a window at an unknown stop': ['f1,,,X,1,,,9:00:00,17:00:00', 'f1,,,Y,2,,,9:00:00,17:00:00'],
  }
  for (const [what, lines] of Object.entries(kinds)) {
    test(`rows with ${what} are set aside: the trip disappears, its route is a line, nothing counts as dropped`, async () => {
      const { feed, reported, problems } = await load(withFlex(...lines))
      expect(textsOf(feed, feed.trips.id)).toEqual(['a1'])
      expect(numbersOf(feed.routes.hasFlexTrips)).toEqual([0, 1, 0])
      expect(reported).toEqual(['reported flex_row_set_aside stop_times.txt:4  ×2 ()'])
      expect([...problems.files.values()].map(({ dropped }) => dropped)).toEqual([0, 0, 0, 0, 0, 0])
    })
  }

  test('a trip with both kinds keeps its fixed calls', async () => {
    const { feed } = await load(
      withFlex('f1,9:00:00,9:00:00,G,1,,,,', 'f1,,,,2,,zone,9:00:00,9:30:00', 'f1,9:30:00,9:30:00,P,3,,,,'),
    )
    expect(callsByTrip(feed)['f1']).toBe('G 09:00:00, P 09:30:00')
  })

  test('a feed with only flexible trips has no trips, and each of their routes is a line', async () => {
    const { feed } = await load({
      'trips.txt': 'route_id,service_id,trip_id\n7,daily,f1',
      'stop_times.txt': `${header}\nf1,,,,1,,zone,9:00:00,17:00:00\nf1,,,,2,,zone,9:00:00,17:00:00`,
    })
    expect([feed.trips.count, feed.calls.count, numbersOf(feed.routes.hasFlexTrips)]).toEqual([0, 0, [0, 1]])
  })

  test('a row with neither stop nor zone is simply faulty', async () => {
    const { reported } = await load(withFlex('a1,9:00:00,9:00:00,,3,,,,'))
    expect(reported).toContain('dropped_row missing_required_field stop_times.txt:4 stop_id ×1 ()')
  })
})

describe('distances along a trip', () => {
  const shape = (end: string) => ({
    'trips.txt': 'route_id,service_id,trip_id,shape_id\nA,daily,a1,sh\nA,daily,a2,',
    'shapes.txt': `shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled\nsh,48.5850,7.7350,1,0\nsh,${end}`,
  })
  const calls = (distance: string) =>
    withCalls(
      'a1,8:00:00,8:00:00,G,1,0',
      `a1,8:10:00,8:10:00,P,2,${distance}`,
      'a2,9:00:00,9:00:00,G,1,0',
      'a2,9:10:00,9:10:00,P,2,7',
    )

  test('are kept if they increase, up to the end of the shape', async () => {
    const { feed, reported } = await load({ ...calls('5'), ...shape('48.5750,7.7700,2,5') })
    expect([reported, numbersOf(feed.calls.shapeDistance ?? [])]).toEqual([[], [0, 5, 0, 7]])
  })

  test('that do not increase are ignored for that trip', async () => {
    const { feed, reported } = await load({ ...calls('0'), ...shape('48.5750,7.7700,2,5') })
    expect([reported, numbersOf(feed.calls.shapeDistance ?? [])]).toEqual([
      ['repaired decreasing_or_equal_stop_time_distance stop_times.txt:3 shape_dist_traveled ×1 (0 after 0)'],
      [Number.NaN, Number.NaN, 0, 7],
    ])
  })

  test('beyond the end of the shape are ignored if the last stop is not there', async () => {
    const { feed, reported } = await load({ ...calls('6'), ...shape('48.5752,7.7700,2,5') })
    expect([reported, numbersOf(feed.calls.shapeDistance ?? [])]).toEqual([
      [
        'repaired trip_distance_exceeds_shape_distance stop_times.txt:3 shape_dist_traveled ×1 (6, but the shape ends at 5)',
      ],
      [Number.NaN, Number.NaN, 0, 7],
    ])
  })

  test('beyond the end of the shape are kept if the last stop is there', async () => {
    // 48.57505 is 5.6 m north of the stop.
    const { feed, reported } = await load({ ...calls('6'), ...shape('48.57505,7.7700,2,5') })
    expect([reported, numbersOf(feed.calls.shapeDistance ?? [])]).toEqual([[], [0, 6, 0, 7]])
  })

  test('in another unit than the shape’s are dropped for that trip, after filling in untimed calls', async () => {
    // From G it is 1.2 km to CA and 2.8 km to P, and the shape is in kilometers. The distances of trip a1 are in miles.
    const { feed, reported } = await load({
      ...withCalls(
        'a1,8:00:00,8:00:00,G,1,0',
        'a1,,,CA,2,0.76',
        'a1,8:10:00,8:10:00,P,3,1.9',
        'a2,9:00:00,9:00:00,G,1,0',
        'a2,9:10:00,9:10:00,P,2,3.1',
      ),
      'trips.txt': 'route_id,service_id,trip_id,shape_id\nA,daily,a1,sh\nA,daily,a2,sh',
      'shapes.txt': `shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled
        sh,48.5850,7.7350,1,0\nsh,48.5801,7.7501,2,1.24\nsh,48.5750,7.7700,3,3.1`,
    })
    expect([reported, numbersOf(feed.calls.shapeDistance ?? []), numbersOf(feed.calls.arrivalSeconds)]).toEqual([
      [
        'repaired stop_too_far_from_shape_using_user_distance stop_times.txt:3 shape_dist_traveled ×1 (0.76, a point that is 479 m from the stop)',
      ],
      [Number.NaN, Number.NaN, Number.NaN, 0, 3.1],
      [28_800, 29_040, 29_400, 32_400, 33_000],
    ])
  })

  test('that are not numbers are ignored', async () => {
    const { feed, reported } = await load(calls('far'))
    expect(reported).toEqual(['repaired invalid_float stop_times.txt:3 shape_dist_traveled ×1 (far)'])
    expect(numbersOf(feed.calls.shapeDistance ?? [])).toEqual([0, Number.NaN, 0, 7])
  })
})
