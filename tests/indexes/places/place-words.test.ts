// Compares the first pass of a search, which allows no typing errors, with a naive search. Fails if the index misses an
// address that has all words of a query, or finds an address that lacks one of them.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildAddressIndex } from '../../../indexes/places/address-index.ts'
import { houseFinder } from '../../../indexes/places/address-places.ts'
import { PlaceMatcher } from '../../../indexes/places/place-matcher.ts'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import type { StreetIndex } from '../../../loaders/ban/addresses.ts'
import { textOf } from '../../../loaders/strings.ts'
import { type AddressRow, loadText, presentFile } from '../../feeds/address-file.ts'
import { isMeant, meansWord, type OracleStreet, SUFFIX } from '../../oracles/place-words.ts'
import { bySize, SEED } from '../../size.ts'

/** Time limit of the test at size `full`. */
const MILLIS = 300_000

const TYPES = ['rue', 'boulevard', 'bd', 'avenue', 'place', 'av']
const WORDS = ['saint', 'st', 'paix', 'paixhans', 'parc', 'mai', '8', '11', 'rueil', 'avenir', 'boule', 'lac', 'ile']
const TOWNS = ['Parly', 'Lacs', 'Saint Avit']
/** Greater than the number of streets, so that no hit is left out. */
const LIMIT = 1000

const street = fc.record({
  words: fc.tuple(fc.constantFrom(...TYPES), fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })),
  town: fc.nat({ max: TOWNS.length - 1 }),
  postcode: fc.constantFrom('01400', '01500', '75002'),
  numbers: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
})
const typedWord = fc.oneof(
  fc.constantFrom(...TYPES, ...WORDS, 'bd', 'r', 'ste', 'parly', 'lacs'),
  fc
    .tuple(fc.constantFrom(...TYPES, ...WORDS, 'parly'), fc.integer({ min: 1, max: 4 }))
    .map(([word, length]) => word.slice(0, length)),
  fc.constantFrom('1', '8', '11', '12', '01', '7', '75002', '01400'),
)

interface Sketch {
  readonly words: readonly [string, readonly string[]]
  readonly town: number
  readonly postcode: string
  readonly numbers: readonly number[]
}

function toRows(sketches: readonly Sketch[]): AddressRow[] {
  return sketches.flatMap(({ words: [type, rest], town, postcode, numbers }, at) =>
    numbers.map((number) => ({
      streetId: `0100${town}_${String(at).padStart(4, '0')}`,
      number,
      street: [type, ...rest].join(' '),
      postcode,
      communeCode: `0100${town}`,
      commune: TOWNS[town],
      lat: 46 + at / 100,
      lon: 5,
    })),
  )
}

function toOracle({ words: [type, rest], town, postcode, numbers }: Sketch): OracleStreet {
  return {
    nameWords: [type, ...rest],
    townWords: TOWNS[town].toLowerCase().split(' '),
    postcode,
    numbers: numbers.map((number) => ({ number, suffix: '' })),
  }
}

/**
 * Whether several words of a query can match the same word of a name, or a number and a letter can be a house number
 * with its suffix.
 */
function contend(query: readonly string[]): boolean {
  const all = [...TYPES, ...WORDS]
  const isNumbered = query.some((typed, at) => SUFFIX.test(typed) && /^\d/.test(query[at - 1] ?? ''))
  return isNumbered || all.some((word) => query.filter((typed) => meansWord(typed, word)).length > 1)
}

/** Whether no word occurs more than twice. The search ignores the third and later occurrences of a word. */
function hasNoThird(query: readonly string[]): boolean {
  return query.every((word) => query.filter((other) => other === word).length <= 2)
}

test(
  'exactly the addresses that contain all words of a query are found',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(street, { minLength: 1, maxLength: 12, selector: (one) => JSON.stringify(one) }),
        fc.array(fc.array(typedWord, { minLength: 1, maxLength: 4 }).filter(hasNoThird), {
          minLength: 1,
          maxLength: 12,
        }),
        async (sketches, queries) => {
          const { addresses } = await loadText(presentFile(toRows(sketches)))
          const { set } = buildAddressIndex(addresses)
          const matcher = new PlaceMatcher(set, { houses: houseFinder(addresses) })
          for (const query of queries) {
            const requested = { query: parseQuery(query.join(' ')), near: undefined, limit: LIMIT }
            const found = new Set(
              matcher.search(requested, 'as_typed').map(({ entry }) => {
                const id: StreetIndex = Number(entry) as StreetIndex
                return Number(textOf(addresses.strings, addresses.streets.id[id]).slice(6))
              }),
            )
            const meant = sketches.flatMap((sketch, at) => (isMeant(toOracle(sketch), query) ? [at] : []))
            const sorted = [...found].sort((a, b) => a - b)
            // In the search, each word of a name can match only one word of the query. If several words of the query
            // compete for a word of the name, the search may find fewer addresses than the naive search.
            const expected = contend(query) ? meant.filter((at) => found.has(at)) : meant
            expect({ query, found: sorted }).toEqual({ query, found: expected })
          }
        },
      ),
      { seed: SEED, numRuns: bySize({ quick: 150, ci: 1_000, full: 20_000 }) },
    )
  },
  MILLIS,
)
