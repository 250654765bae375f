// Tests which departures a running service lists on a board, and the content of each row. Fails if a board shows a bus
// that nobody can board or that has left, if it hides a bus that has not left, or if a canceled bus vanishes or gets an
// expected time.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { canceledTrip, delayedTrip } from '../feeds/realtime-feed.ts'
import { CheckedService, type Entity, TODAY, today } from './checked-service.ts'
import { until } from './running.ts'

const PORT = 18_750
/** A value of `schedule_relationship` for a call. */
const SKIPPED = 1
/** A value of `schedule_relationship` for a trip. */
const DUPLICATED = 6

const checked = new CheckedService({
  b: {
    feeds: ['live'],
    timetable: {
      stations: {
        S: ['S1', 'S2', 'S3', 'S4', 'S5', 'S6', 'S7', 'S8'],
      },
      trips: [
        { id: 'loop', calls: ['L1 08:10', 'L2 08:20', 'L3 08:30', 'L1 08:40'] },
        { id: 'late-loop', calls: ['L1 08:11', 'L2 08:21', 'L3 08:31', 'L1 08:41'] },
        { id: 'eight', calls: ['L1 08:12', 'L2 08:22', 'L1 08:32', 'L3 08:42', 'L1 08:52'] },

        { id: 'set-down', calls: ['P1 08:10', 'P2 08:20 pickup=1', 'P3 08:30'] },
        { id: 'late-set-down', calls: ['P1 08:11', 'P2 08:21 pickup=1', 'P3 08:31'] },
        { id: 'on-call', calls: ['P1 08:12', 'P2 08:22 pickup=2', 'P3 08:32'] },
        { id: 'on-sign', calls: ['P1 08:13', 'P2 08:23 pickup=3', 'P3 08:33'] },

        { id: 'five-late', line: 'Q', calls: ['Q1 07:57', 'Q2 08:30'] },
        { id: 'gone', line: 'Q', calls: ['Q1 07:57', 'Q2 08:31'] },
        { id: 'hours-late', line: 'Q', calls: ['Q1 05:10', 'Q2 05:40'] },
        { id: 'in-time', line: 'Q', calls: ['Q1 08:01', 'Q2 08:32'] },
        { id: 'at-once', line: 'Q', calls: ['Q1 07:58', 'Q2 08:33'] },
        { id: 'just-left', line: 'Q', calls: ['Q1 07:59', 'Q2 08:34'] },

        { id: 'left-early', line: 'R', calls: ['R1 08:02', 'R2 08:30'] },
        { id: 'seen-behind', line: 'R', calls: ['R1 08:02', 'R2 08:10', 'R3 08:31'] },
        { id: 'a-bit-early', line: 'R', calls: ['R1 08:04', 'R2 08:32'] },
        { id: 'not-early', line: 'R', calls: ['R1 08:03', 'R2 08:33'] },

        { id: 'canceled', line: 'C', calls: ['C1 08:05', 'C2 08:15', 'C3 08:25 pickup=1', 'C4 08:35'] },
        { id: 'canceled-with-times', line: 'C', calls: ['C1 08:06', 'C2 08:16', 'C4 08:36'] },
        { id: 'canceled-long-ago', line: 'C', calls: ['C1 07:59', 'C2 08:09', 'C4 08:29'] },
        { id: 'running', line: 'C', calls: ['C1 08:07', 'C2 08:17', 'C4 08:37'] },

        { id: 'skips', line: 'K', calls: ['K1 08:05', 'K2 08:15', 'K3 08:25', 'K4 08:35'] },
        { id: 'skips-set-down', line: 'K', calls: ['K1 08:06', 'K2 08:16 pickup=1', 'K3 08:26', 'K4 08:36'] },

        {
          id: 'signs',
          headsign: 'Port',
          calls: ['H1 08:10 headsign=Halles', 'H2 08:20', 'H3 08:30 headsign=Quais', 'H4 08:40 headsign=Nowhere'],
        },
        {
          id: 'late-signs',
          headsign: 'Port',
          calls: ['H1 08:11 headsign=Halles', 'H2 08:21', 'H3 08:31 headsign=Quais', 'H4 08:41 headsign=Nowhere'],
        },

        {
          id: 'changed-signs',
          headsign: 'Port',
          calls: ['H1 08:12 headsign=Halles', 'H2 08:22', 'H3 08:32 headsign=Quais', 'H4 08:42 headsign=Nowhere'],
        },

        ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => ({ id: `p${n}`, line: 'S', calls: [`S${n} 08:1${n}`, 'T 08:50'] })),
        { id: 'twice', line: 'S', calls: ['S1 08:30', 'S5 08:32', 'T 08:55'] },
        { id: 'moved', line: 'S', calls: ['S3 08:31', 'T 08:56'] },
        { id: 'reported-twice', line: 'S2', calls: ['S6 08:33', 'T 08:57'] },
        { id: 'hourly', line: 'S', calls: ['S7 09:00', 'T 09:30'] },
      ],
      more: {
        'frequencies.txt': `
          trip_id,start_time,end_time,headway_secs,exact_times
          hourly,09:00:00,09:40:00,1200,1
          hourly,09:40:00,10:20:00,1200,1`,
      },
    },
  },
})

