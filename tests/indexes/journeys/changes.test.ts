// Tests cases that random networks rarely contain: riding out and back to avoid a slow transfer, transfer rules for one
// line or trip, scheduled runs that a live run replaces, and a search that is aborted. Fails if the planner returns
// journeys other than those worked out by hand.
import { describe, expect, test } from 'bun:test'
import { JourneyPlanner, type PlanQuestion } from '../../../indexes/journeys/planner.ts'
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import { type LiveCall, scheduledCalls } from '../../../indexes/live/live-trip.ts'
import { INSTANCE_RUNS, type Overlay } from '../../../indexes/live/overlay.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { LineIndex, StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import { findTrip, type TripInstance, tripRef } from '../../../indexes/timetable/trips.ts'
import { timetableOf } from '../built-feed.ts'
import { CHANGE_RULES } from './planned-network.ts'

/** 2026-06-01 at 00:00 UTC, which is also midnight in the feed's time zone. */
const ZERO_SECONDS = Date.UTC(2026, 5, 1) / 1000
const DAY = '20260601:'

/**
 * A feed, by default with one day of service. The stops `hub1` and `hub2` belong to one station. `home`, `out` and
 * `far` are at least 11 km from this station and from each other.
 */
function feedOf(more: {
  readonly trips: Readonly<Record<string, string>>
  readonly transfers?: string
  readonly frequencies?: string
  /** Days of service; the default is one. */
  readonly dates?: readonly string[]
}) {
  const trips = Object.entries(more.trips)
  return timetableOf({
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\na,A,https://example.org,Africa/Abidjan',
    'stops.txt': `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
      hub,Hub,48.0,7.0,1,
      hub1,Hub,48.0,7.0,0,hub
      hub2,Hub,48.0005,7.0,0,hub
      home,Home,48.1,7.0,0,
      out,Out,48.2,7.0,0,
      far,Far,48.3,7.0,0,`,
    'routes.txt': ['route_id,route_short_name,route_type', ...new Set(trips.map(([id]) => `${lineOf(id)},L,3`))].join(
      '\n',
    ),
    'calendar_dates.txt': [
      'service_id,date,exception_type',
      ...(more.dates ?? ['20260601']).map((date) => `day,${date},1`),
    ].join('\n'),
    'trips.txt': ['route_id,service_id,trip_id', ...trips.map(([id]) => `${lineOf(id)},day,${id}`)].join('\n'),
    // The calls of a trip are written as `stop 08:00, stop 08:10`.
    'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence']
      .concat(
        trips.flatMap(([id, calls]) =>
          calls.split(', ').map((call, at) => {
            const [stop, time] = call.split(' ')
            return `${id},${time}:00,${time}:00,${stop},${at}`
          }),
        ),
      )
      .join('\n'),
    'transfers.txt': `from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time
      ${more.transfers ?? ''}`,
    'frequencies.txt': `trip_id,start_time,end_time,headway_secs,exact_times
      ${more.frequencies ?? ''}`,
  })
}

/** The line of a trip. The trips `bus-1` and `bus-2` are on the line `bus`. */
function lineOf(trip: string): string {
  return trip.replace(/-.*/, '')
}

function stopOf(timetable: Timetable, id: string): StopIndex {
  const stop = findStop(timetable, id)
  if (stop === undefined) throw new Error(`there is no stop ${id}`)
  return stop
}

/** The trips of each journey from the stop `home` to the stop `far`, by default leaving at 08:00 or later. */
function ask(
  timetable: Timetable,
  { withDay = false, ...more }: Partial<PlanQuestion> & { readonly withDay?: boolean } = {},
): string[] | undefined {
  const end = (id: string) => ({ stops: [stopOf(timetable, id)], seconds: [0] })
  const planned = new JourneyPlanner(timetable, CHANGE_RULES).plan({
    access: end('home'),
    egress: end('far'),
    seconds: ZERO_SECONDS + 8 * 3600,
    isArriveBy: false,
    lines: undefined,
    limit: 100,
    overlay: undefined,
    shouldStop: () => false,
    ...more,
  })
  return planned?.map(({ rides }) =>
    rides.map(({ instance }) => instance && tripRef(timetable, instance).replace(withDay ? '' : DAY, '')).join(' '),
  )
}

const UNTIL_NOON = { isArriveBy: true, seconds: ZERO_SECONDS + 12 * 3600 }

