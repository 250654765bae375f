// Tests walks and transfers in journeys, to the meter and the second, on feeds along one meridian. A walk is 1.3 times
// as long as the straight line, at 1.2 m/s. A transfer takes a minute more than its walk, unless transfers.txt has a
// time. Each transfer is tested in a journey that is requested by departure and in one that is requested by arrival.
// Fails if a transfer is a second too long or too short.
import { describe, expect, test } from 'bun:test'
import { type JourneyFeed, openJourneys, pointAt } from './journey-lines.ts'

const HEADER =
  'from_stop_id,to_stop_id,from_route_id,to_route_id,from_trip_id,to_trip_id,transfer_type,min_transfer_time'
const rules = (...rows: readonly string[]) => ({ 'transfers.txt': [HEADER, ...rows].join('\n') })

const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(11, 19)
const EIGHT_TEN = 8 * 3600 + 600

interface Change {
  /** The stop where the second vehicle starts; by default B, where the first one ends. */
  readonly at?: string
  readonly rows?: readonly string[]
  readonly stops?: JourneyFeed['stops']
  readonly stations?: JourneyFeed['stations']
}

/**
 * A feed with a trip from A to B, and two lines from `at` to D: `soon` leaves a second too early for the transfer, and
 * `later` leaves at the earliest possible second.
 */
function changeFeed(seconds: number, { at = 'B', rows = [], stops, stations = {} }: Change): JourneyFeed {
  return {
    stops: stops ?? { A: 0, B: 5000, C: 5200, F: 5600, D: 20_000 },
    stations,
    trips: {
      'in-1': 'A 08:00, B 08:10',
      'soon-1': `${at} ${time(EIGHT_TEN + seconds - 1)}, D 09:00`,
      'later-1': `${at} ${time(EIGHT_TEN + seconds)}, D 09:01`,
    },
    files: rules(...rows),
  }
}

/** The lines of the best journey, requested first by departure, then by the arrival time of the line `later`. */
async function linesTaken(seconds: number, change: Change): Promise<string[][]> {
  const { lines } = await openJourneys(changeFeed(seconds, change))
  const taken = (list: string[][]) =>
    (list[0] ?? []).filter((line) => !line.startsWith('walk')).map((line) => line.split('-')[0] ?? '')
  return [
    taken(await lines('A', 'D', 'when=2026-06-10T07:55:00%2B02:00&max_walk=0')),
    taken(await lines('A', 'D', 'arrive_by=2026-06-10T09:01:00%2B02:00&max_walk=0')),
  ]
}

/** Checks that a transfer takes exactly `seconds`. */
async function expectSeconds(seconds: number, change: Change): Promise<void> {
  expect({ change, seconds, taken: await linesTaken(seconds, change) }).toEqual({
    change,
    seconds,
    taken: [
      ['in', 'later'],
      ['in', 'later'],
    ],
  })
}

async function expectNone(change: Change): Promise<void> {
  expect({ change, taken: await linesTaken(3000, change) }).toEqual({ change, taken: [[], []] })
}

