// Compares the planner's answers on real feeds with those of the oracle, which reads the feeds' text. Runs in process,
// forward and backward in time. Run it with `QUAI_FEEDS=folder bun tests/real-journeys.ts`. Settings: QUAI_QUESTIONS,
// QUAI_PARETO, QUAI_SEED, QUAI_ONLY.
import { basename, join } from 'node:path'
import { diceOf } from './board-questions.ts'
import { listJourneyQueries } from './journey-questions.ts'
import { findBetterChange } from './oracles/journey-change-places.ts'
import type { JourneyQuery } from './oracles/journey-ground.ts'
import { type JourneyOracle, type RatedJourney, readJourneyOracle } from './oracles/journey-oracle.ts'
import { dodgesChange, findUnrideable, type PlainJourney } from './oracles/journey-rides.ts'
import { type PlannedAnswers, planFeed } from './planned-journeys.ts'
import { REAL_FEEDS, SEED } from './size.ts'

/** The feeds that are checked. */
export const JOURNEY_FEEDS = [
  'strasbourg-cts-2026.zip',
  'mta-subway-2026.zip',
  'exo-laurentides-2025.zip',
  'saskatoon-2026.zip',
  'kuopio-2016.zip',
  'mexico-city-2018.zip',
  'wmata-rail-2026.zip',
  'metro-north-2026.zip',
]
/** Minimum number of journeys to request for each query, in order to check that they can be ridden. */
const WANTED = 3

/** The result of checking one feed. */
export interface JourneyVerdict {
  readonly feed: string
  /** Number of queries in each direction. */
  readonly questions: number
  /** Number of queries, in both directions together, that have an answer. */
  answered: number
  /** Number of whole days that were compared. */
  sets: number
  /** Number of journeys in the compared days. */
  journeysInSets: number
  /** Number of journeys whose rides were checked. */
  rideable: number
  /**
   * Number of queries whose answers differ because the oracle's best journey rides out and back to avoid a transfer.
   * The planner must not find such journeys, so these differences are not mismatches.
   */
  dodged: number
  mismatches: number
  /** The first few differences. */
  readonly differences: string[]
  oracleMillis: number
  plannerMillis: number
}

const KEPT_DIFFERENCES = 10

/**
 * Checks `questions` queries to one feed, each forward and backward in time. For `sets` of them, compares all journeys
 * of the day.
 */
export async function checkJourneys(
  path: string,
  { questions, sets, seed }: { readonly questions: number; readonly sets: number; readonly seed: number },
): Promise<JourneyVerdict> {
  const oracle = await readJourneyOracle(path)
  const planner = await planFeed(path)
  const verdict: JourneyVerdict = {
    feed: basename(path),
    questions,
    answered: 0,
    sets: 0,
    journeysInSets: 0,
    rideable: 0,
    dodged: 0,
    mismatches: 0,
    differences: [],
    oracleMillis: 0,
    plannerMillis: 0,
  }
  const queries = listJourneyQueries(oracle.feed, diceOf(seed), questions)
  const every = Math.max(1, Math.floor(questions / Math.max(1, sets)))
  for (const [number, query] of queries.entries()) {
    for (const isArriveBy of [false, true]) checkBest(oracle, planner, { ...query, isArriveBy }, verdict)
    // Every fourth whole day is compared backward in time.
    const isSet = number % every === 0 && verdict.sets < sets
    if (isSet) checkSet(oracle, planner, { ...query, isArriveBy: verdict.sets % 4 === 3 }, verdict)
  }
  return verdict
}

function checkBest(oracle: JourneyOracle, planner: PlannedAnswers, query: JourneyQuery, verdict: JourneyVerdict): void {
  const started = performance.now()
  const expected = oracle.best(query)
  const requested = performance.now()
  const answered = query.isArriveBy ? planner.latestDeparture(query) : planner.earliestArrival(query)
  verdict.plannerMillis += performance.now() - requested
  verdict.oracleMillis += requested - started
  if (expected !== undefined) verdict.answered++
  const wanted = query.isArriveBy ? expected?.departs : expected?.arrives
  if (answered !== wanted) {
    if (expected !== undefined && dodgesChange(oracle.feed, expected)) {
      verdict.dodged++
      return
    }
    describeDifference(verdict, query, `answered ${clock(answered)}, expected ${clock(wanted)} ${describe(expected)}`)
  }
  ride(oracle, planner.journeys(query, WANTED), query, verdict)
}

