// Tests that blocks with overlapping trips are reported, and ignored only on the affected days. A join is a vehicle
// that continues as the next trip of its block. Fails if a valid join is lost, or if an overlapping join is kept. The
// oracle compares all pairs of trips, day by day, and shares only the feed's text with the code under test.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Blocks } from '../../indexes/timetable/blocks.ts'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import { textOf } from '../../loaders/strings.ts'
import { bySize, SEED } from '../size.ts'
import { load } from './loaded-feed.ts'

/** One trip of a block: the index of its service, its start in minutes after midnight, and its duration in minutes. */
interface BlockTrip {
  readonly block: string
  readonly service: number
  readonly start: number
  readonly minutes: number
}

const CALENDAR = 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date'

/**
 * A feed with these services and trips. A service is the seven digits of a calendar row, Monday first, for the week of
 * 2026-01-05.
 */
function feedOf(services: readonly string[], trips: readonly BlockTrip[]) {
  const time = (minutes: number) => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:00`
  const days = services.map((week, service) => `s${service},${[...week].join(',')},20260105,20260111`)
  return {
    'calendar.txt': [CALENDAR, ...days].join('\n'),
    'trips.txt': [
      'route_id,service_id,trip_id,block_id',
      ...trips.map(({ service, block }, trip) => `A,s${service},t${trip},${block}`),
    ].join('\n'),
    'stop_times.txt': [
      'trip_id,arrival_time,departure_time,stop_id,stop_sequence',
      ...trips.flatMap(({ start, minutes }, trip) => [
        `t${trip},${time(start)},${time(start)},G,1`,
        `t${trip},${time(start + minutes)},${time(start + minutes)},P,2`,
      ]),
    ].join('\n'),
  }
}

/** The reported problems, and the joins on each day of the week, as `t0 t1`: the vehicle of t0 continues as t1. */
async function joinsOf(services: readonly string[], trips: readonly BlockTrip[]) {
  const { feed, reported } = await load(feedOf(services, trips))
  const timetable = buildTimetable(feed)
  const blocks = new Blocks(timetable)
  const idOf = (trip: number) => textOf(timetable.strings, timetable.trips.id[trip as never])
  const days = Array.from({ length: timetable.meta.dayCount }, (_, day) =>
    [...blocks.joinsOn(day)].map(([from, to]) => `${idOf(from)} ${idOf(to)}`).sort(),
  )
  return { days, reported }
}

const DAILY = '1111111'
const WORKDAYS = '1111100'
const WEEKEND = '0000011'
const week = (workday: string[], weekend: string[] = workday) => [
  ...Array.from({ length: 5 }, () => workday),
  ...Array.from({ length: 2 }, () => weekend),
]

describe('a block', () => {
  test('joins consecutive trips, even with no minute between them', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 30 },
      { block: 'B', service: 0, start: 510, minutes: 30 },
    ]
    expect(await joinsOf([DAILY], trips)).toEqual({ days: week(['t0 t1']), reported: [] })
  })

  test('with trips at the same time is ignored and reported', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 30 },
      { block: 'B', service: 0, start: 509, minutes: 30 },
      { block: 'C', service: 0, start: 480, minutes: 30 },
      { block: 'C', service: 0, start: 520, minutes: 30 },
    ]
    expect(await joinsOf([DAILY], trips)).toEqual({
      days: week(['t2 t3']),
      reported: [
        'repaired block_trips_with_overlapping_stop_times trips.txt:3 block_id ×1 (B on 2026-01-05: t0 and t1)',
      ],
    })
  })

  test('with trips at the same time on different days joins none of them', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 30 },
      { block: 'B', service: 1, start: 480, minutes: 30 },
    ]
    expect(await joinsOf([WORKDAYS, WEEKEND], trips)).toEqual({ days: week([]), reported: [] })
  })

  test('is ignored on the days on which it overlaps, and kept on the other days of the same trips', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 30 },
      { block: 'B', service: 0, start: 520, minutes: 30 },
      { block: 'B', service: 1, start: 490, minutes: 30 },
    ]
    const { days } = await joinsOf([DAILY, WEEKEND], trips)
    expect(days).toEqual(week(['t0 t1'], []))
  })

  test('overlaps are found even behind a trip that ends earlier', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 120 },
      { block: 'B', service: 0, start: 485, minutes: 5 },
      { block: 'B', service: 0, start: 540, minutes: 10 },
      { block: 'B', service: 0, start: 600, minutes: 10 },
    ]
    const { days } = await joinsOf([DAILY], trips)
    expect(days).toEqual(week([]))
  })
})

test('random blocks join the same trips as comparing all pairs on each day', async () => {
  const days = fc.array(fc.constantFrom('0', '1'), { minLength: 7, maxLength: 7 }).map((each) => each.join(''))
  const trip = fc.record({
    block: fc.constantFrom('', 'B', 'C'),
    service: fc.nat(2),
    start: fc.nat(300),
    minutes: fc.integer({ min: 1, max: 60 }),
  })
  const property = fc.asyncProperty(
    fc.tuple(days, days, days),
    fc.array(trip, { minLength: 1, maxLength: 12 }),
    async (services, trips) => {
      const areAtOnce = (a: BlockTrip, b: BlockTrip) => a.start < b.start + b.minutes && b.start < a.start + a.minutes
      const expected = Array.from({ length: 7 }, (_, day) => {
        const running = trips
          .map((each, at) => ({ ...each, id: `t${at}` }))
          .filter(({ block, service }) => block !== '' && services[service]?.[day] === '1')
        return running
          .flatMap((from) => {
            const block = running.filter((each) => each.block === from.block)
            if (block.some((a, i) => block.some((b, j) => i < j && areAtOnce(a, b)))) return []
            const later = block.filter((each) => each.start > from.start).sort((a, b) => a.start - b.start)
            return later[0] === undefined ? [] : [`${from.id} ${later[0].id}`]
          })
          .sort()
      })
      const { days: found } = await joinsOf(services, trips)
      // The timetable has only the days from the first to the last on which a trip runs. So days without joins are
      // removed from both lists before they are compared.
      const joined = (all: readonly (readonly string[])[]) => all.filter(({ length }) => length > 0)
      expect(joined(found)).toEqual(joined(expected))
    },
  )
  await fc.assert(property, { seed: SEED, numRuns: bySize({ quick: 200, ci: 2_000, full: 20_000 }) })
})