describe('walking', () => {
  const feed: JourneyFeed = {
    stops: { A: 0, B: 5000 },
    trips: { 'x-1': 'A 08:30, B 08:40', 'x-2': 'A 09:30, B 09:40' },
  }
  const service = openJourneys(feed)

  test('walking distance is 1.3 times the straight one, rounded; seconds are rounded up', async () => {
    const { best } = await service
    for (const [meters, walked, clock] of [
      [100, 130, '08:01:49'], // a walk of 108.3 s
      [300, 390, '08:05:25'], // a walk of 325 s
      [461.2, 600, '08:08:20'], // a walk of 599.56 m and 500 s
      [462, 601, '08:08:21'], // a walk of 600.6 m and 500.8 s
    ] as const) {
      expect(await best('A', pointAt(meters))).toEqual([`walk ${walked} m A 08:00:00 * ${clock}`])
    }
  })

  test('the first walk is as late as possible, the last starts at once', async () => {
    const { best } = await service
    expect(await best(pointAt(-100), pointAt(5100))).toEqual([
      'walk 130 m * 08:28:11 A 08:30:00',
      'x-1 A 08:30:00 B 08:40:00',
      'walk 130 m B 08:40:00 * 08:41:49',
    ])
    expect(await best(pointAt(-100), 'B', 'when=2026-06-10T08:28:11%2B02:00')).toHaveLength(2)
    expect((await best(pointAt(-100), 'B', 'when=2026-06-10T08:28:12%2B02:00'))[1]).toStartWith('x-2')
  })

  test('walking all the way is offered if not too far, and only faster vehicles alongside it', async () => {
    const near = await openJourneys({
      stops: { A: 0, B: 700 },
      trips: { 'slow-1': 'A 08:00, B 08:13', 'quick-1': 'A 08:05, B 08:08', 'late-1': 'A 08:30, B 08:32' },
    })
    // The walk of 910 m takes 759 s: less than the slow bus, more than the fast one.
    const all = await near.lines('A', 'B', 'limit=6')
    expect(all).toContainEqual(['walk 910 m A 08:00:00 B 08:12:39'])
    expect(all[0]).toEqual(['quick-1 A 08:05:00 B 08:08:00'])
    expect(all.flat().join()).not.toContain('slow')
    expect((await near.lines('A', 'B', 'limit=6&max_walk=909')).flat().join()).not.toContain('walk')
    expect(await near.lines('A', 'B', 'limit=6&arrive_by=2026-06-10T08:12:39%2B02:00')).toContainEqual([
      'walk 910 m A 08:00:00 B 08:12:39',
    ])
  })

  test('to an area: its stops are at no distance, others are measured from its point', async () => {
    const { best } = await openJourneys({
      stops: { A: 0, B: '5300 S', N: 5100 },
      stations: { S: 5000 },
      trips: { 'x-1': 'A 08:30, N 08:39, B 08:40', 'y-1': 'A 09:00, N 09:02' },
    })
    expect(await best('A', 'ville:area:S')).toEqual(['x-1 A 08:30:00 B 08:40:00'])
    expect(await best('A', 'ville:area:S', 'when=2026-06-10T08:50:00%2B02:00')).toEqual([
      'y-1 A 09:00:00 N 09:02:00',
      'walk 130 m N 09:02:00 S 09:03:49',
    ])
  })
})

describe('transfers without rules', () => {
  test('a minute at one stop; between two, the walk and a minute', async () => {
    await expectSeconds(60, {})
    // The straight line is 200 m; walking 260 m takes 217 s.
    await expectSeconds(277, { at: 'C' })
    const { best } = await openJourneys(changeFeed(277, { at: 'C' }))
    expect(await best('A', 'D')).toEqual([
      'in-1 A 08:00:00 B 08:10:00',
      'walk 260 m B 08:10:00 C 08:13:37',
      'later-1 C 08:14:37 D 09:01:00',
    ])
  })

  test('stops more than a 500 m walk apart allow no transfer', async () => {
    const stops = { A: 0, B: 5000, D: 20_000 }
    await expectSeconds(477, { at: 'N', stops: { ...stops, N: 5384.6 } })
    await expectNone({ at: 'N', stops: { ...stops, N: 5385.5 } })
    // Two walks in a row, from B via M to N, are not possible either.
    await expectNone({ at: 'N', stops: { ...stops, M: 5300, N: 5600 } })
  })
})

