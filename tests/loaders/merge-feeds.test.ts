// Tests several feeds as one network: ids, references, services, strings and problems in the joined tables. Fails if a
// row from one feed refers to another feed, if feeds share items that only have the same name, or if an id is ambiguous
// for clients.
import { describe, expect, test } from 'bun:test'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import { FeedRefused } from '../../loaders/feed-problems.ts'
import type { Feed } from '../../loaders/gtfs/feed.ts'
import { excessiveDrops, loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { type FeedPart, loadFeeds } from '../../loaders/gtfs/load-feeds.ts'
import { smallFeed, textFeed } from '../feeds/text-feed.ts'
import { findFeedFaults, findProblemFaults, findTimetableFaults } from '../fuzz/feeds/invariants.ts'
import { WHOLE_FEED } from '../fuzz/feeds/whole-feed.ts'
import { callsByTrip, daysByService, type FeedChanges, numbersOf, replaced, textsOf } from './loaded-feed.ts'

/** The small feed with changes, as one of the feeds of a network. */
function part(label: string, prefix: string, changes: FeedChanges = {}): FeedPart {
  return { source: smallFeed(changes), prefix, label }
}

async function load(...parts: readonly FeedPart[]): Promise<Feed> {
  return (await loadFeeds(parts)).feed
}

async function refusalOf(parts: readonly FeedPart[], options: { timezone?: string } = {}): Promise<string> {
  try {
    await loadFeeds(parts, options)
  } catch (error) {
    if (error instanceof FeedRefused) return error.message
    throw error
  }
  return 'not refused'
}

/** The id of the row that each reference points to; `-` for none. */
function led(feed: Feed, column: { readonly length: number }, ids: { readonly length: number }): string[] {
  const texts = textsOf(feed, ids)
  return numbersOf(column).map((row) => texts[row] ?? '-')
}

/** The strings in a column of a table in `feed.carried`. */
function carried(feed: Feed, file: string, column: string): string[] {
  const table = feed.carried.find(({ name }) => name === file)
  return textsOf(feed, table?.columns.find(({ name }) => name === column)?.values ?? [])
}

const TWO_TRIPS = {
  'agency.txt': 'agency_id,agency_name,agency_url,agency_timezone\nN,Nord,https://nord.example,Europe/Paris',
  'stops.txt': 'stop_id,stop_name,stop_lat,stop_lon\nx,Nord,48.6,7.7\ny,Sud,48.5,7.7',
  'routes.txt': 'route_id,agency_id,route_short_name,route_type\nN,N,N,3',
  'calendar.txt': undefined,
  'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20261231,1\ndaily,20270102,1',
  'trips.txt': 'route_id,service_id,trip_id,block_id,shape_id\nN,daily,n1,1,sh\nN,daily,n2,1,sh',
  'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence,shape_dist_traveled
    n1,09:00:00,09:00:00,x,1,0
    n1,09:10:00,09:10:00,y,2,5
    n2,10:00:00,10:00:00,y,1,
    n2,10:10:00,10:10:00,x,2,`,
  'shapes.txt': `shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled
    sh,48.6,7.7,1,0
    sh,48.5,7.7,2,5`,
} satisfies FeedChanges

describe('a single feed', () => {
  test('without a prefix is unchanged', async () => {
    const alone = await loadFeed(smallFeed())
    const { feed, problems } = await loadFeeds([part('small', '')])
    expect(feed).toEqual(alone.feed)
    expect([...problems.files]).toEqual([...alone.problems.files])
  })

  test('with a prefix has it on the ids that clients see, and nowhere else', async () => {
    const alone = (await loadFeed(smallFeed())).feed
    const feed = await load(
      part('small', 'v-', { 'levels.txt': 'level_id\nL1', 'stop_areas.txt': 'area_id,stop_id\nz,CA' }),
    )
    expect(textsOf(feed, feed.stops.id)).toEqual(['v-S', 'v-CA', 'v-CB', 'v-G', 'v-P', 'v-T'])
    expect(textsOf(feed, feed.routes.id)).toEqual(['v-A', 'v-7'])
    expect(textsOf(feed, feed.trips.id)).toEqual(textsOf(alone, alone.trips.id).map((id) => `v-${id}`))
    expect(textsOf(feed, feed.stops.name)).toEqual(textsOf(alone, alone.stops.name))
    expect([textsOf(feed, feed.services.id), textsOf(feed, feed.agencies.id)]).toEqual([['daily'], ['V']])
    expect(carried(feed, 'levels.txt', 'level_id')).toEqual(['L1'])
    expect([carried(feed, 'stop_areas.txt', 'stop_id'), carried(feed, 'stop_areas.txt', 'area_id')]).toEqual([
      ['v-CA'],
      ['z'],
    ])
  })

  test('a network without feeds is impossible', async () => {
    await expect(loadFeeds([])).rejects.toThrow('the network has no feeds')
  })
})

describe('two feeds', () => {
  test('are concatenated, and every reference keeps its target', async () => {
    const feed = await load(part('ville', ''), part('nord', 'n-', TWO_TRIPS))
    expect(feed.stopOffsetOfFeed).toEqual([0, 6, 8])
    expect(textsOf(feed, feed.stops.id)).toEqual(['S', 'CA', 'CB', 'G', 'P', 'T', 'n-x', 'n-y'])
    expect(led(feed, feed.stops.parent, feed.stops.id)).toEqual(['-', 'S', 'S', '-', '-', '-', '-', '-'])
    expect(led(feed, feed.routes.agency, feed.agencies.name)).toEqual(['Ville', 'Ville', 'Nord'])
    expect(led(feed, feed.trips.route, feed.routes.id)).toEqual(['A', 'A', 'A', 'A', 'A', '7', '7', 'n-N', 'n-N'])
    expect(led(feed, feed.trips.shape, feed.shapes.id).slice(-3)).toEqual(['-', '1:sh', '1:sh'])
    const calls = callsByTrip((await loadFeed(smallFeed())).feed)
    expect(callsByTrip(feed)).toEqual({
      ...calls,
      'n-n1': 'n-x 09:00:00, n-y 09:10:00',
      'n-n2': 'n-y 10:00:00, n-x 10:10:00',
    })
    // In reverse order, the feed that was first comes second, so its rows get other numbers. References must still point
    // to the same rows.
    const turned = await load(part('nord', 'n-', TWO_TRIPS), part('ville', ''))
    expect(led(turned, turned.trips.shape, turned.shapes.id).slice(0, 3)).toEqual(['0:sh', '0:sh', '-'])
    expect(led(turned, turned.stops.parent, turned.stops.id)).toEqual(['-', '-', '-', 'S', 'S', '-', '-', '-'])
    expect(callsByTrip(turned)).toEqual(callsByTrip(feed))
  })

  test('each keep their days, within the days of both', async () => {
    const feed = await load(part('ville', ''), part('nord', 'n-', TWO_TRIPS))
    const days = daysByService(feed)
    expect(Object.keys(days)).toEqual(['0:daily', '1:daily'])
    expect([days['0:daily']?.length, days['0:daily']?.[0], days['0:daily']?.at(-1)]).toEqual([
      365,
      '2026-01-01',
      '2026-12-31',
    ])
    expect(days['1:daily']).toEqual(['2026-12-31', '2027-01-02'])
    // 365 days of 2026, and the first two days of 2027.
    expect([feed.services.dayCount, feed.services.bytesPerService]).toEqual([367, 46])
    // The span of days starts with the earliest day of all feeds, even if a feed's calendar is in the past.
    const past = { ...TWO_TRIPS, 'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20251230,1' }
    const earlier = await load(part('ville', ''), part('nord', 'n-', past))
    expect([earlier.services.dayCount, daysByService(earlier)['1:daily']]).toEqual([367, ['2025-12-30']])
    expect(daysByService(earlier)['0:daily']).toEqual(days['0:daily'] ?? [])
  })

  test('days too far from the first day are ignored and reported', async () => {
    const far = {
      ...TWO_TRIPS,
      'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20260105,1\ndaily,21340101,1',
    }
    const early = {
      'calendar.txt': undefined,
      'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20200101,1',
    }
    const { feed, problems } = await loadFeeds([part('early', '', early), part('far', 'n-', far)])
    expect(feed.services.dayCount).toBe(40_000)
    expect(daysByService(feed)).toEqual({ '0:daily': ['2020-01-01'], '1:daily': ['2026-01-05'] })
    expect(problems.list().map(({ rule, file }) => `${rule} ${file}`)).toEqual(['number_out_of_range far/calendar.txt'])
  })

  test('share no block, zone, level, fare, shape or service, and carried rows join as before', async () => {
    const changes = {
      ...TWO_TRIPS,
      'stops.txt': 'stop_id,stop_name,stop_lat,stop_lon,zone_id,level_id\nx,Nord,48.6,7.7,Z,L\ny,Sud,48.5,7.7,,',
      'levels.txt': 'level_id,level_index\nL,0',
      'fare_attributes.txt': 'fare_id,price,agency_id\nf,2,N',
      'fare_rules.txt': 'fare_id,route_id,origin_id\nf,N,Z\nf,,',
      'networks.txt': 'network_id,direction_id\nnet,1',
    }
    const bare = { ...changes, 'fare_rules.txt': undefined }
    const feed = await load(
      part('a', 'a-', changes),
      part('b', 'b-', { ...bare, 'levels.txt': 'level_id,level_name,feed_ordinal\nL,Rue,9' }),
    )
    expect(textsOf(feed, feed.trips.blockId)).toEqual(['0:1', '0:1', '1:1', '1:1'])
    expect([textsOf(feed, feed.stops.zoneId), textsOf(feed, feed.stops.levelId)]).toEqual([
      ['0:Z', '', '1:Z', ''],
      ['0:L', '', '1:L', ''],
    ])
    expect(textsOf(feed, feed.agencies.id)).toEqual(['0:N', '1:N'])
    expect(carried(feed, 'levels.txt', 'level_id')).toEqual(['0:L', '1:L'])
    expect([carried(feed, 'levels.txt', 'level_index'), carried(feed, 'levels.txt', 'level_name')]).toEqual([
      ['0', ''],
      ['', 'Rue'],
    ])
    expect(carried(feed, 'fare_attributes.txt', 'agency_id')).toEqual(['0:N', '1:N'])
    // A fare rule without a route applies only to its own feed. A column with the feed's number identifies that feed.
    expect(feed.carried.find(({ name }) => name === 'fare_rules.txt')?.columns.map(({ name }) => name)).toEqual([
      'fare_id',
      'route_id',
      'origin_id',
      'feed_ordinal',
    ])
    expect(carried(feed, 'fare_rules.txt', 'route_id')).toEqual(['a-N', ''])
    expect(carried(feed, 'fare_rules.txt', 'origin_id')).toEqual(['0:Z', ''])
    expect(carried(feed, 'fare_rules.txt', 'feed_ordinal')).toEqual(['0', '0'])
    expect(carried(feed, 'levels.txt', 'feed_ordinal')).toEqual(['0', '1'])
    expect(carried(feed, 'networks.txt', 'direction_id')).toEqual(['1', '1'])
  })

  test('agencies without an id stay separate', async () => {
    const nameless = { 'agency.txt': 'agency_name,agency_url,agency_timezone\nSeul,https://a.example,Europe/Paris' }
    const feed = await load(part('a', 'a-', nameless), part('b', 'b-', nameless))
    expect(textsOf(feed, feed.agencies.id)).toEqual(['0:', '1:'])
  })

  test('distances that one feed lacks are missing in its rows', async () => {
    const feed = await load(part('ville', ''), part('nord', 'n-', TWO_TRIPS))
    expect(numbersOf(feed.calls.shapeDistance ?? [])).toEqual([
      ...Array(19).fill(Number.NaN),
      0,
      5,
      Number.NaN,
      Number.NaN,
    ])
    expect(numbersOf(feed.shapes.distance ?? [])).toEqual([0, 5])
    const both = await load(part('ville', ''), part('other', 'o-'))
    expect([both.calls.shapeDistance, both.shapes.distance]).toEqual([undefined, undefined])
  })

  test('frequencies and transfers refer to their own trips, stops and routes', async () => {
    const more = (trip: string, from: string, to: string): FeedChanges => ({
      'frequencies.txt': `trip_id,start_time,end_time,headway_secs\n${trip},10:00:00,11:00:00,600`,
      'transfers.txt': `from_stop_id,to_stop_id,from_trip_id,transfer_type\n${from},${to},,2\n${from},${from},${trip},1`,
    })
    const feed = await load(
      part('ville', '', more('a1', 'G', 'T')),
      part('nord', 'n-', { ...TWO_TRIPS, ...more('n2', 'y', 'x') }),
    )
    const { frequencies, transfers } = feed
    expect(led(feed, frequencies.trip, feed.trips.id)).toEqual(['a1', 'n-n2'])
    expect(led(feed, transfers.fromStop, feed.stops.id)).toEqual(['G', 'G', 'n-y', 'n-y'])
    expect(led(feed, transfers.toStop, feed.stops.id)).toEqual(['T', 'G', 'n-x', 'n-y'])
    expect(led(feed, transfers.fromTrip, feed.trips.id)).toEqual(['-', 'a1', '-', 'n-n2'])
    expect(numbersOf(transfers.type)).toEqual([2, 1, 2, 1])
  })

  test('are both credited; the first value of each field counts, and the days cover all feeds', async () => {
    const info = (name: string, rest: string): FeedChanges => ({
      'feed_info.txt': `feed_publisher_name,feed_publisher_url,feed_lang,feed_start_date,feed_end_date,feed_version\n${name},https://${name}.example,${rest}`,
      'attributions.txt': `organization_name,is_producer\nData ${name},1`,
    })
    const feed = await load(
      part('a', 'a-'),
      part('b', 'b-', info('ville', ',20260201,,')),
      part('c', 'c-', info('nord', 'fr,20260101,20260630,v2')),
    )
    expect(feed.info).toEqual({
      publisherName: 'ville',
      publisherUrl: 'https://ville.example',
      lang: 'fr',
      version: 'v2',
      startDate: 20260101,
      endDate: 20260630,
    })
    expect(feed.publishers).toEqual(['ville', 'nord'])
    expect(feed.attributions.map(({ organizationName }) => organizationName)).toEqual(['Data ville', 'Data nord'])
    expect((await load(part('a', 'a-'), part('b', 'b-'))).info).toBeUndefined()
  })
})

