// Tests trips that a feed describes by route, day and start, because its trip ids are not those of the timetable. Fails
// if an update is matched to a trip in the other direction that starts at the same time, or if an update that fits is
// not matched.
import { expect, test } from 'bun:test'
import { LiveTripReader } from '../../../indexes/live/live-trips.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { textOf } from '../../../loaders/strings.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import { timetableOf } from '../built-feed.ts'

/** One trip, from A to B at 8:00. A2 and B2 are the platforms of the other direction, in which no trip is scheduled. */
const FEED = {
  'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,Europe/Paris',
  'stops.txt': `stop_id,stop_name,stop_lat,stop_lon
    A,A,48.50,7.75
    B,B,48.51,7.75
    A2,A,48.50,7.751
    B2,B,48.51,7.751`,
  'routes.txt': 'route_id,route_short_name,route_type\nL,L,1',
  'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260601,20260630`,
  'trips.txt': 'route_id,service_id,trip_id,direction_id\nL,daily,there,0',
  'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
    there,08:00:00,08:00:00,A,1
    there,08:10:00,08:10:00,B,2`,
}
const EIGHT = Date.parse('2026-06-10T08:00:00+02:00') / 1000
const DESCRIPTION = { tripId: '048000_L..N', routeId: 'L', startDate: '20260610', startTime: '08:00:00' }

/**
 * The ids of the trips that match an update, the number of matches, and for each reason, how many parts it left
 * unmatched.
 */
async function read(stops: readonly string[], trip: object = DESCRIPTION) {
  const timetable = await timetableOf(FEED)
  const stopTimeUpdate = stops.map((stopId) => ({ stopId, departure: { time: EIGHT + 60 } }))
  const { trips } = decodeMessage(realtimeFeed(EIGHT, [{ id: 'one', tripUpdate: { trip, stopTimeUpdate } }]))
  const found = new LiveTripReader(timetable).read([{ timestampSeconds: EIGHT, trips }], EIGHT)
  const ids = found.trips.flatMap(({ instance }) =>
    instance === undefined ? [] : [textOf(timetable.strings, timetable.trips.id[instance.trip])],
  )
  const [matches] = found.matches
  return { ids, matched: matches?.matched, reasons: { ...matches?.reasons } }
}

test('a description matches the only trip that starts like it', async () => {
  expect(await read(['A', 'B'])).toEqual({ ids: ['there'], matched: 1, reasons: {} })
  expect(await read([])).toEqual({ ids: ['there'], matched: 1, reasons: {} })
})

test('a call elsewhere is omitted, the others stay', async () => {
  expect(await read(['A', 'B2'])).toEqual({ ids: ['there'], matched: 1, reasons: { unknown_stop: 1 } })
})

test('a trip that calls at none of the stops is a different one', async () => {
  const reasons = { unknown_stop: 2, description_of_another_trip: 1 }
  expect(await read(['B2', 'A2'])).toEqual({ ids: [], matched: 0, reasons })
})

test('a named trip is used whatever its stops', async () => {
  const named = { tripId: 'there', startDate: '20260610' }
  expect(await read(['B2'], named)).toEqual({ ids: ['there'], matched: 1, reasons: { unknown_stop: 1 } })
})