describe('transfers.txt', () => {
  test('type 0 changes nothing, type 1 needs no slack, type 2 gives the time, type 3 forbids', async () => {
    await expectSeconds(277, { at: 'C', rows: ['B,C,,,,,0,'] })
    await expectSeconds(217, { at: 'C', rows: ['B,C,,,,,1,'] })
    await expectSeconds(100, { at: 'C', rows: ['B,C,,,,,2,100'] })
    await expectSeconds(900, { at: 'C', rows: ['B,C,,,,,2,900'] })
    await expectNone({ at: 'C', rows: ['B,C,,,,,3,'] })
  })

  test('a rule may allow less time than the walk would take', async () => {
    const { best, ask } = await openJourneys(changeFeed(100, { at: 'C', rows: ['B,C,,,,,2,100'] }))
    expect((await best('A', 'D'))[1]).toBe('walk 260 m B 08:10:00 C 08:11:40')
    const [journey] = (await ask('A', 'D')).body.data
    expect([journey.walking_meters, journey.walking_seconds, journey.duration_seconds]).toEqual([260, 100, 3660])
  })

  test('the types also apply to transfers at one stop', async () => {
    await expectSeconds(60, { rows: ['B,B,,,,,0,'] })
    await expectSeconds(0, { rows: ['B,B,,,,,1,'] })
    await expectSeconds(30, { rows: ['B,B,,,,,2,30'] })
    await expectSeconds(600, { rows: ['B,B,,,,,2,600'] })
    await expectNone({ rows: ['B,B,,,,,3,'] })
  })

  test('types 1 and 2 link stops that are farther apart, type 0 does not; nor is the reverse linked', async () => {
    await expectNone({ at: 'F' })
    await expectNone({ at: 'F', rows: ['B,F,,,,,0,'] })
    await expectNone({ at: 'F', rows: ['F,B,,,,,2,300'] })
    // The straight line is 600 m; walking 780 m takes 650 s.
    await expectSeconds(650, { at: 'F', rows: ['B,F,,,,,1,'] })
    await expectSeconds(300, { at: 'F', rows: ['B,F,,,,,2,300'] })
  })

  test('a rule for stations applies to their stops, unless a stop has its own', async () => {
    const stops = { A: 0, B: '5000 S', C: '5200 Q', D: 20_000 }
    const stations = { S: 5000, Q: 5200 }
    await expectSeconds(120, { at: 'C', stops, stations, rows: ['S,Q,,,,,2,120'] })
    await expectSeconds(120, { at: 'C', stops, stations, rows: ['B,Q,,,,,2,120'] })
    await expectSeconds(500, { at: 'C', stops, stations, rows: ['B,C,,,,,2,500', 'S,Q,,,,,2,120'] })
    await expectSeconds(500, { at: 'C', stops, stations, rows: ['S,Q,,,,,2,120', 'B,C,,,,,2,500'] })
    await expectSeconds(120, { at: 'B', stops, stations, rows: ['S,S,,,,,2,120'] })
  })

  test('rules for trips precede those for lines, which precede those for stops', async () => {
    const [ofStops, ofLine] = ['B,C,,,,,2,100', 'B,C,,later,,,2,200']
    const ofLines = 'B,C,in,later,,,2,300'
    const [ofTrip, ofTrips] = ['B,C,,,,later-1,2,400', 'B,C,,,in-1,later-1,2,500']
    // Rules for stops also apply to the line `soon`, so this rule forbids transfers to it.
    const soon = 'B,C,,soon,,,3,'
    await expectSeconds(100, { at: 'C', rows: [soon, ofStops] })
    await expectSeconds(200, { at: 'C', rows: [soon, ofStops, ofLine] })
    await expectSeconds(300, { at: 'C', rows: [soon, ofLines, ofLine, ofStops] })
    await expectSeconds(400, { at: 'C', rows: [soon, ofStops, ofLine, ofLines, ofTrip] })
    await expectSeconds(500, { at: 'C', rows: [ofTrips, soon, ofTrip, ofStops, ofLine, ofLines] })
    // Rules for other lines and trips don't apply.
    await expectSeconds(277, { at: 'C', rows: ['B,C,soon,later,,,2,10', 'B,C,,,soon-1,,2,10'] })
  })

  test('nobody rides out and back to avoid a long transfer', async () => {
    const { best } = await openJourneys({
      stops: { A: 0, B: '5000 S', C: '5100 S', X: 6500, D: 20_000 },
      stations: { S: 5000 },
      trips: {
        'in-1': 'A 08:00, B 08:10',
        'local-1': 'B 08:12, X 08:13, C 08:14',
        'soon-1': 'C 08:16, D 08:30',
        'later-1': 'C 08:20, D 08:34',
      },
      files: rules('B,C,,,,,2,600'),
    })
    expect((await best('A', 'D')).at(-1)).toBe('later-1 C 08:20:00 D 08:34:00')
    expect((await best('A', 'D', 'arrive_by=2026-06-10T08:34:00%2B02:00')).at(-1)).toBe('later-1 C 08:20:00 D 08:34:00')
  })
})

