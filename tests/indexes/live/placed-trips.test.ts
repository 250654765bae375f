// Tests feeds that report positions of vehicles but no trip updates. The delay of a trip follows from its vehicle's
// position. Fails if the trip of a late vehicle is shown on time, if a position is used although it is too old or too
// far from the line, or if the position overrides a trip update.

import { describe, expect, test } from 'bun:test'
import { columnArray } from '../../../loaders/columns.ts'
import { at, CALL, LINE, LiveLine, TODAY, TRIP, timed, update } from './live-line.ts'

/** A vehicle of trip t at a latitude; stops are 0.01° apart, starting at 48.50. */
function vehicle(
  latitude: number,
  more: { readonly time?: string; readonly longitude?: number; readonly rest?: object } = {},
) {
  const { time, longitude = 7.75, rest } = more
  return {
    id: 'v',
    vehicle: {
      trip: { tripId: 't', startDate: TODAY },
      vehicle: { id: '10' },
      position: { latitude, longitude },
      timestamp: time === undefined ? undefined : at(time),
      ...rest,
    },
  }
}

const board = (line: LiveLine) => line.board(['S1', 'S2', 'S3', 'S4'], 0.7)

describe('a vehicle whose trip has no update', () => {
  test('delays its trip from its position on', async () => {
    const line = await LiveLine.open()
    // The vehicle should be halfway from S1 to S2 at 08:05.
    line.publish('08:08', [vehicle(48.505)])
    expect(board(line)).toEqual(['S2 t 08:10 08:13 delayed', 'S3 t 08:20 08:23 delayed', 'S4 t 08:30 08:33 delayed'])
    expect(line.vehicles('S2')).toEqual(['10'])
    const { instances, meta } = line.overlay
    expect([...columnArray(instances.feed)].map((feed) => meta.feedIds[feed])).toEqual(['f'])
    expect(line.rides('S2', 'S5')[0]).toBe('08:13 08:43')
    line.publish('08:09', [vehicle(48.515)])
    expect(board(line)).toEqual(['S3 t 08:20 08:14 early', 'S4 t 08:30 08:24 early'])
  })

  test('counts for 90 s and 200 m', async () => {
    const first = async (more: Parameters<typeof vehicle>[1]) =>
      board((await LiveLine.open()).publish('08:08', [vehicle(48.505, more)]))
    expect((await first({ time: '08:06:30' })).at(0)).toBe('S2 t 08:10 08:11:30 delayed')
    expect((await first({ time: '08:06:29' })).at(0)).toBe('S2 t 08:10 - silent')
    // Two positions beside the line: 192 m from it, and 214 m. The limit is 200 m.
    expect((await first({ longitude: 7.7526 })).at(0)).toBe('S2 t 08:10 08:13 delayed')
    expect((await first({ longitude: 7.7529 })).at(0)).toBe('S2 t 08:10 - silent')
  })

  test('stays at a stop until it leaves, and does not start before the first departure', async () => {
    const line = await LiveLine.open()
    line.publish('07:55', [vehicle(48.5)])
    expect(board(line)[0]).toBe('S1 t 08:00 08:00 on_time')
    // A vehicle near its first stop may be waiting there or still be approaching it, so its position does not show that
    // the trip is early.
    const near = (await LiveLine.open()).publish('07:55', [vehicle(48.501)])
    expect(board(near)[0]).toBe('S1 t 08:00 - silent')
    line.publish('08:12', [vehicle(48.51, { rest: { currentStatus: 1, stopId: 'S2' } })])
    expect(board(line)).toEqual(['S2 t 08:10 08:12 delayed', 'S3 t 08:20 08:22 delayed', 'S4 t 08:30 08:32 delayed'])
  })

  test('is ignored if a feed covers the trip', async () => {
    const line = await LiveLine.open()
    line.publish('08:08', [vehicle(48.505), update('t', { 3: timed('08:20') })])
    expect(board(line)).toEqual(['S2 t 08:10 - unknown', 'S3 t 08:20 08:20 on_time', 'S4 t 08:30 08:30 on_time'])
    line.publish('08:08', [vehicle(48.505), update('t', {}, { trip: { scheduleRelationship: TRIP.CANCELED } })])
    expect(board(line)[0]).toBe('S2 t 08:10 - canceled')
    line.publish('08:08', [vehicle(48.505), update('t', { 2: { scheduleRelationship: CALL.NO_DATA } })])
    expect(board(line)[0]).toBe('S2 t 08:10 - unknown')
  })

  test('takes precedence over the delay carried from the trip before in its block', async () => {
    const line = await LiveLine.open({
      ...LINE,
      'trips.txt': 'route_id,service_id,trip_id,direction_id,block_id\nL,daily,t,0,b\nL,daily,u,0,b',
    })
    const next = vehicle(48.505)
    const ofNext = { ...next, vehicle: { ...next.vehicle, trip: { tripId: 'u', startDate: TODAY } } }
    line.publish('09:08', [ofNext, update('t', { 5: timed('09:30') })])
    expect(line.board(['S2'], 1)).toEqual(['S2 u 09:10 09:13 delayed'])
  })
})
