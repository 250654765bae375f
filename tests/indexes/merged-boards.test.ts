// Tests boards, areas and distances across several feeds, built from joined tables. Fails if a board of a network is
// not the combination of its feeds' boards, if stops with the same name in two feeds are not in one area, or if the
// stations in one feed break up the areas of another.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { findWithin } from '../../indexes/spatial/point-tree.ts'
import { listDepartures } from '../../indexes/timetable/boards.ts'
import { buildTimetable } from '../../indexes/timetable/build-timetable.ts'
import { findStop } from '../../indexes/timetable/stops.ts'
import type { StopIndex, Timetable } from '../../indexes/timetable/timetable.ts'
import { tripRef } from '../../indexes/timetable/trips.ts'
import { type FeedPart, loadFeeds } from '../../loaders/gtfs/load-feeds.ts'
import { textOf } from '../../loaders/strings.ts'
import { openFeedSource } from '../../src/sources/feed-source.ts'
import { type FeedTexts, textFeed } from '../feeds/text-feed.ts'
import { bySize, REAL_FEEDS, SEED } from '../size.ts'
import { numbersOf, rowsOf, sketchFeed, textsOf, timetableOf } from './built-feed.ts'
import { randomFeed, randomQuestion } from './random-feed.ts'

const FEED_RUNS = bySize({ quick: 60, ci: 200, full: 2_000 })
const REAL_BOARDS = bySize({ quick: 100, ci: 250, full: 2_000 })
const PREFIXES = ['', 'p-', 's']

async function networkOf(parts: readonly FeedPart[], timezone?: string): Promise<Timetable> {
  return buildTimetable((await loadFeeds(parts, timezone === undefined ? {} : { timezone })).feed)
}

/** One departure. It is described by ids, because row numbers differ between a network and its feeds. */
interface BoardRow {
  readonly seconds: number
  readonly trip: string
  readonly position: number
  readonly stop: string
  readonly line: string
  readonly headsign: string
}

interface Question {
  readonly stopIds: readonly string[]
  readonly fromSeconds: number
  readonly toSeconds: number
}

/**
 * The board for some stops. Stops that the timetable lacks are skipped. For a single feed, `prefix` turns its ids into
 * the network's ids.
 */
function readBoard(timetable: Timetable, { stopIds, ...window }: Question, prefix = ''): BoardRow[] {
  const own = stopIds.filter((id) => id.startsWith(prefix)).map((id) => findStop(timetable, id.slice(prefix.length)))
  const stops = own.filter((stop) => stop !== undefined)
  const { directions, lines, patterns, strings, trips } = timetable
  return listDepartures(timetable, { stops, ...window, limit: 10_000 }).map((departure) => {
    const pattern = trips.pattern[departure.trip]
    const ref = tripRef(timetable, departure)
    return {
      seconds: departure.departureSeconds,
      // A reference is `yyyymmdd:` and the trip's id.
      trip: `${ref.slice(0, 9)}${prefix}${ref.slice(9)}`,
      position: departure.position,
      stop: `${prefix}${textOf(strings, timetable.stops.id[departure.stop])}`,
      line: `${prefix}${textOf(strings, lines.id[patterns.line[pattern]])}`,
      headsign: textOf(strings, directions.headsign[patterns.direction[pattern]]),
    }
  })
}

/**
 * Sorts departures at the same instant by line, trip and position, because a network and its feeds do not have their
 * lines in the same order.
 */
function sorted(board: readonly BoardRow[]): BoardRow[] {
  const key = ({ seconds, line, trip, position }: BoardRow) => `${seconds} ${line} ${trip} ${position}`
  return [...board].sort((a, b) => a.seconds - b.seconds || (key(a) < key(b) ? -1 : 1))
}

/** Each line's departures in the order of the board. */
function byLine(board: readonly BoardRow[]): Map<string, BoardRow[]> {
  return Map.groupBy(board, ({ line }) => line)
}

/** Area id → the ids of its stops, separated by blanks. */
function areasOf(timetable: Timetable): Record<string, string> {
  const stopIds = textsOf(timetable, timetable.stops.id)
  const members = rowsOf(
    timetable.areas.stopOffset,
    numbersOf(timetable.areas.stopAt).map((stop) => stopIds[stop]),
  )
  const ids = textsOf(timetable, timetable.areas.id)
  return Object.fromEntries(ids.map((id, area) => [id, members[area]?.join(' ') ?? '']))
}

const asPart = (files: FeedTexts, prefix: string, label: string): FeedPart => ({
  source: textFeed(files),
  prefix,
  label,
})

