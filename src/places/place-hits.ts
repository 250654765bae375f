// The search for places by words, for the whole service. Stops and areas are returned with the view of their network's
// snapshot, addresses and towns as text.
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

/** A found place. Its score is from 0 to 1. A town has the kind `address`. */
export type FoundPlace =
  | { readonly kind: 'stop'; readonly view: SnapshotView; readonly place: Place; readonly score: number }
  | { readonly kind: 'address'; readonly address: AddressPlace; readonly score: number }

/** The input of a search. */
export interface PlaceSearch {
  readonly query: PlaceQuery
  readonly near: { readonly lat: number; readonly lon: number } | undefined
  readonly limit: number
  /** The networks whose stops are searched. */
  readonly views: readonly SnapshotView[]
  /** Whether `views` has all networks that are ready; false if absent. */
  readonly isAll?: boolean
  readonly addresses: ServedAddresses | undefined
  /** Addresses are searched only around the stops of these networks; undefined to search all addresses. */
  readonly around?: readonly SnapshotView[] | undefined
  /** Whether places far from `near` come after all other places, unless the query names their town. */
  readonly isFarLast?: boolean
  /** Whether towns are found; true if absent. */
  readonly hasTowns?: boolean
  /** Counts searches that were cut short because they reached their limit of work. */
  readonly counts: { cutPlaceSearch(): void } | undefined
}

/** The places for a query of words, best first. */
export function findPlaces(search: PlaceSearch): FoundPlace[] {
  return runAtOnce(findSteps(search))
}

/** Like `findPlaces`, but during a long search of many networks, other requests are answered in between. */
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

/** With fewer networks than this, checking the bounds of each network takes no longer than the filter. */
export const LEAST_FILTERED = 32

const filter = new ServedFilter((view) => searchedOf(view).bounds)

/** Reads the data that the first search of all networks needs, in slices. */
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

/** Returns a network in the form that the search needs. Its data is opened on first use, and dropped with its snapshot. */
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
 * Upper bounds on how well the stops of a network can match a query. They are read from the file next to its stop index,
 * or computed if there is no such file.
 */
function boundsOf(view: SnapshotView): WordBounds {
  const { snapshotPath } = view.network
  const opened = snapshotPath && openBounds(stopsPath(snapshotPath), sourcesOf(view))
  return opened || buildWordBounds(stopSearchOf(view).places)
}

const searches = new WeakMap<SnapshotView, StopSearch>()

/** Returns the search in a network's stops. It is created on first use, and dropped together with its snapshot. */
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

/** Maximum number of cached search areas, one for each set of networks. */
const KEPT_AREAS = 64
const areas = new LRUCache<string, SearchArea>({ max: KEPT_AREAS })

/** The search area that contains the stops of some networks. */
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
