// Searches the stops of many networks at once. Networks that may have the best hits are searched first. A network that
// cannot have any of the best hits is not searched.

import { BoundQuery, type NetworkBound, NO_HIT } from './bound-query.ts'
import type { NetworkFinder } from './network-filter.ts'
import type { Stages } from './place-matcher.ts'
import { NAMED_SCORE } from './place-score.ts'
import type { PlaceHit, PlaceRequest, StopHit, StopSearch } from './place-search.ts'
import type { WordBounds } from './word-bounds.ts'

/** A network that may be searched. */
export interface SearchedNetwork {
  /** Limits on how well a query can match the network's places. If undefined, the network is always searched. */
  readonly bounds: WordBounds | undefined
  /** Returns the network's search, which may be created on the first call. */
  open(): StopSearch
}

/**
 * A list of hits is divided into groups of this many positions. For each group, stops and addresses each get at least
 * one position, if they have enough good hits.
 */
export const PLACES_PER_FLOOR = 4

/** For a score from LEAST_WITH_NEXT to 1, adding this number gives the next higher floating-point number. */
const NEXT_SCORE = Number.EPSILON / 2
const LEAST_WITH_NEXT = 0.5

interface Candidate {
  readonly network: number
  readonly bound: NetworkBound
}

const UNKNOWN: NetworkBound = { match: Number.POSITIVE_INFINITY, score: Number.POSITIVE_INFINITY }

/** One request's search for stops and areas. */
export interface StopHits {
  /** Whether some network has a stop with the typed code, or a place with all significant words. */
  readonly isNamed: boolean
  /** Whether the search of some network stopped early (see MAX_WORK in candidate-walks.ts). */
  readonly isCut: boolean
  /** Searches for the words as typed, one network per step. */
  searchTyped(): Iterable<void>
  /**
   * Continues with further stages, one network per step. Networks with a place that has all significant words are
   * skipped.
   */
  searchFurther(stages: Stages): Iterable<void>
  /** The hits of all searched networks, sorted by network. */
  list(): readonly StopHit[]
  /** Drops the data of the search. */
  forget(): void
}

/** The search for one request in a single network. This network is always searched, so no bounds are needed. */
export class OneNetworkHits implements StopHits {
  private readonly request: PlaceRequest
  private readonly search: StopSearch
  private hits: readonly StopHit[] = []

  constructor(request: PlaceRequest, network: SearchedNetwork) {
    this.request = request
    this.search = network.open()
  }

  get isNamed(): boolean {
    return this.search.isNamed
  }

  get isCut(): boolean {
    return this.search.isCut
  }

  searchTyped(): Iterable<void> {
    this.hits = this.search.search(this.request, 0, 'as_typed')
    return []
  }

  searchFurther(stages: Stages): Iterable<void> {
    if (!this.search.isNamed) this.hits = this.search.searchFurther(0, stages)
    return []
  }

  list(): readonly StopHit[] {
    return this.hits
  }

  forget(): void {
    this.search.forget()
  }
}

/** The inputs of a search in many networks. */
interface SearchedNetworks {
  readonly networks: readonly SearchedNetwork[]
  readonly filter: NetworkFinder | undefined
  /** The addresses and towns found, best first, if one of them has all significant words; otherwise undefined. */
  readonly rivals: readonly PlaceHit[] | undefined
}

/** The search for one request in many networks. */
export class NetworkHits implements StopHits {
  isNamed = false
  private readonly request: PlaceRequest
  private readonly networks: readonly SearchedNetwork[]
  private readonly filter: NetworkFinder | undefined
  private readonly query: BoundQuery
  /** Network → its search and hits. Contains only networks that were searched. */
  private readonly searched = new Map<number, { readonly search: StopSearch; readonly hits: readonly StopHit[] }>()
  /** The best hits so far, no more than requested, sorted by score, then by network. */
  private best: readonly StopHit[] = []
  /** Number of positions in the result that are reserved for stops, even if all addresses have better scores. */
  private readonly floor: number
  /** A stop with a lower score than this can only get one of the `floor` positions. */
  private readonly rivalScore: number
  /**
   * Whether one of the found addresses or towns has all significant words of the query. `rivals` is given only in this
   * case.
   */
  private readonly hasNamedRival: boolean

  constructor(request: PlaceRequest, { networks, filter, rivals }: SearchedNetworks) {
    this.request = request
    this.networks = networks
    this.filter = filter
    this.query = new BoundQuery(request.query, request)
    this.floor = Math.floor(request.limit / PLACES_PER_FLOOR)
    this.rivalScore = rivals?.filter(({ isGuess }) => !isGuess)[request.limit - this.floor - 1]?.score ?? 0
    this.hasNamedRival = rivals !== undefined
  }

  get isCut(): boolean {
    return [...this.searched.values()].some(({ search }) => search.isCut)
  }

