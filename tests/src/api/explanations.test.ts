// Tests GET /v1/stops/{stop_id}/explanations. Compares the calls and reasons in its responses with the text of the feed
// and with the board. Also tests each reason that live data gives, and required parameters. The tests in
// tests/indexes/explain check that all calls of a line or trip are found, with and without live data.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type GtfsRealtime from 'gtfs-realtime-bindings'
import { HIDDEN_REASONS } from '../../../indexes/explain/explain-board.ts'
import { DepartureStatusWord } from '../../../src/contract/departures.schema.ts'
import { HIDDEN_REASON_WORDS, SHOWN_REASONS } from '../../../src/contract/explanations.schema.ts'
import { delayedTrip } from '../../feeds/realtime-feed.ts'
import { smallFeed, textFeed } from '../../feeds/text-feed.ts'
import { randomFeed } from '../../indexes/random-feed.ts'
import { noonOf, readOracleFeed } from '../../oracles/board-oracle.ts'
import { readReasons } from '../../oracles/board-reasons.ts'
import { bySize, SEED } from '../../size.ts'
import { openApi } from './api-under-test.ts'
import { publishedTrips } from './published-trips.ts'

const RUNS = { seed: SEED, numRuns: bySize({ quick: 60, ci: 150, full: 2_000 }) }
const DATE = '20260610'
const LIMIT = 20
const RUN_START_LENGTH = '@08:00:00'.length
const [BEFORE_SECONDS, AFTER_SECONDS, BOARD_SECONDS] = [900, 1_800, 3_600]
/** Values of the enum schedule_relationship: SKIPPED is from StopTimeUpdate, the others are from TripDescriptor. */
const [SCHEDULED, ADDED, CANCELED, DELETED, SKIPPED] = [0, 1, 3, 7, 1]
const at = (clock: string) => Date.parse(`2026-06-10T${clock}+02:00`) / 1000

type Api = Awaited<ReturnType<typeof openApi>>
type Entity = GtfsRealtime.transit_realtime.IFeedEntity

/** The members of an explained call that most tests read. */
interface ExplainedCall {
  readonly trip_id: string
  readonly shown: boolean
  readonly reason: string
  readonly scheduled_at: string
}

const ask = (api: Api, query: string, stop = 'CA') =>
  api.get(`/v1/stops/${encodeURIComponent(`ville:stop:${stop}`)}/explanations?${query}`)

async function liveApi(...entities: readonly Entity[]): Promise<Api> {
  const api = await openApi()
  const [network] = api.networks.list
  if (network !== undefined) network.live = publishedTrips(network, entities, api.service.nowMillis)
  return api
}

function update(
  tripId: string,
  scheduleRelationship: number,
  stopTimeUpdate: GtfsRealtime.transit_realtime.TripUpdate.IStopTimeUpdate[],
): Entity {
  const trip = {
    tripId,
    startDate: DATE,
    scheduleRelationship,
    ...(scheduleRelationship === ADDED && { routeId: 'A' }),
  }
  return { id: tripId, tripUpdate: { trip, stopTimeUpdate } }
}

test('the calls of a line and of a trip, as in the feed’s text', async () => {
  await fc.assert(
    fc.asyncProperty(randomFeed, fc.nat(), fc.integer({ min: 0, max: 86_400 }), async (feed, which, ofDay) => {
      const api = await openApi({ networks: [{ id: 'ville', feed: textFeed(feed.files) }] })
      const text = readOracleFeed(feed.files)
      const trip = text.trips[which % text.trips.length]
      const call = trip?.calls[which % trip.calls.length]
      if (trip === undefined || call === undefined) return
      const fromSeconds = noonOf(feed.zone, feed.date.replaceAll('-', '')) - 43_200 + ofDay
      const [firstDate = '', lastDate = ''] = [[...text.days.keys()].sort()[0], [...text.days.keys()].sort().at(-1)]
      const reasons = readReasons(
        text,
        {
          stopIds: [call.stop],
          routeIds: undefined,
          directionId: undefined,
          fromSeconds,
          toSeconds: fromSeconds + BOARD_SECONDS,
          limit: Number.POSITIVE_INFINITY,
        },
        { fromSeconds: fromSeconds - BEFORE_SECONDS, toSeconds: fromSeconds + AFTER_SECONDS, firstDate, lastDate },
      )
      const tripOf = (name: string) => text.trips.find(({ row }) => name === `${name.slice(0, 9)}${row['trip_id']}`)
      // The reference to a run with a frequency ends with its start time, which is cut off here.
      const routeOf = (name: string) => (tripOf(name) ?? tripOf(name.slice(0, -RUN_START_LENGTH)))?.row['route_id']
      const ofLine = reasons.filter(
        (each) => routeOf(each.trip) === trip.row['route_id'] && !NOT_RUNNING.includes(each.reason),
      )
      const when = `when=${new Date(fromSeconds * 1000).toISOString()}`
      const line = encodeURIComponent(`ville:line:${trip.row['route_id']}`)
      const { status, body } = await ask(api, `line=${line}&${when}`, call.stop)
      expect(status).toBe(200)
      const found = body.data.map(rowOf)
      if (ofLine.length <= LIMIT) expect(found.toSorted()).toEqual(ofLine.map(expectedRow).toSorted())
      else expect(found).toHaveLength(LIMIT)
      for (const name of new Set(ofLine.slice(0, 2).map((each) => each.trip))) {
        const answer = await ask(api, `trip=${encodeURIComponent(`ville:trip:${name}`)}&${when}`, call.stop)
        expect(answer.body.data.map(rowOf).toSorted()).toEqual(
          reasons
            .filter((each) => each.trip === name)
            .map(expectedRow)
            .toSorted(),
        )
      }
    }),
    RUNS,
  )
}, 120_000)

