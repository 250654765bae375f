// Tests searches that are cut off because they reach their limit of work. Fails if such a search is not counted, or if
// a complete search is counted.
import { expect, test } from 'bun:test'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { allocateCounts } from '../../../src/metrics/count-memory.ts'
import { SharedCounts, ThreadCounts } from '../../../src/metrics/thread-counts.ts'
import { findPlaces } from '../../../src/places/place-hits.ts'
import { ServedAddresses } from '../../../src/places/served-addresses.ts'
import { type AddressRow, indexOf } from '../../feeds/address-file.ts'

/** The words that names consist of. Each is in so many names that a search for all words exceeds its limit of work. */
const WORDS = 'alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar'.split(' ')
const NAMES_PER_WORD = 120
/** The number of words in the longest name. No name contains all words of a longer query. */
const LONGEST = 13

function street(name: string, at: number): AddressRow {
  return {
    streetId: `01001_${at}`,
    number: 1,
    street: name,
    postcode: '01400',
    communeCode: '01001',
    commune: 'Xertigny',
    lat: 46 + at / 10_000,
    lon: 5,
  }
}

test('a search that reaches its work limit is counted, a complete one is not', async () => {
  const longest = WORDS.slice(0, LONGEST).join(' ')
  const pairs = WORDS.flatMap((word, at) => (at % 2 === 0 ? [`${word} ${WORDS[at + 1] ?? ''}`] : []))
  const names = pairs.flatMap((pair) => Array.from({ length: NAMES_PER_WORD }, (_, at) => `Zone ${pair} ${at}`))
  const index = await indexOf([...names, longest].map(street))
  const addresses = new ServedAddresses({ index, id: '', madeAtMillis: 0 }, [])
  const memory = allocateCounts(1)
  const counts = new ThreadCounts(memory, 0)
  const cut = () => new SharedCounts(memory).cutPlaceSearches
  const find = (text: string) =>
    findPlaces({ query: parseQuery(text), near: undefined, limit: 10, views: [], addresses, counts })

  expect(find('kilo lima').length).toBe(10)
  expect(find(longest).length).toBe(1)
  expect(cut()).toBe(0)
  find(WORDS.join(' '))
  expect(cut()).toBe(1)
  // Searches after the one that was cut off are complete again.
  for (const text of ['november', '01400', '', '…']) find(text)
  expect(cut()).toBe(1)
})
