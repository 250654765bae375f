// Tests trips of the New York subway, whose ids contain the departure time at the first stop, the route and the
// direction. Fails if a matched trip starts more than a minute before or after the time in the id, runs in the other
// direction or on another day, or if the reader selects one of two trips that both fit.
import { expect, test } from 'bun:test'
import { textsOf } from '../built-feed.ts'
import { LINE, LiveLine, TODAY, timed } from './live-line.ts'

/** `out` at 08:00 and `late` at 08:01 run in one direction, `back` in the other; `m-S01` and `m-S02` start together. */
const SUBWAY = {
  ...LINE,
  'trips.txt': `route_id,service_id,trip_id,direction_id
    L,daily,out,0
    L,daily,late,0
    L,daily,back,1
    M,daily,m-S01,0
    M,daily,m-S02,0
    M,sunday,other,0`,
  'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260601,20260630
    sunday,0,0,0,0,0,0,1,20260601,20260630`,
  'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
    out,08:00:00,08:00:00,S1,1
    out,08:10:00,08:10:00,S2,2
    out,08:20:00,08:20:00,S3,3
    late,08:01:00,08:01:00,S1,1
    late,08:11:00,08:11:00,S2,2
    late,08:21:00,08:21:00,X,3
    back,08:00:00,08:00:00,S3,1
    back,08:20:00,08:20:00,S1,2
    m-S01,08:00:00,08:00:00,S1,1
    m-S01,08:20:00,08:20:00,S4,2
    m-S02,08:00:00,08:00:00,S1,1
    m-S02,08:20:00,08:20:00,S5,2
    other,07:00:00,07:00:00,S1,1
    other,07:20:00,07:20:00,S5,2`,
}

/**
 * The ids of the trips that match an update with this trip id; if no trip matches, the reasons and how often each
 * occurs.
 */
async function read(tripId: string, stopIds: readonly string[], startDate = TODAY) {
  const line = await LiveLine.open(SUBWAY)
  const stopTimeUpdate = stopIds.map((stopId, at) => ({ stopId, ...timed(`08:${at + 1}3`) }))
  const trip = { tripId, routeId: tripId.charAt(7), startDate }
  line.publish('07:55', [{ id: '1', tripUpdate: { trip, stopTimeUpdate } }])
  const found = line.board(['S1', 'S2', 'S3'], 1).filter((row) => !row.endsWith('silent') && !row.endsWith('unknown'))
  return found.length > 0 ? found.map((row) => row.split(' ')[1]) : line.reasons
}

test('an origin time is in hundredths of a minute, with a tolerance of a minute', async () => {
  expect(await read('048000_L..N01R', ['S2', 'S3'])).toEqual(['out'])
  expect(await read('048100_L..N01R', ['S2', 'X'])).toEqual(['late'])
  expect(await read('048200_L..N01R', ['S2', 'X'])).toEqual(['late'])
  expect(await read('048250_L..N01R', ['S2', 'X'])).toEqual({ unknown_trip: 1 })
  expect(await read('047850_L..N01R', ['S2', 'S3'])).toEqual({ unknown_trip: 1 })
})

test('the direction comes from the id', async () => {
  expect(await read('048000_L..S01R', ['S3', 'S1'])).toEqual(['back'])
})

test('among several trips, the exact time decides, then the stops; if two fit, neither is matched', async () => {
  expect(await read('048050_L..N01R', ['S2', 'S3'])).toEqual(['out'])
  expect(await read('048050_L..N01R', ['S2', 'X'])).toEqual(['late'])
  expect(await read('048050_L..N01R', ['S2'])).toEqual({ ambiguous_descriptor: 1 })
  expect(await read('048000_M..N01R', ['S1', 'S4'])).toEqual(['m-S01'])
  expect(await read('048000_M..N01R', ['S1'])).toEqual({ ambiguous_descriptor: 1 })
})

test('trips of other days do not match', async () => {
  expect(await read('042000_M..N01R', ['S1', 'S5'])).toEqual({ unknown_trip: 1 })
})

/**
 * Two trains that leave two stations at the same time. The column mta_trip_id gives the path of each train, but no time.
 */
const PATHS = {
  ...SUBWAY,
  'trips.txt': `route_id,service_id,trip_id,direction_id,mta_trip_id
    L,daily,far,0,L..N97R
    L,daily,near,0,L..N99R`,
  'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
    far,08:00:00,08:00:00,S1,1
    far,08:10:00,08:10:00,S3,2
    far,08:20:00,08:20:00,S4,3
    near,08:00:00,08:00:00,S2,1
    near,08:05:00,08:05:00,S3,2
    near,08:15:00,08:15:00,S4,3`,
}

async function readOfPaths(tripId: string, time: string) {
  const line = await LiveLine.open(PATHS)
  const stopTimeUpdate = [{ stopId: 'S4', ...timed(time) }]
  line.publish('07:55', [{ id: '1', tripUpdate: { trip: { tripId, routeId: 'L', startDate: TODAY }, stopTimeUpdate } }])
  return line.trips.trips[0]?.instance === undefined
    ? line.reasons
    : textsOf(line.timetable, line.timetable.trips.id)[line.trips.trips[0].instance.trip]
}

test('the path in mta_trip_id decides between two', async () => {
  expect(await readOfPaths('048000_L..N97R', '08:15')).toBe('far')
  expect(await readOfPaths('048000_L..N99R', '08:20')).toBe('near')
})

test('if only the start is known, the times at the stops decide, unless they are ambiguous', async () => {
  expect(await readOfPaths('048000_L..N', '08:21')).toBe('far')
  expect(await readOfPaths('048000_L..N', '08:14')).toBe('near')
  expect(await readOfPaths('048000_L..N', '08:18')).toEqual({ ambiguous_descriptor: 1 })
})
