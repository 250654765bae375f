// Nigiri's realtime tests, rewritten for Quai. They cover trips that are late, canceled, added, replaced or duplicated,
// or that skip calls. Each trip must be found on the day on which it runs.
import { casesOf, expect } from './peer-cases.ts'
import { update } from './short-updates.ts'

const of = (file: string) => casesOf({ peer: 'nigiri', file: `test/rt/${file}` })
const HOURLY = 'A 10:00, B 11:00, C 12:00, D 13:00, E 14:00, F 15:00'
const DAYS = ['20230810', '20230811']
const LINE = { trips: { t: { calls: HOURLY, route: 'R', headsign: 'E' } }, dates: DAYS }
const ONE_DAY = { ...LINE, dates: ['20230810'] }
const ROUTE = { route: 'R' }

const added = of('gtfsrt_added_test.cc')

added('gtfs_rt_added', LINE, (city) => {
  city.publish('11:38', [update('n', 'E a11:15, D a11:16, B a35:18', { as: 'ADDED', ...ROUTE, date: '' })])
  expect(city.trip('n')).toBe('added | E 11:15 | D 11:16 | B 35:18')
  expect(city.ride('D', 'B', '11:16')).toBe('D 11:16 n B 35:18')
})

added('gtfs_rt_added: the line it is on', LINE, (city) => {
  city.publish('11:00', [update('n', 'E a11:15, D a11:16, B a35:18', { as: 'ADDED', ...ROUTE, date: '' })])
  expect(city.headsigns('E')).toEqual(['B', 'E'])
})

added(
  'gtfs_rt_new',
  ONE_DAY,
  (city) => {
    const calls = 'E 11:15 in0 out1, D 11:16 x, B 11:18 in1 out0'
    const properties = { tripShortName: 'New', tripHeadsign: 'New headsign' }
    city.publish('11:00', [update('n', calls, { as: 'NEW', ...ROUTE, start: '10:00:00', properties })])
    expect(city.trip('t')).toBe('planned')
    expect(city.trip('n')).toBe('added | E 11:15 | D x | B 11:18')
    expect(city.ride('E', 'B', '11:10')).toBe('E 11:15 n B 11:18')
    expect([city.ride('E', 'D', '11:10'), city.headsigns('E', 1)]).toEqual(['none', ['New headsign']])
    const longer = 'E 11:15, D 11:16 x, B a11:42:11 d11:18, A 11:57:11'
    city.publish('11:05', [update('n', longer, { as: 'NEW', ...ROUTE })])
    expect(city.trip('n')).toBe('added | E 11:15 | D x | B 11:18 | A 11:57:11')
  },
  { rule: 'clamping', theirs: 'later arrivals count, and additional stops of a trip are not used' },
)

added(
  'gtfs_rt_new_with_existing_trip_id',
  LINE,
  (city) => {
    city.publish('11:00', [update('t', 'E 11:15, D 11:16', { as: 'NEW', start: '10:00:00' })])
    expect(city.trip('t')).toBe('planned')
    expect(city.trip('t@11:15:00')).toBe('added | E 11:15 | D 11:16')
  },
  { rule: 'namesake', theirs: 'the trip of the timetable is unchanged, and the new one is dropped' },
)

added(
  'gtfs_rt_new_no_route',
  LINE,
  (city) => {
    city.publish('11:00', [update('n', 'E 11:15, D 11:16 x, B 11:18', { as: 'NEW', route: 'not there' })])
    expect(city.tally).toEqual({ matched: 0, reasons: { added_without_route: 1 } })
  },
  { rule: 'addedRoute', theirs: 'a trip without an agency is made' },
)

added('gtfs_rt_new_bare', LINE, (city) => {
  city.publish('11:00', [update('n', '', { as: 'NEW', ...ROUTE, start: '10:00:00' })])
  expect([city.trip('n'), city.tally.matched]).toEqual(['none', 0])
  city.publish('11:01', [update('n', 'E 11:15, B 11:18', { as: 'NEW', ...ROUTE })])
  expect(city.trip('n')).toBe('added | E 11:15 | B 11:18')
})

