// A feed for tests that use the real time: a line with three stops and a trip every ten minutes, day and night. So at
// any hour, a board has departures, and a live feed has a trip to report.
import { canceledTrip, delayedTrip, realtimeFeed } from './realtime-feed.ts'
import { dedent } from './text-feed.ts'
import { writeZip } from './zip-writer.ts'

const HEADWAY_MINUTES = 10
const DAY_MINUTES = 1_440
const DAY_MILLIS = 86_400_000
const STOPS = ['north', 'middle', 'south'] as const
/** Minutes from one stop to the next. */
const RIDE_MINUTES = 4

/** The feed as a zip. @param town the first word of every stop's name */
export function aroundTheClockZip(town: string, nowMillis = Date.now()): Uint8Array<ArrayBuffer> {
  const starts = Array.from({ length: DAY_MINUTES / HEADWAY_MINUTES }, (_, number) => number * HEADWAY_MINUTES)
  const calls = starts.flatMap((start) =>
    STOPS.map((stop, at) => {
      const time = clockText(start + at * RIDE_MINUTES)
      return `t${start},${time},${time},${stop},${at}`
    }),
  )
  const files = {
    'agency.txt': `agency_id,agency_name,agency_url,agency_timezone\no,${town} Transit,https://transit.example,Etc/UTC`,
    'stops.txt': `stop_id,stop_name,stop_lat,stop_lon\n${STOPS.map((stop, at) => `${stop},${town} ${stop},${48 + at * 0.01},7`).join('\n')}`,
    'routes.txt': 'route_id,agency_id,route_short_name,route_long_name,route_type\nl,o,1,North - South,3',
    'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\ndaily,1,1,1,1,1,1,1,${dateText(nowMillis - 30 * DAY_MILLIS)},${dateText(nowMillis + 300 * DAY_MILLIS)}`,
    'trips.txt': `route_id,service_id,trip_id,trip_headsign,direction_id\n${starts.map((start) => `l,daily,t${start},South,0`).join('\n')}`,
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${calls.join('\n')}`,
  }
  return writeZip(Object.entries(files).map(([name, text]) => ({ name, content: dedent(text) })))
}

/** A trip in the feed that leaves its first stop in about half an hour. */
export interface ComingTrip {
  readonly tripId: string
  /** The trip's service day, as YYYYMMDD. */
  readonly date: string
}

/** The first trip that leaves its first stop at least half an hour after `nowMillis`. */
export function comingTrip(nowMillis = Date.now()): ComingTrip {
  const headwayMillis = HEADWAY_MINUTES * 60_000
  const startMillis = Math.ceil((nowMillis + 30 * 60_000) / headwayMillis) * headwayMillis
  return { tripId: `t${(startMillis % DAY_MILLIS) / 60_000}`, date: dateText(startMillis) }
}

/**
 * A live message, dated now, in which one trip is delayed or canceled.
 * @param delaySeconds the delay at the first stop; undefined if the trip is canceled
 */
export function liveMessage(trip: ComingTrip, delaySeconds: number | undefined): Uint8Array<ArrayBuffer> {
  const { tripId, date } = trip
  const entity =
    delaySeconds === undefined ? canceledTrip(tripId, date) : delayedTrip(tripId, date, { north: delaySeconds })
  return realtimeFeed(Math.floor(Date.now() / 1000), [entity])
}

function clockText(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`
}

function dateText(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10).replaceAll('-', '')
}
