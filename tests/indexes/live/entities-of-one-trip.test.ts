// Tests messages with several entities for one trip id: the entities of two trains, and two entities about one boat’s
// trip. Fails if one entity hides the other.
import { describe, expect, test } from 'bun:test'
import { PeerCity } from '../../peers/realtime/peer-city.ts'
import { update } from '../../peers/realtime/short-updates.ts'

/** Two trains leave two stations at 10:30. Live feeds use the trip id `063000_R..N` for both trains. */
const TRAINS = {
  trips: {
    far: { calls: 'A 10:30, C 10:40, D 10:50, E 11:00', direction: 0 },
    near: { calls: 'B 10:30, C 10:35, D 10:45, E 10:55', direction: 0 },
  },
}
const ID = '063000_R..N'
const far = (calls: string) => update(ID, calls, { id: '1', route: 'R' })
const near = (calls: string) => update(ID, calls, { id: '2', route: 'R' })

describe('two trains with one trip id', () => {
  test('are both shown, distinguished by their stops and times', async () => {
    const city = await PeerCity.open(TRAINS)
    city.publish('10:41', [far('D 10:51, E 11:01'), near('D 10:46, E 10:56')])
    expect(city.board('D')).toEqual(['near 10:45 10:46 delayed', 'far 10:50 10:51 delayed'])
  })

  test('also if a differential message updates one of them, until their entities are deleted', async () => {
    const city = await PeerCity.open(TRAINS)
    city.publish('10:41', [far('D 10:51, E 11:01'), near('D 10:46, E 10:56')])
    city.publish('10:42', [far('D 10:53, E 11:03')], { isDifferential: true })
    expect(city.board('D')).toEqual(['near 10:45 10:46 delayed', 'far 10:50 10:53 delayed'])
    city.publish('10:43', [], { isDifferential: true, deleted: ['2'] })
    expect(city.board('D')).toEqual(['near 10:45 - planned', 'far 10:50 10:53 delayed'])
  })

  test('each has its own vehicle, and its position decides which calls are passed', async () => {
    const city = await PeerCity.open({
      trips: { ...TRAINS.trips, far: { calls: 'A 10:30, C 11:10, D 11:20, E 11:30', direction: 0 } },
    })
    const updates = [far('D 11:21'), near('E 10:54')]
    expect(city.publish('10:34', updates).board('C')).toEqual(['near 10:35 - unknown', 'far 11:10 - unknown'])
    const vehicles = [{ id: 'v', trip: ID, route: 'R', stop: 'D', status: 1, at: 'D' }]
    expect(city.publish('10:34:01', updates, { vehicles }).board('C')).toEqual(['far 11:10 - unknown'])
  })
})

describe('one trip in two entities with the same id', () => {
  const BOAT = { trips: { t: 'A 10:00, B 10:10, C 10:20, D 10:30' } }
  // New York’s ferries report a trip like this: one entity has the departure from a stop, and another entity has the
  // arrival at the next stop.
  const left = update('t', '#2 d10:04', { date: '', id: 't' })
  const arrives = update('t', '#3 a10:21', { date: '', id: 't' })

  for (const [name, updates] of Object.entries({ 'in their order': [left, arrives], reversed: [arrives, left] })) {
    test(`is read as one, ${name}`, async () => {
      const city = await PeerCity.open(BOAT)
      city.publish('10:05', updates)
      expect(city.trip('t')).toBe('runs | A 10:00? | B 10:04 | C 10:21 | D 10:31')
      expect(city.tally).toEqual({ matched: 1, reasons: {} })
    })
  }

  test('of two updates for the same call, the later one counts', async () => {
    const city = await PeerCity.open(BOAT)
    city.publish('10:05', [arrives, update('t', '#3 a10:25', { date: '', id: 't' })])
    expect(city.trip('t')).toBe('runs | A 10:00? | B 10:10? | C 10:25 | D 10:35')
  })
})
