// `QUAI_FEEDS=folder bun bench/journeys.ts` measures the cost of a search alone, of a planner's query, and of a whole
// API call, on feeds of different sizes. Planners on npm are measured in the same run for comparison. QUAI_QUERIES sets
// the number of queries per feed, and QUAI_ONLY selects feeds by name.
import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import type { ChangeRules } from '../indexes/journeys/footpaths.ts'
import { JourneyPlanner } from '../indexes/journeys/planner.ts'
import type { WalkEnds } from '../indexes/journeys/search-ground.ts'
import { findStop } from '../indexes/timetable/stops.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { reachOf } from '../src/journeys/walk-reach.ts'
import { EarliestArrivals } from './earliest-arrivals.ts'
import { showFigure } from './figures.ts'
import { type JourneyFeed, type JourneyPair, listJourneyFeeds, loadJourneyFeed } from './journey-feeds.ts'
import {
  hasStationRules,
  loadMinotor,
  loadRaptorJourneyPlanner,
  type PeerAnswer,
  type PeerPlanner,
} from './journey-peers.ts'
import { digits, type Spread, spreadOf } from './measure.ts'
import { makeConfig, runCommand, startService } from './service.ts'

const QUERIES = Number(process.env['QUAI_QUERIES'] ?? 1000)
/** The default transfer rules of a network. */
const FULL: ChangeRules = { walkMeters: 500, changeSeconds: 60 }
/** Rules similar to those that the authors of other planners used in their measurements. */
const NEAR: ChangeRules = { walkMeters: 130, changeSeconds: 60 }
/** The rules of the planners on npm: no walks, and no time for a transfer. */
const BARE: ChangeRules = { walkMeters: 0, changeSeconds: 0 }
const MAX_WALK_METERS = 1000
/** Minimum number of journeys to find per query: the three that a request returns by default, and three more. */
const JOURNEYS_SOUGHT = 6
const PORT = 18_471
const PASSES = 3
const HTTP_WARM_UP = 100
/**
 * Maximum distance from a stop to a place near it, in degrees of latitude and in degrees of longitude. In a straight
 * line, the distance is at most about 1.3 km.
 */
const NEAR_DEGREES = 0.01
const SEED = 1
/** Limits in milliseconds for a whole call, by feed. The entry '' is for all other feeds. */
const CALL_BARS: Readonly<Record<string, { p50: { atMost: number }; p95?: { atMost: number } }>> = {
  '': { p50: { atMost: 2 }, p95: { atMost: 8 } },
  'mta-bus-brooklyn-2026': { p50: { atMost: 8 } },
}
/** A planner on npm must take at least this many times as long as Quai. */
const PEER_BAR = 10

/**
 * The time that nigiri needs to find the earliest arrival with two days loaded, in microseconds (p50, p95, p99).
 * Measured on 2 cores of an AMD EPYC on 2026-11-21.
 */
const NIGIRI: Readonly<Record<string, readonly [number, number, number]>> = {
  'strasbourg-cts-2026': [224, 344, 388],
  'exo-laurentides-2025': [351, 543, 612],
  'mta-subway-2026': [534, 849, 1052],
  'mta-bus-brooklyn-2026': [1218, 2171, 2615],
}

console.log(`${cpus()[0]?.model}, ${cpus().length} cores, Bun ${Bun.version}; ${QUERIES} pairs per feed; microseconds`)
console.log(`  ${''.padEnd(44)}     p50     p95     p99    pass`)
for (const { path } of listJourneyFeeds()) {
  const feed = await loadJourneyFeed(path, QUERIES)
  console.log(
    `\n${feed.name}: ${feed.usedStops} stops, ${feed.stopTimes} stop times, ${feed.tripsThatDay} trips on ${feed.date}`,
  )
  const full = measureSearch(feed, 'earliest arrival, walks of 500 m', { rules: FULL, staysSeated: true })
  measureSearch(feed, 'earliest arrival, walks of 130 m, no blocks', { rules: NEAR, staysSeated: false })
  measureQuestions(feed)
  await measurePeers(feed, full)
  await measureCalls(feed)
}

