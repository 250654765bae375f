// The timetable of a peer's case: makes a feed's files from a few short strings that describe its trips.
import type { FeedTexts } from '../../feeds/text-feed.ts'

/** The day on which trips run by default: a Wednesday. */
export const DAY = '20260610'

/** A trip, described in a short notation. */
export interface TripSketch {
  /**
   * The calls, such as `A 10:00, B 10:10-10:11 in1`. Each has a stop, then one time or an arrival and a departure. A
   * call may end with `#7` for stop_sequence, and with `in1` or `out1` for pickup_type or drop_off_type.
   */
  readonly calls: string
  /** The route; `R` if absent. */
  readonly route?: string
  readonly headsign?: string
  readonly direction?: number
  readonly block?: string
  /** The dates on which the trip runs; the default is the dates of the whole timetable. */
  readonly dates?: readonly string[]
  readonly frequencies?: readonly string[]
}

/** A timetable, described in a short notation. */
export interface CitySketch {
  /** Trip id → its calls, or the whole trip. */
  readonly trips: Readonly<Record<string, string | TripSketch>>
  readonly zone?: string
  /** The dates on which trips run, yyyymmdd. Times in tests are on the first of these dates. */
  readonly dates?: readonly string[]
  /** Station → its platforms, separated by spaces. They are a few meters apart. */
  readonly stations?: Readonly<Record<string, string>>
  /** Stops at which no trip calls, separated by spaces. */
  readonly others?: string
  /** Rows of transfers.txt: from stop, to stop, type, seconds, from route, to route, from trip, to trip. */
  readonly transfers?: string
  /** Meters from a stop to the next one; the default is 2000. */
  readonly spacing?: number
}

const METERS_PER_DEGREE = 111_195
const PLATFORM_METERS = 11
const TRANSFERS =
  'from_stop_id,to_stop_id,transfer_type,min_transfer_time,from_route_id,to_route_id,from_trip_id,to_trip_id'

/** The feed's files for a sketch. */
export function sketchedFeed(sketch: CitySketch): FeedTexts {
  const trips = Object.entries(sketch.trips).map(([id, trip]) => ({
    id,
    ...(typeof trip === 'string' ? { calls: trip } : trip),
  }))
  const daysOf = (trip: TripSketch) => (trip.dates ?? sketch.dates ?? [DAY]).join(' ')
  const services = [...new Set(trips.map(daysOf))]
  const routes = [...new Set(trips.map(({ route = 'R' }) => route))]
  const frequencies = trips.flatMap(({ id, frequencies: rows = [] }) => rows.map((row) => `${id},${row}`))
  return {
    'agency.txt': `agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,${sketch.zone ?? 'Europe/Paris'}`,
    'stops.txt': stopsOf(sketch, trips),
    'routes.txt': csv(
      'route_id,route_short_name,route_type',
      routes.map((route) => `${route},${route},3`),
    ),
    'calendar_dates.txt': csv(
      'service_id,date,exception_type',
      services.flatMap((days, service) => days.split(' ').map((day) => `s${service},${day},1`)),
    ),
    'trips.txt': csv(
      'route_id,service_id,trip_id,trip_headsign,direction_id,block_id',
      trips.map((trip) => {
        const { id, route = 'R', headsign = '', direction = '', block = '' } = trip
        return [route, `s${services.indexOf(daysOf(trip))}`, id, headsign, direction, block].join(',')
      }),
    ),
    'stop_times.txt': csv(
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type',
      trips.flatMap(({ id, calls }) => calls.split(', ').map((call, at) => `${id},${stopTime(call, at + 1)}`)),
    ),
    ...(sketch.transfers === undefined ? {} : { 'transfers.txt': `${TRANSFERS}\n${sketch.transfers}` }),
    ...(frequencies.length === 0
      ? {}
      : { 'frequencies.txt': csv('trip_id,start_time,end_time,headway_secs,exact_times', frequencies) }),
  }
}

/** A call as a row of stop_times.txt, without the trip's id. */
function stopTime(call: string, order: number): string {
  const [stop = '', times = '', ...rest] = call.split(' ')
  const [arrival = '', departure = arrival] = times.split('-')
  const typeOf = (name: string) => rest.find((each) => each.startsWith(name))?.slice(name.length) ?? '0'
  const sequence = rest.find((each) => each.startsWith('#'))?.slice(1) ?? order
  return [whole(arrival), whole(departure), stop, sequence, typeOf('in'), typeOf('out')].join(',')
}

function whole(time: string): string {
  return time.split(':').length === 2 ? `${time}:00` : time
}

/** Makes stops.txt. The stops are on one meridian, in the order in which the sketch names them. */
function stopsOf(sketch: CitySketch, trips: readonly TripSketch[]): string {
  const stations = Object.entries(sketch.stations ?? {})
  const stationOf = new Map(stations.flatMap(([id, platforms]) => platforms.split(' ').map((each) => [each, id])))
  const named = trips.flatMap(({ calls }) => calls.split(', ').map((call) => call.split(' ')[0] ?? ''))
  const ids = new Set([...named, ...stationOf.keys(), ...(sketch.others?.split(' ') ?? [])])
  const places: string[] = []
  for (const id of ids) {
    const place = stationOf.get(id) ?? id
    if (!places.includes(place)) places.push(place)
  }
  const metersOf = (place: string) => places.indexOf(place) * (sketch.spacing ?? 2000)
  const row = (id: string, meters: number, rest: string) =>
    `${id},${id},${(48 + meters / METERS_PER_DEGREE).toFixed(7)},7.75,${rest}`
  return csv('stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station', [
    ...stations.map(([id]) => row(id, metersOf(id), '1,')),
    ...[...ids].map((id) => {
      const station = stationOf.get(id)
      const platforms = sketch.stations?.[station ?? '']?.split(' ') ?? []
      const aside = station === undefined ? 0 : platforms.indexOf(id) * PLATFORM_METERS
      return row(id, metersOf(station ?? id) + aside, `0,${station ?? ''}`)
    }),
  ])
}

function csv(header: string, rows: readonly string[]): string {
  return [header, ...rows].join('\n')
}
