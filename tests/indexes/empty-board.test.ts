// Tests each reason for an empty board, on a small feed. Fails if, for example, a terminus is reported as a day without
// service.
import { expect, test } from 'bun:test'
import { listDepartures } from '../../indexes/timetable/boards.ts'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import { emptyBoardReason } from '../../indexes/timetable/empty-board.ts'
import { findLine } from '../../indexes/timetable/lines.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import type { LineIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { textFeed } from '../feeds/text-feed.ts'

/**
 * Trips on weekdays in June 2026. Line r goes from a via b to c, and line q from a to m. Nobody can board at m. The
 * last trip of each day leaves b at 24:30.
 */
const FEED = {
  'agency.txt': `
    agency_id,agency_name,agency_url,agency_timezone
    v,Ville,https://ville.example,Europe/Paris`,
  'stops.txt': `
    stop_id,stop_name,stop_lat,stop_lon
    a,A,48.1,7.1
    b,B,48.2,7.2
    c,C,48.3,7.3
    m,M,48.4,7.4
    u,Unused,48.5,7.5`,
  'routes.txt': `
    route_id,route_short_name,route_type
    r,1,3
    q,2,3`,
  'calendar.txt': `
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    week,1,1,1,1,1,0,0,20260601,20260630
    never,0,0,0,0,0,0,0,20260501,20260731`,
  'trips.txt': `
    route_id,service_id,trip_id,direction_id
    r,week,t1,0
    r,week,t2,0
    q,week,t3,1`,
  'stop_times.txt': `
    trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type
    t1,10:00:00,10:00:00,a,1,
    t1,10:10:00,10:10:00,b,2,
    t1,10:20:00,10:20:00,m,3,1
    t1,10:30:00,10:30:00,c,4,
    t2,24:20:00,24:20:00,a,1,
    t2,24:30:00,24:30:00,b,2,
    t2,24:40:00,24:40:00,c,3,
    t3,12:00:00,12:00:00,a,1,
    t3,12:10:00,12:10:00,m,2,`,
}

const { feed } = await loadFeed(textFeed(FEED))
const timetable = buildTimetable(feed)

function reason(
  stopId: string,
  from: string,
  filter: { line?: string; directionId?: number; hours?: number } = {},
): string {
  const fromSeconds = Date.parse(from) / 1000
  const line = filter.line === undefined ? undefined : findLine(timetable, filter.line)
  const window = {
    stops: [findStop(timetable, stopId) as StopIndex],
    fromSeconds,
    toSeconds: fromSeconds + (filter.hours ?? 1) * 3600,
    lines: line === undefined ? undefined : new Set<LineIndex>([line]),
    directionId: filter.directionId,
  }
  // Only an empty board has a reason for being empty, so the board must be empty.
  expect(listDepartures(timetable, { ...window, limit: 1 })).toEqual([])
  return emptyBoardReason(timetable, window)
}

test('before the first and after the last day with trips, the service period is over even if the calendar is not', () => {
  expect(reason('a', '2026-05-31T23:00:00+02:00')).toBe('outside_service_period')
  expect(reason('a', '2026-07-01T09:30:00+02:00')).toBe('outside_service_period')
  expect(reason('c', '2027-07-01T09:30:00+02:00')).toBe('outside_service_period')
})

test('service after midnight on the last day still belongs to the period', () => {
  // The trip t2 of the service day June 30 left a at 0:20 on July 1, and arrives at c at 0:40.
  expect(reason('a', '2026-07-01T00:25:00+02:00')).toBe('no_more_service_today')
  expect(reason('a', '2026-07-01T00:40:00+02:00')).toBe('outside_service_period')
})

test('a stop with only last calls is a terminus; one without boarding or calls is not boarded', () => {
  expect(reason('c', '2026-06-02T10:25:00+02:00')).toBe('terminus')
  expect(reason('m', '2026-06-02T10:00:00+02:00')).toBe('no_boarding')
  expect(reason('u', '2026-06-02T10:00:00+02:00')).toBe('no_boarding')
})

test('a filter that leaves no boarding is reported', () => {
  expect(reason('b', '2026-06-02T10:00:00+02:00', { line: 'q' })).toBe('no_boarding')
  expect(reason('a', '2026-06-02T10:00:00+02:00', { line: 'r', directionId: 1 })).toBe('no_boarding')
})

test('a day without service differs from an hour without departures', () => {
  expect(reason('a', '2026-06-07T09:30:00+02:00')).toBe('no_service_today')
  expect(reason('b', '2026-06-07T10:00:00+02:00', { line: 'r' })).toBe('no_service_today')
  expect(reason('a', '2026-06-02T13:00:00+02:00')).toBe('no_more_service_today')
  expect(reason('a', '2026-06-02T05:00:00+02:00')).toBe('no_more_service_today')
})

test('today is the local calendar day, whichever service day its departures belong to', () => {
  // The trip t2 of Friday’s service day leaves b at 0:30 on Saturday. Saturday has no service of its own. Line q leaves
  // a only at noon, so none of its departures fall on a Saturday.
  expect(reason('b', '2026-06-06T00:31:00+02:00')).toBe('no_more_service_today')
  expect(reason('b', '2026-06-06T09:30:00+02:00')).toBe('no_more_service_today')
  expect(reason('a', '2026-06-06T09:30:00+02:00', { line: 'q' })).toBe('no_service_today')
  // At 21:59 UTC on Sunday, it is still Sunday in Paris; at 23:59 UTC it is already Monday, and t1 and t3 depart later
  // that day.
  expect(reason('a', '2026-06-07T21:59:00Z', { hours: 0.01 })).toBe('no_service_today')
  expect(reason('a', '2026-06-07T23:59:00Z')).toBe('no_more_service_today')
})
