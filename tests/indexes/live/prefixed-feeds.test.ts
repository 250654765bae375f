// Tests live feeds whose ids lack the prefix that a network of several timetables adds. Fails if such a feed matches
// nothing, or if ids that already match are changed.
import { expect, test } from 'bun:test'
import { FeedPrefixes } from '../../../indexes/live/feed-prefixes.ts'
import { FeedState } from '../../../indexes/live/feed-state.ts'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { realtimeFeed } from '../../feeds/realtime-feed.ts'
import { timetableOf } from '../built-feed.ts'
import { LINE, TODAY } from './live-line.ts'

/** The feed LINE twice: unchanged, and with prefixed ids and one more trip, `v`. */
const TWO = {
  ...LINE,
  'stops.txt': `${LINE['stops.txt']}\n${String(LINE['stops.txt'])
    .split('\n')
    .slice(1)
    .map((row) => `b:${row}`)
    .join('\n')}`,
  'routes.txt': `${LINE['routes.txt']}\nb:L,L,3`,
  'trips.txt': `${LINE['trips.txt']}\nb:L,daily,b:t,Stop 5,0\nb:L,daily,b:v,Stop 5,0`,
  'stop_times.txt': `${LINE['stop_times.txt']}
    b:t,08:00:00,08:00:00,b:S1,1\n    b:t,08:10:00,08:10:00,b:S2,2
    b:v,08:00:00,08:00:00,b:S1,1\n    b:v,08:10:00,08:10:00,b:S2,2`,
}

const PREFIXES = new FeedPrefixes(await timetableOf(TWO), ['', 'a:', 'b:'])

/**
 * Reads a message with an update, a vehicle and an alert for each trip.
 * @param setting the feed's configured prefix
 */
function read(tripIds: readonly string[], setting?: string) {
  const entities = tripIds.flatMap((tripId, at) => [
    {
      id: `u${at}`,
      tripUpdate: { trip: { tripId, startDate: TODAY }, stopTimeUpdate: [{ stopId: 'S1', departure: { delay: 60 } }] },
    },
    { id: `v${at}`, vehicle: { trip: { tripId, routeId: 'L' }, stopId: 'S2', vehicle: { id: 'bus' } } },
    { id: `a${at}`, alert: { informedEntity: [{ stopId: 'S1' }, { trip: { tripId } }, { routeId: 'L' }] } },
  ])
  const state = new FeedState()
  state.apply(decodeMessage(realtimeFeed(1000, entities)), 1000)
  if (state.current === undefined) throw new Error('the feed was not read')
  const { trips, vehicles, alerts } = PREFIXES.apply(state.current, setting)
  return {
    trips: trips.map(({ trip, stopTimes }) => `${trip.tripId} ${stopTimes[0]?.stopId}`),
    vehicles: vehicles.map(({ trip, stopId, vehicle }) => `${trip?.tripId} ${trip?.routeId} ${stopId} ${vehicle?.id}`),
    alerts: alerts.map(({ selectors }) => selectors.map((each) => each.stopId ?? each.trip?.tripId ?? each.routeId)),
  }
}

test('the prefix that matches the most ids is used', () => {
  expect(read(['t', 'v'])).toEqual({
    trips: ['b:t b:S1', 'b:v b:S1'],
    vehicles: ['b:t b:L b:S2 bus', 'b:v b:L b:S2 bus'],
    alerts: [
      ['b:S1', 'b:t', 'b:L'],
      ['b:S1', 'b:v', 'b:L'],
    ],
  })
})

test('a feed that matches without a prefix, or with none, stays as it is', () => {
  expect(read(['t', 'u']).trips).toEqual(['t S1', 'u S1'])
  expect(read(['x']).trips).toEqual(['x S1'])
})

test('a setting takes precedence', () => {
  expect(read(['t'], 'b:').trips).toEqual(['b:t b:S1'])
  expect(read(['t', 'v'], '').trips).toEqual(['t S1', 'v S1'])
})
