// Makes the requests for a mixed load on many networks and on the addresses of a country. The mix resembles the
// requests of apps.
import type { StopIndex, Timetable } from '../indexes/timetable/timetable.ts'
import type { Addresses } from '../loaders/ban/addresses.ts'
import { textOf } from '../loaders/strings.ts'
import { below, pick, type Random } from '../src/demo/seeded-random.ts'
import { beginnings, drawAddresses } from './country-questions.ts'
import { pointNear, usedStops } from './questions.ts'

/** A network for which requests are made. */
export interface QueriedNetwork {
  readonly id: string
  readonly timetable: Timetable
  /** Stops with departures. */
  readonly stops: readonly StopIndex[]
}

/** The networks that have departures at two or more stops. */
export function queriedNetworks(networks: readonly Omit<QueriedNetwork, 'stops'>[]): QueriedNetwork[] {
  return networks.map((one) => ({ ...one, stops: usedStops(one.timetable) })).filter(({ stops }) => stops.length > 1)
}

/**
 * Paths for boards of random stops.
 * @param when the instant to request; the current time if absent
 */
export function boardPaths(queried: readonly QueriedNetwork[], count: number, random: Random, when?: string): string[] {
  return Array.from({ length: count }, () => {
    const path = `/v1/stops/${stopIn(pick(random, queried), random)}/departures?limit=${5 + below(random, 10)}`
    return when === undefined ? path : `${path}&when=${when}`
  })
}

/** Paths for all requests other than boards: places letter by letter, nearby departures, journeys, stops and lists. */
export function otherPaths(
  queried: readonly QueriedNetwork[],
  addresses: Addresses,
  { count, random }: { readonly count: number; readonly random: Random },
): string[] {
  const labels = drawAddresses(addresses, count, random)
  const ways: readonly ((at: number) => string)[] = [
    (at) => placesPath(pick(random, beginnings(labels[at] ?? labels[0] ?? raise()))),
    (at) => placesPath(pick(random, beginnings(labels[at] ?? labels[0] ?? raise()))),
    () => placesPath(nameIn(pick(random, queried), random).slice(0, 3 + below(random, 9))),
    () => near('/v1/stops/nearby', pick(random, queried), random),
    () => near('/v1/departures/nearby', pick(random, queried), random),
    () => near('/v1/places/reverse', pick(random, queried), random),
    () => `/v1/stops/${stopIn(pick(random, queried), random)}`,
    () => journeyPath(pick(random, queried), random),
    () => `/v1/networks/${pick(random, queried).id}/lines`,
    (at) => (at % 2 === 0 ? '/v1/networks' : '/v1/status'),
  ]
  return Array.from({ length: count }, (_, at) => (ways[at % ways.length] ?? raise)(at))
}

function raise(): never {
  throw new Error('there is nothing to ask for')
}

function stopIn({ id, timetable, stops }: QueriedNetwork, random: Random): string {
  return encodeURIComponent(`${id}:stop:${textOf(timetable.strings, timetable.stops.id[pick(random, stops)])}`)
}

function nameIn({ timetable, stops }: QueriedNetwork, random: Random): string {
  return textOf(timetable.strings, timetable.stops.name[pick(random, stops)])
}

function placesPath(typed: string): string {
  return `/v1/places?q=${encodeURIComponent(typed.trim().padEnd(2, 'e'))}`
}

function near(route: string, { timetable, stops }: QueriedNetwork, random: Random): string {
  return `${route}?near=${pointNear(timetable, pick(random, stops), random).join(',')}`
}

function journeyPath(network: QueriedNetwork, random: Random): string {
  return `/v1/journeys?from=${stopIn(network, random)}&to=${stopIn(network, random)}&limit=3`
}
