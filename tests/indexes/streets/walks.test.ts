// Tests properties that all walks have. The same suite runs on straight walks and on walks along streets. Fails if the
// planned walk is not the one that is drawn, if a longer limit loses a stop, or if the way back is longer than the way
// there.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { greatCircleMeters } from '../../../indexes/spatial/great-circle.ts'
import { walkSeconds } from '../../../indexes/spatial/walking.ts'
import { StraightWalks } from '../../../indexes/streets/straight-walks.ts'
import type { WalkEnd, Walks } from '../../../indexes/streets/walks.ts'
import type { StopIndex } from '../../../indexes/timetable/timetable.ts'
import { bySize, SEED } from '../../size.ts'
import { LinkedFeed, type PlacedStops } from './linked-feed.ts'
import { at } from './made-streets.ts'

/** A ladder of streets. One rung is missing, and another is stairs. */
const MAP = `
  A 0 0
  B 300 0
  C 600 0
  D 900 0
  E 0 250
  F 300 250
  G 600 250
  H 900 250
  A-B-C-D highway=residential name=South
  E-F-G-H highway=residential name=North
  A-E highway=footway
  B-F highway=steps
  D-H highway=residential`
const STOPS: PlacedStops = {
  S1: [20, 5],
  S2: [310, -8],
  S3: [590, 12],
  N1: [30, 245],
  N2: [300, 255],
  N3: [880, 250],
  OFF: [450, 900],
  OFF2: [520, 880],
}
const feed = await LinkedFeed.of(STOPS, MAP)
const stops = Object.keys(STOPS).map((id) => feed.stop(id))
const endOf = (stop: StopIndex): WalkEnd => ({
  lat: feed.timetable.stops.lat[stop],
  lon: feed.timetable.stops.lon[stop],
  place: { kind: 'stop', stop },
})

const IMPLEMENTATIONS: readonly (readonly [string, Walks])[] = [
  ['straight', new StraightWalks(feed.timetable)],
  ['streets', feed.walks()],
  ['streets without steps', feed.walks('step_free')],
]
const place = fc
  .tuple(fc.integer({ min: -300, max: 1200 }), fc.integer({ min: -300, max: 1000 }))
  .map(([x, y]): WalkEnd => at(x, y))
const end = fc.oneof(place, fc.constantFrom(...stops).map(endOf))
const RUNS = { seed: SEED, includeErrorInReport: true, numRuns: bySize({ quick: 60, ci: 150, full: 2000 }) }

const around = (walks: Walks, from: WalkEnd, maxMeters: number, isEgress = false) =>
  new Map([...walks.around(from, { maxMeters, isEgress, isWanted: () => true })].map((walk) => [walk.stop, walk]))

test.each(IMPLEMENTATIONS)('%s: distances to nearby stops equal the walks to them', (_, walks) => {
  fc.assert(
    fc.property(end, fc.integer({ min: 0, max: 2_500 }), (from, maxMeters) => {
      const reached = around(walks, from, maxMeters)
      for (const stop of stops) {
        const walk = walks.between(from, endOf(stop), maxMeters)
        const found = reached.get(stop)
        const isItself = from.place?.kind === 'stop' && from.place.stop === stop
        if (isItself) continue
        expect(found && { meters: found.meters, seconds: found.seconds }).toEqual(walk)
        if (walk !== undefined) expect(walk.seconds).toBe(walkSeconds(walk.meters))
        if (walk !== undefined) expect(walk.meters).toBeLessThanOrEqual(maxMeters)
      }
      // The reverse walk has the same length.
      expect(new Map([...around(walks, from, maxMeters, true)].map(([stop, { meters }]) => [stop, meters]))).toEqual(
        new Map([...reached].map(([stop, { meters }]) => [stop, meters])),
      )
      const fewer = around(walks, from, Math.floor(maxMeters / 2))
      for (const [stop, walk] of fewer) expect(reached.get(stop)).toEqual(walk)
    }),
    RUNS,
  )
})

test.each(IMPLEMENTATIONS)('%s: the length of a drawn walk is its distance', (name, walks) => {
  fc.assert(
    fc.property(end, end, (from, to) => {
      const walk = walks.between(from, to, 2_500)
      if (walk === undefined) return
      const { points, source, steps } = walks.course(from, to, walk.meters)
      expect(walks.sourceOf(from, to)).toBe(source)
      expect([points[0], points[points.length - 1]].map(({ lat, lon } = from) => [lat, lon])).toEqual([
        [from.lat, from.lon],
        [to.lat, to.lon],
      ])
      const drawn = points.slice(1).reduce((sum, { lat, lon }, at) => {
        return sum + greatCircleMeters(points[at].lat, points[at].lon, lat, lon)
      }, 0)
      if (source === 'straight') expect(Math.abs(drawn * 1.3 - walk.meters)).toBeLessThan(1)
      else {
        expect(name).not.toBe('straight')
        expect(Math.abs(drawn - walk.meters)).toBeLessThan(2 + walk.meters / 100)
        expect(steps?.reduce((sum, { meters }) => sum + meters, 0)).toBe(walk.meters)
      }
    }),
    RUNS,
  )
})

test.each(IMPLEMENTATIONS)('%s: changes are the walks between stops, within the limit', (_, walks) => {
  for (const from of stops) {
    const near = new Map([...walks.near(from, 500)].map((walk) => [walk.stop, walk]))
    for (const to of stops) {
      if (from === to) continue
      const change = walks.change(from, to)
      expect(near.get(to)?.seconds).toBe(change.meters <= 500 ? change.seconds : undefined)
      expect(walks.between(endOf(from), endOf(to), 2_500)).toEqual(change)
      expect(walks.change(to, from)).toEqual(change)
    }
  }
})

test('without steps, no walk is shorter and some stop is farther', () => {
  const [, [, onFoot], [, stepFree]] = IMPLEMENTATIONS as [
    never,
    (typeof IMPLEMENTATIONS)[0],
    (typeof IMPLEMENTATIONS)[0],
  ]
  const [from, to] = ['S2', 'N2'].map((id) => feed.stop(id))
  // From S2, the walk goes straight to the corner, 13 m away. The nearest point of the street, 8 m away, is not much
  // nearer.
  const corner = Math.hypot(10, 8)
  expect(onFoot.change(from, to).meters).toBe(Math.round(corner + 250 + 5))
  expect(stepFree.change(from, to).meters).toBe(Math.round(corner + 300 + 250 + 300 + 5))
  for (const one of stops) {
    for (const other of stops) {
      expect(stepFree.change(one, other).meters).toBeGreaterThanOrEqual(onFoot.change(one, other).meters)
    }
  }
})
