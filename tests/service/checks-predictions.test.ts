// Tests reports about calls, on a running service: which trip and call a report refers to, and to which later calls it
// applies. Fails if a time is invented, if a delay ends too early, or if a report is applied to the wrong call.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { delayedTrip } from '../feeds/realtime-feed.ts'
import { CheckedService, type CheckedTrip, type Entity, TODAY, today } from './checked-service.ts'

const PORT = 18_752
// Values of `schedule_relationship` for a call.
const SKIPPED = 1
const NO_DATA = 2
/** A value of `schedule_relationship` for a trip. */
const DUPLICATED = 6

/** Times of twenty calls: the first at 08:05, then one every five minutes. */
const TIMES = Array.from({ length: 20 }, (_, at) => {
  const minutes = 8 * 60 + 5 + at * 5
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
})

function longTrip(id: string): CheckedTrip {
  return { id, calls: TIMES.map((time, at) => `${id}${at + 1} ${time}`) }
}

const LOOP = ['O1 08:10', 'O2 08:20', 'O1 08:30', 'O3 08:40']
const STARTS = { startDate: TODAY, startTime: '08:10:00' }

const checked = new CheckedService({
  p: {
    feeds: ['live'],
    timetable: {
      stations: { S: ['S1', 'S2'] },
      trips: [
        ...['carried', 'timed', 'arriving', 'unknown', 'passes', 'empty', 'nothing'].map(longTrip),

        { id: 'described', line: 'D1', calls: ['D1 08:10', 'D2 08:20'] },
        { id: 'described-back', line: 'D1', direction: 1, calls: ['D2 08:10', 'D1 08:20'] },
        { id: 'without-direction', line: 'D3', calls: ['D3 08:10', 'D4 08:20'] },
        { id: 'one-of-two', line: 'D5', calls: ['D5 08:10', 'D6 08:20'] },
        { id: 'other-of-two', line: 'D5', calls: ['D5 08:10', 'D6 08:25'] },
        { id: 'nearly', line: 'D7', calls: ['D7 08:10', 'D8 08:20'] },

        ...['ambiguous', 'in-order', 'by-sequence', 'only-between'].map((id) => ({ id, calls: LOOP })),

        { id: 'changed', calls: ['A 08:10', 'S1 08:20', 'B 08:30'] },
        { id: 'named', calls: ['A 08:11', 'S1 08:21', 'B 08:31'] },
        { id: 'elsewhere', calls: ['A 08:12', 'S1 08:22', 'B 08:32'] },
        { id: 'origin', calls: ['A 07:13', 'S1 07:23', 'B 07:33'] },
        { id: 'nowhere', calls: ['A 08:13', 'S1 08:23', 'B 08:33'] },
      ],
    },
  },
})

type Update = NonNullable<NonNullable<Entity['tripUpdate']>['stopTimeUpdate']>[number]

function updates(tripId: string, stopTimeUpdate: Update[]): Entity {
  return { id: tripId, tripUpdate: { trip: { tripId, startDate: TODAY }, stopTimeUpdate } }
}

function described(id: string, trip: NonNullable<Entity['tripUpdate']>['trip']): Entity {
  return { id, tripUpdate: { trip, stopTimeUpdate: [{ stopSequence: 1, departure: { delay: 120 } }] } }
}