test('riding out and back does not avoid a slow transfer', async () => {
  const trips = {
    come: 'home 08:00, hub1 08:10',
    outward: 'hub1 08:12, out 08:15',
    back: 'out 08:17, hub2 08:20',
    soon: 'hub2 08:22, far 08:30',
    late: 'hub2 08:26, far 08:34',
  }
  // The transfer takes fifteen minutes, until 08:25. By riding out and back, the rider would be at `hub2` at 08:20.
  const slow = await feedOf({ trips, transfers: 'hub1,hub2,,,,,2,900' })
  expect(ask(slow)).toEqual(['come late'])
  expect(ask(slow, UNTIL_NOON)).toEqual(['come late'])
  // With a quick transfer, riding out and back has no advantage.
  const quick = await feedOf({ trips })
  expect(ask(quick)).toEqual(['come soon'])
})

test('a rule for lines or trips takes precedence over one for their stops', async () => {
  const trips = {
    come: 'home 08:00, hub1 08:10',
    soon: 'hub2 08:10, far 08:30',
    next: 'hub2 08:16, far 08:36',
    late: 'hub2 08:40, far 08:50',
  }
  const stops = 'hub1,hub2,,,,,2,1500'
  const planned = async (...rules: string[]) => ask(await feedOf({ trips, transfers: [stops, ...rules].join('\n') }))
  expect(await planned()).toEqual(['come late'])
  expect(await planned('hub1,hub2,come,next,,,2,300')).toEqual(['come next'])
  expect(await planned('hub,hub,,,come,soon,2,0')).toEqual(['come soon'])
  // A rule for two trips takes precedence over a rule for their lines. Here, the rule for the trips forbids the transfer.
  expect(await planned('hub1,hub2,come,soon,,,2,0', 'hub1,hub2,,,come,soon,3,')).toEqual(['come late'])
  expect(await planned('hub1,hub2,come,,,,3,')).toEqual([])
})

test('riders who leave in time by a longer walk can stay seated, even if others would leave too late', async () => {
  const timetable = await feedOf({
    trips: {
      'bus-1': 'home 08:01, hub1 08:03, out 08:06',
      'bus-2': 'home 08:10, hub1 08:12, out 08:15',
      on: 'out 08:17, far 08:30',
    },
    transfers: 'out,out,bus,on,,,3,\nout,out,,,bus-2,on,4,',
  })
  // The query covers the 24 hours until 08:05. The walk to `home` takes ten minutes: to board `bus-2` there, a rider
  // starts walking at 08:00. The walk to `hub1` takes one minute: to board `bus-1` there, a rider starts at 08:02. To
  // board `bus-2` at `hub1`, a rider starts only at 08:11, which is too late.
  const access = { stops: [stopOf(timetable, 'home'), stopOf(timetable, 'hub1')], seconds: [600, 60] }
  expect(ask(timetable, { access, seconds: ZERO_SECONDS + 8 * 3600 + 300 - 86_400 })).toEqual(['bus-2 on'])
})

test('riders who leave in time can stay seated, even if an earlier vehicle of the line passes again', async () => {
  const timetable = await feedOf({
    trips: {
      'loop-1': 'home 07:41, out 07:51, hub1 08:03, hub2 08:06',
      'loop-2': 'home 08:10, out 08:21, hub1 08:33, hub2 08:36',
      on: 'hub2 08:38, far 08:50',
    },
    transfers: 'hub2,hub2,loop,on,,,3,\nhub2,hub2,,,loop-2,on,4,',
  })
  // The query covers the 24 hours until 08:05. The walk to `home` takes ten minutes: to board `loop-2` there, a rider
  // starts walking at 08:00. The walk to `hub1` takes one minute: to board `loop-1` there, a rider starts at 08:02. To
  // board `loop-2` at `hub1`, a rider starts only at 08:32, which is too late.
  const access = { stops: [stopOf(timetable, 'home'), stopOf(timetable, 'hub1')], seconds: [600, 60] }
  expect(ask(timetable, { access, seconds: ZERO_SECONDS + 8 * 3600 + 300 - 86_400 })).toEqual([
    'loop-2 on',
    'loop-1 loop-2 on',
  ])
})

test('a vehicle that leaves too late for the start is taken if another one leads back to the start', async () => {
  const timetable = await feedOf({
    trips: { ring: 'home 08:00, out 08:03, home 08:06', late: 'home 08:10, far 08:30' },
  })
  // The query covers the 24 hours until 08:05, so a journey cannot start with the late bus.
  const access = { stops: [stopOf(timetable, 'home')], seconds: [0] }
  expect(ask(timetable, { access, seconds: ZERO_SECONDS + 8 * 3600 + 300 - 86_400 })).toEqual(['ring late'])
})

