// Searches the stops and areas of networks, the addresses, and the towns. Each set is searched separately. The hits are
// then merged so that stops and addresses both get positions in the list.
import type { HouseIndex, StreetIndex } from '../../loaders/ban/addresses.ts'
import { NONE } from '../../loaders/columns.ts'
import type { AddressIndex } from './address-index.ts'
import { houseFinder } from './address-places.ts'
import type { NetworkFinder } from './network-filter.ts'
import { NetworkHits, OneNetworkHits, PLACES_PER_FLOOR, type SearchedNetwork, type StopHits } from './network-hits.ts'
import { PlaceMatcher, type Stages } from './place-matcher.ts'
import type { PlaceQuery } from './place-query.ts'
import { CODE_SCORE, NAMED_SCORE } from './place-score.ts'
import type { EntryHit, EntryIndex } from './place-set.ts'
import type { SearchArea } from './search-area.ts'
import { findByCode, type StopPlaces } from './stop-places.ts'
import { TownSearch } from './town-search.ts'

/** A stop or an area that was found. */
export interface StopHit {
  readonly kind: 'stop'
  /** Index of the stop's network in the list of networks that were searched. */
  readonly network: number
  /** A stop index, or the number of stops plus an area index. */
  readonly number: number
  /** 0 to 1. */
  readonly score: number
  readonly isGuess: boolean
}

/** A street or a house that was found. */
export interface AddressHit {
  readonly kind: 'address'
  readonly street: StreetIndex
  /** Undefined for a whole street. */
  readonly house: HouseIndex | undefined
  /** 0 to 1. */
  readonly score: number
  readonly isGuess: boolean
}

/** A town, or a part of a town, that was found. */
export interface TownHit {
  readonly kind: 'town'
  readonly town: EntryIndex
  /** 0 to 1. */
  readonly score: number
  readonly isGuess: boolean
}

export type PlaceHit = StopHit | AddressHit | TownHit

/** A query, with the options of the search. */
export interface PlaceRequest {
  readonly query: PlaceQuery
  /** A point in degrees. Among equal matches, places near this point come first. */
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  /** Maximum number of hits, at least 1. */
  readonly limit: number
  /** Once a place with all significant words is found, hits need at least this score. Default: 0. */
  readonly leastNeeded?: number
  /** Whether places far from the point come after all others, unless their town is named. */
  readonly isFarLast?: boolean
  /** The area in which addresses are searched; everywhere if undefined. */
  readonly area?: SearchArea | undefined
  /** Whether towns are searched; true if absent. */
  readonly hasTowns?: boolean
}

/** If there is a full match, a misspelled hit is shown only if it has at least this score. */
const GOOD_SCORE = 0.36

/** Searches the stops and areas of one network. Only one search can use it at a time. */
export class StopSearch implements SearchedNetwork {
  readonly places: StopPlaces
  readonly bounds = undefined
  private readonly matcher: PlaceMatcher
  /** Stops and areas whose code equals the query of the last search. */
  private byCode: readonly number[] = []
  private limit = 0

  constructor(places: StopPlaces) {
    this.places = places
    this.matcher = new PlaceMatcher(places.set)
  }

  open(): this {
    return this
  }

  /** Whether the last search stopped early (see MAX_WORK in candidate-walks.ts), so that better hits may be missing. */
  get isCut(): boolean {
    return this.matcher.isCut
  }

  /** Whether the last search found a stop by its code, or a place with all significant words, at any distance. */
  get isNamed(): boolean {
    return this.byCode.length > 0 || this.matcher.bestMatch >= NAMED_SCORE
  }

  /**
   * The best hits, best first.
   * @param network the index of the network, which is copied to the hits
   */
  search(request: PlaceRequest, network: number, stages: Stages = 'all'): StopHit[] {
    this.byCode = findByCode(this.places, request.query.code)
    this.limit = request.limit
    this.matcher.search(request, 'as_typed')
    return this.searchFurther(network, stages)
  }