test('every rule for a single feed also applies to three', async () => {
  const whole = (prefix: string) => ({ source: textFeed(WHOLE_FEED), prefix, label: 'whole' })
  const { feed, problems } = await loadFeeds([whole(''), part('nord', 'n-', TWO_TRIPS), whole('w-')])
  const faults = [...findFeedFaults(feed), ...findProblemFaults(problems), ...findTimetableFaults(buildTimetable(feed))]
  expect(faults).toEqual([])
  const one = (await loadFeed(textFeed(WHOLE_FEED))).feed
  expect(feed.trips.count).toBe(2 * one.trips.count + 2)
  expect(feed.carried.map(({ name, count }) => [name, count])).toEqual(
    one.carried.map(({ name, count }) => [name, 2 * count]),
  )
})

describe('problems of several feeds', () => {
  test('name each file with its feed, and are counted per feed', async () => {
    const lossy = replaced(
      'stop_times.txt',
      'b2,09:20:00,09:20:00,T,2',
      'b2,09:20:00,09:20:00,nowhere,2\n b2,,,nowhere,3',
    )
    const reported: string[] = []
    const { problems } = await loadFeeds([part('a.zip', ''), part('b.zip', 'b-', lossy)], {
      onProgress: (file) => reported.push(file),
    })
    expect(problems.files.get('a.zip/stop_times.txt')).toEqual({ rows: 19, dropped: 0 })
    // Two of 20 stop times are at an unknown stop. Trip b2 then has a single call, so it is dropped too.
    expect(excessiveDrops(problems).map(({ file }) => file)).toEqual(['b.zip/trips.txt', 'b.zip/stop_times.txt'])
    expect(new Set(problems.list().map(({ file }) => file.split('/')[0]))).toEqual(new Set(['b.zip']))
    expect([reported[0], reported.at(-1)?.split('/')[0]]).toEqual(['a.zip/agency.txt', 'b.zip'])
  })

  test('feeds with the same name are numbered', async () => {
    const { problems } = await loadFeeds([part('gtfs.zip', ''), part('gtfs.zip', 'b-')])
    expect([...problems.files.keys()].filter((file) => file.endsWith('stops.txt'))).toEqual([
      'gtfs.zip#1/stops.txt',
      'gtfs.zip#2/stops.txt',
    ])
  })

  test('a rejected feed is named', async () => {
    const source = textFeed({ 'agency.txt': 'agency_name,agency_timezone\nV,Europe/Paris' })
    expect(await refusalOf([part('a', ''), { source, prefix: 'b-', label: 'b' }])).toBe(
      'b/stops.txt: missing_required_file: stops.txt',
    )
  })
})

