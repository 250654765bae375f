// Searches the stops of many networks at once. Networks that may have the best hits are searched first. A network that
// cannot have any of the best hits is not searched.

import { BoundQuery, type NetworkBound, NO_HIT } from './bound-query.ts'
import type { NetworkFilter } from './network-filter.ts'
import type { Stages } from './place-matcher.ts'
import { NAMED_SCORE } from './place-score.ts'
import type { PlaceRequest, StopHit, StopSearch } from './place-search.ts'
import type { WordBounds } from './word-bounds.ts'

/** A network that may be searched. */
export interface SearchedNetwork {
  /** Bounds for the matches of its places; a network without bounds is always searched. */
  readonly bounds: WordBounds | undefined
  /** The network's search; opened at the first call. */
  open(): StopSearch
}

/**
 * Of every four positions in a list, stops get at least one and addresses get at least one, if they have enough good
 * hits.
 */
export const PLACES_PER_FLOOR = 4

/**
 * Added to a score from 0.5 to 1, this gives the next higher number. It has no such effect on lower scores, but these
 * never limit a search.
 */
const NEXT_SCORE = Number.EPSILON / 2

interface Candidate {
  readonly network: number
  readonly bound: NetworkBound
}

const UNKNOWN: NetworkBound = { match: Number.POSITIVE_INFINITY, score: Number.POSITIVE_INFINITY }

/** The search of one request for stops and areas. */
export interface StopHits {
  /** Whether some network has a stop with the typed code, or a place with all significant words. */
  readonly isNamed: boolean
  /** Whether some network's search reached its limit of work. */
  readonly isCut: boolean
  /** Searches for the words as typed. */
  searchTyped(): void
  /** Continues with further stages in the networks in which no place has all significant words. */
  searchFurther(stages: Stages): void
  /** The hits of all searched networks, by network. */
  list(): readonly StopHit[]
}

/** The search of one request in a single network. No bounds are needed. */
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

  searchTyped(): void {
    this.hits = this.search.search(this.request, 0, 'as_typed')
  }

  searchFurther(stages: Stages): void {
    if (!this.search.isNamed) this.hits = this.search.searchFurther(0, stages)
  }

  list(): readonly StopHit[] {
    return this.hits
  }
}

/** The search of one request in many networks. */
export class NetworkHits implements StopHits {
  isNamed = false
  private readonly request: PlaceRequest
  private readonly networks: readonly SearchedNetwork[]
  private readonly filter: NetworkFilter | undefined
  private readonly query: BoundQuery
  /** Network → its search and hits. Contains only networks that were searched. */
  private readonly searched = new Map<number, { readonly search: StopSearch; readonly hits: readonly StopHit[] }>()
  /** The best hits so far, no more than requested, sorted by score, then by network. */
  private best: readonly StopHit[] = []

  constructor(request: PlaceRequest, networks: readonly SearchedNetwork[], filter: NetworkFilter | undefined) {
    this.request = request
    this.networks = networks
    this.filter = filter
    this.query = new BoundQuery(request.query, request)
  }

  get isCut(): boolean {
    return [...this.searched.values()].some(({ search }) => search.isCut)
  }

  searchTyped(): void {
    const { query } = this
    const candidates = this.rank(this.listWith(false), (bounds) => query.asTyped(bounds))
    for (const candidate of candidates) if (!this.isBeyond(candidate)) this.search(candidate.network, 'as_typed')
  }

  searchFurther(stages: Stages): void {
    const { query, searched } = this
    if (stages === 'with_extra' && !query.mayLeaveOut) return
    const isAll = stages === 'all'
    const listed = isAll ? [...this.networks.keys()] : this.listWith(true)
    const open = listed.filter((network) => searched.get(network)?.search.isNamed !== true)
    const candidates = this.rank(open, (bounds) => (isAll ? query.guessed(bounds) : query.withExtra(bounds)))
    for (const candidate of candidates) {
      const mayLeave = !isAll || this.goodCount >= Math.floor(this.request.limit / PLACES_PER_FLOOR)
      if (!mayLeave || !this.isBeyond(candidate, isAll)) this.search(candidate.network, stages)
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

  /**
   * The networks that may have the words of the query.
   * @param hasExtra whether generic words may be left out
   */
  private listWith(hasExtra: boolean): readonly number[] {
    const { filter, query, networks } = this
    return filter === undefined ? [...networks.keys()] : filter.find(query.needed(hasExtra), query.codeHash)
  }

  /** The networks that may have hits, those with the best possible hits first. */
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
   * Whether no hit of a network can be among the best. Before misspellings are tried, a network that may have the first
   * place with all significant words is never excluded.
   */
  private isBeyond({ network, bound }: Candidate, isLast = false): boolean {
    const last = this.best[this.request.limit - 1]
    if (last === undefined || (!isLast && !this.isNamed && bound.match >= NAMED_SCORE)) return false
    return bound.score < last.score || (bound.score === last.score && network > last.network)
  }

  /** The minimum score with which a place of a network gets among the best hits so far. */
  private leastNeeded(network: number): number {
    const last = this.best[this.request.limit - 1]
    if (last === undefined) return 0
    return network < last.network ? last.score : last.score + NEXT_SCORE
  }

  private search(network: number, stages: Stages): void {
    const request = { ...this.request, leastNeeded: this.leastNeeded(network) }
    const known = this.searched.get(network)
    const search = known?.search ?? this.networks[network]?.open()
    if (search === undefined) throw new Error(`there is no network ${network}`)
    const hits = known === undefined ? search.search(request, network, stages) : search.searchFurther(network, stages)
    this.searched.set(network, { search, hits })
    this.isNamed ||= search.isNamed
    if (hits.length === 0 && known === undefined) return
    const others = this.best.filter((hit) => hit.network !== network)
    const best = [...others, ...hits].sort((a, b) => b.score - a.score || a.network - b.network)
    this.best = best.slice(0, request.limit)
  }
}