  /**
   * Continues the last search with further stages; returns the hits of all stages.
   * @param leastNeeded as for `PlaceMatcher.searchFurther`
   */
  searchFurther(network: number, stages: Stages, leastNeeded?: number): StopHit[] {
    const { byCode, limit } = this
    const { numberOf } = this.places
    const hits: StopHit[] = []
    for (const number of byCode) hits.push({ kind: 'stop', network, number, score: CODE_SCORE, isGuess: false })
    for (const { entry, score, isGuess } of this.matcher.searchFurther(stages, leastNeeded)) {
      const number = numberOf[entry]
      if (!byCode.includes(number)) hits.push({ kind: 'stop', network, number, score, isGuess })
    }
    return hits.length > limit ? hits.slice(0, limit) : hits
  }

  /** Drops the data of the last search, which then cannot be continued. */
  forget(): void {
    this.byCode = []
    this.matcher.forget()
  }
}

/** Searches the addresses and towns. Only one search can use it at a time. */
export class AddressSearch {
  /** Whether the last search found a place with all significant words, at any distance. */
  isNamed = false
  /** Whether the last search stopped early (see MAX_WORK in candidate-walks.ts), so that better hits may be missing. */
  isCut = false
  private readonly index: AddressIndex
  private readonly matcher: PlaceMatcher
  private readonly towns: TownSearch
  /** Maximum number of hits of the last search. */
  private limit = 0
  private hasTowns = true

  constructor(index: AddressIndex) {
    const { id } = index.addresses.streets
    this.index = index
    this.matcher = new PlaceMatcher(index.set, {
      houses: houseFinder(index.addresses),
      idOf: (entry) => id[streetOf(entry)],
    })
    this.towns = new TownSearch(index.towns)
  }

  /** The best hits, best first. The parts of a street that share an id count as one. */
  search(request: PlaceRequest, stages: Stages = 'all'): (AddressHit | TownHit)[] {
    const { area, limit, hasTowns = true } = request
    const accepts = area && this.acceptedIn(area)
    this.matcher.search({ ...request, accepts, towns: area?.townsOf(this.index.set) }, 'as_typed')
    if (hasTowns) this.towns.search(request, 'as_typed')
    this.limit = limit
    this.hasTowns = hasTowns
    return this.searchFurther(stages)
  }

  /** Continues the last search with further stages; returns the hits of all stages. */
  searchFurther(stages: Stages): (AddressHit | TownHit)[] {
    const { matcher, towns } = this
    const hits = matcher.searchFurther(stages).map(
      ({ entry, house, score, isGuess }): AddressHit => ({
        kind: 'address',
        street: streetOf(entry),
        house: houseOf(house),
        score,
        isGuess,
      }),
    )
    this.isNamed = matcher.bestMatch >= NAMED_SCORE
    this.isCut = matcher.isCut
    if (!this.hasTowns) return hits
    const townHits = towns.searchFurther(this.isNamed ? 'as_typed' : stages)
    this.isNamed ||= towns.bestMatch >= NAMED_SCORE
    this.isCut ||= towns.isCut
    return balance(hits, townHits, this.limit)
  }

  /** Drops the data of the last search, which then cannot be continued. */
  forget(): void {
    this.matcher.forget()
    this.towns.forget()
  }

  private acceptedIn(area: SearchArea) {
    const { streets, houses } = this.index.addresses
    return (entry: EntryIndex, house: number) => {
      const street = streetOf(entry)
      const at = houseOf(house)
      return at === undefined
        ? area.has(streets.lat[street], streets.lon[street])
        : area.has(houses.lat[at], houses.lon[at])
    }
  }
}

function streetOf(entry: EntryIndex): StreetIndex {
  const place: number = entry
  return place as StreetIndex
}

function houseOf(house: EntryHit['house']): HouseIndex | undefined {
  return house === NONE ? undefined : (house as HouseIndex)
}

