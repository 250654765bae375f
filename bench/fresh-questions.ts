// The requests for `bench fresh`: URLs whose responses are not in the service's cache. No URL occurs twice, even in
// different rounds. The URLs are chosen with a seed, so that two services get the same requests.
import type { Timetable } from '../indexes/timetable/timetable.ts'
import { textOf } from '../loaders/strings.ts'
import { below, pick, type Random, seededRandom } from '../src/demo/seeded-random.ts'
import { stopIdOf } from './live-world.ts'
import { pointNear, usedStops } from './questions.ts'

const DAY_SECONDS = 86_400

/** Requests of one kind. */
export interface FreshRow {
  readonly name: string
  /** The URLs of a round; no two are equal. */
  readonly paths: (round: number) => readonly string[]
  /**
   * Whether the timetable must be replaced before each round, so that no response comes from the cache. This is needed
   * for routes that have only one URL per stop.
   */
  readonly needsReload?: true
  /** Whether a planner thread does some of the work. */
  readonly isPlanned?: true
  /**
   * Minimum speed in a short run on the small city, as a share of a bare server's speed. This minimum is half of the
   * share that was measured on the small city.
   */
  readonly shortBar: number
}

/** The input from which the requests are made. */
export interface FreshOrder {
  readonly timetable: Timetable
  /** Midnight of the requested day, in seconds after 1970. */
  readonly dayStartSeconds: number
  /**
   * Number of URLs per round. For journeys, there are only a fifth as many, because a journey takes about twenty times
   * as long.
   */
  readonly count: number
}

/** The kinds of requests, in the order in which they are measured. */
export function listFreshRows({ timetable, dayStartSeconds, count }: FreshOrder): FreshRow[] {
  const { strings, stops } = timetable
  const used = usedStops(timetable)
  const stopPaths = used.map((stop) => `/v1/stops/${encodeURIComponent(stopIdOf(timetable, stop))}`)
  const board = (random: Random) => `${pick(random, stopPaths)}/departures`
  const point = (random: Random) => pointNear(timetable, pick(random, used), random).join(',')
  const instant = (random: Random) => timestamp(dayStartSeconds + below(random, DAY_SECONDS))
  const typed = (random: Random) => {
    const letters = [...textOf(strings, stops.name[pick(random, used)]).trim()]
    const near = point(random)
    return letters.map((_, at) => `/v1/places?q=${encodeURIComponent(letters.slice(0, at + 1).join(''))}&near=${near}`)
  }
  const row = (name: string, shortBar: number, make: Maker): FreshRow => ({
    name,
    shortBar,
    paths: (round) => listDistinct(seededRandom(round, `fresh ${name}`), make, count),
  })
  const journeys = (random: Random) => `/v1/journeys?from=${point(random)}&to=${point(random)}`
  return [
    row(
      'board of any stop, random horizon and limit',
      0.08,
      (random) => `${board(random)}?horizon=${5 + below(random, 176)}&limit=${1 + below(random, 50)}`,
    ),
    row('board with a moment of its own', 0.15, (random) => `${board(random)}?when=${instant(random)}`),
    { name: 'stop, each once after a reload', shortBar: 0.14, paths: () => stopPaths, needsReload: true },
    row('stops nearby', 0.13, (random) => `/v1/stops/nearby?near=${point(random)}`),
    row('departures nearby', 0.045, (random) => `/v1/departures/nearby?near=${point(random)}`),
    row('vehicles nearby', 0.15, (random) => `/v1/vehicles/nearby?near=${point(random)}`),
    row('places, letter by letter', 0.08, typed),
    row('reverse', 0.08, (random) => `/v1/places/reverse?near=${point(random)}`),
    {
      name: 'journeys',
      shortBar: 0.015,
      paths: (round) => listDistinct(seededRandom(round, 'fresh journeys'), journeys, Math.ceil(count / 5)),
      isPlanned: true,
    },
  ]
}

/** Makes one URL, or several that belong together, such as those of a search that is typed letter by letter. */
type Maker = (random: Random) => string | readonly string[]

function listDistinct(random: Random, make: Maker, count: number): readonly string[] {
  const paths = new Set<string>()
  for (let tries = 0; paths.size < count; tries++) {
    if (tries > 20 * count) throw new Error(`the feed is too small for ${count} different URLs`)
    const made = make(random)
    for (const path of typeof made === 'string' ? [made] : made) if (paths.size < count) paths.add(path)
  }
  return [...paths]
}

/** An instant as clients write it in a URL: in UTC, without fractions of a second. */
function timestamp(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000', '')
}
