// Builds timetables from text feeds, and reads their columns as plain arrays, for tests of the build.
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import type { Timetable } from '../../indexes/timetable/timetable.ts'
import { columnArray } from '../../loaders/columns.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { type StringIndex, textOf } from '../../loaders/strings.ts'
import { type FeedTexts, textFeed } from '../feeds/text-feed.ts'

/** Builds the timetable of a feed whose files are given as strings. */
export async function timetableOf(files: FeedTexts): Promise<Timetable> {
  return buildTimetable((await loadFeed(textFeed(files))).feed)
}

/** The strings in a column, or in some of its rows. */
export function textsOf(
  timetable: Timetable,
  column: { readonly length: number },
  range: { from?: number; to?: number } = {},
): string[] {
  const indexes = [...columnArray(column)].slice(range.from, range.to)
  return indexes.map((index) => textOf(timetable.strings, index as StringIndex))
}

/** The numbers in a column. */
export function numbersOf(column: { readonly length: number }): number[] {
  return [...columnArray(column)]
}

/**
 * Splits values into one list per key.
 * @param offsets the index in `values` at which each key's list starts; the last entry is the index at which the last
 * list ends
 */
export function rowsOf<T>(offsets: { readonly length: number }, values: readonly T[]): T[][] {
  const offset = numbersOf(offsets)
  return offset.slice(1).map((end, key) => values.slice(offset[key], end))
}

/** A feed that is described by its stops and trips. By default, all trips are on one line. */
export interface LineSketch {
  /** Stop id → `lat,lon`, or `lat,lon,name`. */
  readonly stops: Readonly<Record<string, string>>
  readonly trips: readonly TripSketch[]
}

export interface TripSketch {
  readonly id: string
  /** Stop ids, separated by white space. */
  readonly calls: string
  readonly route?: string
  readonly direction?: 0 | 1
  readonly hour?: number
  readonly headsign?: string
  readonly shape?: string
  /** The days on which the trip runs: `daily` (the default), `sunday` or `never`. */
  readonly service?: 'daily' | 'sunday' | 'never'
}

/**
 * The files of a sketched feed. It has one agency in Paris, and its calendar covers one week from Monday, 2026-06-01.
 */
export function sketchFeed(sketch: LineSketch): Record<string, string> {
  const routes = [...new Set(sketch.trips.map((trip) => trip.route ?? 'L'))]
  const shapes = [...new Set(sketch.trips.flatMap((trip) => trip.shape ?? []))]
  const stopTimes = sketch.trips.flatMap(({ id, calls, hour = 8 }) =>
    calls.split(/\s+/).map((stop, i) => {
      const minutes = hour * 60 + i * 10
      const time = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:00`
      return `${id},${time},${time},${stop},${i + 1}`
    }),
  )
  return {
    'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,Ville,https://ville.example,Europe/Paris',
    'stops.txt': ['stop_id,stop_name,stop_lat,stop_lon']
      .concat(
        Object.entries(sketch.stops).map(([id, place]) => {
          const [lat, lon, name] = place.split(',')
          return `${id},${name ?? id},${lat},${lon}`
        }),
      )
      .join('\n'),
    'routes.txt': ['route_id,route_short_name,route_type', ...routes.map((route) => `${route},${route},3`)].join('\n'),
    'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,20260601,20260607
      sunday,0,0,0,0,0,0,1,20260601,20260607
      never,0,0,0,0,0,0,0,20260601,20260607`,
    'trips.txt': ['route_id,service_id,trip_id,direction_id,trip_headsign,shape_id']
      .concat(
        sketch.trips.map(
          ({ route = 'L', service = 'daily', id, direction = '', headsign = '', shape = '' }) =>
            `${route},${service},${id},${direction},${headsign},${shape}`,
        ),
      )
      .join('\n'),
    'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence', ...stopTimes].join('\n'),
    ...(shapes.length === 0
      ? {}
      : {
          'shapes.txt': ['shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence']
            .concat(shapes.flatMap((shape) => [`${shape},48.5,7.7,1`, `${shape},48.6,7.8,2`]))
            .join('\n'),
        }),
  }
}
