// Checks that a collection of new garbage frees the objects that searches leave behind. The service runs such
// collections while it is busy. Data that survives them is freed only by a full collection, which takes a hundred
// milliseconds with many networks.

import { edenGC, fullGC, heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { StopSearch } from '../../../indexes/places/place-search.ts'
import { searchPlaces } from './all-steps.ts'
import { network, placesOf, requested } from './random-networks.ts'

const QUERIES = 60
const ROUNDS = 10
/**
 * The maximum number of objects that survive per search, such as compiled code. If searches cleared maps instead of
 * creating new ones, 27 objects per search would survive.
 */
const MOST_SURVIVORS = 15

test('a collection of new garbage frees the objects of finished searches', () => {
  const search = new StopSearch(placesOf(fc.sample(network, { numRuns: 1, seed: 1 })[0]))
  const queries = fc.sample(requested, { numRuns: QUERIES, seed: 2 })
  const searchAll = () => {
    for (const { text, near, ...more } of queries) {
      const [lat = 0, lon = 0] = near ?? []
      const request = { query: parseQuery(text), near: near && { lat, lon }, ...more }
      searchPlaces(request, { stops: [search], addresses: undefined })
    }
  }
  for (let round = 0; round < ROUNDS; round++) searchAll()
  fullGC()
  const before = heapStats().objectCount
  for (let round = 0; round < ROUNDS; round++) {
    searchAll()
    edenGC()
  }
  expect((heapStats().objectCount - before) / (ROUNDS * QUERIES)).toBeLessThan(MOST_SURVIVORS)
})
