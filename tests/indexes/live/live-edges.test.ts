// Tests edge cases of live data: calls without data, buses that have passed, trips with the same name, trips that end
// early, missing dates, and times out of order. Fails if a row without data is shown as live, or if a call that has
// passed reappears.
import { describe, expect, test } from 'bun:test'
import { at, CALL, LINE, LiveLine, TODAY, TRIP, timed, update } from './live-line.ts'

describe('a call without data is unknown, whatever its times, until a later call has data', () => {
  test('times on a NO_DATA call are not predictions', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [
      update('t', {
        1: timed('08:04'),
        2: { ...timed('08:14'), scheduleRelationship: CALL.NO_DATA },
        4: timed('08:33'),
      }),
    ])
    expect(line.board(['S1', 'S2', 'S3', 'S4'], 1)).toEqual([
      'S1 t 08:00 08:04 delayed',
      'S2 t 08:10 - unknown',
      'S3 t 08:20 - unknown',
      'S4 t 08:30 08:33 delayed',
    ])
  })

  test('a trip without tracking is unknown as a whole', async () => {
    const line = await LiveLine.open()
    const dark = { ...timed('08:44'), scheduleRelationship: CALL.NO_DATA }
    line.publish('08:00', [update('t', { 1: dark, 2: dark, 3: dark, 4: dark, 5: dark }, { rest: { delay: 240 } })])
    expect(line.board(['S1', 'S2'], 1)).toEqual(['S1 t 08:00 - unknown', 'S2 t 08:10 - unknown'])
  })

  test('a whole trip’s delay ends at a call without data', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [update('t', { 3: { scheduleRelationship: CALL.NO_DATA } }, { rest: { delay: 240 } })])
    expect(line.board(['S1', 'S2', 'S3', 'S4'], 1)).toEqual([
      'S1 t 08:00 08:04 delayed',
      'S2 t 08:10 08:14 delayed',
      'S3 t 08:20 - unknown',
      'S4 t 08:30 - unknown',
    ])
  })

  test('an added trip’s delay ends there too, and its time does not move known times', async () => {
    const line = await LiveLine.open()
    const stops = [
      { stopId: 'S1', ...timed('08:05') },
      { stopId: 'S2', ...timed('08:40'), scheduleRelationship: CALL.NO_DATA },
      { stopId: 'S3', ...timed('08:25') },
      { stopId: 'S4', ...timed('08:35') },
    ]
    const trip = { tripId: 'extra', routeId: 'L', startDate: TODAY, scheduleRelationship: TRIP.NEW }
    line.publish('08:01', [{ id: '1', tripUpdate: { trip, stopTimeUpdate: stops } }])
    expect(line.board(['S1', 'S2', 'S3'], 1)).toEqual([
      'S1 extra 08:05 08:05 added',
      'S1 u 09:00 - silent',
      'S2 t 08:10 - silent',
      'S2 extra 08:40 - unknown',
      'S3 t 08:20 - silent',
      'S3 extra 08:25 08:25 added',
    ])
  })
})

