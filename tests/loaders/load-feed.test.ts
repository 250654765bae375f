// Tests the columns of a valid feed, and feeds that cannot be served. Fails if a value is in the wrong column or row,
// if a valid feed is reported as faulty, or if an unusable feed is accepted.
import { describe, expect, test } from 'bun:test'
import { NONE, NONE_U8 } from '../../loaders/columns.ts'
import { FeedRefused } from '../../loaders/feed-problems.ts'
import { NO_SORT_ORDER } from '../../loaders/gtfs/feed.ts'
import { excessiveDrops, loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { dedent, SMALL_FEED, smallFeed, textFeed } from '../feeds/text-feed.ts'
import {
  added,
  callsByTrip,
  daysByService,
  load,
  loadSource,
  numbersOf,
  refusalOf,
  replaced,
  textsOf,
} from './loaded-feed.ts'

describe('the small feed', () => {
  test('loads without problems', async () => {
    const { reported, problems } = await load()
    expect(reported).toEqual([])
    expect(Object.fromEntries(problems.files)).toEqual({
      'agency.txt': { rows: 1, dropped: 0 },
      'stops.txt': { rows: 6, dropped: 0 },
      'routes.txt': { rows: 2, dropped: 0 },
      'calendar.txt': { rows: 1, dropped: 0 },
      'trips.txt': { rows: 7, dropped: 0 },
      'stop_times.txt': { rows: 19, dropped: 0 },
    })
  })

  test('agencies', async () => {
    const { feed } = await load()
    const { id, name, url, timezone, lang } = feed.agencies
    expect([id, name, url, timezone, lang].map((column) => textsOf(feed, column))).toEqual([
      ['V'],
      ['Ville'],
      ['https://ville.example'],
      ['Europe/Paris'],
      ['fr'],
    ])
  })

  test('stops', async () => {
    const { feed } = await load()
    const { stops } = feed
    expect(textsOf(feed, stops.id)).toEqual(['S', 'CA', 'CB', 'G', 'P', 'T'])
    expect(textsOf(feed, stops.code)).toEqual(['', '101', '102', '200', '300', '400'])
    expect(textsOf(feed, stops.name)).toEqual(['Centre', 'Centre', 'Centre', 'Gare', 'Port du Rhin', 'Stade Élan'])
    expect(numbersOf(stops.lat)).toEqual([48.58, 48.5801, 48.5799, 48.585, 48.575, 48.59])
    expect(numbersOf(stops.lon)).toEqual([7.75, 7.7501, 7.7499, 7.735, 7.77, 7.76])
    expect(numbersOf(stops.locationType)).toEqual([1, 0, 0, 0, 0, 0])
    expect(numbersOf(stops.parent)).toEqual([NONE, 0, 0, NONE, NONE, NONE])
    expect(numbersOf(stops.wheelchairBoarding)).toEqual([1, 0, 2, 1, 0, 0])
    expect(textsOf(feed, stops.platformCode)).toEqual(['', 'A', 'B', '', '', ''])
  })

  test('routes', async () => {
    const { feed } = await load()
    const { routes } = feed
    expect(textsOf(feed, routes.id)).toEqual(['A', '7'])
    expect(textsOf(feed, routes.longName)).toEqual(['Gare - Port', 'Centre - Stade'])
    expect(numbersOf(routes.agency)).toEqual([0, 0])
    expect(numbersOf(routes.type)).toEqual([0, 3])
    expect(numbersOf(routes.color)).toEqual([0xe10d19, 0xffffff])
    expect(numbersOf(routes.textColor)).toEqual([0xffffff, 0x000000])
    expect(numbersOf(routes.sortOrder)).toEqual([1, NO_SORT_ORDER])
    expect(numbersOf(routes.hasFlexTrips)).toEqual([0, 0])
  })

  test('trips and their calls', async () => {
    const { feed } = await load()
    const { trips } = feed
    expect(textsOf(feed, trips.headsign)).toEqual(['Port', 'Port', 'Port', 'Gare', 'Gare', 'Stade', 'Stade'])
    expect(numbersOf(trips.route)).toEqual([0, 0, 0, 0, 0, 1, 1])
    expect(numbersOf(trips.service)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(numbersOf(trips.direction)).toEqual([0, 0, 0, 1, 1, 0, 0])
    expect(numbersOf(trips.shape)).toEqual(Array.from({ length: 7 }, () => NONE))
    expect(numbersOf(trips.callOffset)).toEqual([0, 3, 6, 9, 12, 15, 17, 19])
    expect(numbersOf(feed.calls.stopSequence)).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 1, 2])
    expect(feed.calls.shapeDistance).toBeUndefined()
    expect(callsByTrip(feed)).toEqual({
      a1: 'G 08:00:00, CA 08:05:00-08:05:30, P 08:12:00',
      a2: 'G 08:10:00, CA 08:15:00-08:15:30, P 08:22:00',
      a3: 'G 23:58:00, CA 24:03:00-24:03:30, P 24:10:00',
      r1: 'P 08:00:00, CB 08:07:00-08:07:30, G 08:12:00',
      r2: 'P 08:20:00, CB 08:27:00-08:27:30, G 08:32:00',
      b1: 'CB 08:10:00, T 08:20:00',
      b2: 'CB 09:10:00, T 09:20:00',
    })
  })

  test('services', async () => {
    const days = daysByService((await load()).feed)['daily']
    expect([days?.length, days?.[0], days?.at(-1)]).toEqual([365, '2026-01-01', '2026-12-31'])
  })
})

