// Tests directions: the directions that are computed for trips if the feed gives none, the name of a direction, and its
// shapes on a map. Fails if a computed direction depends on the order of rows, or if a loop gets the wrong direction.
import { describe, expect, test } from 'bun:test'
import { columnArray } from '../../loaders/columns.ts'
import { numbersOf, rowsOf, sketchFeed, type TripSketch, textsOf, timetableOf } from './built-feed.ts'

/** The stops of a line from A in the south to D in the north. X is east of B. */
const STOPS = { A: '48.1,7', B: '48.2,7', C: '48.3,7', D: '48.4,7', X: '48.2,7.1' }

/** Trip id → direction. Also expects the same result for the rows in reverse order. */
async function directionsOf(trips: readonly TripSketch[], stops: Record<string, string> = STOPS): Promise<object> {
  const [forward, backward] = await Promise.all(
    [trips, [...trips].reverse()].map(async (rows) => {
      const timetable = await timetableOf(sketchFeed({ stops, trips: rows }))
      const directionId = numbersOf(timetable.directions.directionId)
      const directionOf = numbersOf(timetable.patterns.direction)
      const ids = textsOf(timetable, timetable.trips.id)
      const found = numbersOf(timetable.trips.pattern).map((pattern, trip) => [
        ids[trip],
        directionId[directionOf[pattern] ?? -1],
      ])
      return Object.fromEntries(found.sort())
    }),
  )
  expect(backward).toEqual(forward)
  return forward ?? {}
}

describe('directions of a feed without them', () => {
  test('0 runs from the smaller to the larger stop id at the ends of the main pattern', async () => {
    const trips = [
      { id: 'north', calls: 'A B C D' },
      { id: 'north2', calls: 'A B C D', hour: 9 },
      { id: 'south', calls: 'D C B A' },
      // These are short trips: B to A runs south, and C to D runs north.
      { id: 'shortSouth', calls: 'B A' },
      { id: 'shortNorth', calls: 'C D' },
      // East is perpendicular to the axis from A to D, so neither direction fits better, and the trip gets direction 0.
      { id: 'east', calls: 'B X' },
    ]
    expect(await directionsOf(trips)).toEqual({ north: 0, north2: 0, south: 1, shortSouth: 1, shortNorth: 0, east: 0 })
    // Here the stop ids are swapped, so that A is in the north. Direction 0 still runs from A to D, although most trips
    // run from D to A.
    const swapped = { D: '48.1,7', C: '48.2,7', B: '48.3,7', A: '48.4,7', X: '48.3,7.1' }
    expect(
      await directionsOf(
        [
          { id: 'north', calls: 'D C B A' },
          { id: 'north2', calls: 'D C B A', hour: 9 },
          { id: 'south', calls: 'A B C D' },
        ],
        swapped,
      ),
    ).toEqual({ north: 1, north2: 1, south: 0 })
  })

  test('the main pattern is the one with the most trip-days, not the most trips', async () => {
    // The pattern from X to B has the most trips, but they run on Sundays only, so the axis is still A to D.
    expect(
      await directionsOf([
        { id: 'north', calls: 'A B C D' },
        { id: 's1', calls: 'X B', service: 'sunday' },
        { id: 's2', calls: 'X B', service: 'sunday', hour: 9 },
        { id: 'south', calls: 'D C', service: 'sunday' },
      ]),
    ).toEqual({ north: 0, s1: 0, s2: 0, south: 1 })
  })

  test('loops follow the stop order of the main pattern', async () => {
    expect(
      await directionsOf([
        { id: 'main', calls: 'A B C D' },
        { id: 'main2', calls: 'A B C D', hour: 9 },
        { id: 'out', calls: 'X B C D X' },
        { id: 'back', calls: 'X D C B X' },
        // This trip shares only one stop with the main pattern, so its direction cannot be determined and is 0.
        { id: 'apart', calls: 'X B X' },
      ]),
    ).toEqual({ main: 0, main2: 0, out: 0, back: 1, apart: 0 })
  })

  test('a ring has one direction each way round, wherever trips enter it', async () => {
    const ring = { A: '48.1,7', B: '48.2,7.1', C: '48.3,7', D: '48.2,6.9' }
    expect(
      await directionsOf(
        [
          { id: 'round', calls: 'A B C D A' },
          { id: 'round2', calls: 'A B C D A', hour: 9 },
          { id: 'sameFromC', calls: 'C D A B C' },
          { id: 'against', calls: 'A D C B A' },
          { id: 'againstFromC', calls: 'C B A D C' },
        ],
        ring,
      ),
    ).toEqual({ round: 0, round2: 0, sameFromC: 0, against: 1, againstFromC: 1 })
  })

  test('only trips without a direction get one on a line that has some', async () => {
    expect(
      await directionsOf([
        { id: 'given', calls: 'A B C D', direction: 1 },
        { id: 'given2', calls: 'A B C D', direction: 1, hour: 9 },
        { id: 'open', calls: 'D C B A' },
        { id: 'other', calls: 'D C B A', route: 'M', direction: 0 },
      ]),
    ).toEqual({ given: 1, given2: 1, open: 1, other: 0 })
  })
})

