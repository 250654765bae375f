// Tests validator errors in files that departures do not depend on: fares, flex, pathways and translations. There is
// one feed for each notice, and one for each broken form of each optional file. Fails if a feed loses a trip.
import { describe, expect, test } from 'bun:test'
import { CARRIED_FILES } from '../../loaders/gtfs/feed.ts'
import { smallFeed } from '../feeds/text-feed.ts'
import { added, type FeedChanges, load, loadSource } from './loaded-feed.ts'

const WHOLE = { stops: 6, routes: 2, trips: 7, calls: 19 }

async function countsOf(changes: FeedChanges) {
  const { feed, problems } = await load(changes)
  const dropped = [...problems.files].filter(([, counts]) => counts.dropped > 0).map(([file]) => file)
  const { stops, routes, trips, calls } = feed
  return { stops: stops.count, routes: routes.count, trips: trips.count, calls: calls.count, dropped }
}

const TRANSFER_RULE =
  'from_leg_group_id,to_leg_group_id,transfer_count,duration_limit,duration_limit_type,fare_transfer_type,fare_product_id'
const BOOKING =
  'booking_rule_id,booking_type,prior_notice_duration_min,prior_notice_duration_max,prior_notice_last_day,prior_notice_last_time,prior_notice_start_day,prior_notice_start_time'
const PATHWAY = 'pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional'
const TIMEFRAME = 'timeframe_group_id,start_time,end_time,service_id'
const TRANSLATION = 'table_name,field_name,language,translation,record_id,record_sub_id,field_value'

const rule = (row: string): FeedChanges => ({ 'fare_transfer_rules.txt': `${TRANSFER_RULE}\n${row}` })
const booking = (row: string): FeedChanges => ({ 'booking_rules.txt': `${BOOKING}\n${row}` })
const pathway = (...rows: readonly string[]): FeedChanges => ({ 'pathways.txt': [PATHWAY, ...rows].join('\n') })
const timeframes = (...rows: readonly string[]): FeedChanges => ({ 'timeframes.txt': [TIMEFRAME, ...rows].join('\n') })
const translation = (row: string): FeedChanges => ({ 'translations.txt': `${TRANSLATION}\n${row}` })
const zones = (json: unknown): FeedChanges => ({
  'locations.geojson': typeof json === 'string' ? json : JSON.stringify(json),
})
const SQUARE = [[7, 48], [8, 48], [8, 49], [7, 48]] // biome-ignore format: a ring
const zone = (id: string, geometry: unknown, type = 'Feature') => ({ type, id, properties: {}, geometry })
const polygon = { type: 'Polygon', coordinates: [SQUARE] }
const collection = (...features: readonly unknown[]) => ({ type: 'FeatureCollection', features })

