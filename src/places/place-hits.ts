// The search for places by words, over all networks. A stop or area is returned with the view of its network's
// snapshot. An address or town is returned with its name and label.
import { LRUCache } from 'lru-cache'
import type { AddressPlace } from '../../indexes/places/address-places.ts'
import { BoundQuery } from '../../indexes/places/bound-query.ts'
import type { SearchedNetwork } from '../../indexes/places/network-hits.ts'
import type { PlaceQuery } from '../../indexes/places/place-query.ts'
import { type PlaceHit, StopSearch, searchSteps } from '../../indexes/places/place-search.ts'
import { SearchArea } from '../../indexes/places/search-area.ts'
import { buildStopPlaces, hullOf } from '../../indexes/places/stop-places.ts'
import { buildWordBounds, type WordBounds } from '../../indexes/places/word-bounds.ts'
import { stopsPath } from '../networks/snapshot-store.ts'
import { type Place, placeAt, type SnapshotView, snapshotTagOf } from '../rendering/snapshot-view.ts'
import type { ServedAddresses } from './served-addresses.ts'
import { ServedFilter } from './served-filter.ts'
import { runAtOnce, runInSlices } from './sliced-search.ts'
import { openBounds, openStops, type StopSources, wordsOfNetwork } from './stop-store.ts'

/** A place that was found, with a score from 0 to 1. Towns have the kind `address`. */
export type FoundPlace =
  | { readonly kind: 'stop'; readonly view: SnapshotView; readonly place: Place; readonly score: number }
  | { readonly kind: 'address'; readonly address: AddressPlace; readonly score: number }

/** What to search for, and where. */
export interface PlaceSearch {
  readonly query: PlaceQuery
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  readonly limit: number
  /** The networks whose stops are searched. */
  readonly views: readonly SnapshotView[]
  /** Whether `views` contains all networks that are ready. Absent means false. */
  readonly isAll?: boolean
  readonly addresses: ServedAddresses | undefined
  /** If given, only addresses around the stops of these networks are searched; otherwise all addresses are. */
  readonly around?: readonly SnapshotView[] | undefined
  /** Whether places far from `near` come after all other places, unless the query names their town. */
  readonly isFarLast?: boolean
  /** Whether the result may contain towns. Absent means true. */
  readonly hasTowns?: boolean
  /** Counts searches that were cut short because they reached their work limit. */
  readonly counts: { cutPlaceSearch(): void } | undefined
}

/** The places that match the words in a query, best first. */
export function findPlaces(search: PlaceSearch): FoundPlace[] {
  return runAtOnce(findSteps(search))
}

/** Like `findPlaces`, but a long search over many networks is interrupted to answer other requests. */
export function findPlacesInSlices(search: PlaceSearch, sliceMillis?: number): FoundPlace[] | Promise<FoundPlace[]> {
  return runInSlices(findSteps(search), sliceMillis)
}

function* findSteps(search: PlaceSearch): Generator<void, FoundPlace[]> {
  const { views, isAll = false, addresses, around, counts, ...query } = search
  yield* openAll(views)
  const stops = views.map(searchedOf)
  const area = around === undefined || addresses === undefined ? undefined : yield* areaOf(around)
  const finder = isAll && views.length >= LEAST_FILTERED ? yield* filter.finderOf(views) : undefined
  const hits = yield* searchSteps({ ...query, area }, { stops, filter: finder, addresses: addresses?.search, counts })
  return hits.map((hit) => foundPlace(hit, search))
}

function foundPlace(hit: PlaceHit, { views, addresses }: Pick<PlaceSearch, 'views' | 'addresses'>): FoundPlace {
  const { score } = hit
  if (hit.kind === 'stop') {
    const view = views[hit.network]
    if (view === undefined) throw new Error('a hit belongs to a network that was not requested')
    return { kind: 'stop', view, place: placeAt(view.timetable, hit.number), score }
  }
  if (addresses === undefined) throw new Error('an address was found, but no address snapshot is open')
  const address = hit.kind === 'town' ? addresses.townPlace(hit.town) : addresses.placeOf(hit.street, hit.house)
  return { kind: 'address', address, score }
}