const MESSAGE: readonly Entity[] = [
  delayedTrip('carried', TODAY, { carried3: 120 }),
  updates('timed', [{ stopSequence: 3, departure: { time: today('08:17:01') } }]),
  updates('arriving', [{ stopSequence: 3, arrival: { delay: 120 } }]),
  updates('unknown', [
    { stopSequence: 3, departure: { delay: 120 } },
    { stopSequence: 10, scheduleRelationship: NO_DATA },
    { stopSequence: 15, departure: { delay: 60 } },
  ]),
  updates('passes', [
    { stopSequence: 3, departure: { delay: 120 } },
    { stopSequence: 5, scheduleRelationship: SKIPPED, departure: { time: today('08:55') } },
    { stopSequence: 6, scheduleRelationship: SKIPPED, departure: { delay: 0 } },
    { stopSequence: 9, departure: { delay: 300 } },
  ]),
  updates('empty', [
    { stopSequence: 3, departure: { delay: 120 } },
    { stopSequence: 6, arrival: {}, departure: {} },
  ]),
  updates('nothing', [{ stopSequence: 3, arrival: {}, departure: {} }]),

  described('with all', { tripId: 'foreign-1', routeId: 'D1', directionId: 0, ...STARTS }),
  described('without direction', { tripId: 'foreign-2', routeId: 'D3', ...STARTS }),
  described('of two', { tripId: 'foreign-3', routeId: 'D5', directionId: 0, ...STARTS }),
  described('a minute off', { tripId: 'foreign-4', routeId: 'D7', directionId: 0, ...STARTS, startTime: '08:11:00' }),

  delayedTrip('ambiguous', TODAY, { O1: 180 }),
  updates('in-order', [
    { stopId: 'O1', departure: { delay: 60 } },
    { stopId: 'O2', departure: { delay: 120 } },
    { stopId: 'O1', departure: { delay: 180 } },
  ]),
  updates('by-sequence', [{ stopSequence: 3, stopId: 'O1', departure: { delay: 240 } }]),
  updates('only-between', [
    { stopId: 'O2', departure: { delay: 120 } },
    { stopId: 'O1', departure: { delay: 60 } },
    { stopId: 'O3', arrival: { delay: 0 } },
  ]),

  updates('changed', [
    { stopSequence: 2, stopId: 'S1', departure: { delay: 60 }, stopTimeProperties: { assignedStopId: 'S2' } },
  ]),
  updates('named', [{ stopSequence: 2, stopId: 'S2', departure: { delay: 60 } }]),
  updates('elsewhere', [
    { stopSequence: 2, stopId: 'S1', departure: { delay: 60 }, stopTimeProperties: { assignedStopId: 'B' } },
  ]),
  {
    id: 'copied',
    tripUpdate: {
      trip: { tripId: 'origin', startDate: TODAY, scheduleRelationship: DUPLICATED },
      tripProperties: { tripId: 'copied', startDate: TODAY, startTime: '08:14:00' },
      stopTimeUpdate: [
        { stopSequence: 2, stopId: 'S1', departure: { delay: 60 }, stopTimeProperties: { assignedStopId: 'S2' } },
      ],
    },
  },
  updates('nowhere', [
    { stopSequence: 2, stopId: 'S1', departure: { delay: 60 }, stopTimeProperties: { assignedStopId: 'ZZ' } },
  ]),
]

beforeAll(async () => {
  checked.publish('p/live', MESSAGE)
  await checked.start(PORT)
  await checked.untilLive('p:stop:carried3')
}, 60_000)
afterAll(() => checked.stop())

/**
 * The delay at each stop of a trip with twenty stops: null if unknown, and a description if the stop is skipped or its
 * row is missing or contradictory. The last stop is omitted, since no vehicle departs there.
 */
async function delays(trip: string): Promise<(number | null | string)[]> {
  const rows = await Promise.all(TIMES.slice(0, 19).map((_, at) => checked.rows(`p:stop:${trip}${at + 1}`)))
  return rows.map(([row]) => {
    if (row === undefined) return 'no row'
    if (row.realtime !== (row.status !== 'unknown')) return `${row.status}, realtime ${row.realtime}`
    return row.status === 'skipped' ? `skipped, ${row.expected_at}` : row.delay_seconds
  })
}

const times = <Each>(count: number, each: Each): Each[] => Array.from({ length: count }, () => each)

