// A timetable whose stops are linked to streets. The positions of stops are given in meters, and the streets as text.
import { buildStopLinks } from '../../../indexes/streets/build-links.ts'
import { pointOfStop, type StopLinks } from '../../../indexes/streets/stop-links.ts'
import type { WalkProfile } from '../../../indexes/streets/street-snap.ts'
import { openStreetSearch, StreetWalks } from '../../../indexes/streets/street-walks.ts'
import { buildTimetable } from '../../../indexes/timetable/build-timetable.ts'
import { findStop } from '../../../indexes/timetable/stops.ts'
import type { StopIndex, Timetable } from '../../../indexes/timetable/timetable.ts'
import { nextIndex } from '../../../loaders/columns.ts'
import { loadFeed } from '../../../loaders/gtfs/load-feed.ts'
import { textOf } from '../../../loaders/strings.ts'
import { textFeed } from '../../feeds/text-feed.ts'
import { at, loadMap, MadeStreets, readMap } from './made-streets.ts'

/** Stop → meters to the east and to the north, and optionally more columns of stops.txt. */
export type PlacedStops = Readonly<Record<string, readonly [number, number, StopColumns?]>>

interface StopColumns {
  readonly code?: string
  readonly name?: string
  readonly platform?: string
  /** location_type and parent_station. */
  readonly type?: number
  readonly parent?: string
}

/**
 * A timetable of these stops. One trip calls at all of them except stations and entrances.
 * @param pathways rows of pathways.txt
 */
export async function timetableOf(stops: PlacedStops, pathways: readonly string[] = []): Promise<Timetable> {
  const rows = Object.entries(stops).map(([id, [x, y, columns = {}]]) => {
    const { lat, lon } = at(x, y)
    const { code = '', name = id, platform = '', type = 0, parent = '' } = columns
    return [id, code, name, lat.toFixed(9), lon.toFixed(9), type, parent, platform].join(',')
  })
  const calls = Object.keys(stops).filter((id) => (stops[id]?.[2]?.type ?? 0) === 0)
  const { feed } = await loadFeed(
    textFeed({
      'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nV,V,https://v.example,Europe/Paris',
      'stops.txt': [
        'stop_id,stop_code,stop_name,stop_lat,stop_lon,location_type,parent_station,platform_code',
        ...rows,
      ].join('\n'),
      'routes.txt': 'route_id,agency_id,route_short_name,route_type\n1,V,1,3',
      'calendar.txt':
        'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\ndaily,1,1,1,1,1,1,1,20260101,20261231',
      'trips.txt': 'route_id,service_id,trip_id\n1,daily,t',
      'stop_times.txt': [
        'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
        ...calls.map((id, at) => `t,08:${10 + at}:00,08:${10 + at}:00,${id},${at}`),
      ].join('\n'),
      ...(pathways.length === 0
        ? {}
        : {
            'pathways.txt': [
              'pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional,traversal_time',
              ...pathways.map((row, at) => `p${at},${row}`),
            ].join('\n'),
          }),
    }),
  )
  return buildTimetable(feed)
}

/** A timetable whose stops are linked to streets. */
export class LinkedFeed {
  readonly timetable: Timetable
  readonly streets: MadeStreets
  readonly links: StopLinks
  readonly unlinkedIds: readonly string[]

  constructor(timetable: Timetable, map: string, transferWalkMeters = 500) {
    this.timetable = timetable
    this.streets = new MadeStreets(loadMap(readMap(map)))
    const built = buildStopLinks(this.streets.graph, timetable, transferWalkMeters)
    this.links = built.links
    this.unlinkedIds = built.unlinkedIds
  }

  static async of(stops: PlacedStops, map: string, pathways: readonly string[] = []): Promise<LinkedFeed> {
    return new LinkedFeed(await timetableOf(stops, pathways), map)
  }

  walks(profile: WalkProfile = 'foot'): StreetWalks {
    return new StreetWalks(this.timetable, openStreetSearch(this.streets.graph), { links: this.links, profile })
  }

  stop(id: string): StopIndex {
    const stop = findStop(this.timetable, id)
    if (stop === undefined) throw new Error(`there is no stop ${id}`)
    return stop
  }

  /** The names of the streets that a stop is linked to. */
  linkedTo(id: string): string[] {
    const { linkOffset, edge } = this.links.foot
    const point = pointOfStop(this.stop(id))
    const { graph } = this.streets
    const names: string[] = []
    for (let link = linkOffset[point]; link < linkOffset[nextIndex(point)]; link = nextIndex(link)) {
      names.push(textOf(graph.names, graph.edgeName[edge[link]]))
    }
    return names
  }
}
