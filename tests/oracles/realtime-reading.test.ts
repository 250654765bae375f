// Tests the realtime oracle on a feed small enough to check by eye. Each test is about one rule. Fails if a call has a
// wrong time or status, or if an update is matched to a wrong trip.
import { expect, test } from 'bun:test'
import { realtimeFeed } from '../feeds/realtime-feed.ts'
import { dedent } from '../feeds/text-feed.ts'
import { readBytes } from './realtime-bytes.ts'
import { readRealtime } from './realtime-reading.ts'
import { readTextBoards } from './text-boards.ts'

/**
 * Trip `day` runs every day at 8:00 from A via B and C to D. It takes five minutes between stops and waits one minute
 * at C. Trip `night` runs on Wednesdays at 24:10.
 */
const FEED: Readonly<Record<string, string>> = {
  'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,Europe/Paris',
  'stops.txt': `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
    A,A,48.50,7.75,0,
    S,Station,48.51,7.75,1,
    B,B,48.51,7.75,0,S
    B2,B,48.51,7.75,0,S
    C,C,48.52,7.75,0,
    D,D,48.53,7.75,0,`,
  'routes.txt': 'route_id,route_short_name,route_type\nL,L,3',
  'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260601,20260630
    wednesday,0,0,1,0,0,0,0,20260601,20260630`,
  'trips.txt': 'route_id,service_id,trip_id,trip_headsign,direction_id\nL,daily,day,D,0\nL,wednesday,night,D,0',
  'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
    day,08:00:00,08:00:00,A,1
    day,08:05:00,08:05:00,B,2
    day,08:10:00,08:11:00,C,3
    day,08:16:00,08:16:00,D,4
    night,24:10:00,24:10:00,A,1
    night,24:20:00,24:20:00,D,2`,
}
const files = Object.fromEntries(Object.entries(FEED).map(([name, text]) => [name, dedent(text)]))
const boards = await readTextBoards(files, 'v')
const EIGHT = Date.parse('2026-06-10T08:00:00+02:00') / 1000
const TODAY = { tripId: 'day', startDate: '20260610' }
const minute = (minutes: number) => ({ time: EIGHT + minutes * 60 })

/** Reads a message with one update. */
function readAfter(update: {
  readonly trip: object
  readonly stopTimeUpdate?: readonly object[]
  readonly delay?: number
}) {
  const { trip, stopTimeUpdate = [], delay } = update
  const entity = { id: 'one', tripUpdate: { trip, stopTimeUpdate: [...stopTimeUpdate], delay } }
  const message = readBytes(realtimeFeed(EIGHT, [entity]))
  return readRealtime(boards, [{ feed: 'f', message }], { network: 'v', nowSeconds: EIGHT })
}

/** Today's departures after one update: `stop scheduled expected status`, with times in minutes after eight. */
function departures(update: Parameters<typeof readAfter>[0], from = -10): string[] {
  const reading = readAfter(update)
  const window = { fromSeconds: EIGHT + from * 60, toSeconds: EIGHT + 3600 }
  const rows = ['A', 'B', 'B2', 'C', 'D'].flatMap((stopId) => reading.board({ stopId, ...window }))
  return rows.map(({ stop_id, scheduled, expected, status }) => {
    const time = (seconds: number | null) => (seconds === null ? '-' : (seconds - EIGHT) / 60)
    return `${stop_id.slice('v:stop:'.length)} ${time(scheduled)} ${time(expected)} ${status}`
  })
}

const calls = (...stopTimeUpdate: object[]) => ({ trip: TODAY, stopTimeUpdate })

test('a delay carries over to later calls, never to earlier ones', () => {
  expect(departures(calls({ stopSequence: 2, departure: { delay: 120 } }))).toEqual([
    'A 0 - unknown',
    'B 5 7 delayed',
    'C 11 13 delayed',
  ])
})

