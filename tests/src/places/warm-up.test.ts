// Tests the warm-up searches that a data thread runs on its own. Fails if they change the results of later searches, or
// if there are only a few of them.
import { expect, test } from 'bun:test'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { AddressSearch } from '../../../indexes/places/place-search.ts'
import { warmUpSearches } from '../../../src/places/warm-up.ts'
import { indexOf } from '../../feeds/address-file.ts'

test('warm-up searches of a data thread do not affect later ones', async () => {
  const index = await indexOf(
    ['Rue de la Paix', 'Place de la Mairie', 'Avenue Saint Jean'].map((street, at) => ({
      streetId: `01001_${at}`,
      number: 12,
      street,
      postcode: '75002',
      communeCode: '75102',
      commune: 'Paris',
      lat: 48 + at / 1000,
      lon: 2,
    })),
  )
  const find = (search: AddressSearch, text: string) =>
    search.search({ query: parseQuery(text), near: undefined, limit: 10 })
  const [cold, warm] = [new AddressSearch(index), new AddressSearch(index)]
  expect([...warmUpSearches(warm)].length).toBeGreaterThan(5)
  for (const text of ['12 rue de la paix', 'plac mairie', 'jean', '75002', '']) {
    expect(find(warm, text)).toEqual(find(cold, text))
    expect([warm.isNamed, warm.isCut]).toEqual([cold.isNamed, cold.isCut])
  }
})
