// Tests which journeys a list shows, on feeds with a few trips. Fails if a good departure is left out, if a journey
// with a transfer is preferred to a direct ride, if a list depends on `limit`, or if no journey is found although there
// is one.
import { describe, expect, test } from 'bun:test'
import { diceOf } from '../../board-questions.ts'
import { openJourneys } from './journey-lines.ts'

const at = (time: string, date = '2026-06-10') => `${date}T${time}:00%2B02:00`
/** The trip ids of each journey in a list. */
const tripsOf = (list: readonly string[][]) =>
  list.map((lines) => lines.map((line) => line.split(' ')[0] ?? '').filter((trip) => trip !== 'walk'))

/** Makes trips for direct rides and for journeys with a transfer, at random times from 08:00 on. */
function manyTrips(seed: number): Record<string, string> {
  const dice = diceOf(seed)
  const clock = (minute: number) =>
    [8 + Math.floor(minute / 60), minute % 60].map((part) => `${part}`.padStart(2, '0')).join(':')
  let minute = 0
  return Object.fromEntries(
    Array.from({ length: 24 }, (_, number) => {
      minute += dice.below(20)
      const ride = (line: string, from: string, to: string, after: number, least: number) => [
        `${line}-${number}`,
        `${from} ${clock(minute + after)}, ${to} ${clock(minute + after + least + dice.below(14))}`,
      ]
      // On the lines `d` and `y`, the first five of every twelve trips take far longer.
      const longer = number % 12 < 5 ? 50 : 0
      return [
        ride('d', 'A', 'Z', 0, 18 + longer),
        ride('x', 'A', 'M', 3, 5),
        ride('y', 'M', 'Z', 8 + dice.below(5), 5 + longer),
      ]
    }).flat(),
  )
}

describe('a list', () => {
  test('omits a journey only for one that it shows', async () => {
    // `far` needs no transfer, but has a long walk at its end. The journey with a transfer leaves a minute later.
    const { lines } = await openJourneys({
      stops: { A: 0, M: 5000, Z: 10_000, W: 9750 },
      trips: {
        'early-1': 'A 08:12, Z 08:40',
        'one-1': 'A 08:31, M 08:40',
        'two-1': 'M 08:44, Z 08:58',
        'far-1': 'A 08:30, W 08:53:30',
        'late-1': 'A 09:30, Z 09:58',
      },
    })
    const list = await lines('A', 'Z', `when=${at('08:10')}&max_walk=1250&limit=3`)
    expect(tripsOf(list)).toEqual([['early-1'], ['far-1'], ['late-1']])
  })

  test('shows the direct ride, although a journey with a transfer leaves later and arrives at the same time', async () => {
    const { lines } = await openJourneys({
      stops: { A: 0, M: 5000, Z: 10_000 },
      trips: {
        'd-1': 'A 08:10, Z 08:40',
        'x-1': 'A 08:20, M 08:25',
        'y-1': 'M 08:30, Z 08:40',
        'e-1': 'A 08:20, Z 08:56',
      },
    })
    expect(tripsOf(await lines('A', 'Z', 'limit=6'))).toEqual([['d-1'], ['x-1', 'y-1'], ['e-1']])
    expect(tripsOf(await lines('A', 'Z', `arrive_by=${at('09:00')}&limit=6`))).toEqual([
      ['e-1'],
      ['x-1', 'y-1'],
      ['d-1'],
    ])
  })

  test('with a larger limit starts with the list for a smaller one', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { lines, configure } = await openJourneys({ stops: { A: 0, M: 5000, Z: 10_000 }, trips: manyTrips(seed) })
      configure({ tightSeconds: 0 })
      for (const moment of [`when=${at('07:40')}`, `arrive_by=${at('13:30')}`]) {
        const six = await lines('A', 'Z', `${moment}&limit=6`)
        expect(six).toHaveLength(6)
        for (const limit of [1, 2, 3, 4, 5]) {
          expect({ seed, list: await lines('A', 'Z', `${moment}&limit=${limit}`) }).toEqual({
            seed,
            list: six.slice(0, limit),
          })
        }
      }
    }
  })
})

describe('a journey is found', () => {
  test('that arrives within 24 hours before `arrive_by`, even after the end of the calendar', async () => {
    const { lines, ask } = await openJourneys({
      stops: { A: 0, Z: 10_000 },
      trips: { 'x-1': 'A 20:00, Z 20:30' },
    })
    const last = [['20261231:x-1 A 20:00:00 Z 20:30:00']]
    expect(await lines('A', 'Z', 'arrive_by=2027-01-01T08:00:00%2B01:00')).toEqual(last)
    expect(await lines('A', 'Z', 'arrive_by=2027-01-01T20:29:59%2B01:00')).toEqual(last)
    const after = await ask('A', 'Z', 'arrive_by=2027-01-01T20:30:01%2B01:00')
    expect([after.body.data, after.body.meta.reason]).toEqual([[], 'outside_service_period'])
  })

  test('that arrives more than 36 hours after the requested time', async () => {
    const { lines } = await openJourneys({
      stops: { A: 0, M: 900_000, Z: 2_000_000 },
      trips: { 'long-1': 'A 15:00, M 36:00, Z 58:15', 'on-1': 'M 14:00, Z 40:00' },
    })
    expect(await lines('A', 'Z', `when=${at('14:00')}&limit=1`)).toEqual([['long-1 A 15:00:00 Z 10:15:00']])
    // The best journey that arrives by noon two days later is the same one, since no other journey leaves later.
    expect(await lines('A', 'Z', `arrive_by=${at('12:00', '2026-06-12')}&limit=1`)).toEqual([
      ['long-1 A 15:00:00 Z 10:15:00'],
    ])
  })

  test('with a second train after days on the first', async () => {
    const { lines } = await openJourneys({
      stops: { A: 0, M: 900_000, Z: 2_000_000 },
      trips: { 'long-1': 'A 15:00, M 65:00', 'on-1': 'M 18:00, Z 80:00' },
    })
    expect(await lines('A', 'Z', `when=${at('14:00')}&limit=1`)).toEqual([
      ['long-1 A 15:00:00 M 17:00:00', '20260612:on-1 M 18:00:00 Z 08:00:00'],
    ])
  })
})