/** Checks that each journey can be ridden, does not ride out and back, and has no better place for a transfer. */
function ride(
  oracle: JourneyOracle,
  journeys: readonly PlainJourney[],
  query: JourneyQuery,
  verdict: JourneyVerdict,
): void {
  for (const journey of journeys) {
    verdict.rideable++
    const fault = findUnrideable(oracle.feed, query, journey)
    if (fault !== undefined) describeDifference(verdict, query, `${fault} ${describe(journey)}`)
    else if (dodgesChange(oracle.feed, journey))
      describeDifference(verdict, query, `rides out and back ${describe(journey)}`)
    const better = fault === undefined ? findBetterChange(oracle.feed, journey) : undefined
    if (better !== undefined) describeDifference(verdict, query, `${better} ${describe(journey)}`)
  }
}

function checkSet(oracle: JourneyOracle, planner: PlannedAnswers, query: JourneyQuery, verdict: JourneyVerdict): void {
  const expected = oracle.paretoSet(query)
  const answered = planner.paretoSet(query)
  ride(oracle, planner.journeys(query, Number.POSITIVE_INFINITY), query, verdict)
  verdict.sets++
  verdict.journeysInSets += expected.length
  const missing = without(expected, answered)
  const surplus = without(answered, expected)
  if (missing.length + surplus.length === 0 && expected.length === answered.length) return
  const [first, other] = [missing[0], surplus[0]].map((one) => (one === undefined ? 'none' : rated(one)))
  describeDifference(
    verdict,
    query,
    `of ${expected.length} journeys, ${missing.length} missing (first: ${first}), ${surplus.length} too many (first: ${other})`,
  )
}

function without(journeys: readonly RatedJourney[], others: readonly RatedJourney[]): RatedJourney[] {
  const known = new Set(others.map(rated))
  return journeys.filter((journey) => !known.has(rated(journey)))
}

function rated({ departs, arrives, vehicles }: RatedJourney): string {
  return `${clock(departs)} to ${clock(arrives)} by ${vehicles}`
}

function clock(seconds: number | undefined): string {
  return seconds === undefined ? 'nothing' : new Date(seconds * 1000).toISOString()
}

function describe(journey: unknown): string {
  return JSON.stringify(journey) ?? ''
}

function describeDifference(verdict: JourneyVerdict, query: JourneyQuery, what: string): void {
  verdict.mismatches++
  if (verdict.differences.length < KEPT_DIFFERENCES) {
    verdict.differences.push(`${JSON.stringify({ ...query, seconds: clock(query.seconds) })}: ${what}`)
  }
}

/** The result as readable text. */
export function describeJourneys(verdict: JourneyVerdict): string {
  const { feed, questions, answered, sets, journeysInSets, rideable, dodged, mismatches, differences } = verdict
  const { oracleMillis, plannerMillis } = verdict
  const millis = (sum: number) => (sum / (2 * questions)).toFixed(2)
  const counts = [
    `${questions} questions forward and backward (${answered} of ${2 * questions} with an answer)`,
    `${sets} whole days of ${journeysInSets} journeys`,
    `${rideable} journeys ridden`,
    `${dodged} that avoid a change by riding out and back`,
    `oracle ${millis(oracleMillis)} ms, planner ${millis(plannerMillis)} ms each`,
    `${mismatches} mismatches`,
  ]
  return [`${feed}: ${counts.join(', ')}`, ...differences.map((difference) => `  ${difference}`)].join('\n')
}

if (import.meta.main) {
  if (REAL_FEEDS === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips')
  const questions = Number(process.env['QUAI_QUESTIONS'] ?? 1000)
  const sets = Number(process.env['QUAI_PARETO'] ?? 100)
  console.log(`seed ${SEED}, ${questions} questions and ${sets} whole days per feed`)
  let failed = 0
  for (const feed of JOURNEY_FEEDS.filter((name) => name.includes(process.env['QUAI_ONLY'] ?? ''))) {
    const verdict = await checkJourneys(join(REAL_FEEDS, feed), { questions, sets, seed: SEED })
    console.log(describeJourneys(verdict))
    if (verdict.mismatches > 0) failed++
  }
  process.exit(failed > 0 ? 1 : 0)
}
