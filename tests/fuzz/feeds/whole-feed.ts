// The feeds that are mutated: the small feed, a feed with almost every kind of file and row that the loader reads, and,
// if the corpus of faulty feeds exists, some of its small feeds.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FeedSource } from '../../../loaders/gtfs/feed.ts'
import { below, type Random } from '../../../src/demo/seeded-random.ts'
import { dedent, type FeedTexts, SMALL_FEED } from '../../feeds/text-feed.ts'
import { REAL_FEEDS } from '../../size.ts'
import type { FeedFiles } from './mutations.ts'

/**
 * The small feed with optional content added: shapes, frequencies, transfers, calendar exceptions, fares, on-demand
 * zones and more.
 */
export const WHOLE_FEED: FeedTexts = {
  ...SMALL_FEED,
  'stops.txt': `${SMALL_FEED['stops.txt']}
    E1,,Entrée,48.5802,7.7502,2,S,,
    N1,,,,,3,S,,
    B1,,,,,4,CA,,`,
  'calendar_dates.txt': `
    service_id,date,exception_type
    daily,20260714,2
    extra,20260714,1
    extra,20260715,1`,
  'shapes.txt': `
    shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled
    sa,48.5850,7.7350,1,0
    sa,48.5801,7.7501,2,1.2
    sa,48.5750,7.7700,3,2.9
    sb,48.5799,7.7499,1,
    sb,48.5900,7.7600,5,`,
  'trips.txt': `
    route_id,service_id,trip_id,trip_headsign,direction_id,block_id,shape_id,wheelchair_accessible,bikes_allowed
    A,daily,a1,Port,0,k1,sa,1,1
    A,daily,a2,Port,0,,sa,,
    A,extra,a3,Port,0,k2,sa,2,2
    A,daily,r1,Gare,1,k1,,1,
    A,daily,r2,,,,,,
    7,daily,b1,Stade,0,,sb,,
    7,daily,b2,Stade,0,,,,
    7,daily,f1,Zone,0,,,,`,
  'stop_times.txt': `
    trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled,timepoint,location_id,start_pickup_drop_off_window,end_pickup_drop_off_window
    a1,08:00:00,08:00:00,G,1,,0,0,0,1,,,
    a1,,,CA,2,via Port,,,1.2,0,,,
    a1,08:12:00,08:12:00,P,3,,1,0,2.9,1,,,
    a2,08:10:00,08:10:00,G,1,,,,,,,,
    a2,08:15:00,08:15:30,B1,2,,3,2,,,,,
    a2,08:22:00,08:22:00,P,3,,,,,,,,
    a3,23:58:00,23:58:00,G,10,,,,,,,,
    a3,24:03:00,24:03:30,CA,20,,,,,,,,
    a3,24:10:00,24:10:00,P,30,,,,,,,,
    r1,08:13:00,08:13:00,P,1,,,,,,,,
    r1,08:17:00,08:17:30,CB,2,,,,,,,,
    r1,08:22:00,08:22:00,G,3,,,,,,,,
    r2,08:20:00,08:20:00,P,1,,,,,,,,
    r2,,,CB,2,,,,,,,,
    r2,,,CA,3,,,,,,,,
    r2,08:32:00,08:32:00,G,4,,,,,,,,
    b1,08:10:00,08:10:00,CB,1,,,,,,,,
    b1,08:20:00,08:20:00,T,2,,,,,,,,
    b2,09:10:00,09:10:00,CB,1,,,,,,,,
    b2,09:20:00,09:20:00,T,2,,,,,,,,
    f1,,,,1,,2,1,,,zone,08:00:00,18:00:00
    f1,,,,2,,1,2,,,zone,08:00:00,18:00:00`,
  'frequencies.txt': `
    trip_id,start_time,end_time,headway_secs,exact_times
    b2,06:00:00,10:00:00,600,0
    b2,10:00:00,26:00:00,1200,1`,
  'transfers.txt': `
    from_stop_id,to_stop_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time
    CA,CB,,,2,120
    S,T,,,0,
    P,P,a1,r1,4,`,
  'feed_info.txt': `
    feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version
    Ville,https://ville.example,fr,20260101,20261231,1`,
  'attributions.txt': `
    organization_name,is_producer,is_operator,is_authority,attribution_url
    Ville,1,0,0,https://ville.example`,
  'fare_attributes.txt': `
    fare_id,price,currency_type,payment_method,transfers
    f,1.80,EUR,0,`,
  'levels.txt': `
    level_id,level_index
    l0,0`,
}

const encoder = new TextEncoder()

/** Encodes the files of a text feed as bytes. */
export function bytesOfFeed(texts: FeedTexts): FeedFiles {
  return new Map(Object.entries(texts).map(([name, text]) => [name, encoder.encode(dedent(text))]))
}

/** Small feeds in the corpus of faulty feeds. Their names describe what they contain. */
const REAL_FOLDERS = [
  'transitfeed/good_feed',
  'transitfeed/contains_null',
  'transitfeed/missing_endpoint_times',
  'transitland-examples/example',
  'transitland-layers/base',
]

/** The feeds that are to be mutated, by name. */
export function listSeedFeeds(): ReadonlyMap<string, FeedFiles> {
  const feeds = new Map([
    ['small', bytesOfFeed(SMALL_FEED)],
    ['whole', bytesOfFeed(WHOLE_FEED)],
  ])
  const bad = badFeedsFolder()
  if (bad === undefined) return feeds
  for (const folder of REAL_FOLDERS.filter((each) => existsSync(join(bad, each)))) {
    const names = readdirSync(join(bad, folder)).filter((name) => name.endsWith('.txt'))
    feeds.set(folder, new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(bad, folder, name)))])))
  }
  return feeds
}

/** The folder with the corpus of faulty feeds, in the folder QUAI_FEEDS or next to that; undefined if absent. */
export function badFeedsFolder(): string | undefined {
  if (REAL_FEEDS === undefined) return undefined
  return [join(REAL_FEEDS, 'gtfs-bad'), join(REAL_FEEDS, '..', 'gtfs-bad')].find((path) => existsSync(path))
}

/** A source that reads a feed from memory, in chunks of random lengths. */
export function memorySource(files: FeedFiles, random: Random): FeedSource {
  return {
    names: [...files.keys()].sort(),
    open: (name) => {
      const bytes = files.get(name)
      return bytes === undefined ? undefined : inChunks(bytes, random)
    },
  }
}

async function* inChunks(bytes: Uint8Array, random: Random): AsyncGenerator<Uint8Array> {
  const most = random() < 0.5 ? bytes.length : 1 + below(random, 200)
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + below(random, most)
    yield bytes.slice(at, at + length)
    at += length
  }
}