test('every column that a trip, call, stop or route may have is read', async () => {
  const { feed, reported } = await load({
    ...replaced(
      'stops.txt',
      'wheelchair_boarding,platform_code',
      'wheelchair_boarding,platform_code,zone_id,stop_timezone,level_id',
    ),
    'trips.txt': `
      route_id,service_id,trip_id,trip_short_name,block_id,wheelchair_accessible,bikes_allowed,shape_id
      A,daily,a1,T1,B1,1,2,sh
      A,daily,a2,,,,,`,
    'stop_times.txt': `
      trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign,pickup_type,drop_off_type,shape_dist_traveled
      a1,08:00:00,08:00:00,G,5,Centre,0,1,0
      a1,08:05:00,08:05:00,P,70,,3,2,1.5
      a2,08:00:00,08:00:00,G,0,,,,
      a2,08:05:00,08:05:00,P,1,,1,,`,
    'shapes.txt': `
      shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence,shape_dist_traveled
      sh,48.5750,7.7700,20,1.5
      sh,48.5850,7.7350,3,0`,
  })
  expect(reported).toEqual(['repaired invalid_row_length stops.txt:2  ×6 (9 fields, the header has 12)'])
  const { trips, calls, shapes } = feed
  expect([textsOf(feed, trips.shortName), textsOf(feed, trips.blockId)]).toEqual([
    ['T1', ''],
    ['B1', ''],
  ])
  expect([numbersOf(trips.wheelchair), numbersOf(trips.bikes)]).toEqual([
    [1, 0],
    [2, 0],
  ])
  expect([numbersOf(trips.shape), numbersOf(trips.direction)]).toEqual([
    [0, NONE],
    [NONE_U8, NONE_U8],
  ])
  expect(numbersOf(calls.stopSequence)).toEqual([5, 70, 0, 1])
  expect(textsOf(feed, calls.headsign)).toEqual(['Centre', '', '', ''])
  expect([numbersOf(calls.pickupType), numbersOf(calls.dropOffType)]).toEqual([
    [0, 3, 0, 1],
    [1, 2, 0, 0],
  ])
  expect(numbersOf(calls.shapeDistance ?? [])).toEqual([0, 1.5, Number.NaN, Number.NaN])
  expect([textsOf(feed, shapes.id), numbersOf(shapes.pointOffset)]).toEqual([['sh'], [0, 2]])
  expect([numbersOf(shapes.latE6), numbersOf(shapes.lonE6)]).toEqual([
    [48_585_000, 48_575_000],
    [7_735_000, 7_770_000],
  ])
  expect(numbersOf(shapes.distance ?? [])).toEqual([0, 1.5])
})

