// `bun run bench country-exact` checks that the search finds the best ten hits. It compares the search with a scorer
// that scores every street, on generated countries with 200 000 and 26 million addresses. The queries are prefixes of
// labels, whole labels, and labels that lack one letter. Only hits with equal scores may differ.
//
// QUAI_COUNTRY, QUAI_COUNTRY_POSTCODES and QUAI_COUNTRY_STREETS are as in country.ts. QUAI_COUNTRY_SIZES sets the
// sizes, and QUAI_COUNTRY_PREFIXES the number of prefixes (default 2 000). QUAI_COUNTRY_PART=2/4 runs only the second
// of four parts of the queries. This saves time: with 26 million addresses, each query takes a second or more.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressIndex } from '../indexes/places/address-index.ts'
import { houseFinder } from '../indexes/places/address-places.ts'
import { PlaceMatcher } from '../indexes/places/place-matcher.ts'
import { parseQuery } from '../indexes/places/place-query.ts'
import { NONE } from '../loaders/columns.ts'
import { below, seededRandom } from '../src/demo/seeded-random.ts'
import { addressSnapshotPath, openAddresses } from '../src/places/address-store.ts'
import { PlaceScorer } from '../tests/oracles/place-scorer.ts'
import type { ScoredHit } from '../tests/oracles/scored-hits.ts'
import { beginnings, drawAddresses, withoutALetter } from './country-questions.ts'
import { importCountry, makeCountry } from './country-stages.ts'
import { showFigure } from './figures.ts'

const SIZES = [200_000, 26_000_000]
const SEED = 5
const LIMIT = 10
/**
 * Minimum share of queries for which the search and the scorer find the same hits, at the largest size. At smaller
 * sizes, the hits must be the same for all queries.
 */
const WHOLE_BAR = 0.995
const PREFIXES = Number(process.env['QUAI_COUNTRY_PREFIXES'] ?? 2_000)
const PRINTED_EVERY = 100
const [PART = 1, PARTS = 1] = (process.env['QUAI_COUNTRY_PART'] ?? '1/1').split('/').map(Number)

const kept = process.env['QUAI_COUNTRY']
const root = kept ?? mkdtempSync(join(tmpdir(), 'quai-country-'))
const sizes = process.env['QUAI_COUNTRY_SIZES']?.split(',').map(Number) ?? SIZES
try {
  for (const addresses of sizes) await compare(addresses)
} finally {
  if (kept === undefined) rmSync(root, { recursive: true })
}

async function compare(size: number): Promise<void> {
  const country = await makeCountry(root, size, {
    postcodes: process.env['QUAI_COUNTRY_POSTCODES'],
    streets: process.env['QUAI_COUNTRY_STREETS'],
  })
  await importCountry(country)
  const opened = openAddresses(addressSnapshotPath(country.dataDir))
  if (opened === undefined) throw new Error('the country has not been imported')
  const { index } = opened
  const scorer = new PlaceScorer(index.addresses)
  const ask = (texts: readonly string[]) => askBoth(index, scorer, texts)
  const questions = listQuestions(index)
  const { same, cut } = ask(questions.prefixes)
  const bar = size === SIZES.at(-1) ? WHOLE_BAR : 1
  const say = (name: string, value: number, atLeast?: number) =>
    showFigure({ name: `${size} addresses: ${name}`, value, unit: '', ...(atLeast === undefined ? {} : { atLeast }) })
  say(`share of ${questions.prefixes.length} prefixes with the best ten`, same / questions.prefixes.length, bar)
  say('prefixes whose search was cut short', cut)
  for (const kind of ['whole', 'missing'] as const) {
    const texts = questions[kind]
    say(
      `${kind === 'whole' ? 'whole labels' : 'a letter missing'}, of ${texts.length}`,
      ask(texts).same / texts.length,
      bar,
    )
  }
}

/** Queries from the labels of random addresses: prefixes, whole labels, and labels without one letter. */
function listQuestions({ addresses }: AddressIndex) {
  const random = seededRandom(SEED, 'exact')
  const queried = drawAddresses(addresses, Math.ceil(PREFIXES / 10), random)
  const all = queried.flatMap(beginnings)
  return {
    prefixes: ofPart(Array.from({ length: PREFIXES }, () => all[below(random, all.length)] ?? '')),
    whole: ofPart(queried.map(({ label }) => label)),
    missing: ofPart(queried.map((each) => withoutALetter(each, random))),
  }
}

function ofPart(texts: readonly string[]): string[] {
  return texts.filter((_, at) => at % PARTS === PART - 1)
}

/** Counts the searches that found the best hits (`same`), and those that stopped early at the work limit (`cut`). */
function askBoth(
  { addresses, set }: AddressIndex,
  scorer: PlaceScorer,
  texts: readonly string[],
): { readonly same: number; readonly cut: number } {
  const matcher = new PlaceMatcher(set, { houses: houseFinder(addresses) })
  let [same, cut] = [0, 0]
  for (const [at, text] of texts.entries()) {
    const hits = matcher.search({ query: parseQuery(text), near: undefined, limit: LIMIT })
    if (matcher.isCut) cut++
    const found = hits.map(({ entry, house, score }) => ({
      street: entry,
      house: house === NONE ? undefined : house,
      score,
    }))
    const best = scorer.best(text, LIMIT)
    if (isSame(found, best)) same++
    else console.log(`  ${JSON.stringify(text)}: ${describe(found)} instead of ${describe(best)}`)
    if ((at + 1) % PRINTED_EVERY === 0) console.log(`  ${same} of ${at + 1}`)
  }
  return { same, cut }
}

/** Whether both lists have the same scores and the same hits. Hits with the lowest score may differ. */
function isSame(found: readonly ScoredHit[], best: readonly ScoredHit[]): boolean {
  const last = rounded(best.at(-1)?.score ?? 0)
  const above = (hits: readonly ScoredHit[]) =>
    hits
      .filter(({ score }) => rounded(score) > last)
      .map(({ street, house }) => `${street} ${house}`)
      .sort()
  const scores = (hits: readonly ScoredHit[]) => hits.map(({ score }) => rounded(score))
  return Bun.deepEquals([scores(found), above(found)], [scores(best), above(best)])
}

/**
 * Rounds to twelve significant digits, because a sum of the same numbers in another order can differ in the last
 * digits.
 */
function rounded(score: number): number {
  return Number(score.toPrecision(12))
}

function describe(hits: readonly ScoredHit[]): string {
  return hits
    .map(({ street, house, score }) => `${rounded(score)} ${street}${house === undefined ? '' : `/${house}`}`)
    .join(', ')
}
