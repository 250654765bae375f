// Tests which departures a board has, and in which order. Compares boards with those of a simple oracle that reads the
// feed's text. Fails if they differ, for example after midnight, at a clock change, for a loop, for frequency-based
// trips, or for departures at the same time.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type BoardQuery, type Departure, listDepartures } from '../../indexes/timetable/boards.ts'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import { findLine } from '../../indexes/timetable/lines.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import type { LineIndex, StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { stopHeadsign, tripRef } from '../../indexes/timetable/trips.ts'
import { sealColumn } from '../../loaders/columns.ts'
import type { FrequencyRow, TripRow } from '../../loaders/gtfs/feed.ts'
import { loadFeed } from '../../loaders/gtfs/load-feed.ts'
import { textOf } from '../../loaders/strings.ts'
import { type FeedTexts, textFeed } from '../feeds/text-feed.ts'
import { noonOf, type OracleQuery, type OracleRow, readBoard, readOracleFeed } from '../oracles/board-oracle.ts'
import { bySize, SEED } from '../size.ts'
import { randomFeed, randomQuestion } from './random-feed.ts'

const RANDOM_TEST_MILLIS = bySize({ quick: 30_000, ci: 60_000, full: 300_000 })

async function timetableOf(files: FeedTexts): Promise<Timetable> {
  return buildTimetable((await loadFeed(textFeed(files))).feed)
}

/**
 * The oracle's query with row numbers instead of ids. Leaves out ids that the timetable does not have, such as ids of
 * routes without trips.
 */
function toQuery(timetable: Timetable, query: OracleQuery): BoardQuery {
  return {
    stops: query.stopIds.map((id) => findStop(timetable, id)).filter((stop): stop is StopIndex => stop !== undefined),
    fromSeconds: query.fromSeconds,
    toSeconds: query.toSeconds,
    limit: query.limit,
    lines:
      query.routeIds === undefined
        ? undefined
        : new Set(
            query.routeIds.map((id) => findLine(timetable, id)).filter((line): line is LineIndex => line !== undefined),
          ),
    directionId: query.directionId === undefined ? undefined : Number(query.directionId),
  }
}

function toRow(timetable: Timetable, departure: Departure): OracleRow {
  return {
    trip: tripRef(timetable, departure),
    stop: textOf(timetable.strings, timetable.stops.id[departure.stop]),
    call: departure.position,
    seconds: departure.departureSeconds,
  }
}

/** A board with one line of text per departure: local time, trip, stop, call. */
async function boardText(files: FeedTexts, query: OracleQuery): Promise<string[]> {
  const timetable = await timetableOf(files)
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timetable.meta.timezone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  })
  return listDepartures(timetable, toQuery(timetable, query)).map((departure) => {
    const { trip, stop, call, seconds } = toRow(timetable, departure)
    return `${clock.format(seconds * 1000)} ${trip} ${stop} ${call}`
  })
}

test(
  'boards of random feeds equal boards computed from their text',
  async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        randomFeed,
        fc.array(randomQuestion, { minLength: 10, maxLength: 20 }),
        async (feed, questions) => {
          const timetable = await timetableOf(feed.files)
          const oracle = readOracleFeed(feed.files)
          const noon = noonOf(feed.zone, feed.date.replaceAll('-', ''))
          for (const { from, length, ...question } of questions) {
            const query = { ...question, fromSeconds: noon + from, toSeconds: noon + from + length }
            const board = listDepartures(timetable, toQuery(timetable, query))
            expect(board.map((departure) => toRow(timetable, departure))).toEqual(readBoard(oracle, query))
            compared++
          }
        },
      ),
      { seed: SEED, numRuns: bySize({ quick: 150, ci: 500, full: 10_000 }) },
    )
    expect(compared).toBeGreaterThan(1_000)
  },
  RANDOM_TEST_MILLIS,
)

const STOPS = `
  stop_id,stop_name,stop_lat,stop_lon
  a,A,48.1,7.1
  b,B,48.2,7.2
  c,C,48.3,7.3`

/**
 * A feed with one line in Paris, which runs daily in 2026 and calls at the stops a, b and c.
 * @param calls rows of stop_times.txt
 */
