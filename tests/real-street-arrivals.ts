// Compares the first arrivals that the planner finds on real feeds: once with straight walks, once with walks on the
// streets of a real extract. If two arrivals differ by more than two minutes, a walk must explain the difference. To
// check this, the walks in the journey that arrives earlier are replaced by walks of the other kind. The journey must
// then miss a vehicle, need too long a walk, or arrive no earlier than the other journey. `QUAI_FEEDS=folder bun
// tests/real-street-arrivals.ts` prints the differences. Settings: QUAI_CHANGES, QUAI_SEED.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { boxOfTree } from '../indexes/spatial/point-tree.ts'
import { buildStreetGraph } from '../indexes/streets/build-graph.ts'
import { buildStopLinks } from '../indexes/streets/build-links.ts'
import { StraightWalks } from '../indexes/streets/straight-walks.ts'
import { openStreetSearch, StreetWalks } from '../indexes/streets/street-walks.ts'
import type { WalkEnd, Walks } from '../indexes/streets/walks.ts'
import { findStop } from '../indexes/timetable/stops.ts'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { loadStreets } from '../loaders/osm/load-streets.ts'
import { bytesAsExtract } from './loaders/osm/read-extract.ts'
import { REAL_EXTRACTS, SEED } from './size.ts'
import { giveStreets } from './src/api/given-streets.ts'
import {
  type JourneyPlace,
  openPlannedFeed,
  placesInside,
  type ReceivedJourney,
  type ReceivedSection,
  STREET_GROUNDS,
  type StreetGround,
} from './street-grounds.ts'

/** The results of comparing first arrivals. */
export interface ArrivalVerdict {
  /** Number of queries. */
  questions: number
  /** Number of queries whose first arrival differs. */
  changed: number
  later: number
  earlier: number
  /** `gone`: number of differing queries that have an answer only without streets. `added`: only with streets. */
  gone: number
  added: number
  /** Differences that no walk explains. */
  readonly unexplained: string[]
  /** One line for each difference. */
  readonly lines: string[]
}

const MAX_WALK = 1_000
const MAX_CHANGE_WALK = 500
/** Minimum seconds for a change to another stop, in addition to the walk. */
const CHANGE_SECONDS = 60
/** A distance that is longer than any walk in a journey, in meters. */
const FARTHEST = 20_000
/**
 * Differences of up to this many seconds do not count, because almost all walks take somewhat more or less time on
 * streets.
 */
const CHANGED_SECONDS = 120

/** Sends queries until `changes` first arrivals differ. */
export async function checkArrivals(
  ground: StreetGround,
  { changes, seed }: { readonly changes: number; readonly seed: number },
): Promise<ArrivalVerdict> {
  const bytes = readFileSync(join(REAL_EXTRACTS ?? '', `${ground.extract}.osm.pbf`))
  const built = buildStreetGraph(loadStreets([bytesAsExtract(bytes, ground.extract)]))
  const straight = await openPlannedFeed(ground)
  const streets = await openPlannedFeed(ground, (network) => giveStreets(network, built))
  const { timetable } = streets
  const { links } = buildStopLinks(built.graph, timetable, MAX_CHANGE_WALK)
  const onStreets = new StreetWalks(timetable, openStreetSearch(built.graph), { links, profile: 'foot' })
  const inLines = new StraightWalks(timetable)
  const placeOf = placesInside(built.graph, seed)
  const counts = { questions: 0, changed: 0, later: 0, earlier: 0, gone: 0, added: 0 }
  const verdict: ArrivalVerdict = { ...counts, unexplained: [], lines: [] }
  while (verdict.changed < changes) {
    const [from, to] = [placeOf(), placeOf()]
    if (![from, to].every((place) => isInside(timetable, place))) continue
    const old = firstOf(await straight.plan(from, to, MAX_WALK))
    const now = firstOf(await streets.plan(from, to, MAX_WALK))
    verdict.questions++
    const [before, after] = [arrivalOf(old), arrivalOf(now)]
    if (before === after || Math.abs(after - before) <= CHANGED_SECONDS) continue
    verdict.changed++
    const isWorse = after > before
    verdict[now === undefined ? 'gone' : old === undefined ? 'added' : isWorse ? 'later' : 'earlier']++
    const taken = { timetable, walks: isWorse ? onStreets : inLines, leaves: secondsOf(ground.when) }
    const again = isWorse ? takeAgain(old, taken) : takeAgain(now, taken)
    // `again` is the earlier journey with walks of the other kind. If it is still possible, the planner's answer with
    // those walks must not arrive later.
    const isExplained = again.arrives >= (isWorse ? after : before)
    const line = `${from.lat},${from.lon} ${to.lat},${to.lon}: ${clockOf(old)} -> ${clockOf(now)}: ${again.reason}`
    verdict.lines.push(isExplained ? line : `UNEXPLAINED ${line}`)
    if (!isExplained) verdict.unexplained.push(line)
  }
  return verdict
}