/**
 * The feeds use the same stop, route, trip and service ids. Each calendar is around a date of its own, and one
 * configured time zone replaces those of the feeds. The network must show the same departures as its feeds do
 * separately.
 */
test('a board of a network merges the boards of its feeds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomFeed, { minLength: 2, maxLength: PREFIXES.length }),
      fc.array(randomQuestion, { minLength: 1, maxLength: 8 }),
      async (feeds, questions) => {
        const zone = feeds[0]?.zone ?? ''
        const parts = feeds.map(({ files }, at) => asPart(files, PREFIXES[at] ?? '', `feed ${at}`))
        const network = await networkOf(parts, zone)
        const alone = await Promise.all(parts.map((part) => networkOf([{ ...part, prefix: '' }], zone)))
        for (const { stopIds, from, length } of questions) {
          const requested = parts.flatMap(({ prefix }) => stopIds.map((id) => `${prefix}${id}`))
          // Times around the calendar of each feed in turn.
          for (const { date } of feeds) {
            const fromSeconds = Date.parse(`${date}T12:00:00Z`) / 1000 + from
            const question = { stopIds: requested, fromSeconds, toSeconds: fromSeconds + length }
            const expected = alone.flatMap((timetable, at) => {
              const prefix = PREFIXES[at] ?? ''
              const own = { ...question, stopIds: stopIds.map((id) => `${prefix}${id}`) }
              return readBoard(timetable, own, prefix)
            })
            const board = readBoard(network, question)
            expect(sorted(board)).toEqual(sorted(expected))
            expect(board.map(({ seconds }) => seconds)).toEqual(sorted(expected).map(({ seconds }) => seconds))
            for (const [line, rows] of byLine(board)) expect(rows).toEqual(byLine(expected).get(line) ?? [])
          }
        }
      },
    ),
    { seed: SEED, numRuns: FEED_RUNS },
  )
}, 60_000)

/** A feed with one line between two stops. */
function lineFeed(line: string, stops: Readonly<Record<string, string>>): Record<string, string> {
  const calls = Object.keys(stops).join(' ')
  return sketchFeed({ stops, trips: [{ id: `t${line}`, route: line, calls, direction: 0 }] })
}

// 0.001 degrees of latitude are 111 m.
const BUS = lineFeed('bus', { m: '48.1000,7,Mercado', z: '48.2,7,Zoo' })
const TRAIN = lineFeed('train', { M: '48.1010,7,Mercado', A: '48.3,7,Aeroporto' })
const FAR_TRAIN = lineFeed('train', { M: '48.1020,7,Mercado', A: '48.3,7,Aeroporto' })

test('stops with the same name in two feeds form one area, whose board has both', async () => {
  const network = await networkOf([asPart(BUS, '', 'bus'), asPart(TRAIN, 't-', 'train')])
  expect(areasOf(network)).toEqual({ 'auto-m': 'm t-M' })
  expect(rowsOf(network.areas.lineOffset, textsOf(network, network.lines.id))).toEqual([['bus', 't-train']])
  const window = {
    fromSeconds: Date.parse('2026-06-02T00:00Z') / 1000,
    toSeconds: Date.parse('2026-06-03T00:00Z') / 1000,
  }
  expect(readBoard(network, { stopIds: ['m', 't-M'], ...window }).map(({ trip }) => trip)).toEqual([
    '20260602:tbus',
    '20260602:t-ttrain',
  ])
  // Alone, neither feed has an area. With FAR_TRAIN, the stops are 222 m apart, which is too far for an area.
  expect([areasOf(await timetableOf(BUS)), areasOf(await timetableOf(TRAIN))]).toEqual([{}, {}])
  expect(areasOf(await networkOf([asPart(BUS, '', 'bus'), asPart(FAR_TRAIN, 't-', 'train')]))).toEqual({})
})

test('stops and areas of both feeds are found near a place', async () => {
  const { stops, strings, areas, pointTrees } = await networkOf([asPart(BUS, '', 'bus'), asPart(TRAIN, 't-', 'train')])
  const circle = { lat: 48.1001, lon: 7, radiusMeters: 150 }
  const hits = findWithin<StopIndex>(pointTrees.stops, stops, circle)
  expect(hits.map(({ index }) => textOf(strings, stops.id[index]))).toEqual(['m', 't-M'])
  expect(hits.map(({ distanceMeters }) => Math.round(distanceMeters))).toEqual([11, 100])
  expect(findWithin(pointTrees.areas, areas, circle).length).toBe(1)
})