test('the small tables are read, and tables that are not used yet are carried along unchanged', async () => {
  const { feed, reported } = await load({
    'feed_info.txt': `
      feed_publisher_name,feed_publisher_url,feed_lang,feed_version,feed_start_date,feed_end_date
      Ville,https://ville.example,fr,v7,20260101,20261231
      Other,https://other.example,de,v8,,`,
    'attributions.txt': `
      organization_name,is_producer,is_operator,is_authority,attribution_url
      Ville,1,0,,https://ville.example
      État,,,1,`,
    'levels.txt': `
      level_id,level_index,
      L0,0,
      L1,-1,`,
  })
  expect(reported).toEqual(['repaired empty_column_name levels.txt:1  ×1 (column 3)'])
  expect(feed.info).toEqual({
    publisherName: 'Ville',
    publisherUrl: 'https://ville.example',
    lang: 'fr',
    version: 'v7',
    startDate: 20260101,
    endDate: 20261231,
  })
  expect(feed.attributions).toEqual([
    {
      organizationName: 'Ville',
      isProducer: true,
      isOperator: false,
      isAuthority: false,
      url: 'https://ville.example',
    },
    { organizationName: 'État', isProducer: false, isOperator: false, isAuthority: true, url: '' },
  ])
  expect(
    feed.carried.map(({ name, count, columns }) => [
      name,
      count,
      columns.map((each) => [each.name, textsOf(feed, each.values)]),
    ]),
  ).toEqual([
    [
      'levels.txt',
      2,
      [
        ['level_id', ['L0', 'L1']],
        ['level_index', ['0', '-1']],
      ],
    ],
  ])
})

describe('a feed without anything to serve is rejected', () => {
  for (const file of ['agency.txt', 'stops.txt', 'routes.txt', 'trips.txt', 'stop_times.txt']) {
    test(`${file} is missing`, async () => {
      expect(await refusalOf(smallFeed({ [file]: undefined }))).toBe(`${file}:0 missing_required_file (${file})`)
    })
    test(`${file} is empty`, async () => {
      expect(await refusalOf(smallFeed({ [file]: '' }))).toMatch(new RegExp(`^${file}:\\d empty_file`))
    })
    test(`${file} has only a header`, async () => {
      const header = (SMALL_FEED[file] ?? '').trim().split('\n')[0]
      expect(await refusalOf(smallFeed({ [file]: header }))).toMatch(new RegExp(`^${file}:0 empty_file`))
    })
    test(`${file} has a duplicate column`, async () => {
      const [column] = (SMALL_FEED[file] ?? '').trim().split(',')
      const text = replaced(file, `${column},`, `${column},${column},`)
      expect(await refusalOf(smallFeed(text))).toBe(`${file}:1 duplicated_column (${column})`)
    })
    test(`${file} is not CSV`, async () => {
      expect(await refusalOf(smallFeed(added(file, '"')))).toMatch(/csv_parsing_failed \(a quote is never closed\)$/)
    })
  }

  test('both calendar files are missing', async () => {
    expect(await refusalOf(smallFeed({ 'calendar.txt': undefined }))).toBe(
      'calendar.txt:0 missing_calendar_and_calendar_date_files (the feed has neither calendar.txt nor calendar_dates.txt)',
    )
  })

  const required: Record<string, readonly string[]> = {
    'agency.txt': ['agency_name', 'agency_timezone'],
    'stops.txt': ['stop_id'],
    'routes.txt': ['route_id', 'route_type'],
    'trips.txt': ['route_id', 'service_id', 'trip_id'],
    'stop_times.txt': ['trip_id', 'stop_id', 'stop_sequence'],
    'calendar.txt': ['service_id', 'monday', 'sunday', 'start_date', 'end_date'],
  }
  for (const [file, columns] of Object.entries(required)) {
    for (const column of columns) {
      test(`${file} lacks the column ${column}`, async () => {
        expect(await refusalOf(smallFeed(replaced(file, column, 'other')))).toBe(
          `${file}:0 missing_required_column (${column})`,
        )
      })
    }
  }

  for (const zone of ['Europe/Atlantis', '', '+01:00', '\ufeffEurope/Paris']) {
    test(`the zone is "${zone}"`, async () => {
      const text = replaced('agency.txt', 'Europe/Paris', zone)
      expect(await refusalOf(smallFeed(text))).toBe(`agency.txt:2 invalid_timezone (${zone || 'it is empty'})`)
    })
  }

  test('agencies have different zones', async () => {
    const text = added('agency.txt', 'W,West,https://west.example,Europe/London,en')
    expect(await refusalOf(smallFeed(text))).toBe(
      'agency.txt:3 inconsistent_agency_timezone (Europe/Paris and Europe/London)',
    )
  })
})

