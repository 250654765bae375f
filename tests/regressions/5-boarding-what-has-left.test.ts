// Tests a vehicle that is early: its predicted arrival at stop C is before its scheduled departure from stop B, for
// which the feed reports nothing. Once, a journey boarded the vehicle at B at the scheduled time, and arrived at C
// later than predicted.
import { expect, test } from 'bun:test'
import { JourneyPlanner } from '../../indexes/journeys/planner.ts'
import { buildOverlay } from '../../indexes/live/build-overlay.ts'
import { LiveTripReader } from '../../indexes/live/live-trips.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import { decodeMessage } from '../../loaders/gtfs-rt/decode-message.ts'
import { realtimeFeed } from '../feeds/realtime-feed.ts'
import { timetableOf } from '../indexes/built-feed.ts'

const FEED = {
  'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,Europe/Paris',
  'stops.txt': 'stop_id,stop_name,stop_lat,stop_lon\nA,A,48.5,7.7\nB,B,48.6,7.7\nC,C,48.7,7.7\nD,D,48.8,7.7',
  'routes.txt': 'route_id,route_short_name,route_type\nL,L,3',
  'calendar_dates.txt': 'service_id,date,exception_type\nday,20260610,1',
  'trips.txt': 'route_id,service_id,trip_id\nL,day,t',
  'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
    t,08:00:00,08:00:00,A,1
    t,08:10:00,08:10:00,B,2
    t,08:20:00,08:20:00,C,3
    t,08:30:00,08:30:00,D,4`,
}
const EIGHT = Date.parse('2026-06-10T08:00:00+02:00') / 1000
const NO_DATA = 2

test('a stop is left no later than the next one is reached', async () => {
  const timetable = await timetableOf(FEED)
  const update = {
    trip: { tripId: 't', startDate: '20260610' },
    stopTimeUpdate: [
      { stopSequence: 1, departure: { delay: 0 } },
      { stopSequence: 2, scheduleRelationship: NO_DATA },
      { stopSequence: 3, arrival: { time: EIGHT + 5 * 60 }, departure: { time: EIGHT + 6 * 60 } },
    ],
  }
  const { trips } = decodeMessage(realtimeFeed(EIGHT, [{ id: '1', tripUpdate: update }]))
  const live = new LiveTripReader(timetable).read([{ timestampSeconds: EIGHT, trips }], EIGHT)
  const meta = { snapshotId: 's', version: 1, baseSeconds: EIGHT, feedIds: ['f'] }
  const overlay = buildOverlay(timetable, live.trips, meta)
  const planner = new JourneyPlanner(timetable, { walkMeters: 500, changeSeconds: 60 })
  const end = (id: string) => ({ stops: [findStop(timetable, id)].filter((stop) => stop !== undefined), seconds: [0] })
  /**
   * The departures and arrivals, in minutes after 8:00, of the journeys for a rider who is at B at 8:00 plus `minutes`.
   */
  const ask = (to: string, minutes: number) => {
    const rest = { isArriveBy: false, lines: undefined, limit: 1, overlay, shouldStop: () => false }
    const found = planner.plan({ access: end('B'), egress: end(to), seconds: EIGHT + minutes * 60, ...rest })
    return found?.map(({ leaves, arrives }) => [(leaves - EIGHT) / 60, (arrives - EIGHT) / 60])
  }
  expect(ask('C', 5)).toEqual([[5, 5]])
  expect(ask('D', 5)).toEqual([[5, 16]])
  expect(ask('C', 6)).toEqual([])
})