test('check 12: update only for stop 3 of 20: delay carried to 4..20, stops 1–2 unknown', async () => {
  expect(await delays('carried')).toEqual([null, null, ...times(17, 120)])
  expect(await delays('timed')).toEqual([null, null, ...times(17, 121)])
  expect(await delays('arriving')).toEqual([null, null, ...times(17, 120)])
})

test('check 13: NO_DATA at stop 10: unknown from 10 on, not realtime, until a later call has data', async () => {
  expect(await delays('unknown')).toEqual([null, null, ...times(7, 120), ...times(5, null), ...times(5, 60)])
})

test('check 14: SKIPPED between two timed stops: the delay carries over the skipped call', async () => {
  expect(await delays('passes')).toEqual([
    ...[null, null, 120, 120],
    ...['skipped, null', 'skipped, null'],
    ...[120, 120],
    ...times(11, 300),
  ])
})

test('check 15: empty arrival{}/departure{}: ignored', async () => {
  expect(await delays('empty')).toEqual([null, null, ...times(17, 120)])
  expect(await delays('nothing')).toEqual(times(19, null))
})

test('check 16: TripUpdate with foreign trip_id but route+direction+start: matched by the descriptor', async () => {
  expect(await checked.board('p:stop:D1')).toEqual(['described 08:10 08:12 delayed'])
  expect(await checked.board('p:stop:D2')).toEqual(['described-back 08:10 - unknown'])
  expect(await checked.board('p:stop:D3')).toEqual(['without-direction 08:10 08:12 delayed'])
  // An update is ignored if it matches two trips, or if its start time is not exactly the trip's.
  expect(await checked.board('p:stop:D5')).toEqual(['one-of-two 08:10 - unknown', 'other-of-two 08:10 - unknown'])
  expect(await checked.board('p:stop:D7')).toEqual(['nearly 08:10 - unknown'])
})

test('check 17: loop trip, stop visited twice, update by stop_id only: not applied, unless sequence order resolves it', async () => {
  const board = await checked.board('p:stop:O1')
  const callsOf = (trip: string) => board.filter((row) => row.startsWith(`${trip} `))
  expect(callsOf('ambiguous')).toEqual(['ambiguous 08:10 - unknown', 'ambiguous 08:30 - unknown'])
  expect(callsOf('in-order')).toEqual(['in-order 08:10 08:11 delayed', 'in-order 08:30 08:33 delayed'])
  expect(callsOf('by-sequence')).toEqual(['by-sequence 08:10 - unknown', 'by-sequence 08:30 08:34 delayed'])
  expect(callsOf('only-between')).toEqual(['only-between 08:10 - unknown', 'only-between 08:30 08:31 delayed'])
  const between = await checked.board('p:stop:O2')
  expect(between).toEqual([
    'ambiguous 08:20 - unknown',
    'by-sequence 08:20 - unknown',
    'in-order 08:20 08:22 delayed',
    'only-between 08:20 08:22 delayed',
  ])
})

test('check 18: platform reassigned (assigned_stop_id): new platform, only if same station', async () => {
  const platforms = async (place: string) =>
    (await checked.rows(place)).map(({ stop_id, platform, expected_at, trip_id }) => {
      return [trip_id.split(':').at(-1), stop_id, platform, expected_at?.slice(11, 16)].join(' ')
    })
  const [changed, named, elsewhere, nowhere, copied] = [
    'changed p:stop:S2 s2 08:21',
    'named p:stop:S2 s2 08:22',
    'elsewhere p:stop:S1 s1 08:23',
    'nowhere p:stop:S1 s1 08:24',
    'copied p:stop:S2 s2 08:25',
  ]
  expect(await platforms('p:area:S')).toEqual([changed, named, elsewhere, nowhere, copied])
  expect(await platforms('p:stop:S2')).toEqual([changed, named, copied])
  expect(await platforms('p:stop:S1')).toEqual([elsewhere, nowhere])
  expect((await platforms('p:stop:B')).length).toBe(0)
})
