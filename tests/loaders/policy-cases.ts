// Cases of faulty feeds: the change to the small feed, the expected problems with their lines, and the remaining rows.
import { expect, test } from 'bun:test'
import { type FeedChanges, load } from './loaded-feed.ts'

/** Number of rows in each table of the small feed. */
const ALL = {
  agencies: 1,
  stops: 6,
  routes: 2,
  trips: 7,
  calls: 19,
  services: 1,
  shapes: 0,
  frequencies: 0,
  transfers: 0,
  pathways: 0,
}

/** A feed with one fault. */
export interface PolicyCase {
  readonly what: string
  readonly changes: FeedChanges
  /** The problems, each as `action rule file:line field ×count (example)`. */
  readonly reported: readonly string[]
  /** The remaining rows, if they differ from those of the small feed. */
  readonly left?: Partial<typeof ALL>
}

/** Declares one test per case. */
export function checkPolicies(cases: readonly PolicyCase[]): void {
  for (const { what, changes, reported, left } of cases) {
    test(what, async () => {
      const outcome = await load(changes)
      const { feed } = outcome
      const counts = Object.fromEntries(Object.keys(ALL).map((table) => [table, feed[table as keyof typeof ALL].count]))
      expect([outcome.reported, counts]).toEqual([[...reported], { ...ALL, ...left }])
    })
  }
}

/** A file with its header and some lines. */
export function file(name: keyof typeof HEADERS, ...lines: readonly string[]): FeedChanges {
  return { [`${name}.txt`]: [HEADERS[name], ...lines].join('\n') }
}

const HEADERS = {
  shapes: 'shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled',
  transfers:
    'from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time',
  pathways: 'pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional,length,traversal_time,stair_count',
  frequencies: 'trip_id,start_time,end_time,headway_secs,exact_times',
  calendar_dates: 'service_id,date,exception_type',
}
