// How long journeys take in process, feed by feed: earliest arrival at one moment, and the search that answers a request,
// by the queries of the published comparison (see bench/README.md). `QUAI_FEEDS=folder bun bench/journeys-search.ts [FEED…]`;
// one feed by QUAI_BENCH_FEED, else a made city.
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ChangePoints } from '../indexes/journeys/change-points.ts'
import { buildFootpaths } from '../indexes/journeys/footpaths.ts'
import { JourneyPlanner } from '../indexes/journeys/planner.ts'
import { RaptorSearch } from '../indexes/journeys/raptor-search.ts'
import type { WalkEnds } from '../indexes/journeys/search-ground.ts'
import { pairSeated, readSeatRules } from '../indexes/journeys/seated.ts'
import { buildSpan, classifyTrips, InstancePlaces } from '../indexes/journeys/span.ts'
import { findInWalk } from '../indexes/spatial/walking.ts'
import { buildTimetable } from '../indexes/timetable/build-timetable.ts'
import { STOP_HAS_CALLS, type StopIndex, type Timetable } from '../indexes/timetable/timetable.ts'
import { columnArray } from '../loaders/columns.ts'
import { loadFeed } from '../loaders/gtfs/load-feed.ts'
import { textOf } from '../loaders/strings.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'
import { benchFeed } from './feeds.ts'
import { digits, type Spread, spreadOf } from './measure.ts'

const COMPARED = ['strasbourg-cts-2026', 'exo-laurentides-2025', 'mta-subway-2026', 'mta-bus-brooklyn-2026']
const SEED = 1
const PAIRS = 1000
const RANGE_PAIRS = 300
const DEPARTURE_SECONDS = 8 * 3600
const TUESDAY = 2
const DAY_SECONDS = 86_400
/** The footpaths of requests, and those of the comparison: 100 m as the crow flies. */
const TRANSFER_METERS = [500, 130]
const CHANGE_SECONDS = 60
const MAX_WALK_METERS = 1000
/** What a request for three journeys looks for, to have some to thin out. */
const LIMIT = 6

type Pair = readonly [from: StopIndex, to: StopIndex]

for (const path of await listFeeds()) await measureFeed(path)

async function listFeeds(): Promise<string[]> {
  const folder = process.env['QUAI_FEEDS']
  if (folder === undefined) return [(await benchFeed()).path]
  const inner = existsSync(join(folder, 'gtfs')) ? join(folder, 'gtfs') : folder
  const names = process.argv.length > 2 ? process.argv.slice(2) : COMPARED
  return names.map((name) => join(inner, `${name}.zip`))
}

async function measureFeed(path: string): Promise<void> {
  const timetable = buildTimetable((await loadFeed(await openFeedSource(path))).feed)
  const stops = listStops(timetable)
  const pairs = drawPairs(stops)
  const seconds = busiestTuesday(timetable) + DEPARTURE_SECONDS
  console.log(`${basename(path)}: ${stops.length} stops with calls, ${PAIRS} pairs`)
  for (const walkMeters of TRANSFER_METERS) {
    const ask = earliest(timetable, { walkMeters, seconds })
    show(`earliest arrival, changes up to ${walkMeters} m walked`, pairs, ask)
  }
  const started = performance.now()
  const planner = new JourneyPlanner(timetable, { walkMeters: 500, changeSeconds: CHANGE_SECONDS })
  console.log(`    planner made ready in ${digits(performance.now() - started)} ms`)
  for (const isArriveBy of [false, true]) {
    const name = `${LIMIT} journeys ${isArriveBy ? 'until' : 'from'} then`
    show(name, pairs.slice(0, RANGE_PAIRS), ([from, to]) => {
      const access = walksFrom(timetable, from, MAX_WALK_METERS)
      const egress = walksFrom(timetable, to, MAX_WALK_METERS)
      const asked = { access, egress, seconds, isArriveBy, limit: LIMIT, lines: undefined, overlay: undefined }
      const found = planner.plan({ ...asked, shouldStop: () => false })
      for (const { leaves, arrives } of found ?? []) {
        const isRight = isArriveBy ? arrives <= seconds : leaves >= seconds
        if (!isRight || leaves > arrives) throw new Error('a journey is not what was asked for')
      }
      return (found?.length ?? 0) > 0
    })
  }
}

