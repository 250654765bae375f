// The requests for benchmarks. Each route has many different paths, so that a few cached responses do not distort the
// result. There is also a mix of paths that resembles the requests of an app's users.
import type { LineIndex, StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import { textOf } from '../loaders/strings.ts'
import { below, pick, type Random, seededRandom } from '../src/demo/seeded-random.ts'
import { stopIdOf } from './live-world.ts'

/** Paths of one route. */
export interface Questions {
  /** The route, as in the documentation. */
  readonly route: string
  readonly paths: readonly string[]
  /** Number of requests for this route among a hundred in the mix. */
  readonly share: number
  /** Minimum speed, as a share of a bare server's speed; absent if the route has no such limit. */
  readonly bar?: number
}

const PATHS = 200

/** All stops with departures and coordinates. */
export function usedStops({ stops }: Timetable): StopIndex[] {
  const used: StopIndex[] = []
  for (let stop = 0 as StopIndex; stop < stops.id.length; stop++) {
    if (stops.dailyDepartures[stop] > 0 && !Number.isNaN(stops.lat[stop])) used.push(stop)
  }
  return used
}

/**
 * The requests for a network that has the id `net` and this timetable. Streams are not included; `bench streams`
 * measures them.
 */
export function listQuestions(timetable: Timetable): Questions[] {
  const random = seededRandom(1, 'questions')
  const { strings, stops, lines } = timetable
  const used = usedStops(timetable)
  const stop = () => pick(random, used)
  const stopId = () => encodeURIComponent(stopIdOf(timetable, stop()))
  const line = () => below(random, lines.id.length) as LineIndex
  const lineId = () => encodeURIComponent(`net:line:${textOf(strings, lines.id[line()])}`)
  const point = () => pointNear(timetable, stop(), random)
  const name = () => textOf(strings, stops.name[stop()])
  const typed = () => encodeURIComponent(name().slice(0, 3 + below(random, 6)))
  const near = () => `near=${point().join(',')}`
  const of = (route: string, share: number, path: () => string, bar?: number): Questions => {
    const paths = Array.from({ length: PATHS }, path)
    return bar === undefined ? { route, share, paths } : { route, share, paths, bar }
  }
  return [
    of('/v1/stops/{stop_id}/departures', 45, () => `/v1/stops/${stopId()}/departures`, 0.5),
    of('/v1/stops/{stop_id}', 8, () => `/v1/stops/${stopId()}`, 0.7),
    of('/v1/lines/{line_id}', 4, () => `/v1/lines/${lineId()}`, 0.7),
    of('/v1/lines/{line_id}/stops', 2, () => `/v1/lines/${lineId()}/stops`),
    of('/v1/lines/{line_id}/vehicles', 5, () => `/v1/lines/${lineId()}/vehicles`),
    of('/v1/lines/{line_id}/alerts', 1, () => `/v1/lines/${lineId()}/alerts`),
    of('/v1/stops/{stop_id}/alerts', 1, () => `/v1/stops/${stopId()}/alerts`),
    of('/v1/stops/nearby', 5, () => `/v1/stops/nearby?${near()}`),
    of('/v1/departures/nearby', 6, () => `/v1/departures/nearby?${near()}`),
    of('/v1/vehicles/nearby', 3, () => `/v1/vehicles/nearby?${near()}`),
    of('/v1/places', 8, () => `/v1/places?q=${typed()}`),
    of('/v1/places/reverse', 1, () => `/v1/places/reverse?${near()}`),
    of('/v1/journeys', 4, () => `/v1/journeys?from=${point().join(',')}&to=${point().join(',')}`),
    of('/v1/networks', 1, () => '/v1/networks'),
    of('/v1/networks/{network}', 1, () => '/v1/networks/net'),
    of('/v1/networks/{network}/lines', 1, () => '/v1/networks/net/lines'),
    of('/v1/networks/{network}/stops', 2, () => `/v1/networks/net/stops?q=${typed()}`),
    of('/v1/networks/{network}/alerts', 1, () => '/v1/networks/net/alerts'),
    of('/v1/usage', 1, () => '/v1/usage'),
  ]
}

/** A place within a few hundred meters of a stop. */
export function pointNear({ stops }: Timetable, stop: StopIndex, random: Random): [lat: string, lon: string] {
  const aside = () => (random() - 0.5) / 200
  return [(stops.lat[stop] + aside()).toFixed(6), (stops.lon[stop] + aside()).toFixed(6)]
}

/** Random paths in the proportions of the mix, shuffled. Each of the `rounds` adds a hundred paths. */
export function mixOf(questions: readonly Questions[], rounds = 4): string[] {
  const random = seededRandom(2, 'mix')
  const paths: string[] = []
  for (let round = 0; round < rounds; round++) {
    for (const { share, paths: of } of questions) for (let call = 0; call < share; call++) paths.push(pick(random, of))
  }
  for (let at = paths.length - 1; at > 0; at--) {
    const other = below(random, at + 1)
    ;[paths[at], paths[other]] = [paths[other] ?? '', paths[at] ?? '']
  }
  return paths
}
