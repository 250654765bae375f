// Tests the demo city's addresses. Fails if a row is not a valid address, if two addresses have the same id, if the
// same seed gives different addresses, or if a house is far from its street.
import { expect, test } from 'bun:test'
import type { HouseIndex } from '../../../loaders/ban/addresses.ts'
import { CITY_ADDRESSES, writeAddresses } from '../../../src/demo/addresses.ts'
import { makeCity } from '../../../src/demo/city.ts'
import { loadText } from '../../feeds/address-file.ts'

test('about 20 000 addresses, all valid, the same for the same seed', async () => {
  const { streets } = makeCity({ seed: 1, scale: 1, firstDate: 20260601, days: 1 })
  const text = writeAddresses(1, streets)
  expect(writeAddresses(1, streets)).toBe(text)
  const { addresses, problems } = await loadText(text)
  expect(problems.list()).toEqual([])
  expect(addresses.ownIds.house.length).toBe(0)
  expect(Math.abs(addresses.houses.count - CITY_ADDRESSES)).toBeLessThan(CITY_ADDRESSES / 10)
  const lats = streets.flatMap(({ points }) => points.map(({ lat }) => lat))
  const [south, north] = [Math.min(...lats) - 0.001, Math.max(...lats) + 0.001]
  const units = Array.from({ length: addresses.houses.count }, (_, at) => addresses.houses.lat[at as HouseIndex] / 1e7)
  expect(units.every((lat) => lat >= south && lat <= north)).toBe(true)
})