describe('passed calls stay passed', () => {
  const early = update('t', { 1: timed('08:00'), 2: timed('08:05'), 3: timed('08:10'), 4: timed('08:15') })
  const onlyFourth = update('t', { 4: { departure: { time: at('08:20') } } })
  const vehicle = (currentStatus: number, place: object) => ({
    id: 'v',
    vehicle: {
      trip: { tripId: 't', startDate: TODAY },
      vehicle: { id: '10' },
      position: { latitude: 48.53, longitude: 7.75 },
      currentStatus,
      ...place,
    },
  })

  test('a feed that drops calls that a bus has passed early does not bring the bus back', async () => {
    const line = await LiveLine.open()
    line.publish('08:04', [early])
    expect(line.board(['S3'], 1)).toEqual(['S3 t 08:20 08:10 early'])
    line.publish('08:12', [onlyFourth])
    expect(line.board(['S2', 'S3', 'S4'], 0.8)).toEqual(['S4 t 08:30 08:20 early'])
    expect(line.rides('S3', 'S5')).toEqual(['09:20 09:40'])
  })

  test('neither does a feed whose vehicle is beyond the stop', async () => {
    for (const [status, place] of [
      [1, { currentStopSequence: 4 }],
      [1, { stopId: 'S4' }],
      [0, { stopId: 'S4' }],
      [2, { stopId: 'S4' }],
    ] as const) {
      const line = await LiveLine.open()
      line.publish('08:12', [onlyFourth, vehicle(status, place)])
      expect(line.board(['S1', 'S2', 'S3', 'S4'], 0.8)).toEqual(['S4 t 08:30 08:20 early'])
      expect(line.rides('S3', 'S5')).toEqual(['09:20 09:40'])
    }
  })

  test('a delay carried to a call that the vehicle has passed is not a prediction', async () => {
    const line = await LiveLine.open()
    line.publish('08:12', [update('t', { 1: { departure: { delay: 0 } } }), vehicle(1, { stopId: 'S4' })])
    expect(line.board(['S2', 'S3', 'S4'], 0.8)).toEqual(['S4 t 08:30 08:30 on_time'])
  })

  test('a feed that drops the trip after an early last call does not bring it back', async () => {
    const line = await LiveLine.open()
    line.publish('08:11', [early]).publish('08:16', [])
    expect(line.board(['S3', 'S4'], 0.8)).toEqual([])
    expect(line.rides('S4', 'S5')).toEqual(['09:30 09:40'])
    line.publish('08:31', [])
    expect(line.board(['S4'], 0.8)).toEqual([])
  })

  test('a prediction that was never confirmed expires once the feed is silent', async () => {
    const line = await LiveLine.open()
    line.publish('08:04', [early]).publish('08:12', [], { isStale: true })
    expect(line.board(['S3'], 1)).toEqual(['S3 t 08:20 - silent'])
  })

  test('a new prediction from the feed is used', async () => {
    const line = await LiveLine.open()
    line.publish('08:04', [early]).publish('08:12', [update('t', { 3: timed('08:14') })])
    expect(line.board(['S3'], 1)).toEqual(['S3 t 08:20 08:14 early'])
    line.publish('08:13', [update('t', { 2: timed('08:15'), 3: { scheduleRelationship: CALL.NO_DATA } })])
    expect(line.board(['S2', 'S3'], 0.9)).toEqual(['S2 t 08:10 08:15 delayed', 'S3 t 08:20 - unknown'])
  })

  test('a canceled trip that is reinstated has passed no calls', async () => {
    const line = await LiveLine.open()
    line.publish('08:11', [early])
    line.publish('08:12', [update('t', {}, { trip: { scheduleRelationship: TRIP.CANCELED } })])
    line.publish('08:13', [])
    expect(line.board(['S3'], 1)).toEqual(['S3 t 08:20 - silent'])
  })
})

describe('an added trip with the id of a scheduled trip does not replace it', () => {
  const stops = (...times: string[]) => times.map((time, stop) => ({ stopId: `S${stop + 1}`, ...timed(time) }))
  const added = (relationship: number, times: readonly string[], trip: object = {}) => ({
    id: 'added',
    tripUpdate: {
      trip: { tripId: 't', startDate: TODAY, routeId: 'L', scheduleRelationship: relationship, ...trip },
      stopTimeUpdate: stops(...times),
    },
  })

  for (const relationship of [TRIP.ADDED, TRIP.NEW]) {
    test(`relationship ${relationship}: it is named by its first time`, async () => {
      const line = await LiveLine.open()
      line.publish('08:00', [added(relationship, ['08:03', '08:13', '08:23'])])
      expect(line.board(['S1', 'S2'], 1)).toEqual([
        'S1 t 08:00 - silent',
        'S1 t@08:03:00 08:03 08:03 added',
        'S2 t 08:10 - silent',
        'S2 t@08:03:00 08:13 08:13 added',
      ])
      expect(line.matched).toBe(1)
    })
  }

  test('it keeps its name when it is late, and the scheduled trip keeps its own update', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [added(TRIP.NEW, ['08:03', '08:13', '08:23'])])
    const own = update('t', { 1: { departure: { delay: 60 } } }, { trip: { routeId: 'L' } })
    line.publish('08:01', [{ ...added(TRIP.NEW, ['08:06', '08:16', '08:26']) }, { ...own, id: 'own' }])
    expect(line.board(['S1'], 1)).toEqual([
      'S1 t 08:00 08:01 delayed',
      'S1 t@08:03:00 08:03 08:06 added',
      'S1 u 09:00 - silent',
    ])
  })

  test('without a route, it is on the line of the trip whose id it has', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [added(TRIP.ADDED, ['08:03', '08:13'], { routeId: undefined })])
    expect(line.board(['S1'], 0.5)).toEqual(['S1 t 08:00 - silent', 'S1 t@08:03:00 08:03 08:03 added'])
  })

  test('past midnight, it is named by the time of its service day', async () => {
    const line = await LiveLine.open()
    line.publish(at('23:50'), [added(TRIP.ADDED, ['24:10', '24:20'])])
    expect(line.board(['S1'], 1)).toEqual(['S1 t@24:10:00 11T00:10 11T00:10 added'])
  })
})

