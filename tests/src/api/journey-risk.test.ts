// Tests the spare time at the transfers of a journey, which transfers are tight, and which journeys are left out
// because of tight transfers. Fails if the time is a second off, if a transfer without live data is reported as at
// risk, or if `tight_seconds` changes which journeys are found.
import { describe, expect, test } from 'bun:test'
import { delayedTrip } from '../../feeds/realtime-feed.ts'
import { type JourneyFeed, openJourneys } from './journey-lines.ts'
import { publishedTrips } from './published-trips.ts'

const HEADER = 'from_stop_id,to_stop_id,transfer_type,min_transfer_time'

/**
 * A feed with a line from A to B, and a second line to Z.
 * @param board stop and time at which riders board the second line: at B, or at C nearby
 */
const feed = (board: string, rows: readonly string[] = []): JourneyFeed => ({
  stops: { A: 0, B: 5000, C: 5200, Z: 20_000 },
  trips: { 'in-1': 'A 08:05, B 08:10', 'out-1': `${board}, Z 08:40` },
  files: { 'transfers.txt': [HEADER, ...rows].join('\n') },
})

async function slackOf(of: JourneyFeed) {
  const { ask } = await openJourneys(of)
  const moments = ['when=2026-06-10T08:00:00%2B02:00', 'arrive_by=2026-06-10T08:40:00%2B02:00']
  const answers = await Promise.all(moments.map((moment) => ask('A', 'Z', `limit=1&${moment}`)))
  return answers.map(({ body }) => [body.data[0]?.slack_seconds, body.data[0]?.at_risk])
}

const both = (slack: number | null) => [
  [slack, false],
  [slack, false],
]

test('slack_seconds is the time beyond the walk and the minimum, in both directions', async () => {
  expect(await slackOf(feed('B 08:11'))).toEqual(both(0))
  expect(await slackOf(feed('B 08:12:07'))).toEqual(both(67))
  // Walking 260 m takes 217 s, and the transfer takes a minute more. The bus leaves 300 s after the arrival.
  expect(await slackOf(feed('C 08:15'))).toEqual(both(23))
  expect(await slackOf(feed('B 08:12:07', ['B,B,1,']))).toEqual(both(127))
  expect(await slackOf(feed('B 08:12:07', ['B,B,2,100']))).toEqual(both(27))
  expect(await slackOf(feed('C 08:15', ['B,C,2,200']))).toEqual(both(100))
  expect(await slackOf(feed('C 08:15', ['B,C,1,']))).toEqual(both(83))
})

test('null without a transfer: direct, on foot, or staying seated', async () => {
  expect(await slackOf({ stops: { A: 0, Z: 20_000 }, trips: { 'x-1': 'A 08:05, Z 08:40' } })).toEqual(both(null))
  expect(await slackOf({ stops: { A: 0, Z: 300 }, trips: { 'x-1': 'A 09:05, Z 09:40' } })).toEqual(both(null))
  expect(await slackOf({ ...feed('B 08:10'), blocks: { 'in-1': 'k', 'out-1': 'k' } })).toEqual(both(null))
})

test('the tightest of several transfers', async () => {
  const three = {
    stops: { A: 0, B: 5000, C: 10_000, Z: 20_000 },
    trips: { 'a-1': 'A 08:05, B 08:10', 'b-1': 'B 08:12, C 08:20', 'c-1': 'C 08:21:30, Z 08:40' },
  }
  expect(await slackOf(three)).toEqual(both(30))
})

describe('at_risk', () => {
  const requested = async (delays: Readonly<Record<string, Readonly<Record<string, number>>>>, tightSeconds = 60) => {
    const { ask, networks, service, configure } = await openJourneys(feed('B 08:14'))
    configure({ tightSeconds })
    const [network] = networks.list
    if (network === undefined) throw new Error('there is no network')
    const entities = Object.entries(delays).map(([trip, of]) => delayedTrip(trip, '20260610', of))
    network.live = publishedTrips(network, entities, service.nowMillis)
    const [journey] = (await ask('A', 'Z', 'limit=1')).body.data
    return [journey?.slack_seconds, journey?.at_risk]
  }

  test('only with live times, and below tight_seconds', async () => {
    expect(await requested({})).toEqual([180, false])
    expect(await requested({}, 181)).toEqual([180, false])
    expect(await requested({ 'in-1': { A: 60 } })).toEqual([120, false])
    expect(await requested({ 'in-1': { A: 120 } })).toEqual([60, false])
    expect(await requested({ 'in-1': { A: 121 } })).toEqual([59, true])
    expect(await requested({ 'in-1': { A: 121 } }, 59)).toEqual([59, false])
    expect(await requested({ 'in-1': { A: 180 }, 'out-1': { B: 60 } })).toEqual([60, false])
    expect(await requested({ 'out-1': { B: -121 } })).toEqual([59, true])
    expect(await requested({ 'in-1': { A: 120 } }, 0)).toEqual([60, false])
  })
})

