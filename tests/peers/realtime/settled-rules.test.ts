// Tests rules on which the specification and the peers do not agree. Quai's choices are explained in
// src/docs/decisions, in the files about live data. Each test is about one rule. Fails if a rider would see something
// other than what the rule says.
import { expect, test } from 'bun:test'
import { PeerCity } from './peer-city.ts'
import { update } from './short-updates.ts'

const LINE = { trips: { t: 'A 10:00, B 10:10-10:14, C 10:20, D 10:30' } }
const ROUTE = { route: 'R' }

test('a delay of a whole trip is used only if none of its calls has a time', async () => {
  const whole = await PeerCity.open(LINE)
  whole.publish('09:50', [update('t', '', { delay: 120 })])
  expect(whole.trip('t')).toBe('runs | A 10:02 | B 10:12-10:16 | C 10:22 | D 10:32')
  // While a bus is still on its previous trip, a feed from Washington reports the delay of that trip as the delay of
  // the whole next trip.
  const both = await PeerCity.open(LINE)
  both.publish('09:50', [update('t', 'C +60', { delay: -1080 })])
  expect(both.trip('t')).toBe('runs | A 10:00? | B 10:10-10:14? | C 10:21 | D 10:31')
  expect(both.board('A')).toEqual(['t 10:00 - unknown'])
})

test('if only the departure of a call is known, its arrival is as late as the previous call', async () => {
  const city = await PeerCity.open(LINE)
  city.publish('09:50', [update('t', 'A d+60, B d+300')])
  expect(city.trip('t')).toBe('runs | A 10:01 | B 10:11-10:19 | C 10:25 | D 10:35')
})

test('if nothing is known about the previous call, the arrival is as late as the departure, and never after it', async () => {
  const city = await PeerCity.open(LINE)
  city.publish('09:50', [update('t', 'B d+60')])
  expect(city.trip('t')).toBe('runs | A 10:00? | B 10:11-10:15 | C 10:21 | D 10:31')
  city.publish('09:51', [update('t', 'A +600, B d+60')])
  expect(city.trip('t')).toBe('runs | A 10:10 | B 10:15 | C 10:21 | D 10:31')
})

test('an added trip runs on its date, even without scheduled trips on that day', async () => {
  const city = await PeerCity.open({ ...LINE, dates: ['20260610', '20260613'] })
  city.publish('34:00', [update('n', 'A 10:30, C 10:50', { as: 'NEW', ...ROUTE, date: '20260611' })])
  expect(city.board('A')).toEqual(['20260611:n 34:30 34:30 added'])
  expect(city.ride('A', 'C', '34:00')).toBe('A 34:30 20260611:n C 34:50')
})

test('a differential message adds a copy of a trip, which stays until deleted', async () => {
  const city = await PeerCity.open(LINE)
  const copy = update('t', '', {
    as: 'DUPLICATED',
    id: 'e',
    properties: { tripId: 'copy', startTime: '11:00:00', startDate: '20260610' },
  })
  city.publish('09:50', [copy], { isDifferential: true })
  city.publish('09:51', [update('t', 'A +60')], { isDifferential: true })
  expect(city.board('A')).toEqual(['t 10:00 10:01 delayed', 'copy 11:00 - unknown'])
  city.publish('09:52', [], { isDifferential: true, deleted: ['e'] })
  expect(city.board('A')).toEqual(['t 10:00 10:01 delayed'])
})

test('the calls of an added trip keep the order of its message, regardless of stop_sequence', async () => {
  const city = await PeerCity.open(LINE)
  city.publish('09:50', [update('n', '#3@A 10:30, #2@B 10:40, #1@C 10:50', { as: 'NEW', ...ROUTE })])
  expect(city.trip('n')).toBe('added | A 10:30 | B 10:40 | C 10:50')
})

test('if times increase by stop_sequence but not in the order of the message, the trip follows stop_sequence', async () => {
  const city = await PeerCity.open(LINE)
  city.publish('09:50', [update('n', '#3@C 10:50, #1@A 10:30, #2@B 10:40', { as: 'NEW', ...ROUTE })])
  expect(city.trip('n')).toBe('added | A 10:30 | B 10:40 | C 10:50')
  expect(city.board('A')).toEqual(['t 10:00 - planned', 'n 10:30 10:30 added'])
  expect(city.board('C')).toEqual(['t 10:20 - planned'])
  expect(city.headsigns('A')).toEqual(['D', 'C'])
  // In this message, the second call is earlier than the first, and there is no stop_sequence to sort the calls by. The
  // trip would have to go back in time, so it is refused.
  city.publish('09:51', [update('n', '@C 10:50, @A 10:30', { as: 'NEW', ...ROUTE })])
  expect([city.trip('n'), city.tally.reasons]).toEqual(['none', { negative_hop: 1, added_too_fast: 1 }])
})

test('a rule of transfers.txt for a trip at a stop where it does not call is dropped, even if the trip is moved there', async () => {
  const city = await PeerCity.open({
    trips: { f: { calls: 'A 10:00, S1 10:10', route: 'F' }, g: { calls: 'S2 10:12, B 10:20', route: 'G' } },
    stations: { S: 'S1 S2 S3' },
    others: 'S3',
    transfers: 'S3,S2,2,900,,,f,',
  })
  city.publish('09:50', [update('f', '#2 =S3 +0')])
  expect(city.ride('A', 'B', '09:55')).toBe('A 10:00 f S3 10:10, S2 10:12 g B 10:20')
})