added('gtfs_rt_new_non_existing_stops', LINE, (city) => {
  city.publish('11:00', [update('n', 'x1 11:15, x2 11:16, x3 35:18', { as: 'NEW', ...ROUTE })])
  expect([city.trip('n'), city.tally.reasons]).toEqual(['none', { unknown_stop: 3, added_without_calls: 1 }])
})

added(
  'gtfs_rt_new_relative',
  LINE,
  (city) => {
    city.publish('11:00', [update('n', 'A +60, B 11:16, C 35:18', { as: 'NEW', ...ROUTE })])
    expect(city.trip('n')).toBe('added | B 11:16 | C 35:18')
    expect(city.tally.reasons).toEqual({ call_without_time: 1 })
  },
  { rule: 'calls', theirs: 'a delay without a schedule refuses the whole trip' },
)

added('gtfs_rt_replacement', LINE, (city) => {
  const calls = 'E 11:15, D 11:16 x, B 11:18'
  for (const time of ['10:50', '10:51']) {
    city.publish(time, [update('t', calls, { as: 'REPLACEMENT', start: '10:00:00' })])
    expect(city.ride('E', 'B', '10:52')).toBe('E 11:15 t B 11:18')
  }
  expect(city.trip('t')).toBe('runs | A x | B x | C x | D x | E 11:15 | D x | B 11:18 | F x')
})

const COPY = { tripId: 'copy', startTime: '10:10:00', startDate: '20230811' }

added('gtfs_rt_duplicated_empty', LINE, (city) => {
  city.publish('09:00', [update('t', '', { as: 'DUPLICATED', start: '10:00:00', properties: COPY })])
  expect(city.trip('t')).toBe('planned')
  expect(city.trip('copy', '20230811')).toBe('added | A 10:10? | B 11:10? | C 12:10? | D 13:10? | E 14:10? | F 15:10?')
})

added(
  'gtfs_rt_duplicated',
  LINE,
  (city) => {
    city.publish('09:00', [
      update('t', '#2@B d35:11, #6@F a+300', { as: 'DUPLICATED', start: '10:00:00', properties: COPY }),
    ])
    expect(city.trip('copy', '20230811')).toBe('added | A 10:10? | B 11:11 | C 12:11 | D 13:11 | E 14:11 | F 15:15')
  },
  { rule: 'departureOnly', theirs: 'disabled there; it arrives at B as planned, and leaves a minute later' },
)

const skipped = of('gtfsrt_skip_cancel_test.cc')
const SKIPS = update('t', '#1 x, #2 x, #4 x, #6 x', { start: '10:00:00' })

skipped('gtfs_rt_skip', LINE, (city) => {
  city.publish('09:00', [SKIPS])
  expect(city.trip('t')).toBe('runs | A x | B x | C 12:00? | D x | E 14:00? | F x')
  expect(city.ride('C', 'E', '09:00')).toBe('C 12:00 t E 14:00')
  expect([city.ride('A', 'C', '09:00'), city.headsigns('C')]).toEqual(['none', ['E']])
  city.publish('09:01', [update('t', '', { as: 'CANCELED', start: '10:00:00' })])
  expect(city.trip('t').split(' | ')[0]).toBe('canceled')
})

skipped('gtfs_rt_cancel', LINE, (city) => {
  city.publish('09:00', [update('t', '', { as: 'CANCELED', start: '10:00:00' })])
  expect(city.board('A')).toEqual(['t 10:00 - canceled'])
  expect(city.trip('t', '20230811')).toBe('planned')
})

of('skip_test.cc')('gtfs_rt_skip', LINE, (city) => {
  city.publish('09:00', [SKIPS])
  expect([city.board('C', 4), city.board('E', 6)]).toEqual([['t 12:00 - unknown'], []])
})

