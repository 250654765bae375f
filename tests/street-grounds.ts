// Plans journeys on real feeds in this process, with or without the streets of a real extract.
import { join } from 'node:path'
import type { StreetGraph } from '../indexes/streets/street-graph.ts'
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { columnArray } from '../loaders/columns.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { JourneyPlanning } from '../src/journeys/journey-planning.ts'
import type { Network } from '../src/networks/network.ts'
import { SnapshotViews } from '../src/rendering/snapshot-view.ts'
import { openFeedSource } from '../src/sources/feed-source.ts'
import { REAL_FEEDS } from './size.ts'
import { openApi } from './src/api/api-under-test.ts'

/** A street extract, a feed of the same city, and a time at which many trips run. */
export interface StreetGround {
  readonly extract: string
  readonly feed: string
  readonly when: string
}

/** The extracts of cities for which there is a feed. */
export const STREET_GROUNDS: readonly StreetGround[] = [
  { extract: 'porto-alegre', feed: 'porto-alegre-eptc-2019', when: '2019-05-14T11:00:00Z' },
  { extract: 'portland-central-filtered', feed: 'trimet-2routes-2021', when: '2021-11-09T16:00:00Z' },
]

/** A place, given by its coordinates in degrees. */
export interface JourneyPlace {
  readonly lat: number
  readonly lon: number
}

/** A stop, or another place. */
interface NamedPlace extends JourneyPlace {
  readonly stop_id?: string
  readonly name?: string
  readonly label?: string
}

/** A section of a journey in a response. */
export interface ReceivedSection {
  readonly kind: string
  readonly departure_at: string
  readonly arrival_at: string
  readonly distance_meters: number
  /** Present only if the network has streets. */
  readonly walk_source?: string
  readonly from_place: NamedPlace
  readonly to_place: NamedPlace
  readonly geometry: { readonly coordinates: readonly (readonly [number, number])[] }
}

/** A journey in a response. */
export interface ReceivedJourney {
  readonly departure_at: string
  readonly arrival_at: string
  readonly sections: readonly ReceivedSection[]
}

/** Random places are at least this many meters inside the extract's bounds. */
const INSIDE_METERS = 250
const METERS_PER_DEGREE = 111_195
/** Maximum distance in degrees between a random place and a street corner, in each direction. */
const BESIDE = 5e-4
/** Time limit for planning a journey, in milliseconds. */
const PLAN_MILLIS = 60_000

/** A feed on which journeys can be planned. */
export interface PlannedFeed {
  readonly timetable: Timetable
  plan(from: JourneyPlace, to: JourneyPlace, maxWalk: number): Promise<readonly ReceivedJourney[]>
}

/**
 * Opens a feed.
 * @param give adds streets to the feed's network
 */
export async function openPlannedFeed(
  { feed, when }: StreetGround,
  give: (network: Network) => void = () => {},
): Promise<PlannedFeed> {
  const source = await openFeedSource(join(REAL_FEEDS ?? '', `${feed}.zip`))
  let planning: JourneyPlanning | undefined
  const api = await openApi({
    networks: [{ id: 'net', feed: source }],
    now: when,
    planners: {
      plan: async (_key, question) => {
        if (planning === undefined) throw new Error('the API is not open yet')
        return planning.answer(question, PLAN_MILLIS)
      },
    },
  })
  await source.close()
  const [network] = api.networks.list
  if (network?.current === undefined) throw new Error('the feed has no timetable')
  give(network)
  planning = new JourneyPlanning(new SnapshotViews(api.networks, 0))
  return {
    timetable: network.current.timetable,
    plan: async (from, to, maxWalk) => {
      const ends = `from=${from.lat},${from.lon}&to=${to.lat},${to.lon}`
      const { status, body, text } = await api.get(
        `/v1/journeys?${ends}&when=${when}&max_walk=${maxWalk}&include=geometry`,
      )
      if (status !== 200) throw new Error(`${ends}: ${text}`)
      return body.data
    },
  }
}

/** Returns a function that draws random places near random street corners, away from the edges of the extract. */
export function placesInside(graph: StreetGraph, seed: number): () => JourneyPlace {
  const random = seededRandom(seed, 'places')
  const [lats, lons] = [columnArray(graph.nodeLat), columnArray(graph.nodeLon)]
  const [south, north] = rangeOf(lats, INSIDE_METERS / METERS_PER_DEGREE)
  const eastScale = Math.cos((south * Math.PI) / 180)
  const [west, east] = rangeOf(lons, INSIDE_METERS / METERS_PER_DEGREE / eastScale)
  const beside = () => (random() - 0.5) * 2 * BESIDE
  const draw = (): JourneyPlace => {
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