describe('a trip that ends early shows its new end, and does not depart there', () => {
  test('a replacement', async () => {
    const line = await LiveLine.open()
    const stopTimeUpdate = ['S1', 'S2', 'S3'].map((stopId, stop) => ({ stopId, ...timed(`08:${stop}5`) }))
    const trip = { tripId: 't', startDate: TODAY, scheduleRelationship: TRIP.REPLACEMENT }
    line.publish('08:00', [{ id: '1', tripUpdate: { trip, stopTimeUpdate } }])
    expect(line.headsigns('S1').slice(0, 1)).toEqual(['Stop 3'])
    expect(line.board(['S2', 'S3', 'S4'], 0.8)).toEqual(['S2 t 08:10 08:15 delayed', 'S4 t 08:30 - skipped'])
  })

  test('a replacement with a different end', async () => {
    const line = await LiveLine.open()
    const stopTimeUpdate = ['S1', 'S2', 'X'].map((stopId, stop) => ({ stopId, ...timed(`08:${stop}5`) }))
    const trip = { tripId: 't', startDate: TODAY, scheduleRelationship: TRIP.REPLACEMENT }
    line.publish('08:00', [{ id: '1', tripUpdate: { trip, stopTimeUpdate } }])
    expect(line.headsigns('S1').slice(0, 1)).toEqual(['Stop X'])
  })

  test('a short turn through skipped calls', async () => {
    const line = await LiveLine.open()
    const skipped = { scheduleRelationship: CALL.SKIPPED }
    line.publish('08:00', [update('t', { 1: { departure: { delay: 60 } }, 4: skipped, 5: skipped })])
    expect(line.headsigns('S1').slice(0, 1)).toEqual(['Stop 3'])
    expect(line.board(['S2', 'S3', 'S4'], 0.8)).toEqual(['S2 t 08:10 08:11 delayed', 'S4 t 08:30 - skipped'])
    expect(line.rides('S3', 'S4')).toEqual(['09:20 09:30'])
  })

  test('nobody can alight where a trip that starts late starts', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [update('t', { 1: { scheduleRelationship: CALL.SKIPPED }, 2: { departure: { delay: 0 } } })])
    expect(line.rides('S1', 'S2')).toEqual(['09:00 09:10'])
    expect(line.rides('S2', 'S3')).toEqual(['08:10 08:20', '09:10 09:20'])
  })

  test('a canceled one stays on the boards of all its stops', async () => {
    const line = await LiveLine.open()
    const skipped = { scheduleRelationship: CALL.SKIPPED }
    line.publish('08:00', [update('t', { 2: skipped, 3: skipped, 4: skipped, 5: skipped })])
    expect(line.board(['S1', 'S4'], 0.8)).toEqual(['S1 t 08:00 - canceled', 'S4 t 08:30 - canceled'])
  })
})

