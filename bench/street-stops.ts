// A feed with stops at given places, for the street benchmarks. Each stop has one call per day.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildTimetable } from '../indexes/timetable/build-timetable.ts'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { loadFeed } from '../loaders/gtfs/load-feed.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'

interface Place {
  readonly lat: number
  readonly lon: number
}

/** Number of stops per trip. */
const CALLS = 50
const CALENDAR =
  'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\ndaily,1,1,1,1,1,1,1,20260101,20261231\n'

/** Writes the feed as a folder. */
export function writeStopFeed(folder: string, places: readonly Place[]): void {
  mkdirSync(folder, { recursive: true })
  const write = (file: string, head: string, rows: readonly string[]) =>
    writeFileSync(join(folder, file), `${[head, ...rows].join('\n')}\n`)
  const trips = Array.from({ length: Math.ceil(places.length / CALLS) }, (_, trip) => `1,daily,${trip}`)
  write('agency.txt', 'agency_id,agency_name,agency_url,agency_timezone', ['V,V,https://v.example,Europe/Paris'])
  write('routes.txt', 'route_id,agency_id,route_short_name,route_type', ['1,V,1,3'])
  write('trips.txt', 'route_id,service_id,trip_id', trips)
  writeFileSync(join(folder, 'calendar.txt'), CALENDAR)
  write(
    'stops.txt',
    'stop_id,stop_name,stop_lat,stop_lon',
    places.map(({ lat, lon }, stop) => `${stop},Stop ${stop},${lat.toFixed(7)},${lon.toFixed(7)}`),
  )
  const timeOf = (call: number) => `08:${String(call).padStart(2, '0')}:00`
  write(
    'stop_times.txt',
    'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
    places.map((_, stop) => {
      const time = timeOf(stop % CALLS)
      return [Math.floor(stop / CALLS), time, time, stop, stop % CALLS].join(',')
    }),
  )
}

/**
 * Reads a feed.
 * @param path a folder or a zip file
 */
export async function readFeed(path: string): Promise<Timetable> {
  const source = await openFeedSource(path)
  try {
    return buildTimetable((await loadFeed(source)).feed)
  } finally {
    await source.close()
  }
}