of('gtfsrt_relative_test.cc')(
  'gtfs_rt_relative',
  LINE,
  (city) => {
    city.publish('10:30', [update('t', '#3 -5400, #5 a-5460 d-5520', { start: '10:00:00' })])
    expect(city.trip('t')).toBe('runs | A 10:00? | B 10:30? | C 10:30 | D 11:30 | E 12:28 | F 13:28')
  },
  { rule: 'clamping', theirs: 'C is raised to the planned departure of B, 11:00, though B has no forecast' },
)

const found = of('gtfsrt_resolve_trip_test.cc')
const NIGHT = { trips: { t: 'B 00:30, C 00:45, D 01:00' }, dates: ['20190504'] }
const LONG = { trips: { t: 'A 49:00, B 50:00' }, dates: ['20190503'] }

found('gtfsrt_resolve_static_trip: a start time above 24:00', LONG, (city) => {
  city.publish('48:50', [update('t', '#1 +60', { start: '49:00:00' })])
  expect(city.trip('t')).toBe('runs | A 49:01 | B 50:01')
})

found('gtfsrt_resolve_static_trip: a start on the day before in Greenwich', NIGHT, (city) => {
  city.publish('00:20', [update('t', '#1 +60', { start: '00:30:00' })])
  expect(city.trip('t')).toBe('runs | B 00:31 | C 00:46 | D 01:01')
})

found('gtfsrt_resolve_static_trip: without date and time', NIGHT, (city) => {
  city.publish('00:20', [update('t', '#1 +60', { date: '' })])
  expect(city.trip('t')).toBe('runs | B 00:31 | C 00:46 | D 01:01')
})

found(
  'gtfsrt_resolve_static_trip: by route, direction, date and start',
  {
    ...NIGHT,
    trips: { t: { calls: 'B 00:30, C 00:45, D 01:00', direction: 0 } },
  },
  (city) => {
    city.publish('00:20', [update(undefined, '#1 +60', { ...ROUTE, direction: 0, start: '00:30:00' })])
    expect(city.trip('t')).toBe('runs | B 00:31 | C 00:46 | D 01:01')
  },
)

const MIAMI = {
  zone: 'America/New_York',
  dates: ['20230803'],
  trips: { one: '1 15:15:00, 2 15:15:35, 3 15:16:20', two: '1 47:15:00, 2 47:15:35, 3 47:16:20' },
}

found('resolve_tz', MIAMI, (city) => {
  city.publish('15:00', [update('one', '#1 +5'), update('two', '#1 +5'), update('three', '#1 +5')])
  expect([city.trip('one'), city.trip('two'), city.trip('three')]).toEqual([
    'runs | 1 15:15:05 | 2 15:15:40 | 3 15:16:25',
    'runs | 1 47:15:05 | 2 47:15:40 | 3 47:16:25',
    'none',
  ])
})

found('gtfs_rt_update: the delay of an arrival is carried forward', NIGHT, (city) => {
  city.publish('00:20', [update('t', '#1 a+900', { start: '00:30:00' })])
  expect(city.trip('t')).toBe('runs | B 00:45 | C 01:00 | D 01:15')
})

found('gtfs_rt_update: time and delay', NIGHT, (city) => {
  city.publish('00:20', [update('t', '#1 a+900')]).publish('00:21', [update('t', '#1 d00:35, D a+600')])
  expect(city.trip('t')).toBe('runs | B 00:35 | C 00:50 | D 01:10')
  expect([city.board('B'), city.board('C')]).toEqual([['t 00:30 00:35 delayed'], ['t 00:45 00:50 delayed']])
})