/** Whether a place is within the bounds of the stops; the service refuses other places. */
function isInside({ pointTrees }: Timetable, { lat, lon }: JourneyPlace): boolean {
  const box = boxOfTree(pointTrees.stops)
  return box !== undefined && lat > box.minLat && lat < box.maxLat && lon > box.minLon && lon < box.maxLon
}

function firstOf(journeys: readonly ReceivedJourney[]): ReceivedJourney | undefined {
  return journeys.toSorted((a, b) => secondsOf(a.arrival_at) - secondsOf(b.arrival_at))[0]
}

function secondsOf(timestamp: string): number {
  return Date.parse(timestamp) / 1000
}

function arrivalOf(journey: ReceivedJourney | undefined): number {
  return journey === undefined ? Number.POSITIVE_INFINITY : secondsOf(journey.arrival_at)
}

interface TakenGround {
  readonly timetable: Timetable
  readonly walks: Walks
  /** When the rider may leave, in seconds after 1970. */
  readonly leaves: number
}

/**
 * The arrival time of a journey after its walks are replaced; infinite if a new walk is too long or makes the rider miss
 * a vehicle. Also returns the reason.
 */
function takeAgain(
  journey: ReceivedJourney | undefined,
  { timetable, walks, leaves }: TakenGround,
): { readonly arrives: number; readonly reason: string } {
  let clock = leaves
  let reason = 'no walk differs'
  const sections = journey?.sections ?? []
  for (const [at, { kind, from_place, to_place, ...section }] of sections.entries()) {
    if (kind !== 'walk') {
      if (clock > secondsOf(section.departure_at))
        return { arrives: Number.POSITIVE_INFINITY, reason: `${reason}: missed` }
      clock = secondsOf(section.arrival_at)
      continue
    }
    const isChange = at > 0 && at < sections.length - 1
    const walk = walks.between(endOf(timetable, from_place), endOf(timetable, to_place), FARTHEST)
    const meters = walk?.meters ?? Number.POSITIVE_INFINITY
    const name = (place: ReceivedSection['from_place']) => place.name ?? place.label
    reason = `${section.distance_meters} m from ${name(from_place)} to ${name(to_place)} become ${walk === undefined ? 'no walk' : `${meters} m`}`
    if (meters > (isChange ? MAX_CHANGE_WALK : MAX_WALK)) {
      return { arrives: Number.POSITIVE_INFINITY, reason: `${reason}: too far` }
    }
    clock += (walk?.seconds ?? 0) + (isChange ? CHANGE_SECONDS : 0)
  }
  return { arrives: clock, reason }
}

function endOf(timetable: Timetable, { lat, lon, stop_id }: ReceivedSection['from_place']): WalkEnd {
  if (stop_id === undefined) return { lat, lon }
  const stop = findStop(timetable, stop_id.split(':').slice(2).join(':'))
  if (stop === undefined) throw new Error(`the feed has no stop ${stop_id}`)
  return { lat, lon, place: { kind: 'stop', stop } }
}

function clockOf(journey: ReceivedJourney | undefined): string {
  return journey === undefined ? 'none' : journey.arrival_at.slice(11, 19)
}

if (import.meta.main) {
  const changes = Number(process.env['QUAI_CHANGES'] ?? 100)
  for (const ground of STREET_GROUNDS) {
    const { lines, unexplained, ...counts } = await checkArrivals(ground, { changes, seed: SEED })
    for (const line of lines) console.log(line)
    console.log(`${ground.extract} (seed ${SEED}): ${JSON.stringify({ ...counts, unexplained: unexplained.length })}`)
  }
}