describe('a direction', () => {
  test('has the headsign with the most trip-days, and the ends of its main pattern', async () => {
    const stops = { A: '48.1,7,Gare', B: '48.2,7,Marché', C: '48.3,7,Port' }
    const timetable = await timetableOf(
      sketchFeed({
        stops,
        trips: [
          { id: 'a', calls: 'A B C', direction: 0, headsign: 'Port' },
          // Two trips on one day of the week count less than one trip on all seven days.
          { id: 'b', calls: 'A B C', direction: 0, headsign: 'Foire', service: 'sunday', hour: 9 },
          { id: 'c', calls: 'A B C', direction: 0, headsign: 'Foire', service: 'sunday', hour: 10 },
          // Without a headsign, a trip gets the name of its last stop, here Marché.
          { id: 'd', calls: 'C B', direction: 1 },
          // d and e run on the same number of days, so the headsign of the longer trip is used.
          { id: 'e', calls: 'C B A', direction: 1, headsign: 'Z Gare' },
        ],
      }),
    )
    const { directions } = timetable
    expect(textsOf(timetable, directions.headsign)).toEqual(['Port', 'Z Gare'])
    expect(textsOf(timetable, directions.name)).toEqual(['Gare - Port', 'Port - Gare'])
    expect(numbersOf(timetable.lines.directionOffset)).toEqual([0, 2])
    const headsigns = textsOf(timetable, timetable.trips.headsign)
    expect(Object.fromEntries(textsOf(timetable, timetable.trips.id).map((id, i) => [id, headsigns[i]]))).toEqual({
      a: 'Port',
      b: 'Foire',
      c: 'Foire',
      d: 'Marché',
      e: 'Z Gare',
    })
  })

  test('is drawn as its most used shape, plus a shape for each branch that this shape lacks', async () => {
    const timetable = await timetableOf(
      sketchFeed({
        stops: STOPS,
        trips: [
          { id: 'a', calls: 'A B C D', direction: 0, shape: 'main' },
          { id: 'b', calls: 'A B C D', direction: 0, shape: 'main', hour: 9 },
          // The trips with the shape `main` call at both stops of trip c, so the shape `short` is not drawn.
          { id: 'c', calls: 'A B', direction: 0, shape: 'short' },
          { id: 'd', calls: 'A X', direction: 0, shape: 'branch', service: 'sunday' },
          { id: 'e', calls: 'A X', direction: 0, shape: 'branch2', service: 'sunday', hour: 9 },
          { id: 'f', calls: 'D A', direction: 1 },
        ],
      }),
    )
    const shapes = textsOf(timetable, timetable.shapes.id)
    const drawn = numbersOf(timetable.directions.shapeAt).map((shape) => shapes[shape])
    expect(rowsOf(timetable.directions.shapeOffset, drawn)).toEqual([['main', 'branch'], []])
  })
})

test('a route with only on-demand trips is a line without directions, patterns or wheelchair access', async () => {
  const files = sketchFeed({ stops: STOPS, trips: [{ id: 't', calls: 'A B', route: '2', direction: 0 }] })
  const timetable = await timetableOf({
    ...files,
    'routes.txt': 'route_id,route_short_name,route_type\n1,1,3\n2,2,3\n3,3,3',
    'trips.txt': `route_id,service_id,trip_id,direction_id,wheelchair_accessible
      1,daily,flex,0,1
      2,daily,t,0,1`,
    'stop_times.txt': `
      trip_id,arrival_time,departure_time,stop_id,stop_sequence,start_pickup_drop_off_window,end_pickup_drop_off_window
      flex,,,A,1,8:00:00,18:00:00
      flex,,,B,2,8:00:00,18:00:00
      t,8:00:00,8:00:00,A,1,,
      t,8:10:00,8:10:00,B,2,,`,
  })
  expect(textsOf(timetable, timetable.lines.id)).toEqual(['1', '2'])
  expect(numbersOf(timetable.lines.accessible)).toEqual([0, 1])
  expect(numbersOf(timetable.lines.directionOffset)).toEqual([0, 0, 1])
  expect(numbersOf(timetable.lines.patternOffset)).toEqual([0, 0, 1])
  expect(textsOf(timetable, timetable.trips.id)).toEqual(['t'])
})

test('lines are sorted, and a route without trips is not a line', async () => {
  const files = sketchFeed({
    stops: STOPS,
    trips: ['N1', '10', '2A', '2', '1'].map((route) => ({
      id: `t${route}`,
      calls: 'A B',
      route,
      direction: 0 as const,
    })),
  })
  const timetable = await timetableOf({
    ...files,
    'routes.txt': `route_id,route_short_name,route_type,route_sort_order
      N1,N1,3,
      10,10,3,
      2A,2A,3,
      2,2,3,
      1,1,3,
      last,1,3,
      first,99,0,1`,
    'trips.txt': `${files['trips.txt']}\nfirst,daily,tf,0,,`,
    'stop_times.txt': `${files['stop_times.txt']}\ntf,8:00:00,8:00:00,A,1\ntf,8:10:00,8:10:00,B,2`,
  })
  expect(textsOf(timetable, timetable.lines.id)).toEqual(['first', '1', '2', '2A', '10', 'N1'])
  expect(numbersOf(timetable.lines.byId).map((line) => textsOf(timetable, timetable.lines.id)[line])).toEqual([
    '1',
    '10',
    '2',
    '2A',
    'N1',
    'first',
  ])
  expect(timetable.meta.modes).toEqual(['tram', 'bus'])
  expect(columnArray(timetable.lines.patternOffset).length).toBe(7)
})