/** Asks when one is there first, and how; access and egress are the walks of a change, and the stops themselves. */
function earliest(
  timetable: Timetable,
  { walkMeters, seconds }: { readonly walkMeters: number; readonly seconds: number },
): (pair: Pair) => boolean {
  const points = new ChangePoints(timetable)
  const today = columnArray(timetable.serviceDays.zeroSeconds).indexOf(seconds - DEPARTURE_SECONDS)
  const days = { firstDay: Math.max(0, today - 1), endDay: Math.min(timetable.meta.dayCount, today + 2) }
  const span = buildSpan(timetable, classifyTrips(timetable, points), { ...days, pointCount: points.count })
  const layers = [span.layer]
  const places = new InstancePlaces(span)
  const placeNow = (place: number) => place
  const seated = pairSeated(timetable, readSeatRules(timetable), { span, places, points, layers, placeNow })
  const footpaths = buildFootpaths(timetable, points, { walkMeters, changeSeconds: CHANGE_SECONDS })
  const ground = { layers, masked: undefined, footpaths, lines: undefined, continuations: seated?.forward }
  const search = new RaptorSearch(points.count)
  const reach = new Map<StopIndex, WalkEnds>()
  const ends = (stop: StopIndex) =>
    reach.getOrInsertComputed(stop, () => pointsOf(points, walksFrom(timetable, stop, walkMeters)))
  return ([from, to]) => {
    const [access, egress] = [ends(from), ends(to)]
    let isFound = false
    search.begin(ground, { access, egress })
    const take = () => {
      isFound = true
    }
    search.leave(seconds - span.baseSeconds, access, take, () => false)
    return isFound
  }
}

function pointsOf(points: ChangePoints, { stops, seconds }: WalkEnds): WalkEnds {
  const all = stops.map((stop) => points.pointsOf(stop as StopIndex))
  return { stops: all.flat(), seconds: all.flatMap((each, at) => each.map(() => seconds[at] as number)) }
}

function walksFrom({ stops, pointTrees }: Timetable, stop: StopIndex, maxMeters: number): WalkEnds {
  const hits = findInWalk(pointTrees.stops, stops, { lat: stops.lat[stop], lon: stops.lon[stop], maxMeters })
  return {
    stops: hits.map(({ index }) => index),
    seconds: hits.map(({ index, seconds }) => (index === stop ? 0 : seconds)),
  }
}

/** Times each pair after one pass to warm up. */
function show(name: string, pairs: readonly Pair[], ask: (pair: Pair) => boolean): void {
  for (const pair of pairs) ask(pair)
  const micros = new Float64Array(pairs.length)
  let answered = 0
  for (const [at, pair] of pairs.entries()) {
    const started = Bun.nanoseconds()
    if (ask(pair)) answered++
    micros[at] = (Bun.nanoseconds() - started) / 1000
  }
  const { p50, p95, p99 }: Spread = spreadOf(micros)
  console.log(`    ${name}: p50 ${digits(p50)}, p95 ${digits(p95)}, p99 ${digits(p99)} µs, ${answered} answered`)
}

/** Stops at which some trip calls, by id. */
function listStops({ stops, strings }: Timetable): StopIndex[] {
  const called: StopIndex[] = []
  for (let stop = 0 as StopIndex; stop < stops.id.length; stop++) {
    if ((stops.callKinds[stop] & STOP_HAS_CALLS) !== 0) called.push(stop)
  }
  const idOf = (stop: StopIndex) => textOf(strings, stops.id[stop])
  return called.sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
}

function drawPairs(stops: readonly StopIndex[]): Pair[] {
  const random = mulberry32(SEED)
  const pairs: Pair[] = []
  while (pairs.length < PAIRS) {
    const from = Math.floor(random() * stops.length)
    const to = Math.floor(random() * stops.length)
    if (from !== to) pairs.push([stops[from] as StopIndex, stops[to] as StopIndex])
  }
  return pairs
}

/** The generator of the published comparison. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Zero of the Tuesday on which most trips run, the first of them, in seconds after 1970. */
function busiestTuesday({ serviceDays, meta }: Timetable): number {
  const { tripCount, zeroSeconds } = serviceDays
  let best: number | undefined
  for (let day = 0; day < meta.dayCount; day++) {
    // Noon of a service day is on its date in any zone.
    const noon = new Date((meta.firstDay + day) * DAY_SECONDS * 1000)
    if (noon.getUTCDay() !== TUESDAY) continue
    if (best === undefined || tripCount[day] > tripCount[best]) best = day
  }
  if (best === undefined) throw new Error('the feed has no Tuesday')
  return zeroSeconds[best]
}
