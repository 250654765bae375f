// Tests live trips at the edges of the calendar and outside it: a trip added on the evening of the last day, a late
// trip on the last day, and a trip before the first day. Boards show these trips, so journeys must use them; once, the
// planner did not.
import { expect, test } from 'bun:test'
import { at, LINE, LiveLine, TRIP, update } from '../indexes/live/live-line.ts'

const LAST = '20260630'
const onLastDay = (time: string) => at(time, '2026-06-30')

test('journeys use an added trip after the last trip of the calendar', async () => {
  const line = await LiveLine.open()
  const times = ['12:30', '12:40', '12:50'].map((time, stop) => ({
    stopId: `S${stop + 1}`,
    departure: { time: onLastDay(time) },
  }))
  const trip = { tripId: 'extra', routeId: 'L', startDate: LAST, scheduleRelationship: TRIP.NEW }
  line.publish(onLastDay('12:00'), [{ id: 'extra', tripUpdate: { trip, stopTimeUpdate: times } }])
  expect(line.board(['S1'], 1)).toEqual([`S1 ${LAST}:extra 30T12:30 30T12:30 added`])
  expect(line.rides('S1', 'S3')).toEqual(['30T12:30 30T12:50'])
})

test('journeys use a late trip of the last day', async () => {
  const line = await LiveLine.open()
  line.publish(onLastDay('09:45'), [update('u', { 3: { departure: { delay: 1800 } } }, { trip: { startDate: LAST } })])
  expect(line.rides('S3', 'S5')).toEqual(['30T09:50 30T10:10'])
})

test('journeys use a trip added before the first day of the calendar', async () => {
  const calendar = LINE['calendar.txt']?.replace('20260601', '20260610') ?? ''
  const line = await LiveLine.open({ ...LINE, 'calendar.txt': calendar })
  const day = (time: string) => at(time, '2026-06-07')
  const times = ['12:30', '12:40'].map((time, stop) => ({ stopId: `S${stop + 1}`, departure: { time: day(time) } }))
  const trip = { tripId: 'extra', routeId: 'L', startDate: '20260607', scheduleRelationship: TRIP.NEW }
  line.publish(day('12:00'), [{ id: 'extra', tripUpdate: { trip, stopTimeUpdate: times } }])
  expect(line.rides('S1', 'S2')).toEqual(['07T12:30 07T12:40'])
})