describe('transfer type 4 into the next service day', () => {
  const feed = (on: string) =>
    feedOf({
      trips: { night: 'home 23:30, out 23:55', on },
      transfers: 'out,out,,,night,on,4,',
      dates: ['20260601', '20260602'],
    })
  const at = (time: number) => ZERO_SECONDS + time

  test('is ridden through, forward and backward', async () => {
    const timetable = await feed('out 00:05, far 00:30')
    // Only one vehicle is allowed, so the rider must stay seated. With two vehicles, there would also be time for an
    // ordinary transfer.
    const evening = { seconds: at(23 * 3600), withDay: true, mostVehicles: 1 }
    expect(ask(timetable, evening)).toEqual(['20260601:night 20260602:on'])
    const morning = { seconds: at(24 * 3600 + 2000), isArriveBy: true, withDay: true, mostVehicles: 1 }
    expect(ask(timetable, morning)).toEqual(['20260601:night 20260602:on'])
  })

  test('is not ridden through if the trip after midnight belongs to the same service day', async () => {
    const timetable = await feed('out 24:05, far 24:30')
    const evening = { seconds: at(23 * 3600), withDay: true, mostVehicles: 1 }
    expect(ask(timetable, evening)).toEqual(['20260601:night 20260601:on'])
  })

  test('counts no transfer, even if the wait is shorter than any transfer', async () => {
    const timetable = await feed('out 23:55, far 24:30')
    expect(ask(timetable, { seconds: at(23 * 3600), withDay: true })).toEqual(['20260601:night 20260601:on'])
  })
})

test('a type 4 rule in the middle of a trip does not connect the end of that trip', async () => {
  const timetable = await feedOf({
    trips: { train: 'home 08:00, hub1 08:10, out 08:30', part: 'hub1 08:20, far 08:40' },
    transfers: 'hub1,hub1,,,train,part,4,',
    dates: ['20260601', '20260602'],
  })
  // Riders who stay on `train` arrive at `out` at 08:30. The trip `part`, which goes to `far`, left `hub1` at 08:20.
  expect(ask(timetable)).toEqual(['train part'])
  expect(ask(timetable, { isArriveBy: true, seconds: ZERO_SECONDS + (24 + 12) * 3600, withDay: true })).toEqual([
    '20260602:train 20260602:part',
  ])
})

test('excluded lines are not used', async () => {
  const timetable = await feedOf({ trips: { one: 'home 08:00, far 08:30', two: 'home 08:05, far 08:40' } })
  const lines = new Uint8Array(timetable.lines.id.length)
  const two = findTrip(timetable, 'two')
  if (two === undefined) throw new Error('there is no trip two')
  lines[timetable.patterns.line[timetable.trips.pattern[two]] as LineIndex] = 1
  expect(ask(timetable, { lines })).toEqual(['two'])
})

test('an aborted search returns no journeys', async () => {
  const timetable = await feedOf({ trips: { one: 'home 08:00, far 08:30' } })
  expect(ask(timetable, { shouldStop: () => true })).toBeUndefined()
})

test('a live run replaces scheduled runs near it, as on boards', async () => {
  // Scheduled runs start at 08:00, 08:10 and 08:20. A live run started at 08:08 and is two minutes late at home, so it
  // replaces the run at 08:10.
  const trips = { run: 'home 08:00, far 08:30' }
  const timetable = await feedOf({ trips, frequencies: 'run,08:00:00,08:30:00,600,0' })
  expect(ask(timetable)).toEqual(['run@08:00:00', 'run@08:10:00', 'run@08:20:00'])
  expect(ask(timetable, { overlay: liveRun(timetable, 8 * 3600 + 480, 120) })).toEqual([
    'run@08:00:00',
    'run@08:08:00',
    'run@08:20:00',
  ])
})

function liveRun(timetable: Timetable, runStartSeconds: number, delay: number): Overlay {
  const trip = findTrip(timetable, 'run')
  if (trip === undefined) throw new Error('there is no trip run')
  const instance: TripInstance = { trip, day: 0, runStartSeconds }
  const ids = ['home', 'far']
  const calls = scheduledCalls(timetable, instance).map(
    (scheduled, position): LiveCall => ({
      stop: stopOf(timetable, ids[position]),
      position,
      scheduled,
      arrival: scheduled.arrival + delay,
      departure: scheduled.departure + delay,
      isPredicted: true,
      isSkipped: false,
      isBoardable: position === 0,
      isAlightable: position > 0,
      isUnplanned: false,
      headsign: '',
    }),
  )
  const pattern = timetable.trips.pattern[trip]
  const live = {
    instance,
    calls,
    day: 0,
    ref: '',
    name: '',
    line: timetable.patterns.line[pattern],
    direction: timetable.patterns.direction[pattern],
    state: INSTANCE_RUNS,
    feed: 0,
    timestampSeconds: 0,
    headsign: '',
    vehicle: '',
    isCarried: false,
  }
  return buildOverlay(timetable, [live], { snapshotId: 's', version: 1, baseSeconds: ZERO_SECONDS, feedIds: ['f'] })
}
