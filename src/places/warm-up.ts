// Warms up a data thread after it starts, so that its first place searches are as fast as later ones.
import { parseQuery } from '../../indexes/places/place-query.ts'
import type { AddressSearch } from '../../indexes/places/place-search.ts'
import type { ServedAddresses } from './served-addresses.ts'
import { isSearching } from './sliced-search.ts'

/** Queries that read the index little by little, so that no single query is the first to read a large part of it. */
const TEXTS = ['a', 'pl', 'rue', 'rue d', '1 av', 'saint', '75', '12 rue de', '12 rue de la p', 'plce de la mairie']
const LIMIT = 10
/** Pause after each group of steps. During the pause, the thread answers requests. */
const REST_MILLIS = 20
/** How long steps run without a pause. A single long step can exceed this time. */
const STEP_MILLIS = 1

/** Searches for each string in TEXTS while no other search is unfinished. Each step runs at most one search. */
export function* warmUpSearches(search: AddressSearch): Generator<void> {
  for (const text of TEXTS) {
    while (isSearching()) yield
    search.search({ query: parseQuery(text), near: undefined, limit: LIMIT })
    yield
  }
}

/** Runs the searches one by one, with pauses in which the thread answers requests. */
export function warmUpBetweenRequests({ search }: ServedAddresses): void {
  runBetweenRequests(warmUpSearches(search))
}

function runBetweenRequests(steps: Generator<void>): void {
  const runSome = () => {
    const until = performance.now() + STEP_MILLIS
    while (performance.now() < until) if (steps.next().done === true) return
    setTimeout(runSome, REST_MILLIS)
  }
  setTimeout(runSome, REST_MILLIS)
}
