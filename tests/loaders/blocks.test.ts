// Blocks: a block whose trips run at the same time on a day they share is ignored on that day. It would fail by a block
// lost where each trip follows the other, or kept where one vehicle would be at two places. The oracle compares all pairs
// of trips, day by day, and shares nothing with the loader but the feed's texts.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bySize, SEED } from '../size.ts'
import { load, textsOf } from './loaded-feed.ts'

/** One trip of a block: service, and when it runs, in minutes. */
interface BlockTrip {
  readonly block: string
  readonly service: number
  readonly start: number
  readonly minutes: number
}

const CALENDAR = 'service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date'

/** Services by the weekdays on which they run, Monday first, in the week of 2026-01-05. */
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

async function blocksOf(services: readonly string[], trips: readonly BlockTrip[]) {
  const { feed, told } = await load(feedOf(services, trips))
  return { blocks: textsOf(feed, feed.trips.blockId), told }
}

const DAILY = '1111111'
const WORKDAYS = '1111100'
const WEEKEND = '0000011'

describe('a block', () => {
  test('of trips one after the other is kept, be there no minute between them', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 30 },
      { block: 'B', service: 0, start: 510, minutes: 30 },
    ]
    expect(await blocksOf([DAILY], trips)).toEqual({ blocks: ['B', 'B'], told: [] })
  })

  test('of trips at the same time is ignored, and the trips stay', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 30 },
      { block: 'B', service: 0, start: 509, minutes: 30 },
      { block: 'C', service: 0, start: 480, minutes: 30 },
    ]
    expect(await blocksOf([DAILY], trips)).toEqual({
      blocks: ['', '', 'C'],
      told: ['repaired block_trips_with_overlapping_stop_times trips.txt:3 block_id ×1 (B on 2026-01-05: t0 and t1)'],
    })
  })

  test('of trips at the same time on different days is kept', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 30 },
      { block: 'B', service: 1, start: 480, minutes: 30 },
    ]
    expect(await blocksOf([WORKDAYS, WEEKEND], trips)).toEqual({ blocks: ['B', 'B'], told: [] })
  })

  test('is ignored by the trips of the days on which it overlaps, and kept by those of others', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 30 },
      { block: 'B', service: 0, start: 490, minutes: 30 },
      { block: 'B', service: 0, start: 900, minutes: 30 },
      { block: 'B', service: 1, start: 480, minutes: 30 },
    ]
    const { blocks } = await blocksOf([WORKDAYS, WEEKEND], trips)
    expect(blocks).toEqual(['', '', '', 'B'])
  })

  test('is found to overlap with an earlier trip behind one that ends before it', async () => {
    const trips = [
      { block: 'B', service: 0, start: 480, minutes: 120 },
      { block: 'B', service: 1, start: 485, minutes: 5 },
      { block: 'B', service: 0, start: 540, minutes: 10 },
    ]
    const { blocks } = await blocksOf([WORKDAYS, WEEKEND], trips)
    expect(blocks).toEqual(['', 'B', ''])
  })
})

test('any blocks are what comparing all pairs of trips on each day gives', async () => {
  const week = fc.array(fc.constantFrom('0', '1'), { minLength: 7, maxLength: 7 }).map((days) => days.join(''))
  const trip = fc.record({
    block: fc.constantFrom('', 'B', 'C'),
    service: fc.nat(2),
    start: fc.nat(300),
    minutes: fc.integer({ min: 1, max: 60 }),
  })
  const property = fc.asyncProperty(
    fc.tuple(week, week, week),
    fc.array(trip, { minLength: 1, maxLength: 12 }),
    async (services, trips) => {
      const isOn = (each: BlockTrip, day: number) => services[each.service]?.[day] === '1'
      const areAtOnce = (a: BlockTrip, b: BlockTrip) => a.start < b.start + b.minutes && b.start < a.start + a.minutes
      const isFaulty = (block: string, day: number) =>
        trips.some((a, i) =>
          trips.some(
            (b, j) =>
              i < j && a.block === block && b.block === block && isOn(a, day) && isOn(b, day) && areAtOnce(a, b),
          ),
        )
      const expected = trips.map((each) =>
        [0, 1, 2, 3, 4, 5, 6].some((day) => isOn(each, day) && isFaulty(each.block, day)) ? '' : each.block,
      )
      expect((await blocksOf(services, trips)).blocks).toEqual(expected)
    },
  )
  await fc.assert(property, { seed: SEED, numRuns: bySize({ quick: 200, ci: 2_000, full: 20_000 }) })
})
