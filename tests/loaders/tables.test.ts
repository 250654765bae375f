// Tests the column values of the smaller tables. Fails if a service runs on the wrong day, if a rule has the wrong
// stops, or if a repaired value does not follow the policy.
import { describe, expect, test } from 'bun:test'
import { NONE } from '../../loaders/columns.ts'
import { MAX_CALENDAR_DAYS } from '../../loaders/gtfs/calendars.ts'
import { added, daysByService, load, numbersOf, replaced, textsOf } from './loaded-feed.ts'

const CALENDAR = 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date'
const DATES = 'service_id,date,exception_type'

describe('services', () => {
  test('run on their weekdays from start to end date inclusive, except for exceptions', async () => {
    // 2026-06-01 is a Monday.
    const { feed, reported } = await load({
      'calendar.txt': `${CALENDAR}
        daily,1,1,1,1,1,0,0,20260603,20260609
        weekend,0,0,0,0,0,1,1,20260601,20260609
        never,0,0,0,0,0,0,0,20260601,20260609`,
      'calendar_dates.txt': `${DATES}
        daily,20260604,2
        daily,20260607,1
        weekend,20260606,2
        daily,20260605,1
        never,20260608,2
        special,20260611,1
        special,20260531,1
        nothing,20260601,2`,
    })
    expect(reported).toEqual([])
    expect(daysByService(feed)).toEqual({
      daily: ['2026-06-03', '2026-06-05', '2026-06-07', '2026-06-08', '2026-06-09'],
      weekend: ['2026-06-07'],
      never: [],
      special: ['2026-05-31', '2026-06-11'],
      nothing: [],
    })
    expect([feed.services.firstDay, feed.services.dayCount]).toEqual([Date.UTC(2026, 4, 31) / 86_400_000, 12])
  })

  test('may be in calendar_dates.txt only', async () => {
    const { feed, reported } = await load({
      'calendar.txt': undefined,
      'calendar_dates.txt': `${DATES}\ndaily,20240229,1`,
    })
    expect([reported, daysByService(feed), feed.trips.count]).toEqual([[], { daily: ['2024-02-29'] }, 7])
  })

  test('start in 1970 or later: an earlier typo does not remove today’s service', async () => {
    const { feed, reported } = await load({
      'calendar.txt': `${CALENDAR}\ndaily,1,1,1,1,1,1,1,19000101,19700102\nold,1,1,1,1,1,1,1,19600101,19691231`,
      'calendar_dates.txt': `${DATES}\ndaily,19000101,1\ndaily,20260101,1`,
    })
    expect(daysByService(feed)).toEqual({ daily: ['1970-01-01', '1970-01-02', '2026-01-01'], old: [] })
    expect(reported).toEqual([
      'reported number_out_of_range calendar.txt:2 start_date ×1 (19000101)',
      'reported number_out_of_range calendar.txt:3 end_date ×1 (19691231)',
      'reported number_out_of_range calendar_dates.txt:2 date ×1 (19000101)',
    ])
  })

  test('before 1970 have no days, and their trips do not count as losses', async () => {
    const { feed, problems } = await load({
      'calendar.txt': `${CALENDAR}\nold,1,1,1,1,1,1,1,19600101,19691231`,
      'calendar_dates.txt': `${DATES}\ndaily,19000101,1`,
    })
    expect([feed.trips.count, [...problems.files.values()].filter((file) => file.dropped > 0)]).toEqual([7, []])
  })

  test('span a limited number of days; days beyond are ignored and reported', async () => {
    const { feed, reported } = await load(replaced('calendar.txt', '20261231', '99991231'))
    expect([feed.services.dayCount, daysByService(feed)['daily']?.length]).toEqual([
      MAX_CALENDAR_DAYS,
      MAX_CALENDAR_DAYS,
    ])
    expect(reported).toEqual([
      'repaired number_out_of_range calendar.txt:0 end_date ×1 (2912443 days; those after the first 40000 are ignored)',
    ])
  })
})

test('a feed without any valid service has no trips, but is served', async () => {
  const { feed, problems } = await load(replaced('calendar.txt', '20260101', 'soon'))
  expect([feed.trips.count, feed.calls.count, feed.stops.count, feed.services.count]).toEqual([0, 0, 6, 0])
  expect(problems.files.get('trips.txt')).toEqual({ rows: 7, dropped: 7 })
})

test('colors are six hexadecimal digits of any case, with or without #', async () => {
  const { feed, reported } = await load({
    'routes.txt': `
      route_id,route_short_name,route_type,route_color,route_text_color
      A,A,0,#e10D19,00ff00
      7,7,3,,0
      8,8,3,GGGGGG,1234567`,
  })
  expect(numbersOf(feed.routes.color)).toEqual([0xe10d19, 0xffffff, 0xffffff])
  expect(numbersOf(feed.routes.textColor)).toEqual([0x00ff00, 0, 0])
  expect(reported).toEqual([
    'repaired invalid_color routes.txt:3 route_text_color ×2 (0)',
    'repaired invalid_color routes.txt:4 route_color ×1 (GGGGGG)',
  ])
})

