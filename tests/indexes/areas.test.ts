// Tests areas and properties of stops: stations, generated areas, accessibility, lines, and which stops riders can use.
// Fails if stops with the same name are joined although they are far apart or served by the same direction of one line,
// or if a stop does not inherit its station's wheelchair access.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { AREA_SPAN_METERS, groupNamesakes } from '../../indexes/timetable/area-groups.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { NONE } from '../../loaders/columns.ts'
import { bySize, SEED } from '../size.ts'
import { numbersOf, rowsOf, sketchFeed, textsOf, timetableOf } from './built-feed.ts'

/** Area id → the ids of its stops, separated by spaces. */
function areasOf(timetable: Timetable): Record<string, string> {
  const stopIds = textsOf(timetable, timetable.stops.id)
  const members = rowsOf(
    timetable.areas.stopOffset,
    numbersOf(timetable.areas.stopAt).map((stop) => stopIds[stop]),
  )
  return Object.fromEntries(
    textsOf(timetable, timetable.areas.id).map((id, area) => [id, members[area]?.join(' ') ?? '']),
  )
}

// 0.001 degrees of latitude are 111 m.
describe('areas of a feed without stations', () => {
  const ends = { Z: '48.2,7,Terminus' }

  test('join stops with the same name across the street, one for each direction of a line', async () => {
    const timetable = await timetableOf(
      sketchFeed({
        stops: { ...ends, b: '48.1001,7.0002,Marché', a: '48.1,7,Marché', c: '48.1,7,Port', d: '48.1,7.0001,Le Port' },
        trips: [
          { id: 'out', calls: 'a Z', direction: 0 },
          { id: 'back', calls: 'Z b', direction: 1 },
        ],
      }),
    )
    // Port and Le Port are different names, so c and d form no area.
    expect(areasOf(timetable)).toEqual({ 'auto-a': 'a b' })
    expect(textsOf(timetable, timetable.areas.name)).toEqual(['Marché'])
    expect(numbersOf(timetable.areas.lat)[0]).toBeCloseTo(48.10005, 9)
    expect(numbersOf(timetable.areas.lon)[0]).toBeCloseTo(7.0001, 9)
    expect(numbersOf(timetable.stops.area)).toEqual([NONE, 0, 0, NONE, NONE])
  })

  test('do not join two stops in the same direction of a line', async () => {
    const stops = { ...ends, a: '48.1,7,Marché', b: '48.1001,7,Marché', c: '48.1002,7,Marché' }
    const timetable = await timetableOf(
      sketchFeed({
        stops,
        trips: [
          { id: 'out', calls: 'a b Z', direction: 0 },
          { id: 'other', calls: 'c Z', route: 'M', direction: 0 },
        ],
      }),
    )
    // One direction of a line calls at both a and b, so they must not be in one area. c is closer to b than to a, so it
    // is joined with b.
    expect(areasOf(timetable)).toEqual({ 'auto-b': 'b c' })
    // Here a and b are in different patterns, but both patterns belong to the same line and direction, so a and b must
    // not be joined either. Without this rule, a and b would be joined first: the distance from a to b is the same as
    // from b to c, and a and b have smaller ids.
    const apart = await timetableOf(
      sketchFeed({
        stops,
        trips: [
          { id: 'x', calls: 'a Z', direction: 0 },
          { id: 'y', calls: 'b Z', direction: 0 },
        ],
      }),
    )
    expect(areasOf(apart)).toEqual({ 'auto-b': 'b c' })
  })

  test('never span more than 150 m; the closest pair is joined first', async () => {
    const timetable = await timetableOf(
      sketchFeed({
        // a and b are 111 m apart, and b and c 89 m. Only the closer pair is joined, because an area of all three would
        // span 200 m.
        stops: { a: '48.1,7,Rue', b: '48.101,7,Rue', c: '48.1018,7,Rue', far: '48.2,7,Rue', ...ends },
        trips: [{ id: 't', calls: 'Z far', direction: 0 }],
      }),
    )
    expect(areasOf(timetable)).toEqual({ 'auto-b': 'b c' })
  })

  test('keep every rule for random stops with equal names, and leave no pair that could be joined', () => {
    const stop = fc.record({
      name: fc.integer({ min: 0, max: 1 }),
      north: fc.integer({ min: 0, max: 6 }),
      east: fc.integer({ min: 0, max: 6 }),
      directions: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 2 }),
    })
    fc.assert(
      fc.property(fc.array(stop, { maxLength: 14 }), (stops) => {
        // At the equator, 0.0005 degrees of latitude or longitude are 55.6 m.
        const groups = groupNamesakes({
          count: stops.length,
          name: Uint32Array.from(stops, (each) => each.name),
          lat: Float64Array.from(stops, (each) => each.north * 0.0005),
          lon: Float64Array.from(stops, (each) => each.east * 0.0005),
          directionsOf: stops.map((each) => new Set(each.directions)),
        })
        const canPair = (a: number, b: number) => {
          const [left, right] = [stops[a], stops[b]]
          if (left === undefined || right === undefined || left.name !== right.name) return false
          const meters = Math.hypot(left.north - right.north, left.east - right.east) * 55.597
          return (
            meters <= AREA_SPAN_METERS && !left.directions.some((direction) => right.directions.includes(direction))
          )
        }
        const canBeOne = (members: number[]) =>
          members.every((a, i) => members.slice(i + 1).every((b) => canPair(a, b)))
        const grouped = groups.flat()
        expect(new Set(grouped).size).toBe(grouped.length)
        for (const group of groups) expect(group.length > 1 && canBeOne(group)).toBe(true)
        const all = [...groups, ...stops.flatMap((_, i) => (grouped.includes(i) ? [] : [[i]]))]
        for (const [i, group] of all.entries()) {
          for (const other of all.slice(i + 1)) expect(canBeOne([...group, ...other])).toBe(false)
        }
      }),
      { seed: SEED, numRuns: bySize({ quick: 300, ci: 3000, full: 30_000 }) },
    )
  })
})

