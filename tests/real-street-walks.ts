// Compares the walks at the start and end of journeys on real extracts with the walk oracle, which searches all nodes
// of the extract. Counts walks that are too short, and walks whose drawn line is not as long as stated. Run it with
// `QUAI_FEEDS=folder bun tests/real-street-walks.ts`. Other settings: QUAI_WALKS, QUAI_SEED.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { greatCircleMeters } from '../indexes/spatial/great-circle.ts'
import { buildStreetGraph } from '../indexes/streets/build-graph.ts'
import { loadStreets } from '../loaders/osm/load-streets.ts'
import { bytesAsExtract } from './loaders/osm/read-extract.ts'
import { readElements } from './oracles/osm-elements.ts'
import { StreetOracle } from './oracles/street-walks.ts'
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

/** The results of checking the walks in journeys. */
export interface WalkVerdict {
  /** Number of different walks to and from stops. */
  walks: number
  /** Number of walks that are straight lines, because the stop is not near a street. */
  straight: number
  /** Number of walks for which the oracle finds no route, because the stop is not near a street. */
  unreached: number
  /** Number of walks that are more than two minutes shorter than the oracle's. */
  tooShort: number
  /** Number of walks that are more than two minutes longer than the oracle's. */
  tooLong: number
  /** The largest number of seconds by which a walk is too short. */
  worstSeconds: number
  /** Number of walks whose drawn line is longer or shorter than stated. */
  wronglyDrawn: number
  /** The first few walks that are too short or wrongly drawn. */
  readonly faults: string[]
}

const MAX_WALK = 2_500
const METERS_PER_SECOND = 1.2
const TOO_SHORT_SECONDS = 120
const FAULTS_KEPT = 10

/** Requests journeys between random places until the journeys together contain `walks` different walks. */
export async function checkJourneyWalks(
  ground: StreetGround,
  { walks, seed }: { readonly walks: number; readonly seed: number },
): Promise<WalkVerdict> {
  const { extract } = ground
  const bytes = readFileSync(join(REAL_EXTRACTS ?? '', `${extract}.osm.pbf`))
  const built = buildStreetGraph(loadStreets([bytesAsExtract(bytes, extract)]))
  const oracle = new StreetOracle(readElements(bytes))
  const { plan: ask } = await openPlannedFeed(ground, (network) => giveStreets(network, built))
  const placeOf = placesInside(built.graph, seed)
  const verdict: WalkVerdict = {
    walks: 0,
    straight: 0,
    unreached: 0,
    tooShort: 0,
    tooLong: 0,
    worstSeconds: 0,
    wronglyDrawn: 0,
    faults: [],
  }
  const seen = new Set<string>()
  while (verdict.walks < walks) {
    const [from, to] = [placeOf(), placeOf()]
    for (const walk of endWalks(await ask(from, to, MAX_WALK))) {
      const { coordinates } = walk.geometry
      const ends = `${coordinates[0]} ${coordinates.at(-1)}`
      if (seen.has(ends) || verdict.walks === walks) continue
      seen.add(ends)
      judge(walk, oracle, verdict)
    }
  }
  return verdict
}

/** The walks at the start and end of each journey: to its first stop, and from its last stop. */
function endWalks(journeys: readonly ReceivedJourney[]): ReceivedSection[] {
  return journeys.flatMap(({ sections }) => {
    const ends = sections.length === 1 ? [] : [sections[0], sections.at(-1)]
    return ends.flatMap((each) => (each?.kind === 'walk' ? [each] : []))
  })
}

function judge(walk: ReceivedSection, oracle: StreetOracle, verdict: WalkVerdict): void {
  const points = walk.geometry.coordinates.map(([lon, lat]) => ({ lat, lon }))
  const [from, to] = [points[0], points.at(-1)]
  if (from === undefined || to === undefined) throw new Error('a walk needs two ends')
  const { distance_meters: reported, walk_source: source } = walk
  verdict.walks++
  const label = `${from.lat},${from.lon} ${to.lat},${to.lon} (${source})`
  const report = (fault: string) => {
    if (verdict.faults.length < FAULTS_KEPT) verdict.faults.push(`${label}: ${fault}`)
  }
  const drawn = lengthOf(points)
  // For a walk along a straight line, the stated length includes detours that are not drawn, so it is not compared with
  // the length of the line.
  if (source === 'straight') verdict.straight++
  else if (Math.abs(drawn - reported) > 2 + reported / 100) {
    verdict.wronglyDrawn++
    report(`${reported} m stated, ${drawn.toFixed(1)} m drawn`)
  }
  const meters = oracle.meters(from, to, { profile: 'foot', limit: 4 * MAX_WALK })
  if (meters === undefined) {
    verdict.unreached++
    return
  }
  const seconds = (meters - reported) / METERS_PER_SECOND
  verdict.worstSeconds = Math.max(verdict.worstSeconds, seconds)
  if (seconds < -TOO_SHORT_SECONDS) verdict.tooLong++
  if (seconds <= TOO_SHORT_SECONDS) return
  verdict.tooShort++
  report(`${reported} m stated, ${meters.toFixed(0)} m by the oracle`)
}

function lengthOf(points: readonly JourneyPlace[]): number {
  let meters = 0
  for (const [at, { lat, lon }] of points.entries()) {
    const last = points[at - 1]
    if (last !== undefined) meters += greatCircleMeters(last.lat, last.lon, lat, lon)
  }
  return meters
}

if (import.meta.main) {
  for (const ground of STREET_GROUNDS) {
    const verdict = await checkJourneyWalks(ground, { walks: Number(process.env['QUAI_WALKS'] ?? 1_000), seed: SEED })
    console.log(`${ground.extract} with ${ground.feed} (seed ${SEED}): ${JSON.stringify(verdict, null, 2)}`)
  }
}