const far = of('gtfsrt_utc_12_test.cc')
for (const [name, day, next] of [
  ['gtfs_rt_utc_12', '20190503', '20190504'],
  ['gtfs_rt_utc_13', '20191103', '20191104'],
] as const) {
  const AUCKLAND = {
    zone: 'Pacific/Auckland',
    dates: [day, next],
    trips: {
      day: 'A 13:00, B 13:30',
      late: 'A 42:00, B 43:00',
      long: 'A 33:00, B 43:00',
      night: 'B 00:30, C 00:45, D 12:30',
    },
  }
  far(name, AUCKLAND, (city) => {
    city.publish('12:50', [
      update('day', '#1@A d+60', { start: '13:00:00' }),
      update('late', '#1@A d+0', { start: '42:00:00' }),
      update('long', '#1@A d+0', { start: '33:00:00' }),
      update('night', '#1@B +0', { start: '00:30:00', date: next }),
    ])
    expect(city.tally.matched).toBe(4)
    expect([city.trip('day'), city.trip('late'), city.trip('long'), city.trip('night', next)]).toEqual([
      'runs | A 13:01 | B 13:31',
      'runs | A 42:00 | B 43:00',
      'runs | A 33:00 | B 43:00',
      'runs | B 00:30 | C 00:45 | D 12:30',
    ])
  })
}

of('ripta_test.cc')('gtfs_rt_ripta', { trips: { t: 'A 24:17, B 24:18, C 24:19' }, dates: ['20240511'] }, (city) => {
  city.publish('24:10', [update('t', '#2 x', { date: '20240512', start: '00:17:00' })])
  expect(city.trip('t')).toBe('runs | A 24:17? | B x | C 24:19?')
})

of('gtfsrt_rt_test.cc')(
  'gtfs_rt_update',
  {
    zone: 'America/New_York',
    dates: ['20230810'],
    trips: { t: 'A 05:33, B 05:35, C 05:37, D 05:38, E 05:39, F 05:40, G 05:42, H 05:47-05:49, I 05:50' },
  },
  (city) => {
    const calls =
      '#3@C 05:38:08, #4@D 05:39:11, #5@E 05:40:31, #6@F 05:41:36, #7@G 05:44:29, #8@H 05:49:03, #9@I 05:50:04'
    city.publish('05:38:44', [update('t', calls, { start: '05:33:00', ...ROUTE })])
    expect(city.trip('t')).toBe(
      'runs | A 05:33? | B 05:35? | C 05:38:08 | D 05:39:11 | E 05:40:31 | F 05:41:36 | G 05:44:29 | H 05:49:03 | I 05:50:04',
    )
  },
)

const blocks = of('rt_block_id_test.cc')
const BLOCK = {
  dates: ['20190501'],
  trips: {
    T1: { calls: 'A 00:30, B 10:00', route: 'R1', block: '1' },
    T2: { calls: 'B 26:10, C 27:00, D 28:00', route: 'R2', block: '1' },
    T3: { calls: 'D 28:30, E 28:40', route: 'R3', block: '1' },
  },
}
blocks(
  'rt_block_id_test',
  BLOCK,
  (city) => {
    city.publish('00:00', [update('T1', 'A a+3600'), update('T2', '#1 d+60, #2 a+3600'), update('T3', '#1 d+0')])
    expect([city.trip('T1'), city.trip('T2'), city.trip('T3')]).toEqual([
      'runs | A 01:30 | B 11:00',
      'runs | B 26:11 | C 28:00 | D 29:00',
      'runs | D 28:30 | E 28:40',
    ])
  },
  { rule: 'ownUpdate', theirs: 'T3 is raised to the end of T2, 29:00' },
)

const late = of('rt_delay_test.cc')
late('delay_test', { trips: { t: 'A 10:00, B 11:00' } }, (city) => {
  city.publish('09:00', [update('t', '#1 d+600, #2 a+0', { start: '10:00:00' })])
  expect(city.ride('A', 'B', '09:00')).toBe('A 10:10 t B 11:00')
})

