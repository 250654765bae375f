// Tests a vehicle on a trip whose shape is kilometers away from at least one of the trip's stops. The vehicle must be
// shown on straight lines between stops, with its distance from the shape. Once, the distance was missing, as if there
// were no shape.
import { expect, test } from 'bun:test'
import { timetableOf } from '../indexes/built-feed.ts'
import { CITY_FEED, clock, report, spot, update } from '../indexes/live/vehicle-city.ts'
import { city, only } from '../indexes/live/vehicle-readers.ts'

/** The shape of line E, moved three kilometers north. */
const points = [0, 1000, 2000].map((east) => spot(3000, east))
const STRAY = {
  ...CITY_FEED,
  'shapes.txt': ['shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence']
    .concat(points.map(({ lat, lon }, at) => `e,${lat.toFixed(8)},${lon.toFixed(8)},${at + 1}`))
    .join('\n'),
}

test('an estimated vehicle, a reported one, and one whose trip omits a stop', async () => {
  const timetable = await timetableOf(STRAY)
  const now = clock(2)
  const late = [update('e1', { 10: 0 })]
  expect(only(city(timetable).read([], { now, updates: late })).offRouteMeters).toBeCloseTo(3000, -1)
  const shown = only(city(timetable).read([report(spot(0, 400), 'e1', { timestampSeconds: now })], { now }))
  expect(shown.offRouteMeters).toBeCloseTo(3000, -1)
  const skipping = [update('e1', { 10: 0, 20: 'skipped' })]
  expect(only(city(timetable).read([], { now, updates: skipping })).offRouteMeters).toBeCloseTo(3000, -1)
})

test('on a matching shape it is 0, and without a shape null', async () => {
  const now = clock(2)
  expect(only(city().read([], { now, updates: [update('e1', { 10: 0 })] })).offRouteMeters).toBe(0)
  expect(only(city().read([], { now, updates: [update('x1', { 10: 0 })] })).offRouteMeters).toBeUndefined()
})

/** CITY_FEED with a shape of line E that lacks its first part: it starts three kilometers east of the first stop. */
const SHORT = {
  ...CITY_FEED,
  'shapes.txt': ['shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence']
    .concat(
      [spot(0, 3000), spot(500, 3500), spot(0, 4000)].map(
        ({ lat, lon }, at) => `e,${lat.toFixed(8)},${lon.toFixed(8)},${at + 1}`,
      ),
    )
    .join('\n'),
  'stops.txt': CITY_FEED['stops.txt']
    .replace(/^E1,.*$/m, `E1,E1,${spot(0, 3000).lat.toFixed(8)},${spot(0, 3000).lon.toFixed(8)}`)
    .replace(/^E2,.*$/m, `E2,E2,${spot(0, 4000).lat.toFixed(8)},${spot(0, 4000).lon.toFixed(8)}`),
}

test('a shape that lacks the first stop is followed from its start; the way to it is straight', async () => {
  const timetable = await timetableOf(SHORT)
  const at = (minutes: number) =>
    only(city(timetable).read([], { now: clock(minutes), updates: [update('e1', { 10: 0 })] }))
  const before = at(2)
  expect(before.lat).toBeCloseTo(spot(0, 0).lat, 6)
  expect(before.offRouteMeters).toBeGreaterThan(500)
  const on = at(7)
  expect(on.lat).toBeGreaterThan(spot(100, 0).lat)
  expect(on.offRouteMeters).toBeCloseTo(0, 3)
})
