// Small random feeds as text, rich in difficult cases for boards: ties, services past midnight, loops, calls without
// boarding, frequencies, ids with an unusual sort order, and calendars around a clock change.
import fc from 'fast-check'
import type { TextFeed } from '../oracles/board-oracle.ts'

/** A time zone and a date. On the date, the clocks change, except in Kolkata, which has no clock changes. */
const CHANGES = [
  ['Europe/Paris', '2026-03-29'],
  ['Europe/Paris', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  // The clock changes by half an hour.
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  // The clock changes at midnight: one day starts at 01:00, and another has the hour from 23:00 twice.
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-29'],
  ['Asia/Kolkata', '2026-06-01'],
] as const

const STOPS = ['s0', 's1', 's2', 's3', 'S4']
const ROUTES = ['r0', 'R1', 'é2']
/** Includes ids that are prefixes of others, and ids that sort differently by UTF-8 bytes and by code units. */
const TRIPS = ['A', 'A1', 'A@', 'A@08:00:00x', 'a', '10', '9', 'é', '\uff21', '\u{1f600}', 'A:1', 'z']
const SERVICES = ['w0', 'w1', 'w2']
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** A feed, with its time zone and a date around which to query it. */
export interface RandomFeed {
  readonly files: TextFeed
  readonly zone: string
  /** Local date in the middle of the calendar. */
  readonly date: string
}

const time = (seconds: number): string =>
  [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')

const shiftedDate = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')

/** Start times, mostly in steps so coarse that departures often coincide. */
const startSeconds = fc.oneof(
  fc.integer({ min: 0, max: 8 }).map((step) => step * 1800),
  fc.integer({ min: 44, max: 52 }).map((step) => step * 1800),
  fc.integer({ min: 0, max: 72 }).map((step) => step * 3600),
  fc.integer({ min: 0, max: 72 * 3600 }),
)

const call = fc.record({
  stop: fc.constantFrom(...STOPS),
  ride: fc.constantFrom(0, 0, 60, 600, 1800, 3600),
  dwell: fc.constantFrom(0, 0, 60, 1800),
  pickup: fc.constantFrom('', '0', '0', '1', '2', '3'),
  headsign: fc.constantFrom('', '', 'Via'),
})

const trip = fc.record({
  route: fc.constantFrom(...ROUTES),
  service: fc.constantFrom(...SERVICES),
  direction: fc.constantFrom('0', '1'),
  start: startSeconds,
  calls: fc.array(call, { minLength: 2, maxLength: 6 }),
  runs: fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    {
      weight: 1,
      arbitrary: fc.array(
        fc.record({
          gap: fc.constantFrom(0, 600, 7200),
          count: fc.integer({ min: 1, max: 9 }),
          cut: fc.constantFrom(0, 1, 60),
          headway: fc.constantFrom(61, 600, 1800, 3600),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    },
  ),
})

type RandomTrip = typeof trip extends fc.Arbitrary<infer T> ? T : never

const service = fc.record({
  days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1, maxLength: 7 }),
  exceptions: fc.uniqueArray(fc.tuple(fc.integer({ min: -4, max: 4 }), fc.constantFrom('1', '2')), {
    maxLength: 3,
    selector: ([day]) => day,
  }),
})

export const randomFeed: fc.Arbitrary<RandomFeed> = fc
  .record({
    change: fc.constantFrom(...CHANGES),
    services: fc.tuple(service, service, service),
    trips: fc.array(trip, { minLength: 1, maxLength: TRIPS.length }),
    names: fc.shuffledSubarray(TRIPS, { minLength: TRIPS.length }),
  })
  .map(({ change: [zone, date], services, trips, names }) => ({
    zone,
    date,
    files: {
      'agency.txt': `agency_id,agency_name,agency_url,agency_timezone\na,Agency,https://example.org,${zone}\n`,
      'stops.txt': `stop_id,stop_name,stop_lat,stop_lon\n${STOPS.map((id, at) => `${id},Stop ${at},48.${at},7.7\n`).join('')}`,
      'routes.txt': `route_id,agency_id,route_short_name,route_type,route_sort_order\nr0,a,10,3,\nR1,a,9,3,\né2,a,T,0,5\n`,
      'calendar.txt': `service_id,${DAYS.join(',')},start_date,end_date\n${services
        .map(
          ({ days }, at) =>
            `${SERVICES[at]},${DAYS.map((day) => (days.includes(day) ? 1 : 0)).join(',')},${shiftedDate(date, -4)},${shiftedDate(date, 4)}\n`,
        )
        .join('')}`,
      'calendar_dates.txt': `service_id,date,exception_type\n${services
        .flatMap(({ exceptions }, at) =>
          exceptions.map(([day, type]) => `${SERVICES[at]},${shiftedDate(date, day)},${type}\n`),
        )
        .join('')}`,
      'trips.txt': `route_id,service_id,trip_id,direction_id,trip_headsign\n${trips
        .map(({ route, service: id, direction }, at) => `${route},${id},${names[at]},${direction},To ${at}\n`)
        .join('')}`,
      'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,stop_headsign\n${trips
        .map((each, at) => callLines(each, names[at] ?? ''))
        .join('')}`,
      'frequencies.txt': `trip_id,start_time,end_time,headway_secs\n${trips
        .map((each, at) => runLines(each, names[at] ?? ''))
        .join('')}`,
    },
  }))

function callLines({ start, calls }: RandomTrip, name: string): string {
  let seconds = start
  let lines = ''
  for (const [sequence, { stop, ride, dwell, pickup, headsign }] of calls.entries()) {
    if (sequence > 0) seconds += ride
    const arrival = seconds
    seconds += dwell
    lines += `${name},${time(arrival)},${time(seconds)},${stop},${sequence * 5},${pickup},${headsign}\n`
  }
  return lines
}

/**
 * Frequency windows, one after the other. Some end exactly when the next run would start, some just after a run has
 * started.
 */
function runLines({ start, runs }: RandomTrip, name: string): string {
  let seconds = start % 90_000
  let lines = ''
  for (const { gap, count, cut, headway } of runs) {
    const first = seconds + gap
    seconds = first + count * headway + cut
    lines += `${name},${time(first)},${time(seconds)},${headway}\n`
  }
  return lines
}

/** Queries for a random feed. Their times are relative to local noon on the feed's date. */
export const randomQuestion = fc.record({
  stopIds: fc.subarray(STOPS, { minLength: 1 }),
  /** Seconds after noon, mostly at a full or half hour, so that windows often start or end exactly at departures. */
  from: fc.oneof(
    fc.integer({ min: -60, max: 60 }).map((step) => step * 1800),
    fc.integer({ min: -30, max: 0 }).map((step) => step * 1800),
    fc.integer({ min: -6 * 86_400, max: 9 * 86_400 }),
  ),
  length: fc.constantFrom(1, 300, 3600, 10_800, 86_400, 864_000),
  limit: fc.constantFrom(1, 2, 5, 10, 50, 5000),
  routeIds: fc.option(fc.subarray(ROUTES, { minLength: 1 }), { nil: undefined, freq: 2 }),
  directionId: fc.constantFrom(undefined, undefined, '0', '1'),
})
