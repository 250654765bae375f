// Tests two former bugs with live trips. In the first, a trip was moved to a platform at which no scheduled trip calls.
// The board showed it, but no journey used that platform, its station or a nearby address. In the second, a trip past
// midnight was reported with a date after the calendar's end, and matched no day.
import { expect, test } from 'bun:test'
import { PeerCity } from '../peers/realtime/peer-city.ts'
import { update } from '../peers/realtime/short-updates.ts'

const PLATFORMS = { trips: { t: 'A 10:00, S1 10:30, B 11:00' }, stations: { S: 'S1 S2' } }

test('journeys start and end at a platform used only by a live trip, and at its station', async () => {
  const city = await PeerCity.open(PLATFORMS)
  city.publish('09:50', [update('t', '#1 d+300, #2 =S2')])
  expect(city.board('S2')).toEqual(['t 10:30 10:35 delayed'])
  expect([city.ride('S2', 'B', '10:00'), city.ride('S', 'B', '10:00')]).toEqual([
    'S2 10:35 t B 11:05',
    'S2 10:35 t B 11:05',
  ])
  expect([city.rideBy('A', 'S2', '10:45'), city.rideBy('A', 'S', '10:45')]).toEqual([
    'A 10:05 t S2 10:35',
    'A 10:05 t S2 10:35',
  ])
  expect(city.ride('S1', 'B', '10:00')).toBe('none')
})

test('journeys do not use a platform that the live trip no longer uses', async () => {
  const city = await PeerCity.open(PLATFORMS)
  city.publish('09:50', [update('t', '#2 =S2')]).publish('09:51', [update('t', '#2 +0')])
  expect([city.ride('S1', 'B', '10:00'), city.ride('S2', 'B', '10:00')]).toEqual(['S1 10:30 t B 11:00', 'none'])
})

test('the day after the last calendar day is a valid date for a trip that starts past midnight', async () => {
  const city = await PeerCity.open({ trips: { t: 'A 24:17, B 24:18' }, dates: ['20240511'] })
  city.publish('24:10', [update('t', '#1 +60', { date: '20240512' })])
  expect(city.trip('t')).toBe('runs | A 24:18 | B 24:19')
  city.publish('24:11', [update('t', '#1 +60', { date: '20240513' })])
  expect(city.tally.reasons).toEqual({ no_service_on_date: 1 })
})