/** @param nigiri nigiri's median on this feed, if known; Quai's median must not be higher */
function showSpread(name: string, { p50, p95, p99 }: Spread, nigiri?: number): void {
  const median = { name: `${name}, p50`, value: p50, unit: 'µs' }
  showFigure(nigiri === undefined ? median : { ...median, atMost: nigiri })
  showFigure({ name: `${name}, p95`, value: p95, unit: 'µs' })
  showFigure({ name: `${name}, p99`, value: p99, unit: 'µs' })
}

function row(what: string, { spread, passP99 }: Omit<Timed<unknown>, 'answers'>, more: string): void {
  const figures = [spread.p50, spread.p95, spread.p99, passP99].map((value) => digits(value).padStart(8)).join('')
  console.log(`  ${what.padEnd(44)}${figures}  ${more}`)
}

/**
 * Times each query in several passes, after a pass that only warms up. Reports the shortest time of each query, because
 * other work on the machine can only make it longer. Also reports the p99 of the median pass, which includes pauses
 * such as garbage collections. Returns the answer to each query.
 */
function timeQuestions<T>(pairs: readonly JourneyPair[], ask: (pair: JourneyPair) => T): Timed<T> {
  const answers = pairs.map(ask)
  const quickest = new Float64Array(pairs.length).fill(Number.POSITIVE_INFINITY)
  const passes = Array.from({ length: PASSES }, () => {
    const micros = new Float64Array(pairs.length)
    for (const [at, pair] of pairs.entries()) {
      const started = Bun.nanoseconds()
      ask(pair)
      micros[at] = (Bun.nanoseconds() - started) / 1000
      quickest[at] = Math.min(quickest[at], micros[at])
    }
    return spreadOf(micros).p99
  })
  return { spread: spreadOf(quickest), passP99: passes.sort((a, b) => a - b)[PASSES >> 1], answers }
}

interface Timed<T> {
  readonly spread: Spread
  readonly passP99: number
  readonly answers: readonly T[]
}

function share(count: number): string {
  return `${((100 * count) / QUERIES).toFixed(1)}% answered`
}

/**
 * Measures the search for earliest arrivals from stop to stop. A journey can also begin and end with a walk. Such a
 * walk is at most as long as a transfer walk. Returns the median in microseconds.
 */
function measureSearch(
  { name, timetable, day, seconds, questions }: JourneyFeed,
  what: string,
  order: { readonly rules: ChangeRules; readonly staysSeated: boolean },
): number {
  const arrivals = new EarliestArrivals(timetable, { ...order, day })
  const ends = new Map(
    questions
      .flatMap(({ from, to }) => [from, to])
      .map(({ id, end }) => [
        id,
        arrivals.toPoints(reachOf(timetable, end, { maxMeters: order.rules.walkMeters, isEgress: true })),
      ]),
  )
  const endOf = (id: string) => ends.get(id) as WalkEnds
  const timed = timeQuestions(questions, ({ from, to }) => arrivals.find(endOf(from.id), endOf(to.id), seconds).length)
  const others = NIGIRI[name]
  showSpread(`${name}: ${what}`, timed.spread, others?.[0])
  const beside = others === undefined ? '' : `, nigiri ${others.join(' / ')}`
  row(what, timed, `${share(timed.answers.filter((count) => count > 0).length)}${beside}`)
  const laid = [arrivals.classifyMillis, arrivals.footpathMillis, arrivals.dayMillis].map((millis) => digits(millis))
  console.log(
    `    laid out in ${laid.join(' + ')} ms (classes, footpaths, two days): ${arrivals.routes} routes, ` +
      `${arrivals.instances} trips, ${arrivals.changes} changes`,
  )
  return timed.spread.p50
}

/**
 * Measures queries in the form in which the service sends them to its planner. The time includes the search for stops
 * within walking distance.
 */