const TWO = { trips: { T1: 'A 10:00, B 11:00', T2: 'A 14:00, B 15:00' } }
for (const file of ['rt_deviation_interval_test.cc deviation_interval', 'rt_coverage_test.cc coverage']) {
  const [path = '', name = ''] = file.split(' ')
  const interval = of(path)
  interval(`${name}_delay_and_cancel`, TWO, (city) => {
    city.publish('09:00', [update('T1', '#1 d+600, #2 a+0')])
    expect(city.trip('T1')).toBe('runs | A 10:10 | B 11:00')
    city.publish('09:01', [update('T1', '#2 a+1800')])
    expect(city.ride('A', 'B', '09:30')).toBe('A 10:00 T1 B 11:30')
    city.publish('09:02', [update('T1', '#1 d+0, #2 a+0'), update('T2', '', { as: 'CANCELED' })])
    expect([city.ride('A', 'B', '09:30'), city.ride('A', 'B', '13:00')]).toEqual(['A 10:00 T1 B 11:00', 'none'])
  })
  interval(`${name}_negative_delay`, TWO, (city) => {
    city.publish('09:00', [update('T1', '#1 d-600, #2 a-300')])
    expect(city.ride('A', 'B', '09:45')).toBe('A 09:50 T1 B 10:55')
  })
  interval(`${name}_cancel_rt_run`, TWO, (city) => {
    city.publish('09:00', [update('T1', '#1 d+1200, #2 a+1200')])
    expect(city.ride('A', 'B', '10:10')).toBe('A 10:20 T1 B 11:20')
    city.publish('09:01', [update('T1', '', { as: 'CANCELED' })])
    expect(city.ride('A', 'B', '10:10')).toBe('A 14:00 T2 B 15:00')
  })
  interval(`${name}_added_trip`, TWO, (city) => {
    city.publish('09:00', [update('n', '#1@A d22:00, #2@B a22:30', { as: 'ADDED', ...ROUTE, start: '22:00:00' })])
    expect(city.ride('A', 'B', '16:00')).toBe('A 22:00 n B 22:30')
  })
}
of('rt_deviation_interval_test.cc')('deviation_interval_on_time_update', TWO, (city) => {
  city.publish('09:00', [update('T1', '#1 d+0, #2 a+0')])
  expect(city.board('A', 2)).toEqual(['T1 10:00 10:00 on_time'])
  city.publish('09:01', [update('T1', '#1 d+0, #2 a+420')])
  expect(city.ride('A', 'B', '09:30')).toBe('A 10:00 T1 B 11:07')
  city.publish('09:02', [update('T1', '#1 d+0, #2 a+0')])
  expect(city.ride('A', 'B', '09:30')).toBe('A 10:00 T1 B 11:00')
})

const track = of('rt_scan_track_change_test.cc')
const TRACKS = { trips: { T1: 'A 10:00, S1 10:30-10:31, B 11:00' }, stations: { S: 'S1 S2' } }
const change = (delay: number | undefined, stop: string | undefined) => {
  const first = delay === undefined ? '' : `#1 d+${delay}, `
  return update('T1', `${first}#2 ${stop === undefined ? `a+${delay ?? 0}` : `=${stop}`}`, { start: '10:00:00' })
}
const boards = (city: { board(stop: string): string[] }) => [city.board('S1'), city.board('S2')]
const LATE = ['T1 10:31 10:36 delayed']

track('scan_track_change_same_update', TRACKS, (city) => {
  city.publish('09:50', [change(300, 'S2')])
  expect(boards(city)).toEqual([[], LATE])
  expect(city.ride('S2', 'B', '10:35')).toBe('S2 10:36 T1 B 11:05')
})
track(
  'scan_track_change_later_update',
  TRACKS,
  (city) => {
    city.publish('09:50', [change(300, undefined)])
    expect(boards(city)).toEqual([['T1 10:31 10:35:30 delayed'], []])
    city.publish('09:51', [change(300, 'S2')])
    expect(boards(city)).toEqual([[], LATE])
  },
  { rule: 'arrivalOnly', theirs: 'it waits the planned minute and leaves at 10:36' },
)
track('scan_track_change_reset', TRACKS, (city) => {
  city.publish('09:50', [change(300, 'S2')]).publish('09:51', [update('T1', '#1 d+300, #2 +300')])
  expect(boards(city)).toEqual([LATE, []])
})
track('scan_track_change_without_delay', TRACKS, (city) => {
  city.publish('09:50', [change(undefined, 'S2')])
  expect(boards(city)).toEqual([[], ['T1 10:31 - unknown']])
  expect(city.ride('S2', 'B', '10:30')).toBe('S2 10:31 T1 B 11:00')
})
