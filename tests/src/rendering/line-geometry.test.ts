// Tests that each stretch of a direction with branches is drawn once. Fails if a trunk is drawn for every branch, if a
// branch does not touch the trunk, or if a line that goes out and back lacks its way back.
import { expect, test } from 'bun:test'
import type { DirectionIndex } from '../../../indexes/timetable/timetable.ts'
import { directionShapes } from '../../../src/rendering/line-geometry.ts'
import { sketchFeed, timetableOf } from '../../indexes/built-feed.ts'

const STOPS = { A: '48.5,7.7', B: '48.5,7.8', C: '48.5,7.9', D: '48.6,8.0', E: '48.4,8.0', F: '48.4,8.1' }
const place = (lon: number, lat: number): readonly [number, number] => [lon, lat]
const [A, B, C, D] = [place(7.7, 48.5), place(7.8, 48.5), place(7.9, 48.5), place(8, 48.6)]
const [E, F] = [place(8, 48.4), place(8.1, 48.4)]

/** The geometry of a direction whose trips call at these stops. */
async function drawn(...trips: readonly string[]) {
  const calls = trips.map((each, at) => ({ id: `t${at}`, calls: each, direction: 0 as const }))
  return directionShapes(await timetableOf(sketchFeed({ stops: STOPS, trips: calls })), 0 as DirectionIndex)
}

test('the shared part of two branches is drawn once', async () => {
  expect(await drawn('A B C E F', 'A B C D')).toEqual({
    type: 'MultiLineString',
    coordinates: [
      [A, B, C, E, F],
      [C, D],
    ],
  })
})

test('branches at both ends meet the shared part', async () => {
  expect(await drawn('A B C E F', 'D B C F')).toEqual({
    type: 'MultiLineString',
    coordinates: [
      [A, B, C, E, F],
      [D, B],
      [C, F],
    ],
  })
})

test('a path there and back is drawn once', async () => {
  expect(await drawn('A B A')).toEqual({ type: 'LineString', coordinates: [A, B, A] })
})