describe('a trip without a date runs on the day whose schedule is nearest to its first time', () => {
  /** The trip takes 52 hours, and an instance of it starts every day. */
  const LONG = {
    ...LINE,
    'trips.txt': 'route_id,service_id,trip_id\nL,daily,long',
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
      long,08:00:00,08:00:00,S1,1
      long,30:00:00,30:00:00,S2,2
      long,40:00:00,40:00:00,S3,3
      long,60:00:00,60:00:00,S4,4`,
  }
  const withoutDate = { trip: { startDate: undefined } }

  test('a trip longer than a day starts today, even if yesterday’s is still running', async () => {
    const line = await LiveLine.open(LONG)
    line.publish('08:00', [update('long', { 1: timed('08:05') }, withoutDate)])
    expect(line.board(['S1'], 1)).toEqual(['S1 long 08:00 08:05 delayed'])
  })

  test('the time of a later call decides the day', async () => {
    const line = await LiveLine.open(LONG)
    line.publish('15:00', [update('long', { 3: timed('16:10') }, withoutDate)])
    expect(line.board(['S3'], 2)).toEqual(['S3 20260609:long 16:00 16:10 delayed'])
  })

  test('if no call is known, the nearest scheduled time of any call decides', async () => {
    const line = await LiveLine.open(LONG)
    line.publish('05:00', [update('long', { 9: timed('06:10'), 2: { departure: { delay: 600 } } }, withoutDate)])
    expect(line.board(['S2'], 2)).toEqual(['S2 20260609:long 06:00 06:10 delayed'])
  })

  test('a trip canceled as a whole is the next one that starts within twelve hours', async () => {
    const line = await LiveLine.open()
    const off = { trip: { startDate: undefined, scheduleRelationship: TRIP.CANCELED } }
    line.publish('07:00', [update('t', {}, off)])
    expect(line.board(['S1'], 1.5)).toEqual(['S1 t 08:00 - canceled'])
    line.publish(at('19:00', '2026-06-09'), [update('t', {}, off)])
    expect(line.reasons).toEqual({ no_start_date: 1 })
    line.publish(at('20:00', '2026-06-09'), [update('t', {}, off)])
    expect(line.board(['S1'], 12.5)).toEqual(['S1 t 08:00 - canceled'])
    line.publish(at('08:45'), [update('t', {}, off)])
    expect(line.matched).toBe(1)
    line.publish(at('07:00'), [update('t', {}, { ...withoutDate, rest: { delay: 120 } })])
    expect(line.board(['S1'], 1.5)).toEqual(['S1 t 08:00 08:02 delayed'])
    line.publish(at('07:00'), [update('t', { 1: { departure: { delay: 120 } } }, withoutDate)])
    expect(line.reasons).toEqual({ no_start_date: 1 })
  })
})

describe('a trip that starts past midnight may be dated by the calendar day', () => {
  const NIGHT = {
    ...LINE,
    'calendar.txt': `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,20260601,20260630
      tuesday,0,1,0,0,0,0,0,20260601,20260630`,
    'trips.txt': 'route_id,service_id,trip_id\nL,daily,night\nL,tuesday,once',
    'stop_times.txt': `trip_id,arrival_time,departure_time,stop_id,stop_sequence
      night,24:10:00,24:10:00,S1,1
      night,24:20:00,24:20:00,S2,2
      once,24:11:00,24:11:00,S1,1
      once,24:20:00,24:20:00,S2,2`,
  }

  test('if it does not run on that service day, or its times are those of the night before', async () => {
    const line = await LiveLine.open(NIGHT)
    line.publish('00:05', [update('once', { 1: { departure: { delay: 60 } } }), update('night', { 1: timed('00:12') })])
    expect(line.board(['S1'], 1)).toEqual([
      'S1 20260609:night 00:10 00:12 delayed',
      'S1 20260609:once 00:11 00:12 delayed',
    ])
  })

  test('but otherwise the date is the service day', async () => {
    const line = await LiveLine.open(NIGHT)
    line.publish('23:55', [update('night', { 1: timed('24:12') })])
    expect(line.board(['S1'], 1)).toEqual(['S1 night 11T00:10 11T00:12 delayed'])
  })
})

describe('conflicting times of one call', () => {
  test('if the arrival is later than the departure, the departure counts', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [
      update('t', { 2: { arrival: { time: at('08:10:55') }, departure: { time: at('08:09:38') } }, 3: timed('08:21') }),
    ])
    expect(line.board(['S2', 'S3'], 0.8)).toEqual(['S2 t 08:10 08:09:38 on_time', 'S3 t 08:20 08:21 delayed'])
    expect(line.reasons).toEqual({ negative_dwell: 1 })
  })

  test('the departure also counts on an added trip', async () => {
    const line = await LiveLine.open()
    const trip = { tripId: 'extra', routeId: 'M', startDate: TODAY, scheduleRelationship: TRIP.NEW }
    const stopTimeUpdate = [
      { stopId: 'S1', arrival: { time: at('08:06') }, departure: { time: at('08:05') } },
      { stopId: 'S2', ...timed('08:15') },
    ]
    line.publish('08:01', [{ id: '1', tripUpdate: { trip, stopTimeUpdate } }])
    expect(line.reasons).toEqual({ added_without_route: 1 })
    line.publish('08:01', [{ id: '1', tripUpdate: { trip: { ...trip, routeId: 'L' }, stopTimeUpdate } }])
    expect(line.board(['S1'], 0.5)).toEqual(['S1 extra 08:05 08:05 added'])
    expect(line.reasons).toEqual({ negative_dwell: 1 })
  })

  test('a prediction raised to the previous one stays live and counts as a hop', async () => {
    const line = await LiveLine.open()
    line.publish('08:00', [update('t', { 2: timed('08:20'), 3: timed('08:15') })])
    expect(line.board(['S3'], 0.8)).toEqual(['S3 t 08:20 08:20 on_time'])
    expect(line.reasons).toEqual({ negative_hop: 1 })
  })

  test('times of a skipped call do not move others', async () => {
    const line = await LiveLine.open()
    const trip = { tripId: 'extra', routeId: 'L', startDate: TODAY, scheduleRelationship: TRIP.NEW }
    const stopTimeUpdate = [
      { stopId: 'S1', ...timed('08:05') },
      { stopId: 'S2', ...timed('08:50'), scheduleRelationship: CALL.SKIPPED },
      { stopId: 'S3', ...timed('08:25') },
      { stopId: 'S4', ...timed('08:35') },
    ]
    line.publish('08:01', [{ id: '1', tripUpdate: { trip, stopTimeUpdate } }])
    expect(line.board(['S3'], 0.8)).toEqual(['S3 t 08:20 - silent', 'S3 extra 08:25 08:25 added'])
    expect(line.rides('S1', 'S4')).toEqual(['08:05 08:35', '09:00 09:30'])
  })
})