const MESSAGE: readonly Entity[] = [
  delayedTrip('late-loop', TODAY, { L2: 120 }),
  delayedTrip('eight', TODAY, { L2: 180 }),
  delayedTrip('late-set-down', TODAY, { P1: 60 }),
  delayedTrip('five-late', TODAY, { Q1: 300 }),
  delayedTrip('hours-late', TODAY, { Q1: 3 * 3600 }),
  delayedTrip('at-once', TODAY, { Q1: 120 }),
  delayedTrip('just-left', TODAY, { Q1: 59 }),
  delayedTrip('left-early', TODAY, { R1: -180 }),
  {
    id: 'seen-behind',
    tripUpdate: {
      trip: { tripId: 'seen-behind', startDate: TODAY },
      stopTimeUpdate: [{ stopId: 'R2', arrival: { time: today('07:59:30') }, departure: { time: today('07:59:50') } }],
    },
  },
  delayedTrip('a-bit-early', TODAY, { R1: -120 }),
  canceledTrip('canceled', TODAY),
  {
    id: 'canceled-with-times',
    tripUpdate: {
      ...canceledTrip('canceled-with-times', TODAY).tripUpdate,
      delay: 300,
      stopTimeUpdate: [
        { stopId: 'C1', departure: { time: today('08:11') } },
        { stopId: 'C2', arrival: { delay: 300 }, departure: { delay: 300 } },
      ],
    },
  },
  canceledTrip('canceled-long-ago', TODAY),
  ...['skips', 'skips-set-down'].map((tripId) => ({
    id: tripId,
    tripUpdate: {
      trip: { tripId, startDate: TODAY },
      stopTimeUpdate: [
        { stopId: 'K1', departure: { delay: 60 } },
        {
          stopId: 'K2',
          arrival: { time: today('08:19') },
          departure: { time: today('08:19') },
          scheduleRelationship: SKIPPED,
        },
      ],
    },
  })),
  delayedTrip('late-signs', TODAY, { H1: 60 }),
  {
    id: 'changed-signs',
    tripUpdate: {
      trip: { tripId: 'changed-signs', startDate: TODAY },
      tripProperties: { tripHeadsign: 'Plage' },
      stopTimeUpdate: [{ stopId: 'H1', departure: { delay: 60 }, stopTimeProperties: { stopHeadsign: 'Gare' } }],
    },
  },
  {
    id: 'copied-signs',
    tripUpdate: {
      trip: { tripId: 'signs', startDate: TODAY, scheduleRelationship: DUPLICATED },
      tripProperties: { tripId: 'copied-signs', startDate: TODAY, startTime: '08:13:00' },
      stopTimeUpdate: [{ stopId: 'H1', departure: { delay: 60 } }],
    },
  },
  {
    id: 'moved',
    tripUpdate: {
      trip: { tripId: 'moved', startDate: TODAY },
      stopTimeUpdate: [
        { stopSequence: 1, stopId: 'S3', departure: { delay: 0 }, stopTimeProperties: { assignedStopId: 'S4' } },
      ],
    },
  },
  delayedTrip('reported-twice', TODAY, { S6: 60 }),
  {
    id: 'the same by its description',
    tripUpdate: {
      trip: { tripId: 'of-another-system', routeId: 'S2', directionId: 0, startDate: TODAY, startTime: '08:33:00' },
      stopTimeUpdate: [{ stopId: 'S6', departure: { delay: 120 } }],
    },
  },
]

beforeAll(async () => {
  checked.publish('b/live', MESSAGE)
  await checked.start(PORT)
  await checked.untilLive('b:stop:L1')
}, 60_000)
afterAll(() => checked.stop())

test('check 5: loop: first stop = last stop: the first call departs, the last does not, by call index', async () => {
  expect(await checked.board('b:stop:L1')).toEqual([
    'loop 08:10 - unknown',
    'late-loop 08:11 - unknown',
    'eight 08:12 - unknown',
    'eight 08:32 08:35 delayed',
  ])
})