describe('a file that departures do not need', () => {
  const HEADERS = {
    'feed_info.txt': 'feed_publisher_name',
    'attributions.txt': 'organization_name',
    'fare_rules.txt': 'fare_id',
    'levels.txt': 'level_id',
  }
  for (const file of ['feed_info.txt', 'attributions.txt', 'fare_rules.txt', 'levels.txt'] as const) {
    for (const [what, text, rule, line] of [
      ['is empty', '', 'empty_file', 0],
      ['has a duplicate column', 'a,a', 'duplicated_column', 1],
      ['is not CSV', `${HEADERS[file]}\nVille\n"x`, 'csv_parsing_failed', 3],
    ] as const) {
      test(`is ignored and reported if it ${what}: ${file}`, async () => {
        const { feed, reported } = await load({ [file]: text })
        expect(reported).toEqual([
          expect.stringMatching(new RegExp(`^reported ${rule} ${file}:${line} .*; the file is ignored\\)$`)),
        ])
        expect([feed.trips.count, feed.info, feed.attributions, feed.carried]).toEqual([7, undefined, [], []])
      })
    }
  }
})

test('a partly unreadable pathways.txt is ignored as a whole', async () => {
  const rows = 'pathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional\nW,CA,CB,1,1\n'
  expect((await load({ 'pathways.txt': rows })).feed.pathways.count).toBe(1)
  const { feed, reported } = await load({ 'pathways.txt': `${rows}"x` })
  expect(reported).toEqual([
    'reported csv_parsing_failed pathways.txt:3  ×1 (a quote is never closed; the file is ignored)',
  ])
  expect([feed.trips.count, feed.pathways.count]).toEqual([7, 0])
})

test('a damaged archive rejects the feed, whichever file shows it', async () => {
  const sound = smallFeed({ 'feed_info.txt': 'feed_publisher_name\nVille' })
  // biome-ignore lint/correctness/useYield: it fails before its first bytes
  async function* failing(): AsyncGenerator<Uint8Array> {
    const example = 'feed_info.txt: its checksum does not match'
    throw new FeedRefused({ file: 'ville.zip', line: 0, rule: 'unreadable_zip', example, action: 'refused_feed' })
  }
  const damaged = { ...sound, open: (name: string) => (name === 'feed_info.txt' ? failing() : sound.open(name)) }
  expect(await refusalOf(damaged)).toBe('ville.zip:0 unreadable_zip (feed_info.txt: its checksum does not match)')
})

test('a feed from a subfolder is reported as such', async () => {
  const { reported } = await loadSource({ ...textFeed(SMALL_FEED), folder: 'gtfs/' })
  expect(reported).toEqual([
    'repaired invalid_input_files_in_subfolder gtfs/:0  ×1 (the files are in a subfolder and were read from there)',
  ])
})

test('a core file that loses more than one row in twenty is named; other files and smaller losses are not', async () => {
  // The limit is 5%. One dropped row of 21 stop times is 4.8%, and two dropped rows are 9.5%. transfers.txt is not a
  // core file, so it has no limit.
  const one = await load({
    ...added('stop_times.txt', 'a1,9:00,9:00,P,9', 'a1,8:20:00,8:20:00,P,10'),
    'transfers.txt': 'from_stop_id,to_stop_id\nX,Y',
  })
  expect(excessiveDrops(one.problems)).toEqual([])
  const two = await load(added('stop_times.txt', 'a1,9:00,9:00,P,9', 'a1,9:00,9:00,P,10'))
  expect(excessiveDrops(two.problems)).toEqual([{ file: 'stop_times.txt', rows: 21, dropped: 2 }])
})

test('the product of services and days is limited: thirty thousand services and one far date are rejected', async () => {
  const services = Array.from({ length: 30_000 }, (_, at) => `s${at},1,1,1,1,1,1,1,20260101,20261231`)
  const texts = {
    ...SMALL_FEED,
    'calendar.txt': `${dedent(SMALL_FEED['calendar.txt'] ?? '')}${services.join('\n')}`,
    'calendar_dates.txt': 'service_id,date,exception_type\ndaily,20790101,1',
  }
  await expect(loadFeed(textFeed(texts))).rejects.toThrow('too_many_rows')
})
