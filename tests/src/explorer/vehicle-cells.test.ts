// The explorer's map divides the visible area into rectangles and requests the vehicles in a circle around each
// rectangle. Tests that the circles are valid for the API and cover the area, and that the quarters of a rectangle
// cover all of it. Also tests a trip's next call and the explanation of its delay. Fails if vehicles that would be
// visible are not requested.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { HIDDEN_REASON_WORDS, SHOWN_REASONS } from '../../../src/contract/explanations.schema.ts'
import type { Explanation, Trip } from '../../../src/explorer/app/contract.ts'
import { sentenceOf } from '../../../src/explorer/app/explanation-words.ts'
import { delayAhead, isDisturbed, nextCallOf } from '../../../src/explorer/app/trip-calls.ts'
import {
  type Cell,
  circleOf,
  commonOf,
  coverOf,
  isInside,
  quartersOf,
} from '../../../src/explorer/app/vehicle-cells.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 300, ci: 3_000, full: 30_000 }) }
const EARTH_RADIUS_METERS = 6_371_008.8
const MOST_RADIUS_METERS = 5_000
const MOST_CELLS = 36

const share = fc.double({ min: 0, max: 1, noNaN: true })
const box = fc
  .record({
    west: fc.double({ min: -170, max: 160, noNaN: true }),
    south: fc.double({ min: -65, max: 64, noNaN: true }),
    width: fc.double({ min: 0.0005, max: 0.5, noNaN: true }),
    height: fc.double({ min: 0.0005, max: 0.4, noNaN: true }),
  })
  .map(({ west, south, width, height }) => [west, south, west + width, south + height] as const)

/** Great-circle distance, by the haversine formula. */
function metersBetween(lat: number, lon: number, otherLat: number, otherLon: number): number {
  const [a, b, turn] = [lat, otherLat, otherLon - lon].map((degrees) => (degrees * Math.PI) / 180)
  if (a === undefined || b === undefined || turn === undefined) throw new Error('one of three angles is missing')
  const half = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(turn / 2) ** 2
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.sqrt(half))
}

function isInCircle(cell: Cell, lon: number, lat: number): boolean {
  const { near, radius } = circleOf(cell)
  const [nearLat = Number.NaN, nearLon = Number.NaN] = near.split(',').map(Number)
  return metersBetween(nearLat, nearLon, lat, lon) <= radius
}

test('the API accepts the circles, and each place in the box is in the circle of its rectangle', () => {
  fc.assert(
    fc.property(box, share, share, (bounds, across, up) => {
      const cells = coverOf(bounds)
      const lon = bounds[0] + across * (bounds[2] - bounds[0])
      const lat = bounds[1] + up * (bounds[3] - bounds[1])
      for (const cell of cells) {
        const { radius } = circleOf(cell)
        expect(radius).toBeGreaterThanOrEqual(50)
        expect(radius).toBeLessThanOrEqual(MOST_RADIUS_METERS)
      }
      if (cells.length === MOST_CELLS) return
      const own = cells.filter((cell) => isInside(cell, lon, lat))
      expect(own.length).toBeGreaterThan(0)
      for (const cell of own) expect(isInCircle(cell, lon, lat)).toBe(true)
    }),
    RUNS,
  )
}, 60_000)

test('a city is covered by few circles', () => {
  expect(coverOf([7.7, 48.55, 7.79, 48.61])).toHaveLength(1)
  expect(coverOf([7.7, 48.55, 7.88, 48.61])).toHaveLength(2)
  expect(coverOf([7.6, 48.5, 7.78, 48.62])).toHaveLength(4)
})