test('stations of one feed do not affect the generated areas of another', async () => {
  const street = sketchFeed({
    stops: { a: '48.1,7,Rua', b: '48.1001,7,Rua', z: '48.2,7,Zoo' },
    trips: [
      { id: 'out', calls: 'a z', direction: 0 },
      { id: 'back', calls: 'z b', direction: 1 },
    ],
  })
  const station = {
    ...TRAIN,
    'stops.txt': `stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station
      auto-a,Mercado,48.1,7,1,
      M,Mercado,48.1,7,0,auto-a
      A,Rua,48.1,7,0,
      B,Rua,48.1,7,0,`,
  }
  // In a feed with stations, stops outside of stations form no areas. A station may have the id of a generated area.
  const network = await networkOf([asPart(street, '', 'street'), asPart(station, '', 'station')])
  expect(areasOf(network)).toEqual({ 'auto-a': 'M', 'auto-auto-a': 'a b' })
  const prefixed = await networkOf([asPart(station, 's-', 'station'), asPart(street, '', 'street')])
  expect(areasOf(prefixed)).toEqual({ 'auto-a': 'a b', 's-auto-a': 's-M' })
})

test('vehicles of two operators never share a block', async () => {
  const withBlock = (files: Record<string, string>, line: string) => ({
    ...files,
    'trips.txt': `route_id,service_id,trip_id,block_id\n${line},daily,t${line},1`,
  })
  const parts = [asPart(withBlock(BUS, 'bus'), '', 'bus'), asPart(withBlock(TRAIN, 'train'), '', 'train')]
  const network = await networkOf(parts)
  expect(new Set(textsOf(network, network.trips.block))).toEqual(new Set(['0:1', '1:1']))
})

const EPTC = 'porto-alegre-eptc-2019.zip'
const TRENSURB = 'porto-alegre-trensurb-2019.zip'

test.skipIf(REAL_FEEDS === undefined)(
  'the buses and trains of Porto Alegre are one network',
  async () => {
    const folder = REAL_FEEDS ?? ''
    const sources = await Promise.all([EPTC, TRENSURB].map((name) => openFeedSource(join(folder, name))))
    const parts = sources.map((source, at) => ({ source, prefix: '', label: [EPTC, TRENSURB][at] ?? '' }))
    const network = await networkOf(parts)
    const alone = await Promise.all(parts.map((part) => networkOf([part])))
    const idsOf = (timetable: Timetable | undefined) =>
      timetable === undefined ? [] : textsOf(timetable, timetable.stops.id)
    const [bus, train] = alone
    expect(network.stops.id.length).toBe(idsOf(bus).length + idsOf(train).length)
    const question = fc.record({
      busStops: fc.uniqueArray(fc.constantFrom(...idsOf(bus)), { minLength: 1, maxLength: 4 }),
      trainStops: fc.uniqueArray(fc.constantFrom(...idsOf(train)), { minLength: 1, maxLength: 2 }),
      day: fc.integer({ min: -2, max: network.meta.dayCount + 2 }),
      seconds: fc.integer({ min: 0, max: 86_399 }),
      length: fc.constantFrom(3600, 14_400),
    })
    fc.assert(
      fc.property(question, ({ busStops, trainStops, day, seconds, length }) => {
        const fromSeconds = (network.meta.firstDay + day) * 86_400 + seconds
        const requested = { stopIds: [...busStops, ...trainStops], fromSeconds, toSeconds: fromSeconds + length }
        const expected = alone.flatMap((timetable) => readBoard(timetable, requested))
        expect(sorted(readBoard(network, requested))).toEqual(sorted(expected))
      }),
      { seed: SEED, numRuns: REAL_BOARDS },
    )
    // The central station, and the bus stops around it.
    const market = findStop(network, 'MR')
    if (market === undefined) throw new Error('the station Mercado is missing')
    const { stops } = network
    const near = findWithin<StopIndex>(network.pointTrees.stops, stops, {
      lat: stops.lat[market],
      lon: stops.lon[market],
      radiusMeters: 300,
    }).map(({ index }) => textOf(network.strings, stops.id[index]))
    expect(near[0]).toBe('MR')
    expect(near.filter((id) => idsOf(bus).includes(id)).length).toBeGreaterThan(0)
    // No bus stop has the name of a train station, so no area contains stops of both feeds.
    expect(areasOf(network)).toEqual(Object.assign({}, ...alone.map(areasOf)))
    for (const source of sources) await source.close()
  },
  60_000,
)