describe('a feed is complete with', () => {
  const NOTICES: Readonly<Record<string, FeedChanges>> = {
    invalid_currency: { 'fare_attributes.txt': 'fare_id,price,currency_type,payment_method,transfers\nF,2,EURO,0,0' },
    invalid_currency_amount: {
      'fare_products.txt': 'fare_product_id,fare_product_name,amount,currency\nF,Single,2.345,EUR',
    },
    duplicate_fare_rule_zone_id_fields: { 'fare_rules.txt': 'fare_id,route_id,origin_id\nF,A,Z\nF,A,Z' },
    fare_product_with_multiple_default_rider_categories: {
      'rider_categories.txt': 'rider_category_id,rider_category_name,is_default_fare_category\nR,One,1\nS,Two,1',
    },
    fare_transfer_rule_duration_limit_type_without_duration_limit: rule('L,M,,,1,0,F'),
    fare_transfer_rule_duration_limit_without_type: rule('L,M,,3600,,0,F'),
    fare_transfer_rule_invalid_transfer_count: rule('L,L,0,,,0,F'),
    fare_transfer_rule_missing_transfer_count: rule('L,L,,,,0,F'),
    fare_transfer_rule_with_forbidden_transfer_count: rule('L,M,2,,,0,F'),
    route_networks_specified_in_more_than_one_file: {
      'networks.txt': 'network_id,network_name\nN,Net',
      'route_networks.txt': 'network_id,route_id\nN,A\nN,A\nX,Y',
    },
    timeframe_only_start_or_end_time_specified: timeframes('T,8:00:00,,daily'),
    timeframe_overlap: timeframes('T,8:00:00,10:00:00,daily', 'T,9:00:00,11:00:00,daily'),
    timeframe_start_or_end_time_greater_than_twenty_four_hours: timeframes('T,8:00:00,25:00:00,daily'),
    forbidden_prior_day_booking_field_value: booking('B,2,30,,1,12:00:00,,'),
    forbidden_prior_notice_start_day: booking('B,1,30,60,,,2,'),
    forbidden_prior_notice_start_time: booking('B,1,30,,,,,8:00:00'),
    forbidden_real_time_booking_field_value: booking('B,0,30,,,,,'),
    forbidden_same_day_booking_field_value: booking('B,1,30,,1,,,'),
    invalid_prior_notice_duration_min: booking('B,1,60,30,,,,'),
    missing_prior_notice_duration_min: booking('B,1,,,,,,'),
    missing_prior_notice_last_day: booking('B,2,,,,12:00:00,,'),
    missing_prior_notice_last_time: booking('B,2,,,1,,,'),
    missing_prior_notice_start_time: booking('B,2,,,1,12:00:00,7,'),
    prior_notice_last_day_after_start_day: booking('B,2,,,7,12:00:00,1,8:00:00'),
    bidirectional_exit_gate: pathway('W,CA,CB,7,1'),
    missing_level_id: pathway('W,CA,CB,5,1'),
    pathway_to_platform_with_boarding_areas: pathway('W,CA,CB,1,1'),
    pathway_dangling_generic_node: pathway('W,CA,CA,1,0'),
    pathway_unreachable_location: pathway('W,CA,CB,1,0'),
    translation_foreign_key_violation: translation('stops,stop_name,de,Bahnhof,nowhere,,'),
    translation_unexpected_value: translation('feed_info,feed_publisher_name,de,Stadt,x,y,z'),
    translation_unknown_table_name: translation('nothing,stop_name,de,Bahnhof,G,,'),
    malformed_json: zones('{"type": "FeatureCollection", "features": ['),
    missing_required_element: zones({ type: 'FeatureCollection' }),
    unsupported_geo_json_type: zones(zone('z', polygon)),
    unsupported_feature_type: zones(collection(zone('z', polygon, 'Thing'))),
    unsupported_geometry_type: zones(collection(zone('z', { type: 'Point', coordinates: [7, 48] }))),
    invalid_geometry: zones(collection(zone('z', { type: 'Polygon', coordinates: [[[7, 48]]] }))),
    duplicate_geo_json_key: zones(collection(zone('z', polygon), zone('z', polygon))),
    duplicate_geography_id: zones(collection(zone('G', polygon))),
    geo_json_duplicated_element: zones('{"type": "FeatureCollection", "type": "FeatureCollection", "features": []}'),
    u_r_i_syntax_error: {
      'attributions.txt': 'organization_name,is_producer,attribution_url\nV,1,http://[bad',
    },
  }
  for (const [notice, changes] of Object.entries(NOTICES)) {
    test(notice, async () => expect(await countsOf(changes)).toEqual({ ...WHOLE, dropped: [] }))
  }
})

