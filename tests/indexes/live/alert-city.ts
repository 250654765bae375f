// A small timetable for alerts, both as a feed and as the tables below, with helpers to read and query alerts.
import { AlertReader } from '../../../indexes/live/alert-reader.ts'
import { AlertIndex, type NetworkAlerts } from '../../../indexes/live/alerts.ts'
import { findArea } from '../../../indexes/timetable/areas.ts'
import { findLine } from '../../../indexes/timetable/lines.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { AlertReport } from '../../../loaders/gtfs-rt/message.ts'
import { timetableOf } from '../built-feed.ts'

/** The timetable as tables, for the oracle in alert-selectors.test.ts. */
export const AGENCIES = ['V', 'W']
export const LINES = [
  { id: 'A', agency: 'V', type: 0, trips: ['a1', 'a2'] },
  { id: 'M', agency: 'V', type: 1, trips: ['m1'] },
  { id: '7', agency: 'V', type: 3, trips: ['b1'] },
  { id: 'X', agency: 'W', type: 702, trips: ['x1'] },
  { id: 'Y', agency: 'W', type: 704, trips: ['y1'] },
]
export const STOPS = [
  { id: 'CA', area: 'S' },
  { id: 'CB', area: 'S' },
  { id: 'G', area: undefined },
  { id: 'P', area: undefined },
]
/** Route types of buses. */
export const BUS_TYPES = [3, 702, 704]

export const timetable = await timetableOf({
  'agency.txt': `agency_id,agency_name,agency_url,agency_timezone
    V,Ville,https://ville.example,Europe/Paris
    W,Vallée,https://vallee.example,Europe/Paris`,
  'feed_info.txt': `feed_publisher_name,feed_publisher_url,feed_lang
    Ville,https://ville.example,fr`,
  'stops.txt': `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
    S,Centre,48.58,7.75,1,
    CA,Centre,48.5801,7.7501,0,S
    B,,,,4,CA
    E,Entrée,48.5802,7.7502,2,S
    CB,Centre,48.5799,7.7499,0,S
    G,Gare,48.585,7.735,0,
    P,Port,48.575,7.77,0,`,
  'routes.txt': ['route_id,agency_id,route_short_name,route_type']
    .concat(LINES.map(({ id, agency, type }) => `${id},${agency},${id},${type}`))
    .join('\n'),
  'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260101,20261231`,
  'trips.txt': ['route_id,service_id,trip_id']
    .concat(LINES.flatMap(({ id, trips }) => trips.map((trip) => `${id},daily,${trip}`)))
    .join('\n'),
  'stop_times.txt': ['trip_id,arrival_time,departure_time,stop_id,stop_sequence']
    .concat(
      LINES.flatMap(({ trips }) =>
        trips.flatMap((trip) => [`${trip},08:00:00,08:00:00,G,1`, `${trip},08:05:00,08:05:00,CA,2`]),
      ),
    )
    .join('\n'),
})

export const NOW = Date.parse('2026-06-10T06:00:00Z') / 1000
export const basis = { snapshotId: 'snap', timetable }

export function read(...alerts: AlertReport[]) {
  return new AlertReader(basis).read([{ id: 'rt', alerts }], NOW)
}

export function indexOf(alerts: NetworkAlerts): AlertIndex {
  return new AlertIndex(timetable, alerts)
}

export const lineOf = (id: string) => findLine(timetable, id) ?? fail(id)
export const stopOf = (id: string) => findStop(timetable, id) ?? fail(id)
export const areaOf = (id: string) => findArea(timetable, id) ?? fail(id)
export const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()

function fail(id: string): never {
  throw new Error(`the feed lacks ${id}`)
}
