// Measures how long the slowest searches take: costly queries on a generated city, and on real feeds if any are
// available. Fails if a query takes more than `MAX_MILLIS` in every attempt.
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { normalizeWords, queryWords } from '../../../indexes/text/normalize.ts'
import type { Timetable } from '../../../indexes/timetable/timetable.ts'
import { textOf } from '../../../loaders/strings.ts'
import { makeCity, writeCity } from '../../../src/demo/city.ts'
import { openFeedSource } from '../../../src/sources/feed-source.ts'
import { bySize, REAL_FEEDS, SEED } from '../../size.ts'
import { openApi } from '../../src/api/api-under-test.ts'

const RUNS = bySize({ quick: 300, ci: 1_000, full: 100_000 })
const MAX_MILLIS = bySize({ quick: 10, ci: 10, full: 2 })
/** Attempts for each query. A single attempt can be slow because the machine is busy with other work. */
const CHANCES = 10
/** Maximum length of a query, in code points. */
const MAX_LENGTH = 120
/** Maximum length of a query after folding (removing case and accents), in bytes. */
const MAX_FOLDED_BYTES = 480

const STRANGE = ['\u0301', 'ﷺ', 'İ', 'ß', '🚋', '𝔸', '\u200D', ' ', '-', "'", '’', '.', 'a', 'e', 's', '1']
/** Characters that fold to the longest strings. */
const WIDEST = ['ﷺ', '㌖', '㈝', '㍿', 'ﬃ', '🄐']
/** Characters that fold to several characters of their own script. */
const COMPOSED = ['각', '한', 'ΐ', 'ộ', '\u{2F9F4}', 'औ']

/** The words in the names of a network's stops, from most to least frequent. */
function frequentWords(timetable: Timetable): string[] {
  const counts = new Map<string, number>()
  const { stops, strings } = timetable
  for (let stop = 0; stop < stops.id.length; stop++) {
    for (const word of normalizeWords(textOf(strings, stops.name[stop as never]))) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word)
}

function costlyQueries(words: readonly string[]): fc.Arbitrary<string> {
  const common = words.slice(0, 30)
  const starts = [...new Set(words.map((word) => word.slice(0, 1)))]
  const cut = (text: string) => Array.from(text).slice(0, MAX_LENGTH).join('')
  // Makes all lengths equally likely. By default, fast-check prefers some lengths.
  const many = (values: readonly string[], between: string) =>
    fc
      .integer({ min: 1, max: MAX_LENGTH })
      .chain((length) => fc.array(fc.constantFrom(...values), { minLength: length, maxLength: length }))
      .map((each) => cut(each.join(between)))
  const same = (values: readonly string[], between: string) =>
    fc.constantFrom(...values).map((value) => cut(Array(MAX_LENGTH).fill(value).join(between)))
  return fc.oneof(
    fc.constantFrom(...starts),
    fc.constantFrom(...common),
    many(starts, ' '),
    many(common, ' '),
    many(STRANGE, ''),
    many(WIDEST, ''),
    many(COMPOSED, ''),
    many([' ', '\u3000', '\u00a0', '-', '.', '’', '/', 'a'], ''),
    same([...starts, ...common, ...STRANGE, ...WIDEST, ...COMPOSED], ''),
    same([...starts, ...common], ' '),
    fc.constantFrom(...starts, 'a', 'é').map((letter) => letter + '\u0301'.repeat(MAX_LENGTH - 1)),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: MAX_LENGTH }).map(cut),
  )
}

async function cityFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quai-search-'))
  await writeCity(makeCity({ seed: 3, scale: 1, firstDate: 20260608, days: 7 }), folder)
  return folder
}

async function checkFeed(path: string): Promise<void> {
  const source = await openFeedSource(path)
  const api = await openApi({ networks: [{ id: 'net', feed: source }] })
  await source.close()
  const timetable = api.networks.find('net')?.current?.timetable
  if (timetable === undefined) throw new Error('the network is missing')
  const ask = async (q: string) => {
    const started = performance.now()
    const answer = await api.get(`/v1/networks/net/stops?q=${encodeURIComponent(q)}&limit=100`)
    return { millis: performance.now() - started, status: answer.status }
  }
  const first = await ask('a')
  let slowest = { millis: 0, q: '' }
  const checkOne = async (q: string) => {
    if (q.trim() === '' || !q.isWellFormed()) return
    let best = Number.POSITIVE_INFINITY
    for (let chance = 0; chance < CHANCES && best > MAX_MILLIS; chance++) {
      const { millis, status } = await ask(q)
      expect(status).toBe(200)
      best = Math.min(best, millis)
    }
    if (best > slowest.millis) slowest = { millis: best, q }
    expect(best).toBeLessThanOrEqual(MAX_MILLIS)
    expect(Buffer.byteLength(queryWords(q).join(' '))).toBeLessThanOrEqual(MAX_FOLDED_BYTES)
  }
  await fc.assert(fc.asyncProperty(costlyQueries(frequentWords(timetable)), checkOne), { numRuns: RUNS, seed: SEED })
  console.log(
    `${timetable.stops.id.length} stops: slowest ${slowest.millis.toFixed(2)} ms (${JSON.stringify(slowest.q.slice(0, 40))}), the very first ${first.millis.toFixed(1)} ms`,
  )
}

describe(`${RUNS} expensive searches, seed ${SEED}`, () => {
  test('in the city', async () => {
    const folder = await cityFolder()
    await checkFeed(folder)
    rmSync(folder, { recursive: true })
  }, 600_000)

  const zips =
    REAL_FEEDS === undefined ? [] : readdirSync(REAL_FEEDS).filter((name) => /brooklyn|wmata-rail|exo/.test(name))
  for (const zip of zips) test(`in ${zip}`, () => checkFeed(join(REAL_FEEDS ?? '', zip)), 600_000)
})