function measureQuestions({ name, timetable, seconds, questions }: JourneyFeed): void {
  const started = performance.now()
  const planner = new JourneyPlanner(timetable, FULL)
  const made = performance.now()
  const timed = timeQuestions(questions, ({ from, to }) => {
    const found = planner.plan({
      access: reachOf(timetable, from.end, { maxMeters: MAX_WALK_METERS, isEgress: false }),
      egress: reachOf(timetable, to.end, { maxMeters: MAX_WALK_METERS, isEgress: true }),
      seconds,
      isArriveBy: false,
      lines: undefined,
      limit: JOURNEYS_SOUGHT,
      overlay: undefined,
      shouldStop: () => false,
    })
    return found?.length ?? 0
  })
  const { answers } = timed
  const journeys = answers.reduce((sum, count) => sum + count, 0)
  const each = (journeys / questions.length).toFixed(1)
  showSpread(`${name}: range of journeys, in process`, timed.spread)
  row(`best ${JOURNEYS_SOUGHT} or more, ends within 1 000 m`, timed, `${share(answers.filter((n) => n > 0).length)}`)
  console.log(`    ${each} journeys each; the planner was made in ${digits(made - started)} ms`)
}

/** Measures the other planners, and Quai's search with their rules: no walks, and no time for transfers. */
async function measurePeers(feed: JourneyFeed, ours: number): Promise<void> {
  const bare = new EarliestArrivals(feed.timetable, { rules: BARE, day: feed.day, staysSeated: false })
  const spread = hasStationRules(feed.timetable) ? [false, true] : [false]
  const loads = [() => loadMinotor(feed), ...spread.map((is) => () => loadRaptorJourneyPlanner(feed, is))]
  for (const load of loads) {
    const peer = await load()
    let thrown = 0
    const ask = ({ from, to }: JourneyPair): PeerAnswer | undefined => {
      try {
        return peer.plan(from.id, to.id)
      } catch {
        // The planner throws on some walks. A query on which it throws counts as unanswered.
        thrown++
        return undefined
      }
    }
    const timed = timeQuestions(feed.questions, ask)
    const { answers } = timed
    const arrivals = timeAsPeer(feed, bare, peer)
    const times = [ours, arrivals.spread.p50].map((micros) => `${digits(timed.spread.p50 / micros)} ×`)
    const count = answers.filter((answer) => answer !== undefined).length
    showFigure({
      name: `${feed.name}: ${peer.name} compared to Quai`,
      value: timed.spread.p50 / ours,
      unit: '×',
      atLeast: PEER_BAR,
    })
    row(peer.name, timed, `${share(count)}, ${times.join(' ours with walks of 500 m, ')} ours with the same search`)
    row('  ours, same search', arrivals, share(arrivals.answers.filter((arrival) => arrival !== undefined).length))
    const threw = thrown === 0 ? '' : `, threw ${thrown / (PASSES + 1)} times`
    const compared = compareArrivals(feed, arrivals.answers, answers)
    console.log(`    read in ${digits(peer.importMillis)} ms${threw}; ${compared}`)
  }
}

/** Measures Quai's search between the stops that the other planner uses as origin and destination. */
function timeAsPeer(
  { timetable, seconds, questions }: JourneyFeed,
  bare: EarliestArrivals,
  peer: PeerPlanner,
): Timed<number | undefined> {
  const endOf = ({ from, to }: JourneyPair): readonly WalkEnds[] =>
    [from, to].map(({ id }) => {
      const stops = peer.stopsOf(id).flatMap((each) => findStop(timetable, each) ?? [])
      return bare.toPoints({ stops, seconds: stops.map(() => 0) })
    })
  const ends = new Map(questions.map((pair) => [pair, endOf(pair)]))
  return timeQuestions(questions, (pair) => {
    const [access, egress] = ends.get(pair) as readonly [WalkEnds, WalkEnds]
    return bare.arrival(access, egress, seconds)
  })
}

/**
 * Compares the arrivals of Quai's journeys with those of another planner, to the minute. Leaves out journeys in which
 * the other planner walks or uses more vehicles than Quai allows.
 */
