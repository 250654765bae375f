// Test feeds written as strings. A reader sees the feed in the test itself, and the feed is small enough to check by
// eye.
import type { FeedSource } from '../../loaders/gtfs/feed.ts'

const encoder = new TextEncoder()

/** File name → content of each file in a feed. Lines may be indented, and empty lines are ignored. */
export type FeedTexts = Readonly<Record<string, string>>

/** Removes indentation and empty lines from a block of text. */
export function dedent(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return `${lines.filter((line) => line !== '').join('\n')}\n`
}

/** A feed source that reads files from strings, one chunk per file. */
export function textFeed(files: FeedTexts): FeedSource {
  return {
    names: Object.keys(files).sort(),
    open: (name) => {
      const text = files[name]
      if (text === undefined) return undefined
      return (async function* () {
        yield encoder.encode(dedent(text))
      })()
    },
  }
}

/**
 * A valid feed in Europe/Paris that runs daily in 2026. Tram A runs from Gare via Centre to Port and back, and bus 7
 * from Centre to Stade. Centre is a station with two platforms. To keep the feed readable, no direction has more than
 * three trips.
 */
export const SMALL_FEED: FeedTexts = {
  'agency.txt': `
    agency_id,agency_name,agency_url,agency_timezone,agency_lang
    V,Ville,https://ville.example,Europe/Paris,fr`,
  'stops.txt': `
    stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station,wheelchair_boarding,platform_code
    S,,Centre,48.5800,7.7500,1,,1,
    CA,101,Centre,48.5801,7.7501,0,S,,A
    CB,102,Centre,48.5799,7.7499,0,S,2,B
    G,200,Gare,48.5850,7.7350,0,,1,
    P,300,Port du Rhin,48.5750,7.7700,0,,,
    T,400,Stade Élan,48.5900,7.7600,0,,,`,
  'routes.txt': `
    route_id,agency_id,route_short_name,route_long_name,route_type,route_color,route_text_color,route_sort_order
    A,V,A,Gare - Port,0,E10D19,FFFFFF,1
    7,V,7,Centre - Stade,3,,,`,
  'calendar.txt': `
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260101,20261231`,
  'trips.txt': `
    route_id,service_id,trip_id,trip_headsign,direction_id
    A,daily,a1,Port,0
    A,daily,a2,Port,0
    A,daily,a3,Port,0
    A,daily,r1,Gare,1
    A,daily,r2,Gare,1
    7,daily,b1,Stade,0
    7,daily,b2,Stade,0`,
  'stop_times.txt': `
    trip_id,arrival_time,departure_time,stop_id,stop_sequence
    a1,08:00:00,08:00:00,G,1
    a1,08:05:00,08:05:30,CA,2
    a1,08:12:00,08:12:00,P,3
    a2,08:10:00,08:10:00,G,1
    a2,08:15:00,08:15:30,CA,2
    a2,08:22:00,08:22:00,P,3
    a3,23:58:00,23:58:00,G,1
    a3,24:03:00,24:03:30,CA,2
    a3,24:10:00,24:10:00,P,3
    r1,08:00:00,08:00:00,P,1
    r1,08:07:00,08:07:30,CB,2
    r1,08:12:00,08:12:00,G,3
    r2,08:20:00,08:20:00,P,1
    r2,08:27:00,08:27:30,CB,2
    r2,08:32:00,08:32:00,G,3
    b1,08:10:00,08:10:00,CB,1
    b1,08:20:00,08:20:00,T,2
    b2,09:10:00,09:10:00,CB,1
    b2,09:20:00,09:20:00,T,2`,
}

/** The small feed with changed files. @param changes file name → the file's new content; undefined removes the file */
export function smallFeed(changes: Readonly<Record<string, string | undefined>> = {}): FeedSource {
  const files: Record<string, string> = { ...SMALL_FEED }
  for (const [name, text] of Object.entries(changes)) {
    if (text === undefined) delete files[name]
    else files[name] = text
  }
  return textFeed(files)
}