test('check 6: pickup_type=1 in mid-route: no row; a request stop has one', async () => {
  expect(await checked.board('b:stop:P2')).toEqual(['on-call 08:22 - unknown', 'on-sign 08:23 - unknown'])
  expect((await checked.board('b:stop:P1')).length).toBe(4)
})

test('check 7: bus scheduled 3 min ago, 5 min late: listed, expected in 2 min', async () => {
  expect(await checked.board('b:stop:Q1')).toEqual([
    'at-once 07:58 08:00 delayed',
    'in-time 08:01 - unknown',
    'five-late 07:57 08:02 delayed',
    'hours-late 05:10 08:10 delayed',
  ])
})

test('check 8: bus scheduled in 2 min, already departed (early): dropped', async () => {
  expect(await checked.board('b:stop:R1')).toEqual(['a-bit-early 08:04 08:02 early', 'not-early 08:03 - unknown'])
})

test('check 9: CANCELED trip: row with status canceled, no expected time', async () => {
  expect(await checked.board('b:stop:C1')).toEqual([
    'canceled 08:05 - canceled',
    'canceled-with-times 08:06 - canceled',
    'running 08:07 - unknown',
  ])
  expect(await checked.board('b:stop:C2')).toEqual([
    'canceled-long-ago 08:09 - canceled',
    'canceled 08:15 - canceled',
    'canceled-with-times 08:16 - canceled',
    'running 08:17 - unknown',
  ])
})

test('check 10: SKIPPED at this stop only: row skipped, no expected time', async () => {
  expect(await checked.board('b:stop:K1')).toEqual(['skips 08:05 08:06 delayed', 'skips-set-down 08:06 08:07 delayed'])
  expect(await checked.board('b:stop:K2')).toEqual(['skips 08:15 - skipped'])
  expect((await checked.board('b:stop:K3'))[0]).toBe('skips 08:25 08:26 delayed')
})

test('check 11: canceled trip whose call here was drop-off only: never appears', async () => {
  expect(await checked.board('b:stop:C3')).toEqual([])
  expect(await checked.board('b:stop:C4')).toEqual([])
})

test('check 21: stop_headsign differs mid trip: the call has its own headsign', async () => {
  const signs = async (stop: string) => (await checked.rows(`b:stop:${stop}`)).map(({ headsign }) => headsign)
  expect(await signs('H1')).toEqual(['Halles', 'Halles', 'Gare', 'Halles'])
  expect(await signs('H2')).toEqual(['Port', 'Port', 'Plage', 'Port'])
  expect(await signs('H3')).toEqual(['Quais', 'Quais', 'Quais', 'Quais'])
})

test('check 22: area id with 8 platforms, same trip indexed twice: one row per (trip instance, call)', async () => {
  const rows = await checked.rows('b:area:S')
  const calls = rows.map(({ trip_id, stop_id, scheduled_at }) => {
    return `${trip_id.slice(`b:trip:${TODAY}:`.length)} ${stop_id.split(':').at(-1)} ${scheduled_at.slice(11, 16)}`
  })
  expect(calls).toEqual([
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `p${n} S${n} 08:1${n}`),
    'twice S1 08:30',
    'moved S4 08:31',
    'twice S5 08:32',
    'reported-twice S6 08:33',
    'hourly@09:00:00 S7 09:00',
    'hourly@09:20:00 S7 09:20',
    'hourly@09:40:00 S7 09:40',
    'hourly@10:00:00 S7 10:00',
  ])
})

test('checks 5 to 22 also apply with an explicit time', async () => {
  for (const stop of ['L1', 'P1', 'P2', 'Q1', 'R1', 'C1', 'C2', 'C3', 'K1', 'K2', 'H1', 'H2']) {
    expect(await checked.rows(`b:stop:${stop}`, '2026-06-10T06:00:00Z')).toEqual(await checked.rows(`b:stop:${stop}`))
  }
  expect(await checked.rows('b:area:S', '2026-06-10T06:00:00Z')).toEqual(await checked.rows('b:area:S'))
})

test('check 9, later: a trip that is no longer canceled runs again', async () => {
  checked.publish('b/live', [delayedTrip('canceled', TODAY, { C1: 60 })])
  await until(async () => (await checked.board('b:stop:C1')).includes('canceled 08:05 08:06 delayed'), 'it runs again')
  expect(await checked.board('b:stop:C3')).toEqual([])
})