test('a call without a prediction is over when the next call with one is reached', () => {
  const early = calls({ stopId: 'B', arrival: minute(-2), departure: minute(-2) })
  expect(departures(early, -2)).toEqual(['A 0 - unknown', 'B 5 -2 early', 'C 11 4 early'])
  expect(departures(early, -1)).toEqual(['C 11 4 early'])
})

test('skipped calls keep their schedule and pass on the delay; without data nothing is known', () => {
  const skipped = { stopSequence: 2, scheduleRelationship: 1, departure: minute(40) }
  expect(departures(calls({ stopSequence: 1, departure: { delay: 60 } }, skipped))).toEqual([
    'A 0 1 delayed',
    'B 5 - skipped',
    'C 11 12 delayed',
  ])
  const unknown = { stopSequence: 2, scheduleRelationship: 2 }
  expect(departures(calls({ stopSequence: 1, departure: { delay: 60 } }, unknown))).toEqual([
    'A 0 1 delayed',
    'B 5 - unknown',
    'C 11 - unknown',
  ])
})

test('if only an arrival is reported, the vehicle leaves on time, or half a minute after a late arrival', () => {
  expect(departures(calls({ stopSequence: 3, arrival: minute(9) })).at(-1)).toBe('C 11 11 on_time')
  expect(departures(calls({ stopSequence: 3, arrival: minute(12) })).at(-1)).toBe('C 11 12.5 delayed')
})

test('a time before the previous call is raised to it', () => {
  const late = { stopSequence: 2, departure: minute(20) }
  expect(departures(calls(late, { stopSequence: 3, arrival: minute(12), departure: minute(12) }))).toEqual([
    'A 0 - unknown',
    'B 5 20 delayed',
    'C 11 20 delayed',
  ])
})

test('trips are canceled as a whole, even if only one call is left', () => {
  const all = ['A 0 - canceled', 'B 5 - canceled', 'C 11 - canceled']
  expect(departures({ trip: { ...TODAY, scheduleRelationship: 3 } })).toEqual(all)
  const skip = (stopSequence: number) => ({ stopSequence, scheduleRelationship: 1 })
  expect(departures(calls(skip(1), skip(2), skip(4)))).toEqual(all)
  expect(departures({ trip: { ...TODAY, scheduleRelationship: 7 } })).toEqual([])
})

test('another platform of the station is used; another stop is not', () => {
  expect(departures(calls({ stopSequence: 2, stopId: 'B2', departure: minute(6) }))).toContain('B2 5 6 delayed')
  // If the stop and the sequence contradict each other, the stop counts, because the trip calls there.
  expect(departures(calls({ stopSequence: 2, stopId: 'C', departure: minute(12) }))).toEqual([
    'A 0 - unknown',
    'B 5 - unknown',
    'C 11 12 delayed',
  ])
})

test('the steps of the match', () => {
  const rung = (trip: object, ...stopTimeUpdate: object[]) => {
    const { matched, unmatched } = readAfter({ trip, stopTimeUpdate }).tallies.get('f') ?? {
      matched: {},
      unmatched: {},
    }
    return [...Object.keys(matched), ...Object.keys(unmatched)]
  }
  const described = { tripId: 'x', routeId: 'L', startDate: '20260610', startTime: '08:00:00' }
  expect(rung(TODAY)).toEqual(['trip and date'])
  expect(rung({ tripId: 'day' }, { stopSequence: 1, departure: minute(1) })).toEqual(['trip, nearest day'])
  expect(rung({ tripId: 'day' })).toEqual(['trip, under way'])
  expect(rung({ tripId: 'night' })).toEqual(['has no date and no time and is not under way'])
  expect(rung(described)).toEqual(['description'])
  expect(rung({ ...described, startTime: '08:00:01' })).toEqual(['unknown trip id, no trip of its route starts then'])
  expect(rung({ ...described, startTime: undefined })).toEqual(['unknown trip id, no start'])
  expect(rung({ tripId: 'night', startDate: '20260612' })).toEqual(['does not run on its day'])
  expect(rung({ tripId: 'night', startDate: '20260611' })).toEqual(['trip, night before'])
})