const NOT_RUNNING = ['service_not_running', 'outside_calendar']

function rowOf({ trip_id, scheduled_at, shown, reason }: ExplainedCall): string {
  return [trip_id.slice('ville:trip:'.length), Date.parse(scheduled_at) / 1000, shown, reason].join(' ')
}

function expectedRow({ trip, seconds, reason }: { trip: string; seconds: number; reason: string }): string {
  return [trip, seconds, reason === 'shown', reason === 'shown' ? 'no_live_data' : reason].join(' ')
}

test('calls that are shown are on the board, with the same times and words', async () => {
  const api = await liveApi(
    delayedTrip('a1', DATE, { G: 30, CA: 30 }),
    delayedTrip('a2', DATE, { G: 300, CA: 420 }),
    update('extra', ADDED, [
      { stopId: 'G', departure: { time: at('08:20:00') } },
      { stopId: 'CA', departure: { time: at('08:25:00') } },
      { stopId: 'P', arrival: { time: at('08:30:00') } },
    ]),
  )
  const { body } = await ask(api, 'line=ville:line:A')
  const board = await api.get('/v1/stops/ville:stop:CA/departures?line=ville:line:A&limit=50')
  expect(board.body.data).not.toEqual([])
  const shown = body.data.filter((each: ExplainedCall) => each.shown)
  const words = ['trip_id', 'scheduled_at', 'expected_at', 'delay_seconds', 'vehicle_id']
  const only = (row: Record<string, unknown>) => words.map((word) => row[word] ?? null)
  expect(shown.map(only)).toEqual(board.body.data.slice(0, shown.length).map(only))
  const reported = Object.fromEntries(
    shown.map(({ trip_id, reason }: ExplainedCall) => [trip_id.slice('ville:trip:20260610:'.length), reason]),
  )
  expect(reported).toMatchObject({ a1: 'on_time', a2: 'delayed', extra: 'added' })
  expect(shown[0]).toMatchObject({
    line_id: 'ville:line:A',
    stop_id: 'ville:stop:CA',
    feed: 'trips',
    feed_age_seconds: 0,
  })
  expect(body.meta).toMatchObject({ network: 'ville', freshness: 'realtime', count: body.data.length, units: 1 })
})

test('each reason that feeds give', async () => {
  const reasonOf = async (entity: Entity, query = `trip=ville:trip:${DATE}:a2`) => {
    const { body } = await ask(await liveApi(entity), query)
    return body.data.map(({ shown, reason }: ExplainedCall) => `${reason}${shown ? '' : ', not shown'}`)
  }
  const early = update('a2', SCHEDULED, [{ stopId: 'CA', departure: { delay: -120 } }])
  const skipped = update('a2', SCHEDULED, [{ stopId: 'CA', scheduleRelationship: SKIPPED }])
  const moved = update('a2', SCHEDULED, [{ stopId: 'CA', stopTimeProperties: { assignedStopId: 'CB' } }])
  expect([
    await reasonOf(early),
    await reasonOf(update('a2', CANCELED, [])),
    await reasonOf(skipped),
    await reasonOf(update('a2', DELETED, [])),
    await reasonOf(moved),
    await reasonOf(delayedTrip('a2', DATE, { CA: 7_200 })),
  ]).toEqual([
    ['early'],
    ['canceled'],
    ['skipped'],
    ['deleted_by_feed, not shown'],
    ['moved_to_other_stop, not shown'],
    ['predicted_after_window, not shown'],
  ])
})