test('quarters cover the divided area until it is small', () => {
  fc.assert(
    fc.property(box, share, share, (bounds, across, up) => {
      const [cell] = coverOf(bounds)
      if (cell === undefined) return
      const [west, south, east, north] = cell.bounds
      const [lon, lat] = [west + across * (east - west), south + up * (north - south)]
      const quarters = quartersOf(cell)
      expect([0, 4]).toContain(quarters.length)
      if (quarters.length === 0) return expect(circleOf(cell).radius).toBeLessThanOrEqual(202)
      const own = quarters.filter((each) => isInside(each, lon, lat))
      expect(own.length).toBeGreaterThan(0)
      for (const each of own) expect(isInCircle(each, lon, lat)).toBe(true)
    }),
    RUNS,
  )
}, 60_000)

test('the intersection of two boxes', () => {
  expect(commonOf([0, 0, 2, 2], [1, 1, 3, 3])).toEqual([1, 1, 2, 2])
  expect(commonOf([0, 0, 1, 1], [1, 0, 2, 1])).toBeUndefined()
})

const at = (minutes: number) => new Date(Date.UTC(2026, 5, 10, 8, minutes)).toISOString()
const call = (stop: string, minutes: number) => {
  const time = { scheduled_at: at(minutes), expected_at: null, delay_seconds: null }
  return { stop_id: stop, name: stop, lat: 0, lon: 0, platform: '', status: 'on_time', arrival: time, departure: time }
}
const LOOP = [call('a', 0), call('b', 5), call('c', 10), call('a', 15)] as Trip['calls']
const onWay = (next: string | null, current: string | null = null) =>
  ({ next_stop_id: next, current_stop_id: current }) as Trip['vehicle']

test('the position of a trip: by its vehicle, else by its times; of two calls at a stop, the likelier one', () => {
  const next = (vehicle: Trip['vehicle'], minutes: number) =>
    nextCallOf({ calls: LOOP, vehicle }, Date.parse(at(minutes)))
  expect([next(null, 0), next(null, 6), next(null, 20)]).toEqual([0, 2, 4])
  expect([next(onWay('b'), 9), next(onWay('c', 'b'), 9)]).toEqual([1, 1])
  expect([next(onWay('a'), 1), next(onWay('a'), 12)]).toEqual([0, 3])
  expect(next(onWay('elsewhere'), 6)).toBe(2)
})

test('a delay at a stop that has been passed needs no explanation', () => {
  const late = (stop: string) =>
    LOOP.map((each) =>
      each.stop_id === stop && each.departure !== null
        ? { ...each, departure: { ...each.departure, delay_seconds: 120 } }
        : each,
    )
  const isExplained = (calls: Trip['calls'], status: Trip['status'] = 'scheduled') =>
    isDisturbed({ calls, status, vehicle: onWay('c') }, Date.parse(at(6)))
  expect([isExplained(LOOP), isExplained(late('b')), isExplained(late('c'))]).toEqual([false, false, true])
  const ahead = (calls: Trip['calls']) => delayAhead({ calls, vehicle: onWay('c') }, Date.parse(at(6)))
  expect([ahead(LOOP), ahead(late('b')), ahead(late('a').slice(1)), ahead(late('c'))]).toEqual([
    undefined,
    undefined,
    120,
    120,
  ])
  const skipped = LOOP.map((each, index) => (index === 0 ? { ...each, status: 'skipped' as const } : each))
  expect([isExplained(skipped), isExplained(LOOP, 'canceled')]).toEqual([true, true])
})

test('each reason of an explanation has its own sentence, and so do unknown ones', () => {
  const explained = (reason: string, shown: boolean) =>
    sentenceOf({
      trip_id: 't',
      line_id: 'l',
      stop_id: 's',
      scheduled_at: at(0),
      expected_at: at(3),
      delay_seconds: 180,
      shown,
      reason,
      feed: 'f',
      feed_age_seconds: 4,
      vehicle_id: null,
    } as Explanation)
  const others = [explained('new', true), explained('new', false)]
  for (const reason of [...SHOWN_REASONS, ...HIDDEN_REASON_WORDS]) {
    expect(others).not.toContain(explained(reason, false))
  }
  expect(explained('delayed', true)).toBe('It is 3 min late: expected at 08:03.')
})
