// Tests that an added trip runs in addition to the timetable's trip with the same id. One message reports both trips,
// with descriptors that differ only in schedule_relationship. Once, the feed's state took both updates for updates of
// one trip, and kept only the later one.
import { expect, test } from 'bun:test'
import { PeerCity } from '../peers/realtime/peer-city.ts'
import { update } from '../peers/realtime/short-updates.ts'

const LINE = { trips: { t: 'A 10:00, B 10:10' } }
const ROUTE = { route: 'R' }

test('both are shown, each by its own update', async () => {
  const city = await PeerCity.open(LINE)
  const added = update('t', 'A 09:55, B 10:05', { as: 'NEW', ...ROUTE })
  city.publish('09:50', [update('t', '#1 +60', ROUTE), added])
  expect(city.board('A')).toEqual(['t@09:55:00 09:55 09:55 added', 't 10:00 10:01 delayed'])
  city.publish('09:51', [update('t', '', { ...ROUTE, as: 'CANCELED' }), added])
  expect(city.board('A')).toEqual(['t@09:55:00 09:55 09:55 added', 't 10:00 - canceled'])
})

for (const as of ['CANCELED', 'DELETED'] as const) {
  test(`an added trip disappears if another entity reports it as ${as}`, async () => {
    const city = await PeerCity.open(LINE)
    city.publish('09:50', [update('n', 'A 09:55, B 10:05', { as: 'ADDED', ...ROUTE })])
    expect(city.trip('n')).toBe('added | A 09:55 | B 10:05')
    city.publish('09:51', [update('n', '', { as, ...ROUTE })], { isDifferential: true })
    expect([city.trip('n'), city.tally.matched]).toEqual(['none', 2])
    city.publish('09:52', [update('n', 'A 09:56, B 10:06', { as: 'ADDED', ...ROUTE })], { isDifferential: true })
    expect(city.trip('n')).toBe('added | A 09:56 | B 10:06')
  })
}