  *searchTyped(): Generator<void> {
    const { query } = this
    const candidates = this.rank(this.listWith(false), (bounds) => query.asTyped(bounds))
    for (const candidate of candidates) {
      if (this.isBeyond(candidate)) continue
      this.search(candidate.network, 'as_typed')
      yield
    }
  }

  *searchFurther(stages: Stages): Generator<void> {
    const { query, searched } = this
    if (stages === 'with_extra' && !query.mayLeaveOut) return
    const isAll = stages === 'all'
    const listed = isAll ? [...this.networks.keys()] : this.listWith(true)
    const open = listed.filter((network) => searched.get(network)?.search.isNamed !== true)
    const candidates = this.rank(open, (bounds) => (isAll ? query.guessed(bounds) : query.withExtra(bounds)))
    for (const candidate of candidates) {
      const mayLeave = !isAll || this.goodCount >= this.floor
      if (mayLeave && this.isBeyond(candidate, isAll)) continue
      this.search(candidate.network, stages)
      yield
    }
  }

  /** Number of the best hits that are not guesses. */
  private get goodCount(): number {
    return this.best.filter(({ isGuess }) => !isGuess).length
  }

  list(): StopHit[] {
    const byNetwork = [...this.searched].sort(([one], [other]) => one - other)
    return byNetwork.flatMap(([, { hits }]) => hits)
  }

  forget(): void {
    for (const { search } of this.searched.values()) search.forget()
  }

  /**
   * The networks that may have the words of the query.
   * @param hasExtra whether generic words may be left out
   */
  private listWith(hasExtra: boolean): readonly number[] {
    const { filter, query, networks } = this
    return filter === undefined ? [...networks.keys()] : filter.find(query.needed(hasExtra), query.codeHash)
  }

  /** The networks that may have hits. Networks with the best possible hits come first. */
  private rank(networks: readonly number[], boundOf: (bounds: WordBounds) => NetworkBound): Candidate[] {
    const candidates: Candidate[] = []
    for (const network of networks) {
      const bounds = this.networks[network]?.bounds
      const bound = bounds === undefined ? UNKNOWN : boundOf(bounds)
      if (bound.match !== NO_HIT) candidates.push({ network, bound })
    }
    return candidates.sort((a, b) =>
      a.bound.score === b.bound.score ? a.network - b.network : b.bound.score - a.bound.score,
    )
  }

  /**
   * Whether no hit of a network can be among the best hits. A place is named by the query if it has all significant
   * words. As long as no such place is found, a network that may have one is excluded only in the last stage.
   */
  private isBeyond({ network, bound }: Candidate, isLast = false): boolean {
    const isNamed = isLast || this.isNamed || this.hasNamedRival
    if (!isNamed && bound.match >= NAMED_SCORE) return false
    return bound.score < this.leastNeeded(network)
  }

  /** The minimum score with which a place of a network gets into the list, given the best hits so far. */
  private leastNeeded(network: number): number {
    const { best, floor, rivalScore } = this
    const needed = scoreBeyond(best[this.request.limit - 1], network)
    if (needed >= rivalScore) return needed
    const inFloor = floor === 0 ? rivalScore : scoreBeyond(this.lastInFloor, network)
    return Math.max(needed, Math.min(rivalScore, inFloor))
  }

  /** The last hit that gets one of the `floor` positions. Guesses get none of them. */
  private get lastInFloor(): StopHit | undefined {
    return this.best.filter(({ isGuess }) => !isGuess)[this.floor - 1]
  }

  private search(network: number, stages: Stages): void {
    const leastNeeded = this.leastNeeded(network)
    const request = { ...this.request, leastNeeded }
    const known = this.searched.get(network)
    const search = known?.search ?? this.networks[network]?.open()
    if (search === undefined) throw new Error(`the search has no network with the index ${network}`)
    const hits =
      known === undefined ? search.search(request, network, stages) : search.searchFurther(network, stages, leastNeeded)
    this.searched.set(network, { search, hits })
    this.isNamed ||= search.isNamed
    if (hits.length === 0 && known === undefined) return
    const others = this.best.filter((hit) => hit.network !== network)
    const best = [...others, ...hits].sort((a, b) => b.score - a.score || a.network - b.network)
    this.best = best.slice(0, request.limit)
  }
}

/**
 * The minimum score of a hit that comes before `last`; 0 if `last` is undefined. If the score of `last` is below
 * LEAST_WITH_NEXT, its own score is returned. The search may then find a hit with the same score that comes after
 * `last`. This costs time but does no harm.
 */
function scoreBeyond(last: StopHit | undefined, network: number): number {
  if (last === undefined) return 0
  return network <= last.network || last.score < LEAST_WITH_NEXT ? last.score : last.score + NEXT_SCORE
}