function feedOf(calls: string, more: FeedTexts = {}): FeedTexts {
  const trips = [...new Set([...calls.matchAll(/^\s*(t\w+),/gm)].map(([, id]) => id))]
  return {
    'agency.txt': `
      agency_id,agency_name,agency_url,agency_timezone
      v,Ville,https://ville.example,Europe/Paris`,
    'stops.txt': STOPS,
    'routes.txt': `
      route_id,route_short_name,route_type
      r,1,3`,
    'calendar.txt': `
      service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
      daily,1,1,1,1,1,1,1,20260101,20261231`,
    'trips.txt': `
      route_id,service_id,trip_id
      ${trips.map((id) => `r,daily,${id}`).join('\n')}`,
    'stop_times.txt': `
      trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type
      ${calls}`,
    ...more,
  }
}

/** An instant in seconds since 1970. @param instant a timestamp with an offset from UTC */
const at = (instant: string): number => Date.parse(instant) / 1000

const anyTime = { fromSeconds: at('2026-06-01T00:00:00+02:00'), toSeconds: at('2026-06-02T00:00:00+02:00'), limit: 50 }

describe('a board', () => {
  test('shows yesterday’s service after midnight, under its own service day', async () => {
    const feed = feedOf(`
      t1,24:40:00,24:40:00,a,1,
      t1,24:40:00,24:40:00,b,2,`)
    // The window starts exactly at the departure at 24:40, which is the latest time in the feed.
    const window = { fromSeconds: at('2026-06-02T00:40:00+02:00'), toSeconds: at('2026-06-02T01:30:00+02:00') }
    expect(await boardText(feed, { stopIds: ['a'], limit: 10, ...window })).toEqual([
      '2026-06-02 00:40 20260601:t1 a 0',
    ])
  })

  test('includes the start of its window and excludes the end', async () => {
    const feed = feedOf(`
      t1,10:00:00,10:00:00,a,1,
      t1,10:10:00,10:10:00,b,2,
      t2,11:00:00,11:00:00,a,1,
      t2,11:10:00,11:10:00,b,2,`)
    const window = { fromSeconds: at('2026-06-01T10:00:00+02:00'), toSeconds: at('2026-06-01T11:00:00+02:00') }
    expect(await boardText(feed, { stopIds: ['a'], limit: 10, ...window })).toEqual([
      '2026-06-01 10:00 20260601:t1 a 0',
    ])
  })

  test('omits last calls and calls without boarding, per call rather than per stop', async () => {
    // A loop from a via b and c back to a. Riders cannot board at c.
    const feed = feedOf(`
      t1,10:00:00,10:00:00,a,1,
      t1,10:10:00,10:10:00,b,2,
      t1,10:20:00,10:20:00,c,3,1
      t1,10:30:00,10:30:00,a,4,`)
    expect(await boardText(feed, { stopIds: ['a', 'b', 'c'], ...anyTime })).toEqual([
      '2026-06-01 10:00 20260601:t1 a 0',
      '2026-06-01 10:10 20260601:t1 b 1',
    ])
  })

  test('is correct on days when the clocks change', async () => {
    const feed = feedOf(`
      t1,02:30:00,02:30:00,a,1,
      t1,08:00:00,08:00:00,b,2,
      t1,08:10:00,08:10:00,c,3,
      t2,26:30:00,26:30:00,a,1,
      t2,27:00:00,27:00:00,b,2,`)
    // In autumn, the hour from 2:00 to 3:00 occurs twice. Trip t2 of Saturday's service day departs in the first of
    // these hours, and trip t1 of Sunday's in the second.
    const autumn = { fromSeconds: at('2026-10-25T00:00:00+02:00'), toSeconds: at('2026-10-25T12:00:00+01:00') }
    const timetable = await timetableOf(feed)
    const rows = listDepartures(timetable, toQuery(timetable, { stopIds: ['a', 'b'], limit: 10, ...autumn }))
    expect(rows.map((row) => [tripRef(timetable, row), new Date(row.departureSeconds * 1000).toISOString()])).toEqual([
      ['20261024:t2', '2026-10-25T00:30:00.000Z'],
      ['20261025:t1', '2026-10-25T01:30:00.000Z'],
      ['20261025:t1', '2026-10-25T07:00:00.000Z'],
    ])
    // In spring, the hour from 2:00 to 3:00 does not exist. GTFS counts from noon minus 12 hours, so 2:30 on this day
    // is 1:30 on the clock.
    const spring = { fromSeconds: at('2026-03-29T00:00:00+01:00'), toSeconds: at('2026-03-29T12:00:00+02:00') }
    expect(await boardText(feed, { stopIds: ['a', 'b'], limit: 10, ...spring })).toEqual([
      '2026-03-29 01:30 20260329:t1 a 0',
      '2026-03-29 03:30 20260328:t2 a 0',
      '2026-03-29 08:00 20260329:t1 b 1',
    ])
  })

  test('orders departures at the same time by line, service day and trip id as text', async () => {
    const feed = feedOf(
      `
      t10,10:00:00,10:00:00,a,1,
      t10,10:10:00,10:10:00,b,2,
      t9,10:00:00,10:00:00,a,1,
      t9,10:10:00,10:10:00,b,2,
      t1,34:00:00,34:00:00,a,1,
      t1,34:10:00,34:10:00,b,2,
      tb,10:00:00,10:00:00,c,1,
      tb,10:10:00,10:10:00,b,2,`,
      {
        'routes.txt': `
          route_id,route_short_name,route_type
          r,10,3
          q,9,3`,
        'trips.txt': `
          route_id,service_id,trip_id
          r,daily,t10
          r,daily,t9
          r,daily,t1
          q,daily,tb`,
      },
    )
    const window = { fromSeconds: at('2026-06-01T10:00:00+02:00'), toSeconds: at('2026-06-01T10:01:00+02:00') }
    expect(await boardText(feed, { stopIds: ['a', 'c'], limit: 10, ...window })).toEqual([
      '2026-06-01 10:00 20260601:tb c 0',
      '2026-06-01 10:00 20260531:t1 a 0',
      '2026-06-01 10:00 20260601:t10 a 0',
      '2026-06-01 10:00 20260601:t9 a 0',
    ])
  })

  test('runs frequency trips from each start time', async () => {
    const feed = feedOf(
      `
      t1,06:00:00,06:02:00,a,1,
      t1,06:12:00,06:13:00,b,2,
      t1,06:20:00,06:20:00,c,3,`,
      {
        // 08:30 is the (exclusive) end of the first window and the start of the second.
        'frequencies.txt': `
          trip_id,start_time,end_time,headway_secs
          t1,08:00:00,08:30:00,600
          t1,08:30:00,08:50:00,1200`,
      },
    )
    expect(await boardText(feed, { stopIds: ['b'], ...anyTime })).toEqual([
      '2026-06-01 08:11 20260601:t1@08:00:00 b 1',
      '2026-06-01 08:21 20260601:t1@08:10:00 b 1',
      '2026-06-01 08:31 20260601:t1@08:20:00 b 1',
      '2026-06-01 08:41 20260601:t1@08:30:00 b 1',
    ])
  })

  test('shows a run once if two overlapping frequencies of its trip contain it', async () => {
    const calls = `
      t1,06:00:00,06:00:00,a,1,
      t1,06:10:00,06:10:00,b,2,`
    const { feed } = await loadFeed(textFeed(feedOf(calls)))
    const seconds = (...values: number[]) => sealColumn<FrequencyRow>(Uint32Array.from(values))
    const timetable = buildTimetable({
      ...feed,
      frequencies: {
        count: 2,
        trip: sealColumn<FrequencyRow, TripRow>(Uint32Array.of(0, 0)),
        startSeconds: seconds(28_800, 30_000),
        endSeconds: seconds(30_600, 31_200),
        headwaySeconds: seconds(600, 600),
        exactTimes: seconds(0, 0),
      },
    })
    // One frequency runs from 08:00 and ends before 08:30, the other runs from 08:20 and ends before 08:40. Both have a
    // run every ten minutes, so both contain the run at 08:20.
    const departures = listDepartures(timetable, toQuery(timetable, { stopIds: ['a'], ...anyTime }))
    expect(departures.map((departure) => tripRef(timetable, departure))).toEqual([
      '20260601:t1@08:00:00',
      '20260601:t1@08:10:00',
      '20260601:t1@08:20:00',
      '20260601:t1@08:30:00',
    ])
  })
})

test('a call’s headsign takes precedence over its trip’s, which takes precedence over the name of the last stop', async () => {
  const timetable = await timetableOf(
    feedOf('', {
      'trips.txt': `
        route_id,service_id,trip_id,trip_headsign
        r,daily,t1,Gare
        r,daily,t2,`,
      'stop_times.txt': `
        trip_id,arrival_time,departure_time,stop_id,stop_sequence,stop_headsign
        t1,10:00:00,10:00:00,a,1,Gare par B
        t1,10:10:00,10:10:00,b,2,
        t1,10:20:00,10:20:00,c,3,
        t2,11:00:00,11:00:00,a,1,
        t2,11:10:00,11:10:00,c,2,`,
    }),
  )
  const departures = listDepartures(timetable, toQuery(timetable, { stopIds: ['a', 'b'], ...anyTime }))
  expect(departures.map(({ trip, position }) => stopHeadsign(timetable, trip, position))).toEqual([
    'Gare par B',
    'Gare',
    'C',
  ])
})
