// Walks to and from the stops of journeys on real extracts, beside a search over all nodes of the extract that shares no
// code: how many are too short, and whether each is drawn as long as it is told. `QUAI_FEEDS=folder bun
// tests/real-street-walks.ts`; also QUAI_WALKS, QUAI_SEED.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { greatCircleMeters } from '../indexes/spatial/great-circle.ts'
import { buildStreetGraph } from '../indexes/streets/build-graph.ts'
import type { StreetGraph } from '../indexes/streets/street-graph.ts'
import { columnArray } from '../loaders/columns.ts'
import { loadStreets } from '../loaders/osm/load-streets.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { JourneyPlanning } from '../src/journeys/journey-planning.ts'
import { SnapshotViews } from '../src/rendering/snapshot-view.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'
import { bytesAsExtract } from './loaders/osm/read-extract.ts'
import { readElements } from './oracles/osm-elements.ts'
import { StreetOracle } from './oracles/street-walks.ts'
import { REAL_EXTRACTS, REAL_FEEDS, SEED } from './size.ts'
import { openApi } from './src/api/api-under-test.ts'
import { giveStreets } from './src/api/given-streets.ts'

/** An extract, a feed of its place, and a moment of many trips. */
export interface StreetGround {
  readonly extract: string
  readonly feed: string
  readonly when: string
}

/** The extracts with a feed. */
export const STREET_GROUNDS: readonly StreetGround[] = [
  { extract: 'porto-alegre', feed: 'porto-alegre-eptc-2019', when: '2019-05-14T11:00:00Z' },
  { extract: 'portland-central-filtered', feed: 'trimet-2routes-2021', when: '2021-11-09T16:00:00Z' },
]

/** What was found of the walks of journeys. */
export interface WalkVerdict {
  /** Distinct walks to and from stops. */
  walks: number
  /** Of them, those to stops on no street: in a straight line. */
  straight: number
  /** Those to which the oracle finds no way: the stop is on no street. */
  unreached: number
  /** More than two minutes shorter than by the oracle. */
  tooShort: number
  /** More than two minutes longer. */
  tooLong: number
  /** Most seconds that a walk is too short. */
  worstSeconds: number
  /** Walks that are drawn longer or shorter than they are told. */
  wronglyDrawn: number
  /** The first few walks that are too short or wrongly drawn. */
  readonly faults: string[]
}

interface Place {
  readonly lat: number
  readonly lon: number
}

interface Walk {
  readonly kind: string
  readonly distance_meters: number
  readonly walk_source: string
  readonly geometry: { readonly coordinates: readonly (readonly [number, number])[] }
}

/** Places are so many meters inside the extract. */
const INSIDE_METERS = 250
const METERS_PER_DEGREE = 111_195
/** Degrees that a place is beside a corner of streets, at most. */
const BESIDE = 5e-4
const MAX_WALK = 2_500
const METERS_PER_SECOND = 1.2
const TOO_SHORT_SECONDS = 120
const FAULTS_KEPT = 10

/** Asks for journeys between random places until they have so many different walks. */
export async function checkJourneyWalks(
  { extract, feed, when }: StreetGround,
  { walks, seed }: { readonly walks: number; readonly seed: number },
): Promise<WalkVerdict> {
  const bytes = readFileSync(join(REAL_EXTRACTS ?? '', `${extract}.osm.pbf`))
  const built = buildStreetGraph(loadStreets([bytesAsExtract(bytes, extract)]))
  const oracle = new StreetOracle(readElements(bytes))
  const ask = await openPlanner(join(REAL_FEEDS ?? '', `${feed}.zip`), when, (network) => giveStreets(network, built))
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
    for (const walk of await ask(from, to)) {
      const { coordinates } = walk.geometry
      const ends = `${coordinates[0]} ${coordinates.at(-1)}`
      if (seen.has(ends) || verdict.walks === walks) continue
      seen.add(ends)
      judge(walk, oracle, verdict)
    }
  }
  return verdict
}

