// OneBusAway's realtime tests, rewritten for Quai. They come from the tests of its trip library, and from its replays
// of feeds from Sound Transit, WMATA and the New York subway. The feeds are reduced to the few trips that matter.
import { casesOf, expect } from './peer-cases.ts'
import { update } from './short-updates.ts'

const library = casesOf({ peer: 'OneBusAway', file: 'gtfs_realtime/GtfsRealtimeTripLibraryTest.java' })
const UNDATED = { date: '' }

library(
  'test',
  {
    trips: {
      tripA: { calls: 'A 07:30, E 07:40', block: 'a' },
      tripB: { calls: 'B 08:30, F 08:40', block: 'a' },
      tripC: { calls: 'A 08:30, E 08:40', block: 'c' },
      tripD: { calls: 'B 09:30, F 09:40', block: 'c' },
    },
  },
  (city) => {
    city.publish('08:00', [
      update('tripA', 'A a+60', { date: '20260610' }),
      update('tripB', 'B a+120', { date: '20260610' }),
      update('tripC', 'A a+30', { date: '20260610' }),
      update('tripD', 'B a+90', { date: '20260610' }),
    ])
    expect(city.tally.matched).toBe(4)
    expect(city.board('B')).toEqual(['tripB 08:30 08:32 delayed', 'tripD 09:30 09:31:30 delayed'])
    expect(city.board('A')).toEqual(['tripC 08:30 08:30:30 on_time'])
  },
)

const ONE = { trips: { tripA: 'A 07:30, B 07:40' }, dates: ['20260610', '20260611'] }

library('testCreateVehicleLocationRecordForUpdate_NoStopTimeUpdates', ONE, (city) => {
  city.publish('07:25', [update('tripA', '', { ...UNDATED, delay: 120 })])
  expect(city.board('A')).toEqual(['tripA 07:30 07:32 delayed'])
})

library('testCreateVehicleLocationRecordForUpdate_WithStopTimeUpdates', ONE, (city) => {
  city.publish('07:25', [update('tripA', 'A d+180', { ...UNDATED, delay: 120 })])
  expect(city.board('A')).toEqual(['tripA 07:30 07:33 delayed'])
})

library(
  'testStopRewriting',
  { trips: { tripA: 'A 07:30 #0, B 07:40 #1' } },
  (city) => {
    city.publish('07:25', [update('tripA', '#0@replaceA d+180', { delay: 120 })])
    expect(city.board('A')).toEqual(['tripA 07:30 07:32 delayed'])
    expect(city.tally.reasons).toEqual({ stop_mismatch: 1 })
  },
  { rule: 'calls', theirs: 'a separate list defines that replaceA is A' },
)

library('testCreateVehicleLocationRecordForUpdate_FutureDay', ONE, (city) => {
  city.publish('31:25', [update('tripA', 'A d+180', { ...UNDATED, delay: 120 })])
  expect(city.trip('tripA', '20260611')).toBe('runs | A 07:33 | B 07:43')
  expect(city.trip('tripA')).toBe('planned')
})

library('testHandlingScheduleRealtionshipSkipped', { trips: { tripA: 'A 07:30, B 07:40, C 07:50' } }, (city) => {
  city.publish('07:31', [update('tripA', 'B x', { ...UNDATED, delay: 0 })])
  expect(city.trip('tripA')).toBe('runs | A 07:30? | B x | C 07:50')
})

library(
  'testTprInterpolation_0',
  ONE,
  (city) => {
    city.publish('07:31', [update('tripA', 'B d+180', { ...UNDATED, delay: 120 })])
    expect(city.trip('tripA')).toBe('runs | A 07:30? | B 07:43')
  },
  { rule: 'tripDelay', theirs: 'the delay of the trip applies at A, which it then leaves at 7:32' },
)

library('testTprInterpolation_1', ONE, (city) => {
  city.publish('07:33', [update('tripA', 'B +180', { ...UNDATED, delay: 120 })])
  expect([city.board('A'), city.trip('tripA')]).toEqual([[], 'runs | A 07:30? | B 07:43'])
})