function compareArrivals(
  { timetable, day }: JourneyFeed,
  ours: readonly (number | undefined)[],
  theirs: readonly (PeerAnswer | undefined)[],
): string {
  const zero = timetable.serviceDays.zeroSeconds[day]
  const counts = { compared: 0, same: 0, later: 0, earlier: 0, missing: 0 }
  for (const [at, answer] of theirs.entries()) {
    if (answer === undefined || !answer.isComparable) continue
    counts.compared++
    const arrival = ours[at]
    const minutes =
      arrival === undefined ? undefined : Math.floor(answer.arrives / 60) - Math.floor((arrival - zero) / 60)
    if (minutes === undefined) counts.missing++
    else if (minutes === 0) counts.same++
    else if (minutes > 0) counts.later++
    else counts.earlier++
  }
  const { compared, same, later, earlier, missing } = counts
  return (
    `of ${compared} answers with at most 7 vehicles and no walk, ${same} arrive in the same minute as ours, ` +
    `${later} later, ${earlier} earlier; for ${missing}, we have no answer`
  )
}

/** Measures calls for journeys from a stop to a place so close that most riders would walk there. */
async function measureNearCalls(
  { name, questions }: JourneyFeed,
  ask: (from: string, to: string) => Promise<number>,
): Promise<void> {
  const random = seededRandom(SEED, 'near places')
  const shift = () => ((below(random, 2001) - 1000) / 1000) * NEAR_DEGREES
  const micros = new Float64Array(questions.length)
  for (const [at, { from }] of questions.entries()) {
    const to = `${(from.end.lat + shift()).toFixed(5)},${(from.end.lon + shift()).toFixed(5)}`
    const before = Bun.nanoseconds()
    await ask(`net:stop:${from.id}`, to)
    micros[at] = (Bun.nanoseconds() - before) / 1000
  }
  const spread = spreadOf(micros)
  showFigure({ name: `${name}: /v1/journeys to a place nearby, p95`, value: spread.p95 / 1000, unit: 'ms' })
  row('/v1/journeys to a place nearby, whole call', { spread, passP99: spread.p99 }, '')
}

/** Starts a service and measures whole API calls for journeys, one at a time. */
async function measureCalls(feed: JourneyFeed): Promise<void> {
  const { folder, file } = makeConfig(feed.path)
  try {
    await runCommand(['import', '--config', file])
    const clock = new Date(feed.seconds * 1000).toISOString().replace('.000', '')
    const service = await startService(file, { clock, workers: 1, port: PORT })
    try {
      const headers = { authorization: `Bearer ${service.key}` }
      const askBetween = async (from: string, to: string): Promise<number> => {
        const ends = `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`
        const answer = await fetch(`${service.base}/v1/journeys?${ends}&when=${clock}`, { headers })
        if (answer.status !== 200) throw new Error(`/v1/journeys returned ${answer.status}: ${await answer.text()}`)
        return ((await answer.json()) as { data: unknown[] }).data.length
      }
      const ask = ({ from, to }: JourneyPair) => askBetween(`net:stop:${from.id}`, `net:stop:${to.id}`)
      const started = performance.now()
      const [first, ...others] = feed.questions
      if (first === undefined) throw new Error('there are no questions')
      await ask(first)
      const firstMillis = performance.now() - started
      // Origin and destination are swapped, so that the warm-up does not put responses to the measured requests into
      // the cache.
      for (const { from, to } of others.slice(0, HTTP_WARM_UP)) await ask({ from: to, to: from })
      const micros = new Float64Array(others.length)
      let answered = 0
      for (const [at, pair] of others.entries()) {
        const before = Bun.nanoseconds()
        if ((await ask(pair)) > 0) answered++
        micros[at] = (Bun.nanoseconds() - before) / 1000
      }
      const spread = spreadOf(micros)
      const most = CALL_BARS[feed.name] ?? CALL_BARS['']
      const call = `${feed.name}: /v1/journeys, whole call`
      showFigure({ name: `${call}, p50`, value: spread.p50 / 1000, unit: 'ms', ...most?.p50 })
      showFigure({ name: `${call}, p95`, value: spread.p95 / 1000, unit: 'ms', ...most?.p95 })
      row(
        '/v1/journeys, whole call',
        { spread, passP99: spread.p99 },
        `${share(answered)}; the first one ${digits(firstMillis)} ms`,
      )
      await measureNearCalls(feed, askBetween)
    } finally {
      await service.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