describe('colliding ids', () => {
  test('are rejected with their number, kind, files and a suggestion', async () => {
    expect(await refusalOf([part('a.zip', ''), part('b.zip', '')])).toBe(
      'b.zip/stops.txt: colliding_ids: 6 stop ids, 2 route ids, 7 trip ids in more than one feed; ' +
        'for example, a.zip and b.zip both have the stop id "S"; ' +
        'set prefixes: gtfs = [{ source = "a.zip" }, { source = "b.zip", prefix = "b-" }]',
    )
  })

  test('are rejected even if there is only one, of any kind, among three feeds, or caused only by a prefix', async () => {
    const route = {
      ...TWO_TRIPS,
      'routes.txt': 'route_id,agency_id,route_short_name,route_type\nA,N,N,3',
      'trips.txt': TWO_TRIPS['trips.txt'].replaceAll('N,', 'A,'),
    }
    expect(await refusalOf([part('a', ''), part('n', 'n-', TWO_TRIPS), part('r', '', route)])).toBe(
      'r/routes.txt: colliding_ids: 1 route id in more than one feed; for example, a and r both have the route id "A"; ' +
        'set prefixes: gtfs = [{ source = "a" }, { source = "n", prefix = "n-" }, { source = "r", prefix = "c-" }]',
    )
    const arisen = {
      ...TWO_TRIPS,
      'stops.txt': 'stop_id,stop_name,stop_lat,stop_lon\nA,Nord,48.6,7.7\ny,Sud,48.5,7.7',
      'stop_times.txt': TWO_TRIPS['stop_times.txt'].replaceAll(',x,', ',A,'),
    }
    // The prefix C turns stop A into CA, which the first feed has. The suggested prefix keeps the
    // configured C at its end, so that ids stay recognizable.
    expect(await refusalOf([part('a', ''), part('n', 'C', arisen)])).toContain(
      '1 stop id in more than one feed; for example, a and n both have the stop id "CA"; ' +
        'set prefixes: gtfs = [{ source = "a" }, { source = "n", prefix = "b-C" }]',
    )
  })

  test('the suggested prefixes help', async () => {
    // The first feed's ids already start with b-, so the prefix suggested for the second feed must not start with b-.
    const parts = [part('first', 'b-'), part('again', 'b-'), part('third', 'b-')]
    const message = await refusalOf(parts)
    expect(message).toContain(
      '{ source = "first", prefix = "b-" }, { source = "again", prefix = "bb-b-" }, { source = "third", prefix = "c-b-" }',
    )
    const helped = parts.map((each, at) => ({ ...each, prefix: ['b-', 'bb-b-', 'c-b-'][at] ?? '' }))
    expect(await refusalOf(helped)).toBe('not refused')
  })

  test('a stop and a route may share an id; so may a dropped trip', async () => {
    const gone = replaced('trips.txt', 'A,daily,a1,Port,0', 'A,daily,a1,Port,0\n A,daily,n1,Port,0')
    expect(await refusalOf([part('a', '', gone), part('n', '', TWO_TRIPS)])).toBe('not refused')
    const asRoute = {
      ...TWO_TRIPS,
      'stops.txt': 'stop_id,stop_name,stop_lat,stop_lon\nA,Nord,48.6,7.7\ny,Sud,48.5,7.7',
      'stop_times.txt': TWO_TRIPS['stop_times.txt'].replaceAll(',x,', ',A,'),
    }
    expect(await refusalOf([part('a', ''), part('n', '', asRoute)])).toBe('not refused')
  })
})