library('testTprInterpolation_2', ONE, (city) => {
  city.publish('07:25', [update('tripA', 'A d+180', { ...UNDATED, delay: 120 })])
  expect(city.trip('tripA')).toBe('runs | A 07:33 | B 07:43')
})

library(
  'testTprOnFutureTrip',
  { trips: { tripA: { calls: 'A 07:30, B 07:35', block: '1' }, tripB: { calls: 'A 07:40, B 07:45', block: '1' } } },
  (city) => {
    city.publish('07:31', [
      update('tripA', 'A d+180', { delay: 120, vehicle: 'bus1' }),
      update('tripB', 'A d+240', { delay: 0, vehicle: 'bus1' }),
    ])
    expect(city.board('A')).toEqual(['tripA 07:30 07:33 delayed', 'tripB 07:40 07:44 delayed'])
  },
  { rule: 'ownUpdate', theirs: 'the next trip of the vehicle has no forecast yet; their comment proposes 7:44' },
)

for (const [name, occupancy, shown] of [
  ['no status', undefined, ''],
  ['full', 5, ' full'],
] as const) {
  library(`testCreateVehicleOccupancyRecordFromUpdate, ${name}`, ONE, (city) => {
    city.publish('07:29', [update('tripA', 'A +180', { vehicle: 'v1' })], {
      vehicles: [{ id: 'v1', at: 'A', ...(occupancy === undefined ? {} : { occupancy }) }],
    })
    expect(city.vehicles()).toEqual([`v1 tripA in_transit B${shown}`])
  })
}

const INTEGRATION = 'gtfs_realtime/integration_tests'
const saturday = { dates: ['20230729'], zone: 'America/Los_Angeles' }
const copies = casesOf({ peer: 'OneBusAway', file: `${INTEGRATION}/STDuplicatedTripsIntegrationTest.java` })
const TRAIN = { trips: { train: { calls: 'A 10:14, B 10:20, C 10:30', direction: 1 } }, ...saturday }

copies('testDuplicatedTrips1', TRAIN, (city) => {
  const more = { as: 'DUPLICATED', route: 'R', direction: 1, start: '10:43:00' } as const
  city.publish('10:40', [update('train', '#1@A d10:43, #2@B a10:49 d10:49:30', more)])
  expect(city.board('A')).toEqual(['train@10:43:00 10:43 10:43 on_time'])
  expect(city.trip('train@10:43:00')).toBe('added | A 10:43 | B 10:49-10:49:30 | C 10:59:30')
})

casesOf({ peer: 'OneBusAway', file: `${INTEGRATION}/STDuplicatedEdgeCase1IntegrationTest.java` })(
  'testDuplicatedTrips',
  {
    trips: { train: { calls: 'A 18:20, B 18:22, C 18:24', dates: ['20230728'] }, other: 'A 20:00, B 20:02' },
    ...saturday,
  },
  (city) => {
    const calls = '#1@A d18:09:40, #2@B a18:11:10 d18:11:40, #2@B a18:21 d18:21:30, #3@C a18:13:10'
    const more = { as: 'DUPLICATED', route: 'R', start: '18:03:40', vehicle: '674' } as const
    city.publish('18:09', [update('train', calls, more)])
    expect(city.board('A', 1)).toEqual(['train@18:03:40 18:03:40 18:09:40 delayed'])
    expect(city.trip('train')).toBe('none')
    expect(city.ride('A', 'C', '18:09')).toBe('A 18:09:40 train@18:03:40 C 18:13:10')
  },
)

casesOf({ peer: 'OneBusAway', file: `${INTEGRATION}/STDuplicatedEdgeCase2IntegrationTest.java` })(
  'testDuplicatedTrips',
  TRAIN,
  (city) => {
    city.publish('10:00', [update('train', '', { as: 'DUPLICATED' })])
    expect(city.board('A')).toEqual(['train 10:14 - planned'])
    expect(city.tally).toEqual({ matched: 0, reasons: { duplicate_without_name: 1 } })
  },
)