test('languages with underscores become tags', async () => {
  const { feed } = await load({
    ...replaced('agency.txt', ',fr', ',fr_CA'),
    'feed_info.txt': 'feed_publisher_name,feed_lang\nVille,not a language',
  })
  expect([textsOf(feed, feed.agencies.lang), feed.info?.lang]).toEqual([['fr-CA'], ''])
})

test('only http and https URLs are kept; scripts and URLs without a scheme are ignored', async () => {
  const { feed, reported } = await load({
    ...replaced('agency.txt', 'https://ville.example', 'javascript:alert(1)'),
    'feed_info.txt': 'feed_publisher_name,feed_publisher_url\nVille,www.ville.example',
    'attributions.txt': 'organization_name,attribution_url\nVille,http://ville.example/a?b=c\nÉtat,ftp://etat.example',
  })
  expect([textsOf(feed, feed.agencies.url), feed.info?.publisherUrl, feed.attributions.map(({ url }) => url)]).toEqual([
    [''],
    '',
    ['http://ville.example/a?b=c', ''],
  ])
  expect(reported).toEqual([
    'repaired invalid_url agency.txt:2 agency_url ×1 (javascript:alert(1))',
    'repaired invalid_url attributions.txt:3 attribution_url ×1 (ftp://etat.example)',
    'repaired invalid_url feed_info.txt:2 feed_publisher_url ×1 (www.ville.example)',
  ])
})

test('dates of feed_info.txt that do not exist are ignored', async () => {
  const { feed, reported } = await load({
    'feed_info.txt': 'feed_publisher_name,feed_start_date,feed_end_date\nVille,20260230,20261231',
  })
  expect([feed.info?.startDate, feed.info?.endDate]).toEqual([0, 20261231])
  expect(reported).toEqual(['repaired invalid_date feed_info.txt:2 feed_start_date ×1 (20260230)'])
})

test('a dropped location does not change rows, parents and calls of others', async () => {
  const { feed } = await load({
    'stops.txt': `
      stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
      E,Wrong entrance,48.5,7.7,2,G
      CA,Centre A,48.58,7.75,0,S
      G,Gare,48.585,7.735,0,
      B,,,,4,S
      CB,Centre B,48.58,7.75,0,S
      S,Centre,48.58,7.75,1,
      P,Port,48.575,7.77,0,
      T,Stade,48.59,7.76,0,
      F,Entrance,48.58,7.75,2,S`,
  })
  const { stops, calls } = feed
  expect(textsOf(feed, stops.id)).toEqual(['CA', 'G', 'CB', 'S', 'P', 'T', 'F'])
  expect(numbersOf(stops.lat)).toEqual([48.58, 48.585, 48.58, 48.58, 48.575, 48.59, 48.58])
  expect(numbersOf(stops.parent)).toEqual([3, NONE, 3, NONE, NONE, NONE, 3])
  expect(numbersOf(calls.stop).slice(0, 3)).toEqual([1, 0, 4])
})

test('frequencies', async () => {
  const { feed } = await load({
    'frequencies.txt':
      'trip_id,start_time,end_time,headway_secs,exact_times\nb1,6:00:00,25:00:00,600,1\na1,06:00:00,07:00:00,90,',
  })
  const { trip, startSeconds, endSeconds, headwaySeconds, exactTimes } = feed.frequencies
  expect([trip, startSeconds, endSeconds, headwaySeconds, exactTimes].map(numbersOf)).toEqual([
    [5, 0],
    [21_600, 21_600],
    [90_000, 25_200],
    [600, 90],
    [1, 0],
  ])
})

test('transfers', async () => {
  const { feed } = await load({
    ...added('trips.txt', 'A,daily,gone,,'),
    'transfers.txt': `
      from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time
      S,G,,,,,2,180
      CA,CB,A,7,a2,b2,1,
      ,,,,a1,r2,5,
      CA,CB,,,gone,,0,
      G,G,,,,,,`,
  })
  const { fromStop, toStop, fromRoute, toRoute, fromTrip, toTrip, type, minSeconds } = feed.transfers
  expect([fromStop, toStop, fromRoute, toRoute, fromTrip, toTrip, type, minSeconds].map(numbersOf)).toEqual([
    [0, 1, NONE, 3],
    [3, 2, NONE, 3],
    [NONE, 0, NONE, NONE],
    [NONE, 1, NONE, NONE],
    [NONE, 1, 0, NONE],
    [NONE, 6, 4, NONE],
    [2, 1, 5, 0],
    [180, NONE, NONE, NONE],
  ])
})