describe('time zones', () => {
  const tokyo = replaced('agency.txt', 'Europe/Paris', 'Asia/Tokyo')
  const mixed: FeedChanges = {
    'agency.txt': `agency_id,agency_name,agency_url,agency_timezone
      V,Ville,https://ville.example,Europe/Paris
      W,Monde,https://ville.example,Mars/Olympus
      X,Pont,https://ville.example,Asia/Tokyo`,
  }

  test('are rejected if two feeds have different ones, unless the network names one', async () => {
    const parts = () => [part('a', ''), part('b', 'b-', tokyo)]
    expect(await refusalOf(parts())).toBe(
      `b/agency.txt: inconsistent_agency_timezone: Europe/Paris in a and Asia/Tokyo in b; in the network's settings, set timezone = "Europe/Paris"`,
    )
    const { feed, problems } = await loadFeeds(parts(), { timezone: 'Europe/Berlin' })
    expect(textsOf(feed, feed.agencies.timezone)).toEqual(['Europe/Berlin', 'Europe/Berlin'])
    // Each feed was valid: nothing was repaired.
    expect(problems.list()).toEqual([])
  })

  test('unknown and inconsistent ones within a feed are replaced by the network’s, with a report', async () => {
    expect(await refusalOf([part('a', '', mixed)])).toContain('agency.txt:3: invalid_timezone: Mars/Olympus')
    const { feed, problems } = await loadFeeds([part('a', '', mixed)], { timezone: 'Europe/Paris' })
    expect(textsOf(feed, feed.agencies.timezone)).toEqual(['Europe/Paris', 'Europe/Paris', 'Europe/Paris'])
    expect(problems.list().map(({ rule, action, line, example }) => `${action} ${rule} ${line} ${example}`)).toEqual([
      'repaired invalid_timezone 3 Mars/Olympus',
      'repaired inconsistent_agency_timezone 4 Europe/Paris and Asia/Tokyo',
    ])
  })
})

test('the pathways of two feeds lead to the places of each', async () => {
  const pathways = {
    'pathways.txt': `pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional,traversal_time
      W,CA,CB,4,1,30`,
  }
  const feed = await load(part('a', ''), part('b', 'b-', pathways), part('c', 'c-', pathways))
  const { from, to, mode, traversalSeconds } = feed.pathways
  expect(led(feed, from, feed.stops.id)).toEqual(['b-CA', 'c-CA'])
  expect(led(feed, to, feed.stops.id)).toEqual(['b-CB', 'c-CB'])
  expect([feed.pathways.count, numbersOf(mode), numbersOf(traversalSeconds)]).toEqual([2, [4, 4], [30, 30]])
})