/** The sets to search. */
export interface PlaceSources {
  /** The stops and areas of each network. The `network` of a hit is the index of its network in this list. */
  readonly stops: readonly SearchedNetwork[]
  /** Finds which of many networks may have the words of a query. */
  readonly filter?: NetworkFinder | undefined
  readonly addresses: AddressSearch | undefined
}

/** The sets to search, and the counter of searches that stopped early. */
type CountedSources = PlaceSources & { readonly counts?: { cutPlaceSearch(): void } | undefined }

/**
 * Searches several networks and the addresses, and returns the best hits first. On ties, stops and areas come before
 * addresses. Misspellings are tried only if no place at all has all significant words as typed. Each step searches one
 * network. No other search of the same sets may run until the last step is done.
 */
export function* searchSteps(
  request: PlaceRequest,
  { stops, filter, addresses, counts }: CountedSources,
): Generator<void, PlaceHit[]> {
  const [only, ...others] = stops
  const isAlone = only !== undefined && others.length === 0
  const typedAddresses = addresses?.search(request, 'as_typed') ?? []
  // If an address has all significant words, no more addresses are searched. The addresses are then final, and stops
  // that cannot outrank them need not be searched.
  const rivals = addresses?.isNamed === true ? typedAddresses : undefined
  const inNetworks: StopHits = isAlone
    ? new OneNetworkHits(request, only)
    : new NetworkHits(request, { networks: stops, filter, rivals })
  yield* inNetworks.searchTyped()
  const stages = addresses?.isNamed === true || inNetworks.isNamed ? 'with_extra' : 'all'
  yield* inNetworks.searchFurther(stages)
  const foundStops = inNetworks.list()
  const foundAddresses = addresses?.isNamed === false ? addresses.searchFurther(stages) : typedAddresses
  if (addresses?.isCut === true || inNetworks.isCut) counts?.cutPlaceSearch()
  addresses?.forget()
  inNetworks.forget()
  // If there is a full match, misspelled and partial hits with low scores are left out.
  const bestStops = isAlone ? foundStops : foundStops.toSorted(byScore)
  const best = Math.max(bestStops[0]?.score ?? 0, foundAddresses[0]?.score ?? 0)
  return balance(withoutNoise(bestStops, best), withoutNoise(foundAddresses, best), request.limit)
}

function withoutNoise<Hit extends PlaceHit>(hits: readonly Hit[], best: number): readonly Hit[] {
  if (best < NAMED_SCORE) return hits
  return hits.filter(({ score, isGuess }) => !isGuess || score >= GOOD_SCORE)
}

/**
 * Merges two lists of hits, each sorted best first. Each list has a minimum number of positions in the result. On ties,
 * hits of the first list come first.
 */
function balance<One extends PlaceHit, Other extends PlaceHit>(
  ones: readonly One[],
  others: readonly Other[],
  limit: number,
): (One | Other)[] {
  if (others.length === 0) return ones.slice(0, limit)
  const floor = Math.floor(limit / PLACES_PER_FLOOR)
  const good = (hits: readonly PlaceHit[]) => hits.filter(({ isGuess }) => !isGuess).length
  let oneCount = 0
  let otherCount = 0
  while (oneCount + otherCount < limit) {
    const one = ones[oneCount]
    const other = others[otherCount]
    if (one === undefined && other === undefined) break
    if (other === undefined || (one !== undefined && one.score >= other.score)) oneCount++
    else otherCount++
  }
  const oneFloor = Math.min(floor, good(ones))
  const otherFloor = Math.min(floor, good(others))
  if (oneCount < oneFloor) {
    oneCount = oneFloor
    otherCount = Math.min(otherCount, limit - oneCount)
  } else if (otherCount < otherFloor) {
    otherCount = otherFloor
    oneCount = Math.min(oneCount, limit - otherCount)
  }
  return [...ones.slice(0, oneCount), ...others.slice(0, otherCount)].sort(byScore)
}

/** Compares hits by score, highest first. Sorting is stable, so hits with equal scores keep their order. */
function byScore(a: PlaceHit, b: PlaceHit): number {
  return b.score - a.score
}