describe('areas of a feed with stations', () => {
  const files = {
    ...sketchFeed({
      stops: { Z: '48.2,7' },
      trips: [
        { id: 't', calls: 'p1 p2', direction: 0 },
        { id: 'u', calls: 'p1 q1', route: 'M', direction: 0 },
        { id: 'n', calls: 'q1 q2', route: 'N', direction: 0, service: 'never' },
      ],
    }),
    'stops.txt': `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding
      P,Pont,48.1,7,1,,1
      p1,Pont,48.1,7,0,P,
      p2,Pont,48.1,7,0,P,2
      Q,Quai,48.1,7,1,,
      q1,Quai,48.1,7,0,Q,1
      q2,Quai,48.1,7,0,Q,
      E,Vide,48.1,7,1,,1
      s1,Seul,48.1,7,0,,1
      s2,Seul,48.1,7,0,,`,
  }

  test('are the stations, with or without stops; no others are made', async () => {
    expect(areasOf(await timetableOf(files))).toEqual({ E: '', P: 'p1 p2', Q: 'q1 q2' })
  })

  test('a stop inherits from its station and may override it; an area follows its boarding stops', async () => {
    const timetable = await timetableOf(files)
    expect(textsOf(timetable, timetable.stops.id)).toEqual(['p1', 'p2', 'q1', 'q2', 's1', 's2'])
    expect(numbersOf(timetable.stops.wheelchair)).toEqual([1, 2, 1, 0, 1, 0])
    // E has no stops. In P, riders can board only at p1. In Q, they can board only at q1, on a trip whose service never
    // runs.
    expect(numbersOf(timetable.areas.accessible)).toEqual([0, 1, 1])
  })

  test('an area where nobody boards is not accessible, regardless of its stops', async () => {
    const timetable = await timetableOf({
      ...files,
      'stops.txt': `${files['stops.txt']}
        A,Fin,48.1,7,1,,1
        a1,Fin,48.1,7,0,A,1`,
    })
    expect(areasOf(timetable)).toMatchObject({ A: 'a1' })
    expect(numbersOf(timetable.stops.wheelchair)[0]).toBe(1)
    expect(numbersOf(timetable.areas.accessible)[0]).toBe(0)
  })

  test('stops and areas have the lines that call there on any day', async () => {
    const timetable = await timetableOf(files)
    const lines = textsOf(timetable, timetable.lines.id)
    const name = (line: number) => lines[line] ?? ''
    const { stops, areas } = timetable
    expect(rowsOf(stops.lineOffset, numbersOf(stops.lineAt).map(name))).toEqual([['L', 'M'], ['L'], ['M'], [], [], []])
    expect(rowsOf(areas.lineOffset, numbersOf(areas.lineAt).map(name))).toEqual([[], ['L', 'M'], ['M']])
    expect(numbersOf(stops.callKinds)).toEqual([7, 1, 7, 1, 0, 0])
    expect(numbersOf(stops.dailyDepartures)).toEqual([2, 0, 0, 0, 0, 0])
  })

  test('transfers refer to stops and areas; a boarding area counts as its stop', async () => {
    const timetable = await timetableOf({
      ...files,
      'stops.txt': `${files['stops.txt']}
        b1,Bord,48.1,7,4,p1,`,
      'transfers.txt': `from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_trip_id
        P,q1,2,120,,
        p1,p1,1,,L,u`,
    })
    const { transfers } = timetable
    expect(numbersOf(transfers.fromStop)).toEqual([NONE, 0])
    expect(numbersOf(transfers.fromArea)).toEqual([1, NONE])
    expect(numbersOf(transfers.toStop)).toEqual([2, 0])
    expect(numbersOf(transfers.toArea)).toEqual([NONE, NONE])
    expect(numbersOf(transfers.fromLine)).toEqual([NONE, 0])
    expect(numbersOf(transfers.toTrip)).toEqual([NONE, textsOf(timetable, timetable.trips.id).indexOf('u')])
    expect(numbersOf(transfers.minSeconds)).toEqual([120, NONE])
    expect(numbersOf(transfers.type)).toEqual([2, 1])
  })
})
