// Tests the generated country of `bench country`. Fails if its rows are not valid in an address file, if two runs
// generate different rows, or if the number of addresses is far from the requested number.
import { expect, test } from 'bun:test'
import { countryChunks } from '../../bench/country-rows.ts'
import { loadWords } from '../../bench/country-words.ts'
import { loadText } from '../feeds/address-file.ts'

const SEED = 7
const REQUESTED = 20_000

test('a generated country loads without problems and is the same every time', async () => {
  const words = await loadWords(SEED, { postcodes: undefined, streets: undefined })
  const text = [...countryChunks(words, REQUESTED, SEED)].join('')
  expect([...countryChunks(words, REQUESTED, SEED)].join('')).toBe(text)
  const { addresses, problems } = await loadText(text)
  expect(problems.list()).toEqual([])
  expect(Math.abs(addresses.houses.count / REQUESTED - 1)).toBeLessThan(0.05)
  expect(addresses.ownIds.house.length).toBe(0)
  expect(addresses.houses.count / addresses.streets.count).toBeGreaterThan(8)
})
