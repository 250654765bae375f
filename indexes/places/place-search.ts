// One search over the stops and areas of some networks, the addresses and the towns. Each set is searched separately; this
// file merges the hits so that no kind displaces the other.
import type { HouseIndex, StreetIndex } from '../../loaders/ban/addresses.ts'
import { NONE } from '../../loaders/columns.ts'
import type { AddressIndex } from './address-index.ts'
import { houseFinder } from './address-places.ts'
import { NAMED_SCORE, PlaceMatcher, type Stages } from './place-matcher.ts'
import type { PlaceQuery } from './place-query.ts'
import { CODE_SCORE } from './place-score.ts'
import type { EntryHit, EntryIndex } from './place-set.ts'
import type { SearchArea } from './search-area.ts'
import { findByCode, type NumberedStop, type StopPlaces } from './stop-places.ts'
import { TownSearch } from './town-search.ts'

/** A stop or an area found. */
export interface StopHit extends NumberedStop {
  readonly kind: 'stop'
  /** Index of its network in the requested list. */
  readonly network: number
  /** A stop index, or the stop count + an area index. */
  readonly number: number
  /** 0 to 1. */
  readonly score: number
  readonly isGuess: boolean
}

/** An address found. */
export interface AddressHit {
  readonly kind: 'address'
  readonly street: StreetIndex
  /** Undefined for a whole street. */
  readonly house: HouseIndex | undefined
  /** 0 to 1. */
  readonly score: number
  readonly isGuess: boolean
}

/** A town found, or a part of one. */
export interface TownHit {
  readonly kind: 'town'
  readonly town: EntryIndex
  /** 0 to 1. */
  readonly score: number
  readonly isGuess: boolean
}

export type PlaceHit = StopHit | AddressHit | TownHit

/** A query. */
export interface PlaceRequest {
  readonly query: PlaceQuery
  /** Degrees; nearby places come first among equal matches. */
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  /** At least 1. */
  readonly limit: number
  /** Whether places far from the point come after all others, unless their town is named. */
  readonly isFarLast?: boolean
  /** Where addresses must be; anywhere if undefined. */
  readonly area?: SearchArea | undefined
  /** Whether towns are found; true if absent. */
  readonly hasTowns?: boolean
}

/** Each kind gets one in this many positions of a list, if it has enough good hits. */
const PLACES_PER_FLOOR = 4

/** A misspelled hit of at least this score is shown beside a full match. */
const GOOD_SCORE = 0.36

/** Searches stops and areas of one or more networks. Belongs to one search at a time. */
export class StopSearch {
  readonly places: StopPlaces
  private readonly matcher: PlaceMatcher
  /** Whether the last query is the code of a stop. */
  private hasCode = false

  constructor(places: StopPlaces) {
    this.places = places
    this.matcher = new PlaceMatcher(places.set)
  }

  /** Whether the last search ended before all candidates were looked at. */
  get isCut(): boolean {
    return this.matcher.isCut
  }

  /** Whether the last search found a place with all significant words, however far away. */
  get isNamed(): boolean {
    return this.hasCode || this.matcher.bestMatch >= NAMED_SCORE
  }

  /** The best hits, best first. `networks` has the index that hits shall have for each network; −1 leaves it out. */
  search(request: PlaceRequest, networks: readonly number[], stages: Stages = 'all'): StopHit[] {
    const { query, limit } = request
    const { networkOf, numberOf } = this.places
    const code = query.words.map((word) => word.text).join(' ')
    const byCode = findByCode(this.places, code).filter(({ network }) => networks[network] >= 0)
    const hits = byCode.slice(0, limit).map(
      ({ network, number }): StopHit => ({
        kind: 'stop',
        network: networks[network],
        number,
        score: CODE_SCORE,
        isGuess: false,
      }),
    )
    const isAll = networks.every((network) => network >= 0)
    const accepts = isAll ? undefined : (entry: EntryIndex) => networks[networkOf[entry]] >= 0
    for (const { entry, score, isGuess } of this.matcher.search({ ...request, accepts }, stages)) {
      const [network, number] = [networkOf[entry], numberOf[entry]]
      if (byCode.some((one) => one.network === network && one.number === number)) continue
      hits.push({ kind: 'stop', network: networks[network], number, score, isGuess })
    }
    return hits.slice(0, limit)
  }
}