test('a feed without the trip, and one that has become too old', async () => {
  const api = await liveApi(delayedTrip('a1', DATE, { G: 60 }))
  const query = `trip=ville:trip:${DATE}:a2`
  const fresh = await ask(api, query)
  expect(fresh.body.data).toMatchObject([{ shown: true, reason: 'no_live_data', feed: null, feed_age_seconds: null }])
  api.service.nowMillis += 91_000
  const [network] = api.networks.list
  const live = network?.live
  expect((await ask(api, query)).body.data).toMatchObject([
    { shown: true, reason: 'feed_stale', feed: 'trips', feed_age_seconds: 91 },
  ])
  // A prediction from the stale feed is used until the vehicle has passed the stop.
  expect(live?.feeds).toHaveLength(1)
  expect((await ask(api, `trip=ville:trip:${DATE}:a1&when=2026-06-10T08:00:00%2B02:00`)).body.data).toMatchObject([
    { feed: 'trips', feed_age_seconds: 91 },
  ])
  // This query asks for a time three hours earlier. The trip has no call around that time.
  expect((await ask(api, `${query}&when=2026-06-10T05:00:00%2B02:00`)).body).toMatchObject({
    data: [],
    meta: { count: 0, reason: 'no_calls' },
  })
})

const WEEKDAYS = `service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,0,0,20260101,20261231`

test('direction, time, an area, and parts of another network', async () => {
  const feed = smallFeed({ 'calendar.txt': WEEKDAYS })
  const api = await openApi({
    networks: [
      { id: 'ville', feed },
      { id: 'port', feed },
    ],
  })
  const count = async (query: string, stop?: string) => {
    const { status, body } = await ask(api, query, stop)
    expect({ query, status }).toEqual({ query, status: 200 })
    return body.data.length
  }
  const line = 'line=ville:line:A'
  expect(await count(line)).toBeGreaterThan(0)
  const both = [await count(`${line}&direction=0`), await count(`${line}&direction=1`)]
  expect(both.reduce((sum, each) => sum + each)).toBe(await count(line))
  expect(await count(`${line}&trip=ville:trip:${DATE}:a2`)).toBe(1)
  expect(await count(`line=ville:line:7&trip=ville:trip:${DATE}:a2`)).toBe(0)
  expect(await count(line, 'CB')).toBeGreaterThan(0)
  const { body: ofArea } = await api.get(`/v1/stops/ville:area:S/explanations?${line}`)
  expect(ofArea.data).toHaveLength((await count(line)) + (await count(line, 'CB')))
  expect(await count('line=port:line:A')).toBe(0)
  expect(await count(`trip=port:trip:${DATE}:a2`)).toBe(0)
  // A line has no calls on a day on which it does not run. If a trip is requested, its call is listed even on such a
  // day, with the reason.
  expect(await count(`${line}&when=2026-06-14T08:00:00%2B02:00`)).toBe(0)
  const sunday = 'when=2026-06-14T08:00:00%2B02:00'
  const named = await ask(api, `trip=ville:trip:20260614:a2&${sunday}`)
  expect(named.body.data).toMatchObject([{ shown: false, reason: 'service_not_running' }])
})

test('each reason for a call not to be shown is documented, except filters and limits', () => {
  const notRequested = ['other_line', 'other_direction', 'beyond_limit']
  expect(HIDDEN_REASON_WORDS.map(String).toSorted()).toEqual(
    Object.keys(HIDDEN_REASONS)
      .filter((reason) => !notRequested.includes(reason))
      .toSorted(),
  )
  const statuses = String(DepartureStatusWord['enum']).replace(',unknown', '').split(',')
  expect(SHOWN_REASONS.map(String).toSorted()).toEqual([...statuses, 'no_live_data', 'feed_stale'].toSorted())
})

test('invalid queries', async () => {
  const api = await openApi()
  const refusalOf = async (query: string, stop?: string) => {
    const { status, body } = await ask(api, query, stop)
    return [status, body.reason, body.param]
  }
  expect([
    await refusalOf(''),
    await refusalOf('direction=0&when=now'),
    await refusalOf(`trip=ville:trip:${DATE}:nothing`),
    await refusalOf('trip=ville:line:A'),
    await refusalOf('line=ville:line:nothing'),
    await refusalOf('line=ville:line:A', 'nothing'),
  ]).toEqual([
    [400, 'transit_query_invalid', 'trip'],
    [400, 'transit_query_invalid', 'trip'],
    [400, 'transit_query_invalid', 'trip'],
    [400, 'transit_query_invalid', 'trip'],
    [400, 'transit_query_invalid', 'line'],
    [404, 'not_found', undefined],
  ])
})
