// Tests walks to and from stops in stations with pathways: which walks exist, how long the shortest takes, and which
// entrances are used. Fails if a walk goes against the direction of a pathway, if a time is not the shortest, if a time
// is estimated although the feed states it, or if a straight line goes through a wall.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { JourneyPlanner } from '../../../indexes/journeys/planner.ts'
import { stepFree } from '../../../indexes/journeys/step-free.ts'
import { changeWalk } from '../../../indexes/journeys/stop-walks.ts'
import { doorsOfStop, waysFromStop } from '../../../indexes/timetable/station-ways.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import { textOf } from '../../../loaders/strings.ts'
import { reachOf } from '../../../src/journeys/walk-reach.ts'
import { endAt } from '../../../src/rendering/journey.ts'
import { timetableOf } from '../../indexes/built-feed.ts'
import { readJourneyFeed } from '../../oracles/journey-feed.ts'
import type { PlainEnd } from '../../oracles/journey-places.ts'
import { bySize, SEED } from '../../size.ts'

const PATHWAYS = 'pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional,traversal_time,length,stair_count'

/**
 * Station S has the platforms P and Q and two halls, H and K. It also has an entrance E 100 m north of P, an entrance F
 * 100 m south of Q, and a platform R with two boarding areas. X is a stop on the street, 11 m from P. All positions are
 * on one meridian, within about 300 m.
 */
function feedOf(
  pathways: readonly string[],
  nodes: readonly string[] = [],
  access: readonly string[] = [],
): Record<string, string> {
  return {
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,V,https://v.example,Europe/Paris',
    'stops.txt': [
      'stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding',
      'S,Hub,48.0,7.0,1,',
      'P,Hub,48.0,7.0,0,S',
      'Q,Hub,47.9995,7.0,0,S',
      'R,Hub,47.9998,7.0,0,S',
      'R1,Hub,47.9998,7.0,4,R',
      'R2,Hub,47.9998,7.0,4,R',
      'H,Hall,,,3,S',
      'K,Hall,47.9999,7.0,3,S',
      'E,North,48.0009,7.0,2,S',
      'F,South,47.9986,7.0,2,S',
      'X,Street,48.0001,7.0,0,',
      ...nodes,
    ]
      .map((row, at) => `${row}${at === 0 ? '' : `,${access[at - 1] ?? ''}`}`)
      .join('\n'),
    'routes.txt': 'route_id,route_short_name,route_type\nr,1,1',
    'calendar_dates.txt': 'service_id,date,exception_type\nday,20260302,1',
    'trips.txt': 'route_id,service_id,trip_id\nr,day,t',
    'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence']
      .concat(['P', 'Q', 'R', 'X'].map((stop, at) => `t,8:0${at}:00,8:0${at}:00,${stop},${at}`))
      .join('\n'),
    'pathways.txt': [PATHWAYS, ...pathways.map((row, at) => `p${at},${row}`)].join('\n'),
  }
}

function stopOf(timetable: Timetable, id: string): StopIndex {
  const stop = findStop(timetable, id)
  if (stop === undefined) throw new Error(`there is no stop ${id}`)
  return stop
}

/** The walks inside stations, each as `from to seconds`. */
async function waysOf(...pathways: readonly string[]): Promise<string[]> {
  const timetable = await timetableOf(feedOf(pathways))
  return ['P', 'Q', 'R', 'X'].flatMap((from) =>
    [...waysFromStop(timetable, stopOf(timetable, from))].map(
      ([to, seconds]) => `${from} ${textOf(timetable.strings, timetable.stops.id[to])} ${seconds}`,
    ),
  )
}

test('the shortest path counts, each pathway in its direction', async () => {
  expect(await waysOf()).toEqual([])
  expect(await waysOf('P,H,1,1,30,,', 'H,Q,1,0,40,,')).toEqual(['P Q 70'])
  expect(await waysOf('P,H,1,1,30,,', 'H,Q,1,1,40,,', 'P,Q,2,0,60,,')).toEqual(['P Q 60', 'Q P 70'])
  // An exit gate can only be passed outward, even if the feed declares it as bidirectional.
  expect(await waysOf('P,Q,7,1,20,,')).toEqual(['P Q 20'])
})

test('a boarding area counts as its stop: the nearest is used', async () => {
  expect(await waysOf('P,R1,1,1,50,,', 'P,R2,1,0,20,,', 'R2,Q,1,0,5,,')).toEqual([
    'P Q 25',
    'P R 20',
    'R P 50',
    'R Q 5',
  ])
})

test('a pathway without a time takes as long as its length, its stairs, or the straight line between its ends', async () => {
  expect(await waysOf('P,Q,1,0,,12,99')).toEqual(['P Q 10'])
  expect(await waysOf('P,Q,2,0,,,-21')).toEqual(['P Q 11'])
  // P and K are 0.0001 degrees apart, which is 11.12 m. A walk counts as 1.3 times the straight line, here 14 m.
  expect(await waysOf('P,K,1,0,,,', 'K,Q,6,0,3,,')).toEqual(['P Q 15'])
  expect(await waysOf('P,H,6,0,,,', 'H,Q,6,0,3.2,,')).toEqual(['P Q 4'])
})

