// A feed of any size in which every name, headsign and trip id contains a mark (a word). From the mark, tests can tell
// which feed a response comes from, and that no response mixes two feeds. Stop ids and line ids do not contain the
// mark.
import type { FeedTexts } from './text-feed.ts'

/** The size of a marked feed. */
export interface MarkedSize {
  readonly lines: number
  /** Number of stops on each line. Lines 0 and 1 share every third stop, and so do lines 2 and 3, and so on. */
  readonly stops: number
  /** Number of trips on each line, spread over the day from 05:00. */
  readonly trips: number
}

const DAY_START_MINUTES = 300
const DAY_MINUTES = 1_200

/** The id of a stop. @param place the stop's position on the line, from 0 */
export function stopIdOf(line: number, place: number): string {
  return `s${place % 3 === 0 ? Math.floor(line / 2) : line}-${place}`
}

/** The feed's files. @param mark a word that consists of letters */
export function markedFeed(mark: string, size: MarkedSize): FeedTexts {
  const stops = new Map<string, string>()
  const trips: string[] = []
  const stopTimes: string[] = []
  const routes: string[] = []
  for (let line = 0; line < size.lines; line++) {
    routes.push(`l${line},o,${line + 1},Line ${line} ${mark},3`)
    for (let place = 0; place < size.stops; place++) {
      const id = stopIdOf(line, place)
      stops.set(id, `${id},Stop ${id} ${mark},${(48 + line * 0.004).toFixed(6)},${(7 + place * 0.006).toFixed(6)}`)
    }
    for (let trip = 0; trip < size.trips; trip++) {
      const id = `t${line}-${trip}-${mark}`
      trips.push(`l${line},daily,${id},Towards ${mark},0`)
      // The start depends on the length of the mark, so feeds with marks of different lengths have different times.
      const start = DAY_START_MINUTES + (mark.length % 5) + Math.floor((trip * DAY_MINUTES) / size.trips)
      for (let place = 0; place < size.stops; place++) {
        const time = clockOf(start + place)
        stopTimes.push(`${id},${time},${time},${stopIdOf(line, place)},${place}`)
      }
    }
  }
  return {
    'agency.txt': `agency_id,agency_name,agency_url,agency_timezone\no,Operator ${mark},https://o.example,Europe/Paris`,
    'stops.txt': `stop_id,stop_name,stop_lat,stop_lon\n${[...stops.values()].join('\n')}`,
    'routes.txt': `route_id,agency_id,route_short_name,route_long_name,route_type\n${routes.join('\n')}`,
    'calendar.txt':
      'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\ndaily,1,1,1,1,1,1,1,20260101,20261231',
    'trips.txt': `route_id,service_id,trip_id,trip_headsign,direction_id\n${trips.join('\n')}`,
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence\n${stopTimes.join('\n')}`,
  }
}

function clockOf(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00`
}
