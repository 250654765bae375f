// Tests a transfers.txt with rules for thousands of pairs of trips that meet at one stop. Fails if the planner
// considers every possible pair of trips at that stop, which takes minutes and gigabytes, or if a rule is lost.
import { expect, test } from 'bun:test'
import type { PlannedJourney } from '../../indexes/journeys/planned-journey.ts'
import { JourneyPlanner } from '../../indexes/journeys/planner.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import type { StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { findTrip } from '../../indexes/timetable/trips.ts'
import { timetableOf } from '../indexes/built-feed.ts'

const PAIRS = 3000
const ZERO_SECONDS = Date.UTC(2026, 5, 1) / 1000

/**
 * The trip `in<N>` reaches the hub N × 10 s after 06:00:10. The trip `out<N>` leaves the hub at that time and runs for
 * ten minutes.
 */
async function feedOf(ruleOf: (pair: number) => string) {
  const pairs = Array.from({ length: PAIRS }, (_, pair) => pair)
  const clock = (seconds: number) =>
    [seconds / 3600, (seconds / 60) % 60, seconds % 60]
      .map((part) => String(Math.floor(part)).padStart(2, '0'))
      .join(':')
  const meet = (pair: number) => 6 * 3600 + 10 * (pair + 1)
  const call = (trip: string, seconds: number, stop: string, sequence: number) =>
    `${trip},${clock(seconds)},${clock(seconds)},${stop},${sequence}`
  return await timetableOf({
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\na,A,https://example.org,Africa/Abidjan',
    'stops.txt': 'stop_id,stop_name,stop_lat,stop_lon\nhome,Home,48.1,7\nhub,Hub,48.2,7\nfar,Far,48.3,7',
    'routes.txt': 'route_id,route_short_name,route_type\ni,I,3\no,O,3',
    'calendar_dates.txt': 'service_id,date,exception_type\nday,20260601,1',
    'trips.txt': ['route_id,service_id,trip_id', ...pairs.flatMap((at) => [`i,day,in${at}`, `o,day,out${at}`])].join(
      '\n',
    ),
    'stop_times.txt': [
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
      ...pairs.flatMap((at) => [
        call(`in${at}`, meet(at) - 600, 'home', 0),
        call(`in${at}`, meet(at), 'hub', 1),
        call(`out${at}`, meet(at), 'hub', 0),
        call(`out${at}`, meet(at) + 600, 'far', 1),
      ]),
    ].join('\n'),
    'transfers.txt': [
      'from_stop_id,to_stop_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time',
      ...pairs.map((at) => `hub,hub,in${at},out${ruleOf(at)}`),
    ].join('\n'),
  })
}

function stopOf(timetable: Timetable, id: string): StopIndex {
  const stop = findStop(timetable, id)
  if (stop === undefined) throw new Error(`there is no stop ${id}`)
  return stop
}

/** The journeys from `home` to `far` that leave with `in<pair>` or later. */
function ask(timetable: Timetable, pair: number): readonly PlannedJourney[] {
  const end = (id: string) => ({ stops: [stopOf(timetable, id)], seconds: [0] })
  const seconds = ZERO_SECONDS + 6 * 3600 + 10 * (pair + 1) - 600
  const planner = new JourneyPlanner(timetable, { walkMeters: 500, changeSeconds: 60 })
  const common = { access: end('home'), egress: end('far'), lines: undefined, overlay: undefined }
  return planner.plan({ ...common, seconds, isArriveBy: false, limit: 1, shouldStop: () => false }) ?? []
}

test('timed transfers between thousands of trips are read and prepared in seconds', async () => {
  const timetable = await feedOf((at) => `${at},1,`)
  const started = performance.now()
  const [journey] = ask(timetable, 1000)
  expect(performance.now() - started).toBeLessThan(4000)
  expect(journey?.rides.map(({ instance }) => instance?.trip)).toEqual([
    findTrip(timetable, 'in1000'),
    findTrip(timetable, 'out1000'),
  ])
}, 20_000)

test('a slower change shared by thousands of pairs of trips is respected', async () => {
  // A change takes a minute, so riders could change from `in1000` to `out1006`. A rule demands an hour for these two trips.
  const timetable = await feedOf((at) => `${(at + 6) % PAIRS},2,3600`)
  const started = performance.now()
  const [journey] = ask(timetable, 1000)
  expect(performance.now() - started).toBeLessThan(4000)
  expect(journey?.rides.map(({ instance }) => instance?.trip)).toEqual([
    findTrip(timetable, 'in1000'),
    findTrip(timetable, 'out1007'),
  ])
}, 20_000)