describe('of the stops where two trips meet, riders transfer at', () => {
  const stops = { A: 0, B: 5000, C: 5300, D: 7000, E: 7010, Z: 20_000 }
  /** The best journey, requested by departure and by arrival. */
  const changesOf = async (trips: JourneyFeed['trips'], blocks: JourneyFeed['blocks'] = {}) => {
    const { best } = await openJourneys({ stops, trips, blocks })
    const lists = [
      await best('A', 'Z', 'when=2026-06-10T07:55:00%2B02:00'),
      await best('A', 'Z', 'arrive_by=2026-06-10T09:00:00%2B02:00'),
    ]
    return lists.map((list) => list.join(', '))
  }
  const both = (...lines: readonly string[]) => [lines.join(', '), lines.join(', ')]

  test('the one with the least walking', async () => {
    expect(await changesOf({ 'in-1': 'A 08:00, B 08:10, D 08:12', 'on-1': 'C 08:20, D 08:22, Z 08:40' })).toEqual(
      both('in-1 A 08:00:00 D 08:12:00', 'on-1 D 08:22:00 Z 08:40:00'),
    )
    expect(await changesOf({ 'in-1': 'A 08:00, B 08:10, D 08:12', 'on-1': 'C 08:20, E 08:22, Z 08:40' })).toEqual(
      both('in-1 A 08:00:00 D 08:12:00', 'walk 13 m D 08:12:00 E 08:12:11', 'on-1 E 08:22:00 Z 08:40:00'),
    )
  })

  test('one with two minutes to spare, if walking to it gives them', async () => {
    // A transfer at D takes 60 of the 120 seconds between arrival and departure, so it leaves less than two minutes to
    // spare. At C, the walk takes 325 s and the transfer 60 s of the nine minutes, which leaves 155 s.
    expect(await changesOf({ 'in-1': 'A 08:00, B 08:10, D 08:20', 'on-1': 'C 08:19, D 08:22, Z 08:40' })).toEqual(
      both('in-1 A 08:00:00 B 08:10:00', 'walk 390 m B 08:10:00 C 08:15:25', 'on-1 C 08:19:00 Z 08:40:00'),
    )
  })

  test('with equal walking, the one with the most time', async () => {
    expect(await changesOf({ 'in-1': 'A 08:00, B 08:10, D 08:12', 'on-1': 'B 08:20, D 08:23, Z 08:40' })).toEqual(
      both('in-1 A 08:00:00 D 08:12:00', 'on-1 D 08:23:00 Z 08:40:00'),
    )
    expect(await changesOf({ 'in-1': 'A 08:00, B 08:10, D 08:13', 'on-1': 'B 08:20, D 08:22, Z 08:40' })).toEqual(
      both('in-1 A 08:00:00 B 08:10:00', 'on-1 B 08:20:00 Z 08:40:00'),
    )
    expect(await changesOf({ 'in-1': 'A 08:00, B 08:10, D 08:12', 'on-1': 'B 08:20, D 08:22, Z 08:40' })).toEqual(
      both('in-1 A 08:00:00 B 08:10:00', 'on-1 B 08:20:00 Z 08:40:00'),
    )
  })

  test('none where boarding or alighting is forbidden', async () => {
    expect(await changesOf({ 'in-1': 'A 08:00, B 08:10, D 08:12 on', 'on-1': 'C 08:20, D 08:22, Z 08:40' })).toEqual(
      both('in-1 A 08:00:00 B 08:10:00', 'walk 390 m B 08:10:00 C 08:15:25', 'on-1 C 08:20:00 Z 08:40:00'),
    )
    expect(await changesOf({ 'in-1': 'A 08:00, B 08:10, D 08:12', 'on-1': 'C 08:20, D 08:22 off, Z 08:40' })).toEqual(
      both('in-1 A 08:00:00 B 08:10:00', 'walk 390 m B 08:10:00 C 08:15:25', 'on-1 C 08:20:00 Z 08:40:00'),
    )
  })

  test('one of a trip before or after an in-seat transfer', async () => {
    const before = { 'in-1': 'A 08:00, B 08:10', 'through-1': 'B 08:10, D 08:12', 'on-1': 'B 08:20, E 08:23, Z 08:40' }
    expect(await changesOf(before, { 'in-1': 'k', 'through-1': 'k' })).toEqual(
      both('in-1 A 08:00:00 B 08:10:00', 'on-1 B 08:20:00 Z 08:40:00'),
    )
    const met = { 'in-1': 'A 08:00, B 08:10', 'through-1': 'B 08:10, D 08:12', 'on-1': 'D 08:15, B 08:20, Z 08:40' }
    expect(await changesOf(met, { 'in-1': 'k', 'through-1': 'k' })).toEqual(
      both('in-1 A 08:00:00 B 08:10:00', 'on-1 B 08:20:00 Z 08:40:00'),
    )
    const after = {
      'in-1': 'A 08:00, B 08:10, D 08:12',
      'on-1': 'C 08:20, E 08:22',
      'through-1': 'E 08:22, D 08:24, Z 08:40',
    }
    expect(await changesOf(after, { 'on-1': 'k', 'through-1': 'k' })).toEqual(
      both('in-1 A 08:00:00 D 08:12:00', 'through-1 D 08:24:00 Z 08:40:00'),
    )
    // An in-seat transfer does not count, so the only transfer is the one at D.
    const seated = { 'in-1': 'A 08:00, B 08:10', 'through-1': 'B 08:10, D 08:12', 'on-1': 'C 08:12, D 08:23, Z 08:40' }
    expect(await changesOf(seated, { 'in-1': 'k', 'through-1': 'k' })).toEqual(
      both('in-1 A 08:00:00 B 08:10:00', 'through-1 B 08:10:00 D 08:12:00 seated', 'on-1 D 08:23:00 Z 08:40:00'),
    )
  })
})
