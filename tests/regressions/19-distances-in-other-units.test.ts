// Tests feeds in which shape_dist_traveled has another unit in stop_times.txt than in shapes.txt. Fails if vehicles are
// wrongly shown at their terminus or first stop, if their delay or next stop is wrong, or if rides lack the length from
// which their emissions are computed.
import { describe, expect, test } from 'bun:test'
import { metersAlong, TripPaths } from '../../indexes/live/trip-paths.ts'
import { findTrip } from '../../indexes/timetable/trips.ts'
import { timetableOf } from '../indexes/built-feed.ts'
import { CITY_FEED, clock, report, spot, update } from '../indexes/live/vehicle-city.ts'
import { city, metersFrom, only, stopName } from '../indexes/live/vehicle-readers.ts'

/**
 * The timetable of CITY_FEED with shape_dist_traveled added: in meters for the points of the shape `e`, and in the
 * given unit for calls at the stops E0, E1 and E2, which are at 0, 1000 and 2000 m.
 */
async function cityWith(metersPerUnit: number) {
  const reported: Readonly<Record<string, number>> = { E0: 0, E1: 1000, E2: 2000 }
  const pointMeters = [0, 500, 1000, 2000]
  const withColumn = (text: string, cellOf: (cells: string[]) => string) =>
    text
      .split('\n')
      .map((line, row) => `${line},${row === 0 ? 'shape_dist_traveled' : cellOf(line.split(','))}`)
      .join('\n')
  return await timetableOf({
    ...CITY_FEED,
    'stop_times.txt': withColumn(CITY_FEED['stop_times.txt'] ?? '', (cells) => {
      const meters = reported[cells[3] ?? '']
      return meters === undefined ? '' : String(meters / metersPerUnit)
    }),
    'shapes.txt': withColumn(CITY_FEED['shapes.txt'] ?? '', ([id, , , sequence]) =>
      id === 'e' ? String(pointMeters[Number(sequence) - 1]) : '',
    ),
  })
}

describe.each([
  ['kilometers', 1000],
  ['miles', 1609.344],
  ['feet', 0.3048],
  ['meters', 1],
])('calls in %s on a shape in meters', (_unit, metersPerUnit) => {
  test('are in place in any unit', async () => {
    const timetable = await cityWith(metersPerUnit)
    const path = new TripPaths(timetable).ofTrip(findTrip(timetable, 'e1') as never)
    expect(metersAlong(path, 0, 1)).toBeCloseTo(1000, 0)
    expect(metersAlong(path, 1, 2)).toBeCloseTo(1000, 0)
  })

  test('reported vehicles have the delay and next stop of their position', async () => {
    const of = await cityWith(metersPerUnit)
    const found = city(of).read([report(spot(8, 400), 'e1', { timestampSeconds: clock(3) })], { now: clock(3, 10) })
    const vehicle = only(found)
    expect([vehicle.delaySeconds, stopName(vehicle.nextStop)]).toEqual([60, 'E1'])
  })

  test('estimated vehicles are in place', async () => {
    const of = await cityWith(metersPerUnit)
    // The vehicle left a minute late, so at 08:03:30 it is halfway along the first ride, which takes five minutes.
    const found = city(of).read([], { now: clock(3, 30), updates: [update('e1', { 10: 60 })] })
    const vehicle = only(found)
    expect(metersFrom(vehicle, spot(0, 500))).toBeLessThan(10)
    expect(stopName(vehicle.nextStop)).toBe('E1')
  })
})
