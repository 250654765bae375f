// One search over the stops and areas of some networks and the addresses. Each set is searched separately; this file
// merges the hits so that no kind displaces the other.
import type { HouseIndex, StreetIndex } from '../../loaders/ban/addresses.ts'
import { NONE } from '../../loaders/columns.ts'
import type { AddressIndex } from './address-index.ts'
import { houseFinder } from './address-places.ts'
import { NAMED_SCORE, PlaceMatcher } from './place-matcher.ts'
import type { PlaceQuery } from './place-query.ts'
import { CODE_SCORE } from './place-score.ts'
import type { EntryHit, EntryIndex } from './place-set.ts'
import { type StopPlaces, stopNumberOf } from './stop-places.ts'

/** A stop or an area found. */
export interface StopHit {
  readonly kind: 'stop'
  /** Index of its network in the requested list. */
  readonly network: number
  /** A stop index, or the stop count + an area index. */
  readonly number: number
  /** 0 to 1. */
  readonly score: number
}

/** An address found. */
export interface AddressHit {
  readonly kind: 'address'
  readonly street: StreetIndex
  /** Undefined for a whole street. */
  readonly house: HouseIndex | undefined
  /** 0 to 1. */
  readonly score: number
}

export type PlaceHit = StopHit | AddressHit

/** A query. */
export interface PlaceRequest {
  readonly query: PlaceQuery
  /** Degrees; nearby places come first among equal matches. */
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  /** At least 1. */
  readonly limit: number
}

/** Each kind gets one in this many positions of a list, if it has enough good hits. */
const PLACES_PER_FLOOR = 4
/** A hit of at least this score matches every word of the query as typed. */
const GOOD_SCORE = 0.36

/** Searches the stops and areas of one network. Belongs to one search at a time. */
export class StopSearch {
  private readonly places: StopPlaces
  private readonly matcher: PlaceMatcher

  constructor(places: StopPlaces) {
    this.places = places
    this.matcher = new PlaceMatcher(places.set)
  }

  /** The best hits, best first. `network` is passed on. */
  search(request: PlaceRequest, network: number): StopHit[] {
    const { query, limit } = request
    const code = query.words.map((word) => word.text).join(' ')
    const byCode = this.places.byCode.get(code) ?? []
    const hits = byCode.slice(0, limit).map((number): StopHit => ({ kind: 'stop', network, number, score: CODE_SCORE }))
    for (const { entry, score } of this.matcher.search(request)) {
      const number = stopNumberOf(this.places, entry)
      if (!byCode.includes(number)) hits.push({ kind: 'stop', network, number, score })
    }
    return hits.slice(0, limit)
  }
}

/** Searches the addresses. Belongs to one search at a time. */
export class AddressSearch {
  private readonly matcher: PlaceMatcher

  constructor(index: AddressIndex) {
    const { id } = index.addresses.streets
    this.matcher = new PlaceMatcher(index.set, {
      houses: houseFinder(index.addresses),
      idOf: (entry) => id[streetOf(entry)],
    })
  }

  /** The best hits, best first; the parts of a street that share an id count once. */
  search(request: PlaceRequest): AddressHit[] {
    return this.matcher.search(request).map(({ entry, house, score }) => ({
      kind: 'address',
      street: streetOf(entry),
      house: houseOf(house),
      score,
    }))
  }
}

function streetOf(entry: EntryIndex): StreetIndex {
  const place: number = entry
  return place as StreetIndex
}

function houseOf(house: EntryHit['house']): HouseIndex | undefined {
  return house === NONE ? undefined : (house as HouseIndex)
}

/** Searches several networks and the addresses: best first; on ties, stops and areas before addresses. */
export function searchPlaces(
  request: PlaceRequest,
  among: { readonly networks: readonly StopSearch[]; readonly addresses: AddressSearch | undefined },
): PlaceHit[] {
  const stops = among.networks.flatMap((network, at) => network.search(request, at)).sort(byScore)
  const addresses = among.addresses?.search(request) ?? []
  // If there is a full match, misspelled and partial matches are noise.
  const isNamed = Math.max(stops[0]?.score ?? 0, addresses[0]?.score ?? 0) >= NAMED_SCORE
  const isKept = ({ score }: PlaceHit) => !isNamed || score >= GOOD_SCORE
  return balance(stops.filter(isKept), addresses.filter(isKept), request.limit)
}

/** The best of both, with a minimum for each kind. */
function balance(stops: readonly StopHit[], addresses: readonly AddressHit[], limit: number): PlaceHit[] {
  const floor = Math.floor(limit / PLACES_PER_FLOOR)
  const good = (hits: readonly PlaceHit[]) => hits.filter(({ score }) => score >= GOOD_SCORE).length
  let stopCount = 0
  let addressCount = 0
  while (stopCount + addressCount < limit) {
    const stop = stops[stopCount]
    const address = addresses[addressCount]
    if (stop === undefined && address === undefined) break
    if (address === undefined || (stop !== undefined && stop.score >= address.score)) stopCount++
    else addressCount++
  }
  const stopFloor = Math.min(floor, good(stops))
  const addressFloor = Math.min(floor, good(addresses))
  if (stopCount < stopFloor) {
    stopCount = stopFloor
    addressCount = Math.min(addressCount, limit - stopCount)
  } else if (addressCount < addressFloor) {
    addressCount = addressFloor
    stopCount = Math.min(stopCount, limit - addressCount)
  }
  return [...stops.slice(0, stopCount), ...addresses.slice(0, addressCount)].sort(byScore)
}

/** Sorting is stable, so ties keep their order. */
function byScore(a: PlaceHit, b: PlaceHit): number {
  return b.score - a.score
}