describe('trips with fixed calls are complete next to a flexible trip with', () => {
  const FLEX =
    'trip_id,arrival_time,departure_time,stop_id,location_id,stop_sequence,start_pickup_drop_off_window,end_pickup_drop_off_window,pickup_type,drop_off_type,shape_dist_traveled,continuous_pickup'
  const NOTICES: Readonly<Record<string, string>> = {
    forbidden_arrival_or_departure_time: 'f,8:00:00,8:00:00,,z,1,8:00:00,9:00:00,2,2,,',
    forbidden_continuous_pickup_drop_off: 'f,,,,z,1,8:00:00,9:00:00,2,2,,0',
    forbidden_pickup_type: 'f,,,,z,1,8:00:00,9:00:00,0,2,,',
    forbidden_drop_off_type: 'f,,,,z,1,8:00:00,9:00:00,2,0,,',
    forbidden_geography_id: 'f,,,G,z,1,8:00:00,9:00:00,2,2,,',
    forbidden_shape_dist_traveled: 'f,,,,z,1,8:00:00,9:00:00,2,2,5,',
    invalid_pickup_drop_off_window: 'f,,,,z,1,9:00:00,8:00:00,2,2,,',
    missing_pickup_or_drop_off_window: 'f,,,,z,1,8:00:00,,2,2,,',
    overlapping_zone_and_pickup_drop_off_window: 'f,,,,z,1,8:00:00,9:00:00,2,2,,\nf,,,,z,2,8:30:00,9:30:00,2,2,,',
  }
  const FIXED = 'a1,8:00:00,8:00:00,G,,1,,,,,,\na1,8:10:00,8:10:00,P,,2,,,,,,'
  for (const [notice, row] of Object.entries(NOTICES)) {
    test(notice, async () => {
      const counts = await countsOf({
        ...added('trips.txt', 'A,daily,f,,'),
        'stop_times.txt': [FLEX, FIXED, row].join('\n'),
      })
      expect(counts).toEqual({ ...WHOLE, trips: 1, calls: 2, dropped: [] })
    })
  }
})

describe('each optional file may be', () => {
  const OPTIONAL = [
    ...CARRIED_FILES,
    'pathways.txt',
    ...['attributions.txt', 'feed_info.txt', 'translations.txt', 'booking_rules.txt', 'locations.geojson'],
    ...['location_groups.txt', 'location_group_stops.txt', 'vehicles.txt', 'notes.txt', 'README'],
  ]
  const bytes = (...parts: readonly (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part))))
  const FORMS: Readonly<Record<string, Uint8Array>> = {
    empty: bytes(''),
    'a single byte': bytes('x'),
    'a header alone': bytes('network_id,area_id,level_id\n'),
    'without the columns it must have': bytes('anything\n1\n2\n'),
    'with a duplicate column': bytes('level_id,level_id\n1,2\n'),
    'with columns that have no name': bytes(',,\n1,2,3\n'),
    'with rows of any width': bytes('level_id,level_index\n1\n1,2,3,4\n,\n1,2,,,\n'),
    'with a quote that stays open': bytes('level_id,level_index\n"1,2\n3,4\n'),
    'with quotes in the middle': bytes('level_id,level_index\n1"2"3,"4"5\n'),
    'in UTF-16': bytes([0xff, 0xfe], [...Buffer.from('level_id\n1\n', 'utf16le')]),
    'with bytes that are not UTF-8': bytes('level_id,level_name\n1,', [0xc3, 0x28, 0xff], '\n'),
    'with NUL and control characters': bytes('level_id,level_name\n1,', [0, 1, 0x1b, 0x5b, 0x32, 0x4a], '\n'),
    'an endless field': bytes(`level_id\n${'x'.repeat(70_000)}\n`),
    'an endless row': bytes(`level_id\n${'x,'.repeat(600_000)}\n`),
    'one with a thousand columns': bytes(`${Array.from({ length: 1000 }, (_, i) => `c${i}`).join(',')}\n1\n`),
    'a zip': bytes('PK', [3, 4, 20, 0, 0, 0, 8, 0], 'stops.txt', [0, 0xff, 0x10]),
  }
  for (const [form, content] of Object.entries(FORMS)) {
    test(form, async () => {
      for (const file of OPTIONAL) {
        const small = smallFeed()
        const source = {
          names: [...small.names, file],
          open: (name: string) => (name === file ? chunksOf(content) : small.open(name)),
        }
        const { feed } = await loadSource(source)
        const { stops, routes, trips, calls } = feed
        const counts = { stops: stops.count, routes: routes.count, trips: trips.count, calls: calls.count }
        expect([file, counts]).toEqual([file, WHOLE])
      }
    })
  }

  async function* chunksOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536)
  }
})

test('the small feed is complete', async () => expect(await countsOf({})).toEqual({ ...WHOLE, dropped: [] }))