describe('a list whose limit falls on a tight transfer', () => {
  const many: JourneyFeed = {
    stops: { A: 0, B: 5000, Z: 20_000 },
    trips: {
      'in-1': 'A 08:10, B 08:15',
      'out-1': 'B 08:17:59, Z 08:40',
      'in-2': 'A 08:30, B 08:35',
      'out-2': 'B 08:37:59, Z 09:00',
      'in-3': 'A 08:50, B 08:55',
      'out-3': 'B 08:57:59, Z 09:20',
    },
  }
  // Each transfer has 119 seconds to spare.
  const lists = async (tightSeconds: number, more: string) => {
    const { lines, configure } = await openJourneys(many)
    configure({ tightSeconds })
    return await Promise.all([1, 2, 3].map(async (limit) => (await lines('A', 'Z', `limit=${limit}&${more}`)).length))
  }

  test('ends before it, unless it is the first', async () => {
    for (const more of ['when=2026-06-10T08:00:00%2B02:00', 'arrive_by=2026-06-10T09:30:00%2B02:00']) {
      expect(await lists(119, more)).toEqual([1, 2, 3])
      expect(await lists(120, more)).toEqual([1, 1, 2])
    }
  })

  test('shows the same journeys in the same order, whichever are tight', async () => {
    for (const tightSeconds of [0, 60, 3600]) {
      const { ask, configure } = await openJourneys(many)
      configure({ tightSeconds })
      const { data } = (await ask('A', 'Z', 'limit=5')).body
      expect(data.slice(0, 3).map((one: { departure_at: string }) => one.departure_at.slice(11, 16))).toEqual([
        '08:10',
        '08:30',
        '08:50',
      ])
    }
  })
})

describe('omitted from a list', () => {
  test('a one-stop ride to catch another vehicle, and a ride out and back, for at most five minutes', async () => {
    const { lines } = await openJourneys({
      stops: { A: 0, B: 900, M: 9000, Z: 20_000, Y: -4000 },
      trips: {
        'first-1': 'A 08:01, Z 08:20',
        // `hop` runs only from A to B. The walk from A to B is 1 170 m long and takes 975 s.
        'hop-1': 'A 08:39, B 08:41',
        'x-1': 'B 08:43, Z 09:05',
        'y-1': 'B 08:46, Z 09:08',
        'slow-1': 'A 08:36, Z 09:07',
        // These trips go out to Y and back past A, without a stop at A on the way back.
        'out-1': 'A 10:00, Y 10:06',
        'back-1': 'Y 10:08, Z 10:40',
        'direct-1': 'A 09:58, Z 10:43',
      },
    })
    const list = (await lines('A', 'Z', 'limit=6')).map((journey) => journey.map((line) => line.split(' ')[0]))
    expect(list.slice(0, 3)).toEqual([['first-1'], ['slow-1'], ['direct-1']])
  })

  test('a journey that waits for hours at night, if there is another', async () => {
    const trips = { 'eve-1': 'A 23:00, M 23:30', 'morn-1': 'M 05:10, Z 05:30', 'day-1': 'A 06:00, Z 06:40' }
    const stops = { A: 0, M: 9000, Z: 20_000 }
    const { lines } = await openJourneys({ stops, trips })
    const short = async (more: string) =>
      (await lines('A', 'Z', more)).map((journey) =>
        journey.map((line) => line.split(' ')[0]?.split(':').at(-1)).join(),
      )
    // The journey with the earliest arrival is never removed.
    expect(await short('when=2026-06-10T22:00:00%2B02:00&limit=2')).toEqual(['eve-1,morn-1', 'day-1'])
    expect(await short('arrive_by=2026-06-11T07:00:00%2B02:00&limit=2')).toEqual(['day-1'])
  })
})

describe('of rides with the same times', () => {
  test('those with more time at the transfer, at another stop', async () => {
    // The trips meet at B, where the transfer is tight, and at C, where it is not.
    const stops = { A: 0, B: 5000, C: 10_000, Z: 20_000 }
    const trips = { 'in-1': 'A 08:05, B 08:10, C 08:15', 'out-1': 'B 08:11:30, C 08:20, Z 08:40' }
    expect(await slackOf({ stops, trips })).toEqual(both(240))
  })

  test('those with more time at each transfer, with another vehicle in between', async () => {
    const stops = { A: 0, B: 5000, C: 10_000, Z: 20_000 }
    const trips = {
      'in-1': 'A 08:05, B 08:10',
      'soon-1': 'B 08:11:30, C 08:20',
      'late-1': 'B 08:20:40, C 08:28',
      'fair-1': 'B 08:14, C 08:24',
      'out-1': 'C 08:29:30, Z 08:40',
    }
    expect(await slackOf({ stops, trips })).toEqual(both(180))
  })
})