/**
 * Minimum number of networks for which the filter is used. With fewer networks, checking each network's bounds takes no
 * longer than the filter.
 */
export const LEAST_FILTERED = 32

const filter = new ServedFilter((view) => searchedOf(view).bounds)

/**
 * If there are enough networks to use the filter, reads the data that the first search over all of them needs. Other
 * requests are answered in between.
 */
export async function prepareSearches(views: readonly SnapshotView[]): Promise<void> {
  if (views.length >= LEAST_FILTERED) await runInSlices(prepareSteps(views))
}

function* prepareSteps(views: readonly SnapshotView[]): Generator<void, void> {
  yield* openAll(views)
  yield* filter.finderOf(views)
}

/** Opens the bounds of networks that have not been searched yet, one per step. */
function* openAll(views: readonly SnapshotView[]): Generator<void, void> {
  for (const view of views) {
    if (searched.has(view)) continue
    searchedOf(view)
    yield
  }
}

const searched = new WeakMap<SnapshotView, BoundedNetwork>()

/** A network that is searched only if its bounds allow a match. */
interface BoundedNetwork extends SearchedNetwork {
  readonly bounds: WordBounds
}

/**
 * Returns a network in the form that the search needs. The network's data is opened on first use, and dropped with the
 * snapshot.
 */
function searchedOf(view: SnapshotView): BoundedNetwork {
  return searched.getOrInsertComputed(view, () => ({
    bounds: boundsOf(view),
    open: () => stopSearchOf(view),
  }))
}

/**
 * Returns a function that computes an upper bound on the score of a network's places for the query. The bound is only
 * valid for searches without `near`.
 */
export function mostScoreOf(query: PlaceQuery): (view: SnapshotView) => number {
  const bound = new BoundQuery(query, { near: undefined })
  return (view) => bound.guessed(searchedOf(view).bounds).score
}

/**
 * Upper bounds on how well a network's stops can match a query. They are read from the file next to the network's stop
 * index, or computed if that file is missing or cannot be used.
 */
function boundsOf(view: SnapshotView): WordBounds {
  const { snapshotPath } = view.network
  const opened = snapshotPath && openBounds(stopsPath(snapshotPath), sourcesOf(view))
  return opened || buildWordBounds(stopSearchOf(view).places)
}

const searches = new WeakMap<SnapshotView, StopSearch>()

/**
 * Returns the object that searches a network's stops. It is created on first use and dropped with the network's
 * snapshot.
 */
function stopSearchOf(view: SnapshotView): StopSearch {
  return searches.getOrInsertComputed(view, () => {
    const { network, timetable, townAt } = view
    const { snapshotPath } = network
    const sources = sourcesOf(view)
    const made = snapshotPath && openStops(stopsPath(snapshotPath), sources)
    return new StopSearch(made || buildStopPlaces({ timetable, networkWords: sources.words, townAt }))
  })
}

function sourcesOf({ snapshot, settings, townsId }: SnapshotView): StopSources {
  return { snapshot: snapshot.id, words: wordsOfNetwork(settings), towns: townsId }
}

/** Maximum number of cached search areas. Each set of networks has its own search area. */
const KEPT_AREAS = 64
const areas = new LRUCache<string, SearchArea>({ max: KEPT_AREAS })

/** The search area around the stops of these networks. */
function* areaOf(views: readonly SnapshotView[]): Generator<void, SearchArea> {
  const key = snapshotTagOf(views)
  let area = areas.get(key)
  if (area === undefined) {
    for (const view of views) {
      if (searches.has(view)) continue
      stopSearchOf(view)
      yield
    }
    area = new SearchArea(views.map((view) => hullOf(stopSearchOf(view).places)))
    areas.set(key, area)
  }
  return area
}
