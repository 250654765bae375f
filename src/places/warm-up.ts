// Searches that a data thread runs once it has opened its addresses, so that its first request is as fast as later ones.
import { parseQuery } from '../../indexes/places/place-query.ts'
import type { AddressSearch } from '../../indexes/places/place-search.ts'
import type { ServedAddresses } from './served-addresses.ts'

/** Each needs more of the index than the one before, so that none takes long. */
const TEXTS = ['a', 'pl', 'rue', 'rue d', '1 av', 'saint', '75', '12 rue de', '12 rue de la p', 'plce de la mairie']
const LIMIT = 10
/** Requests are answered in between. */
const REST_MILLIS = 20

/** Runs the searches, in steps. */
export function* warmUpSearches(search: AddressSearch): Generator<void> {
  for (const text of TEXTS) {
    search.search({ query: parseQuery(text), near: undefined, limit: LIMIT })
    yield
  }
}

/** Runs the searches one by one, with rests. */
export function warmUpBetweenRequests({ search }: ServedAddresses): void {
  const searches = warmUpSearches(search)
  const runNext = () => {
    if (searches.next().done !== true) setTimeout(runNext, REST_MILLIS)
  }
  setTimeout(runNext, REST_MILLIS)
}