/** Searches the addresses and towns. Belongs to one search at a time. */
export class AddressSearch {
  /** Whether the last search found a place with all significant words, however far away. */
  isNamed = false
  private readonly index: AddressIndex
  private readonly matcher: PlaceMatcher
  private readonly towns: TownSearch

  constructor(index: AddressIndex) {
    const { id } = index.addresses.streets
    this.index = index
    this.matcher = new PlaceMatcher(index.set, {
      houses: houseFinder(index.addresses),
      idOf: (entry) => id[streetOf(entry)],
    })
    this.towns = new TownSearch(index.towns)
  }

  /** Whether the last search ended before all candidates were looked at. */
  get isCut(): boolean {
    return this.matcher.isCut
  }

  /** The best hits, best first; the parts of a street that share an id count once. */
  search(request: PlaceRequest, stages: Stages = 'all'): (AddressHit | TownHit)[] {
    const { area, limit, hasTowns = true } = request
    const { streets, houses } = this.index.addresses
    const accepts =
      area &&
      ((entry: EntryIndex, house: number) => {
        const street = streetOf(entry)
        const at = houseOf(house)
        return at === undefined
          ? area.has(streets.lat[street], streets.lon[street])
          : area.has(houses.lat[at], houses.lon[at])
      })
    const searchedTowns = area?.townsOf(this.index.set)
    const hits = this.matcher.search({ ...request, accepts, towns: searchedTowns }, stages).map(
      ({ entry, house, score, isGuess }): AddressHit => ({
        kind: 'address',
        street: streetOf(entry),
        house: houseOf(house),
        score,
        isGuess,
      }),
    )
    this.isNamed = this.matcher.bestMatch >= NAMED_SCORE
    if (!hasTowns) return hits
    const towns = this.towns.search(request, this.isNamed ? 'as_typed' : stages)
    this.isNamed ||= this.towns.bestMatch >= NAMED_SCORE
    return balance(hits, towns, limit)
  }
}

function streetOf(entry: EntryIndex): StreetIndex {
  const place: number = entry
  return place as StreetIndex
}

function houseOf(house: EntryHit['house']): HouseIndex | undefined {
  return house === NONE ? undefined : (house as HouseIndex)
}

/** Stops to search, and the index that hits shall have for each of their networks; −1 leaves it out. */
export interface StopSource {
  readonly search: StopSearch
  readonly networks: readonly number[]
}

/** What is searched. */
export interface PlaceSources {
  readonly stops: readonly StopSource[]
  readonly addresses: AddressSearch | undefined
}

/**
 * Searches several networks and the addresses: best first; on ties, stops and areas before addresses. Misspellings are
 * tried only if nothing anywhere has all significant words as typed.
 */
export function searchPlaces(request: PlaceRequest, { stops, addresses }: PlaceSources): PlaceHit[] {
  const find = ({ search, networks }: StopSource, stages: Stages) => search.search(request, networks, stages)
  const typedStops = stops.map((source) => find(source, 'as_typed'))
  const typedAddresses = addresses?.search(request, 'as_typed') ?? []
  const isNamed = addresses?.isNamed === true || stops.some(({ search }) => search.isNamed)
  const stages = isNamed ? 'with_extra' : 'all'
  const foundStops = stops.flatMap((source, at) => (source.search.isNamed ? typedStops[at] : find(source, stages)))
  const foundAddresses = addresses?.isNamed === false ? addresses.search(request, stages) : typedAddresses
  // Beside a full match, misspelled and partial ones are noise.
  const best = Math.max(0, ...[...foundStops, ...foundAddresses].map(({ score }) => score))
  const isKept = ({ score, isGuess }: PlaceHit) => !isGuess || best < NAMED_SCORE || score >= GOOD_SCORE
  return balance(foundStops.sort(byScore).filter(isKept), foundAddresses.filter(isKept), request.limit)
}

/** The best of both, with a minimum for each; on ties those of the first come first. */
function balance<One extends PlaceHit, Other extends PlaceHit>(
  ones: readonly One[],
  others: readonly Other[],
  limit: number,
): (One | Other)[] {
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

/** Sorting is stable, so ties keep their order. */
function byScore(a: PlaceHit, b: PlaceHit): number {
  return b.score - a.score
}