function judge(walk: Walk, oracle: StreetOracle, verdict: WalkVerdict): void {
  const points = walk.geometry.coordinates.map(([lon, lat]) => ({ lat, lon }))
  const [from, to] = [points[0], points.at(-1)]
  if (from === undefined || to === undefined) throw new Error('a walk has two ends')
  const { distance_meters: told, walk_source: source } = walk
  verdict.walks++
  const label = `${from.lat},${from.lon} ${to.lat},${to.lon} (${source})`
  const say = (fault: string) => {
    if (verdict.faults.length < FAULTS_KEPT) verdict.faults.push(`${label}: ${fault}`)
  }
  const drawn = lengthOf(points)
  // A straight line stands for a walk that is longer.
  if (source === 'straight') verdict.straight++
  else if (Math.abs(drawn - told) > 2 + told / 100) {
    verdict.wronglyDrawn++
    say(`${told} m told, ${drawn.toFixed(1)} m drawn`)
  }
  const meters = oracle.meters(from, to, { profile: 'foot', limit: 4 * MAX_WALK })
  if (meters === undefined) {
    verdict.unreached++
    return
  }
  const seconds = (meters - told) / METERS_PER_SECOND
  verdict.worstSeconds = Math.max(verdict.worstSeconds, seconds)
  if (seconds < -TOO_SHORT_SECONDS) verdict.tooLong++
  if (seconds <= TOO_SHORT_SECONDS) return
  verdict.tooShort++
  say(`${told} m told, ${meters.toFixed(0)} m are to walk`)
}

function lengthOf(points: readonly Place[]): number {
  let meters = 0
  for (const [at, { lat, lon }] of points.entries()) {
    const last = points[at - 1]
    if (last !== undefined) meters += greatCircleMeters(last.lat, last.lon, lat, lon)
  }
  return meters
}

/** Random places beside random corners, at least so far inside the box around all corners. */
function placesInside(graph: StreetGraph, seed: number): () => Place {
  const random = seededRandom(seed, 'places')
  const [lats, lons] = [columnArray(graph.nodeLat), columnArray(graph.nodeLon)]
  const [south, north] = rangeOf(lats, INSIDE_METERS / METERS_PER_DEGREE)
  const eastScale = Math.cos((south * Math.PI) / 180)
  const [west, east] = rangeOf(lons, INSIDE_METERS / METERS_PER_DEGREE / eastScale)
  const beside = () => (random() - 0.5) * 2 * BESIDE
  const draw = (): Place => {
    const corner = below(random, lats.length)
    const round = (degrees: number) => Number(degrees.toFixed(6))
    const place = {
      lat: round((lats[corner] ?? 0) / 1e7 + beside()),
      lon: round((lons[corner] ?? 0) / 1e7 + beside()),
    }
    const isInside = place.lat > south && place.lat < north && place.lon > west && place.lon < east
    return isInside ? place : draw()
  }
  return draw
}

function rangeOf(units: ArrayLike<number>, margin: number): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let at = 0; at < units.length; at++) {
    low = Math.min(low, units[at] ?? low)
    high = Math.max(high, units[at] ?? high)
  }
  return [low / 1e7 + margin, high / 1e7 - margin]
}

type GivenNetwork = Parameters<typeof giveStreets>[0]

/** Asks for journeys between two places; what is answered are the walks to and from their stops. */
async function openPlanner(
  path: string,
  when: string,
  give: (network: GivenNetwork) => void,
): Promise<(from: Place, to: Place) => Promise<Walk[]>> {
  const source = await openFeedSource(path)
  let planning: JourneyPlanning | undefined
  const api = await openApi({
    networks: [{ id: 'net', feed: source }],
    now: when,
    planners: {
      plan: async (_key, question) => {
        if (planning === undefined) throw new Error('the API is not open yet')
        return planning.answer(question, 60_000)
      },
    },
  })
  for (const network of api.networks.list) give(network)
  planning = new JourneyPlanning(new SnapshotViews(api.networks, 0))
  return async (from, to) => {
    const ends = `from=${from.lat},${from.lon}&to=${to.lat},${to.lon}`
    const { status, body, text } = await api.get(
      `/v1/journeys?${ends}&when=${when}&max_walk=${MAX_WALK}&include=geometry`,
    )
    if (status !== 200) throw new Error(`${ends}: ${text}`)
    const journeys: readonly { readonly sections: readonly Walk[] }[] = body.data
    return journeys.flatMap(({ sections }) =>
      sections.length === 1
        ? []
        : [sections[0], sections.at(-1)].filter((each) => each !== undefined).filter(({ kind }) => kind === 'walk'),
    )
  }
}

if (import.meta.main) {
  for (const ground of STREET_GROUNDS) {
    const verdict = await checkJourneyWalks(ground, { walks: Number(process.env['QUAI_WALKS'] ?? 1_000), seed: SEED })
    console.log(`${ground.extract} with ${ground.feed} (seed ${SEED}): ${JSON.stringify(verdict, null, 2)}`)
  }
}
