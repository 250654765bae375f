// Compares the search with a scorer that rates every street. Fails if a search ends before the best hits are found, if
// an upper bound is below the score of a name, or if the search leaves out a name or town. If hits at the end of the
// list have equal scores, any of them may be shown.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildAddressIndex } from '../../../indexes/places/address-index.ts'
import { houseFinder } from '../../../indexes/places/address-places.ts'
import { PlaceMatcher } from '../../../indexes/places/place-matcher.ts'
import { parseQuery } from '../../../indexes/places/place-query.ts'
import { NONE } from '../../../loaders/columns.ts'
import { type AddressRow, loadText, presentFile } from '../../feeds/address-file.ts'
import { PlaceScorer } from '../../oracles/place-scorer.ts'
import type { ScoredHit } from '../../oracles/scored-hits.ts'
import { bySize, SEED } from '../../size.ts'

/** Time limit of a test at size `full`. */
const MILLIS = 300_000
const LIMIT = 10

const TYPES = ['Rue', 'Rue de la', 'Rue du', 'Boulevard', 'Avenue de', 'Av', 'Place', 'La', '']
const WORDS = [
  'Paix',
  'Paixhans',
  'Parc',
  'Saint',
  'St',
  'Mai',
  'Huit',
  '8',
  '11',
  'Rivoli',
  'Rivolet',
  'République',
  'Lac',
]
const TOWNS = [
  'Paris 1er Arrondissement',
  'Parly',
  'La Rochelle',
  'Les Lacs',
  'St-Avit-la-Gare',
  'Rue',
  'Villeneuve-sur-Lot',
]

const street = fc.record({
  name: fc.tuple(fc.constantFrom(...TYPES), fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })),
  town: fc.nat({ max: TOWNS.length - 1 }),
  postcode: fc.constantFrom('01400', '01500', '75002', '80120'),
  numbers: fc.uniqueArray(fc.constantFrom('1', '2', '2 bis', '8', '12', '12 ter', '75', '801'), {
    minLength: 1,
    maxLength: 5,
  }),
})
type Street = typeof street extends fc.Arbitrary<infer Value> ? Value : never

const PIECES = [...TYPES, ...WORDS, ...TOWNS].flatMap((text) => text.split(/[ -]/)).filter((word) => word !== '')
const typedWord = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(...PIECES, 'bd', 'r', 'rue', 'de', 'la', 'gare', 'station', 'paris', 'bis', 'b'),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom(...PIECES), fc.integer({ min: 1, max: 5 }))
      .map(([word, length]) => word.slice(0, length)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...PIECES), fc.nat({ max: 9 }), fc.constantFrom('', 'x', 'e'))
      .map(([word, at, letter]) => word.slice(0, at) + letter + word.slice(at + 1)),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('1', '8', '12', '12bis', '2', '75', '01', '75002', '01400', '99999', '801', '8012'),
  },
)

/**
 * Streets for the query `8 R 1`. Its R can be the suffix of house number 8, or short for `Rue`, a word that is not in
 * the name of the best address.
 */
const SUFFIX_OR_STREET: Street[] = (
  [
    ['La', '8'],
    ['Rue', '8', 'Paix'],
    ['Boulevard', 'Huit', 'République'],
    ['Rue', '8', 'Paix'],
    ['Rue', 'Paix'],
  ] as const
).map(([type, ...words]) => ({ name: [type, words], town: 0, postcode: '01400', numbers: ['1'] }))

function toRows(streets: readonly Street[]): AddressRow[] {
  return streets.flatMap(({ name: [type, words], town, postcode, numbers }, at) =>
    numbers.map((text, order) => {
      const [number = '', suffix] = text.split(' ')
      const row = {
        streetId: `0100${town}_${String(at).padStart(4, '0')}`,
        number: Number(number),
        street: [type, ...words].join(' ').trim(),
        postcode,
        communeCode: `0100${town}`,
        commune: TOWNS[town],
        lat: 46 + at / 100 + order / 10_000,
        lon: 5,
      }
      return suffix === undefined ? row : { ...row, suffix }
    }),
  )
}

/** Rounds to twelve digits, because the further digits depend on the order in which numbers are added. */
function rounded(score: number): number {
  return Number(score.toPrecision(12))
}

test(
  'the best of all streets are found, whatever is typed',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(street, { minLength: 1, maxLength: 40 }),
        fc.array(fc.array(typedWord, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 15 }),
        async (streets, queries) => {
          const { addresses } = await loadText(presentFile(toRows(streets)))
          const { set } = buildAddressIndex(addresses)
          const matcher = new PlaceMatcher(set, { houses: houseFinder(addresses) })
          const scorer = new PlaceScorer(addresses)
          for (const words of queries) {
            const text = words.join(' ')
            const hits = matcher.search({ query: parseQuery(text), near: undefined, limit: LIMIT })
            const found = hits.map(
              ({ entry, house, score }): ScoredHit => ({
                street: entry,
                house: house === NONE ? undefined : house,
                score,
              }),
            )
            expectBest({ text, found, scorer })
          }
        },
      ),
      {
        seed: SEED,
        numRuns: bySize({ quick: 100, ci: 500, full: 20_000 }),
        examples: [[SUFFIX_OR_STREET, [['8', 'R', '1']]]],
      },
    )
  },
  MILLIS,
)

/**
 * Expects the best scores. Above the lowest score, hits must be the scorer's; at the lowest score, any hits will do.
 */
function expectBest(of: {
  readonly text: string
  readonly found: readonly ScoredHit[]
  readonly scorer: PlaceScorer
}): void {
  const { text, found, scorer } = of
  const best = scorer.best(text, LIMIT)
  const last = best.at(-1)?.score ?? 0
  const show = (hits: readonly ScoredHit[]) =>
    hits
      .filter(({ score }) => rounded(score) > rounded(last))
      .map(({ street, house, score }) => `${rounded(score)} ${street} ${house}`)
      .sort()
  expect({ text, scores: found.map(({ score }) => rounded(score)), hits: show(found) }).toEqual({
    text,
    scores: best.map(({ score }) => rounded(score)),
    hits: show(best),
  })
}
