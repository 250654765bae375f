// Tests finding towns among addresses: by name or by postcode, and districts also by number. Fails if `75011` finds
// nothing, if `paris` finds a district as well as the town, or if a town comes before a street that is being typed.
import { expect, test } from 'bun:test'
import { addressPlace } from '../../../indexes/places/address-places.ts'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { AddressSearch } from '../../../indexes/places/place-search.ts'
import { findTown, townPlace } from '../../../indexes/places/town-places.ts'
import { type AddressRow, indexOf } from '../../feeds/address-file.ts'

const DATA: readonly (readonly [
  code: string,
  commune: string,
  postcode: string,
  lat: number,
  lon: number,
  streets: string,
])[] = [
  ['75102', 'Paris 2e Arrondissement', '75002', 48.868, 2.331, 'Rue de la Paix,Rue de Strasbourg'],
  ['75111', 'Paris 11e Arrondissement', '75011', 48.859, 2.378, 'Rue Oberkampf,Rue de la Roquette,Impasse de Paris'],
  ['69383', 'Lyon 3e Arrondissement', '69003', 45.76, 4.85, 'Cours Lafayette'],
  ['67482', 'Strasbourg', '67000', 48.58, 7.75, 'Grand Rue,Rue du Dôme,Place Kléber'],
  ['67482', 'Strasbourg', '67200', 48.585, 7.71, 'Route des Romains'],
  ['80688', 'Rue', '80120', 50.27, 1.67, 'Rue du Crotoy'],
  ['14630', 'Saint-Martin', '14220', 48.99, -0.4, 'Le Bourg'],
  ['05155', 'Saint-Martin', '05120', 44.8, 6.5, 'Le Bourg'],
]
const rows = DATA.flatMap(([code, commune, postcode, lat, lon, streets]) =>
  streets.split(',').flatMap((street, at) =>
    [1, 2, 11, 12].map(
      (number, order): AddressRow => ({
        streetId: `${code}_${postcode.slice(2)}${at}`,
        number,
        street,
        postcode,
        communeCode: code,
        commune,
        lat: lat + at / 500 + order / 10_000,
        lon,
      }),
    ),
  ),
)
const index = await indexOf(rows)
const search = new AddressSearch(index)

function find(text: string, near?: { lat: number; lon: number }): string[] {
  return search.search({ query: parseQuery(text), near, limit: 10 }).map((hit) => {
    if (hit.kind === 'address') return addressPlace(index.addresses, hit.street, hit.house).label
    const { id, label } = townPlace(index.towns, hit.town)
    return `${id} ${label}`
  })
}

test.each([
  ['paris', '75056 Paris'],
  ['pari', '75056 Paris'],
  ['75011', '75111 75011 Paris'],
  ['7501', '75111 75011 Paris'],
  ['paris 11', '75111 75011 Paris'],
  ['paris 11e', '75111 75011 Paris'],
  ['75002 paris', '75102 75002 Paris'],
  ['paris 2e arrondissement', '75102 75002 Paris'],
  ['lyon', '69123 Lyon'],
  ['lyon 3', '69383 69003 Lyon'],
  ['strasbourg', '67482 Strasbourg'],
  ['67200', '67482 67200 Strasbourg'],
  ['67200 strasbourg', '67482 67200 Strasbourg'],
  ['strasburg', '67482 Strasbourg'],
  ['80120', '80688 80120 Rue'],
  ['rue', 'Rue Oberkampf 75011 Paris'],
  ['rue du crotoy', 'Rue du Crotoy 80120 Rue'],
  ['12 rue de strasbourg', '12 Rue de Strasbourg 75002 Paris'],
  ['impasse de paris', 'Impasse de Paris 75011 Paris'],
])('%p means %p', (typed, meant) => {
  expect(find(typed)[0]).toBe(meant)
})

test('a town is found once, its districts only by number, and no town is listed together with a house', () => {
  expect(find('strasbourg').filter((each) => each.startsWith('67482'))).toEqual(['67482 Strasbourg'])
  expect(find('paris').filter((each) => /^7\d{4} /.test(each))).toEqual(['75056 Paris'])
  expect(find('12 rue de la paix paris').some((each) => each.startsWith('75056'))).toBe(false)
  expect(find('rue').some((each) => each.startsWith('80688'))).toBe(false)
})

test('whether a place is named does not depend on earlier searches', () => {
  const named = (text: string, hasTowns: boolean): boolean => {
    search.search({ query: parseQuery(text), near: undefined, limit: 10, hasTowns }, 'as_typed')
    return search.isNamed
  }
  expect(named('strasbourg', true)).toBe(true)
  expect(named('oberkmapf', false)).toBe(false)
  expect(named('strasbourg', true)).toBe(true)
  expect(named('999', true)).toBe(false)
})

test('of towns with the same name, the nearer one is first', () => {
  expect(find('saint martin', { lat: 44.9, lon: 6.4 })[0]).toBe('05155 05120 Saint-Martin')
  expect(find('saint martin', { lat: 49, lon: 0 })[0]).toBe('14630 14220 Saint-Martin')
})

test('a town has an id, a point inside it and the parts of a postal address', () => {
  const town = findTown(index.towns, '67482')
  if (town === undefined) throw new Error('Strasbourg was not found as a town')
  const { lat, lon, ...texts } = townPlace(index.towns, town)
  expect(texts).toEqual({ id: '67482', name: 'Strasbourg', label: 'Strasbourg', town: 'Strasbourg', postcode: '' })
  expect(Math.abs(lat - 48.582)).toBeLessThan(0.01)
  expect(Math.abs(lon - 7.74)).toBeLessThan(0.02)
  const district = findTown(index.towns, '75111')
  expect(district && townPlace(index.towns, district)).toMatchObject({
    name: 'Paris 11e Arrondissement',
    town: 'Paris',
  })
  expect(findTown(index.towns, '99999')).toBeUndefined()
  expect(findTown(index.towns, '')).toBeUndefined()
})