const night = {
  zone: 'America/New_York',
  dates: ['20240209'],
  trips: { before: 'A 23:50, B 24:05', after: 'A 24:10, B 24:20' },
}
for (const file of [
  'WMATAServiceDay2IntegrationTest',
  'WMATAServiceDay3IntegrationTest',
  'WMATAServiceDay4IntegrationTest',
]) {
  casesOf({ peer: 'OneBusAway', file: `${INTEGRATION}/${file}.java` })('test', night, (city) => {
    const isAfter = file.includes('3')
    // In tests 3 and 4, the feed dates a trip past midnight by the calendar day. In test 2, it dates the trip by the
    // service day.
    const dated = file.includes('2') ? {} : { date: '20240210' }
    const late = { ...update('after', 'A 00:12, B 00:22', dated) }
    const reported = file.includes('2') ? update('after', 'A 24:12, B 24:22') : late
    city.publish(isAfter ? '24:04' : '23:45', [reported])
    expect(city.trip('after')).toBe('runs | A 24:12 | B 24:22')
    expect(city.board('A', 1).at(-1)).toBe('after 24:10 24:12 delayed')
  })
}

const subway = (file: string) => casesOf({ peer: 'OneBusAway', file: `${INTEGRATION}/${file}.java` })
const ACE = {
  zone: 'America/New_York',
  dates: ['20240208'],
  trips: {
    'AFA_077800_A..N55R': { calls: 'A09N 12:58, A07N 13:02, A03N 13:10', route: 'A', direction: 0 },
    'AFA_077850_A..S55R': { calls: 'A03N 12:58:30, A07N 13:02, A09N 13:10', route: 'A', direction: 1 },
  },
  others: 'A05N A02N',
}

subway('NyctMultiUpdateIntegrationTest')('a train proceeds from message to message', ACE, (city) => {
  for (const [time, delay] of [
    ['13:00', 60],
    ['13:01', 120],
  ] as const) {
    const minutes = 2 + delay / 60
    city.publish(time, [update('077800_A..N', `A07N 13:0${minutes}, A03N 13:1${delay / 60}`, { route: 'A' })])
    expect(city.board('A07N').at(-1)).toBe(`AFA_077800_A..N55R 13:02 13:0${minutes} delayed`)
  }
})

subway('NyctChangingPatternTest')('testMultiUpdatesViaExtension', ACE, (city) => {
  const added = (calls: string) => update('1A 0736 FAR/207', calls, { as: 'ADDED', route: 'A', vehicle: '1A 0736' })
  for (const [time, calls] of [
    ['13:20', 'A09N 13:22, A07N 13:25, A03N 13:30'],
    ['13:23', 'A07N 13:26, A05N 13:28, A03N 13:31'],
    ['13:27', 'A05N 13:29, A03N 13:32, A02N 13:40'],
  ] as const) {
    city.publish(time, [added(calls)])
    expect(city.board('A05N').length + city.board('A07N').length).toBeGreaterThan(0)
    expect(new Set(city.headsigns('A05N')).size).toBeLessThanOrEqual(1)
  }
  expect(city.ride('A03N', 'A02N', '13:30')).toBe('A03N 13:32 1A 0736 FAR/207 A02N 13:40')
})

subway('NyctExpressRemapIntegrationTest')('an express is matched to the line of its local trains', ACE, (city) => {
  city.publish('12:57', [update('077800_A..N', 'A09N 12:59', { route: 'A' })])
  expect(city.trip('AFA_077800_A..N55R')).toBe('runs | A09N 12:59 | A07N 13:03 | A03N 13:11')
})

for (const letter of ['G', 'J', 'L', 'M']) {
  subway(`NyctWrongWay${letter}IntegrationTest`)('a train in the other direction is not matched', ACE, (city) => {
    city.publish('12:57', [update('077850_A..S', 'A03N 12:59:30', { route: 'A' })])
    expect(city.trip('AFA_077800_A..N55R')).toBe('planned')
    expect(city.board('A03N')).toEqual(['AFA_077850_A..S55R 12:58:30 12:59:30 delayed'])
    expect(city.headsigns('A03N')).toHaveLength(1)
  })
}

subway('NyctAddedTripsIntegrationTest')('testAddedViaExtension', ACE, (city) => {
  city.publish('13:19', [update('079900_A..N', 'A09N 13:20, A07N 13:25, A03N 13:33', { as: 'ADDED', route: 'A' })])
  expect(city.board('A07N')).toEqual(['079900_A..N 13:25 13:25 added'])
})