test('riders enter and leave by the doors that pathways lead to', async () => {
  const timetable = await timetableOf(feedOf(['E,P,1,0,100,,', 'P,F,7,0,7,,', 'E,Q,5,1,60,,']))
  const [p, q, x] = ['P', 'Q', 'X'].map((id) => stopOf(timetable, id))
  expect(doorsOfStop(timetable, p, 'in')).toEqual([{ lat: 48.0009, lon: 7, seconds: 100 }])
  expect(doorsOfStop(timetable, p, 'out')).toEqual([{ lat: 47.9986, lon: 7, seconds: 7 }])
  // To get to F, riders go out to E, in again to P, and out to F, which takes 60 + 100 + 7 s.
  expect(doorsOfStop(timetable, q, 'out')).toEqual([
    { lat: 47.9986, lon: 7, seconds: 167 },
    { lat: 48.0009, lon: 7, seconds: 60 },
  ])
  const secondsTo = (stop: StopIndex, isEgress: boolean) => {
    const reach = reachOf(timetable, endAt(timetable, { kind: 'stop', stop: x }), { maxMeters: 500, isEgress })
    return reach.seconds[reach.stops.indexOf(stop)]
  }
  // On the way in, X to E is 89 m in a straight line, which counts as a walk of 116 m and takes 97 s; E to P takes 100
  // s. On the way out, P to F takes 7 s; F to X is 167 m, which counts as 217 m and takes 181 s.
  expect([secondsTo(p, false), secondsTo(p, true)]).toEqual([197, 188])
  expect(secondsTo(x, false)).toBe(0)
  // The straight line is 56 m, which counts as 72 m. Riders walk outside, since no pathway connects P with Q inside the
  // station.
  expect(changeWalk(timetable, p, q)).toEqual({ meters: 72, seconds: 60 })
  expect(changeWalk(timetable, q, p)).toEqual({ meters: 192, seconds: 160 })
  // The straight line from X to R is 33 m, which counts as 43 m. This walk is used since no pathway leads to R.
  expect(secondsTo(stopOf(timetable, 'R'), false)).toBe(36)
})

const place = fc.constantFrom('P', 'Q', 'R', 'R1', 'R2', 'H', 'K', 'E', 'F', 'X', 'S', 'nowhere')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, value, fc.constant('')).map(String)
const pathway = fc
  .tuple(
    place,
    place,
    fc.constantFrom(1, 2, 4, 5, 7),
    fc.constantFrom('0', '1', '1', '1', '2', ''),
    maybe(fc.constantFrom(0, 3, 20, 45, 60.5)),
    maybe(fc.constantFrom(0, 5, 33.3, 120)),
    maybe(fc.constantFrom(-30, 12, 0)),
  )
  .map((row) => row.join(','))

const end: fc.Arbitrary<PlainEnd> = fc.oneof(
  fc.constantFrom('P', 'Q', 'R', 'X').map((id) => ({ kind: 'stop' as const, id })),
  fc.constant({ kind: 'area' as const, id: 'S' }),
  fc.nat(40).map((at) => ({ kind: 'point' as const, lat: 47.998 + at / 10_000, lon: 7.0004 })),
)

test(`all walks equal those found by trying every pathway repeatedly (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(pathway, { maxLength: 14 }),
      end,
      fc.constantFrom(0, 100, 200, 1000),
      fc.array(fc.constantFrom('', '', '0', '1', '2'), { minLength: 11, maxLength: 11 }),
      fc.boolean(),
      async (pathways, where, maxMeters, access, isWheelchair) => {
        const files = feedOf(pathways, [], access)
        const whole = await timetableOf(files)
        const timetable = isWheelchair ? stepFree(whole) : whole
        const { places, changes } = await readJourneyFeed(files, { isWheelchair })
        const planner = new JourneyPlanner(timetable, { walkMeters: 500, changeSeconds: 60 })
        const from = places.pointOf(where)
        const named = (id: string) => endAt(timetable, { kind: 'stop', stop: stopOf(timetable, id) })
        const requested =
          where.kind === 'stop'
            ? named(where.id)
            : where.kind === 'area'
              ? endAt(timetable, { kind: 'area', area: 0 as never })
              : { ...from, place: undefined }
        for (const isEgress of [false, true]) {
          const reach = reachOf(timetable, requested, { maxMeters, isEgress })
          const expected = places.reach(where, maxMeters, isEgress ? 'out' : 'into')
          const answered = places.ids.map((id) => reach.seconds[reach.stops.indexOf(stopOf(timetable, id))] ?? -1)
          expect(answered).toEqual([...expected])
        }
        const trip = { id: 't', route: { id: 'r' } } as never
        for (const [one, id] of places.ids.entries()) {
          for (const [other, otherId] of places.ids.entries()) {
            const [from, to] = [id, otherId].map((name) => stopOf(timetable, name))
            const expected = changes.between({ stop: one, trip }, { stop: other, trip })
            const ends = [from, to].map((stop) => ({ stop, line: 0 as never, trip: 0 }))
            expect(planner.changeSeconds(ends[0], ends[1])).toBe(expected)
            if (expected !== undefined) expect(changeWalk(timetable, from, to).seconds + 60).toBe(expected)
          }
        }
      },
    ),
    { seed: SEED, numRuns: bySize({ quick: 150, ci: 2000, full: 20_000 }) },
  )
}, 600_000)
