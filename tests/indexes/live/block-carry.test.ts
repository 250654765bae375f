// Tests delays that are carried along a block to trips that no feed reports. A layover reduces the delay, and these
// trips get no vehicle. Fails if a trip starts before its vehicle can be there, if a trip gets a delay that its feed
// contradicts, or if a board names a vehicle that nobody reported for the trip.
import { expect, test } from 'bun:test'
import { buildOverlay } from '../../../indexes/live/build-overlay.ts'
import { listBoard } from '../../../indexes/live/live-boards.ts'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import { timetableOf } from '../built-feed.ts'

/**
 * Three trips in one block. They start at 8:00, at 8:20 after a layover of ten minutes, and at 8:35 after a layover of
 * five minutes. On Sundays, another trip replaces all three.
 */
const FEED = {
  'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,Europe/Paris',
  'stops.txt': 'stop_id,stop_name,stop_lat,stop_lon\nA,A,48.50,7.75\nB,B,48.51,7.75',
  'routes.txt': 'route_id,route_short_name,route_type\nL,L,3',
  'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    week,1,1,1,1,1,1,0,20260601,20260630
    sunday,0,0,0,0,0,0,1,20260601,20260630`,
  'trips.txt': `route_id,service_id,trip_id,direction_id,block_id
    L,week,out,0,one
    L,sunday,other,1,one
    L,week,back,1,one
    L,week,again,0,one
    L,week,alone,0,`,
  'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
    out,08:00:00,08:00:00,A,1
    out,08:10:00,08:10:00,B,2
    other,08:15:00,08:15:00,B,1
    other,08:25:00,08:25:00,A,2
    back,08:20:00,08:20:00,B,1
    back,08:30:00,08:30:00,A,2
    again,08:35:00,08:35:00,A,1
    again,08:45:00,08:45:00,B,2
    alone,08:50:00,08:50:00,A,1
    alone,09:00:00,09:00:00,B,2`,
}
const EIGHT = Date.parse('2026-06-10T08:00:00+02:00') / 1000

interface ReportedDelay {
  readonly trip: string
  /** The delay that the feed reports at the trip’s first stop, in minutes. */
  readonly minutesLate: number
}

/**
 * The departures from both stops, as `trip minutes-late vehicle`, with `-` if nothing is predicted or no vehicle is
 * named.
 */
async function departures(delays: readonly ReportedDelay[]): Promise<string[]> {
  const timetable = await timetableOf(FEED)
  const entities = delays.map(({ trip, minutesLate }) => ({
    id: trip,
    tripUpdate: {
      trip: { tripId: trip, startDate: '20260610' },
      vehicle: { id: `bus of ${trip}` },
      stopTimeUpdate: [{ stopSequence: 1, departure: { delay: minutesLate * 60 } }],
    },
  }))
  const { trips } = decodeMessage(realtimeFeed(EIGHT, entities))
  const { trips: live } = new LiveTripReader(timetable).read([{ timestampSeconds: EIGHT, trips }], EIGHT)
  const meta = { snapshotId: 's', version: 1, baseSeconds: EIGHT, feedIds: ['f'] }
  const overlay = buildOverlay(timetable, live, meta)
  const stops = ['A', 'B'].flatMap((id) => findStop(timetable, id) ?? [])
  const window = { fromSeconds: EIGHT, toSeconds: EIGHT + 3 * 3600, lines: undefined, directionId: undefined }
  return listBoard(timetable, overlay, { stops, ...window, limit: 50 }).map((row) => {
    if (row.kind === 'scheduled') return `${textOf(timetable.strings, timetable.trips.id[row.trip])} - -`
    const { calls, instances, strings } = overlay
    const instance = calls.instance[row.call]
    const late = (calls.departure[row.call] - calls.scheduledDeparture[row.call]) / 60
    const vehicle = textOf(strings, instances.vehicle[instance]) || '-'
    return `${textOf(timetable.strings, timetable.trips.id[instances.trip[instance]])} ${late} ${vehicle}`
  })
}

test('a delay beyond the layover carries over from trip to trip, without naming a vehicle', async () => {
  expect(await departures([{ trip: 'out', minutesLate: 17 }])).toEqual([
    'out 17 bus of out',
    'back 7 -',
    'again 2 -',
    'alone - -',
  ])
})

test('a delay that the layover absorbs does not reach the next trip', async () => {
  expect(await departures([{ trip: 'out', minutesLate: 10 }])).toEqual([
    'out 10 bus of out',
    'back - -',
    'again - -',
    'alone - -',
  ])
})

test('a feed’s own update for the next trip is used, and carries over instead', async () => {
  const delays = [
    { trip: 'out', minutesLate: 17 },
    { trip: 'back', minutesLate: 8 },
  ]
  expect(await departures(delays)).toEqual(['out 17 bus of out', 'back 8 bus of back', 'again 3 -', 'alone - -'])
})
