// Tests journeys from and to places given in words, in many networks. For each network, the scores of both places are
// added up. Fails if the service does not use the network with the highest sum. The expected scores come from separate
// searches in each network.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { smallFeed } from '../../feeds/text-feed.ts'
import { bySize, SEED } from '../../size.ts'
import { openApi } from './api-under-test.ts'

const RUNS = bySize({ quick: 60, ci: 200, full: 3_000 })
const NETWORKS = 12
const WORDS = ['Gare', 'Port', 'Stade', 'Saint', 'Parc', 'Mairie', 'Broadway', 'Lac', 'Nord', 'Élan']
/** Tolerance for rounding: each sum adds two scores that are rounded to three digits. */
const ROUNDING = 0.0011

const nameOf = (network: number, at: number) =>
  [0, 1].map((word) => WORDS[(network * 7 + at * 3 + word * (1 + (network % 3))) % WORDS.length]).join(' ')

const settings = Array.from({ length: NETWORKS }, (_, network) => ({
  id: `n${network}`,
  feed: smallFeed({
    'stops.txt': [
      'stop_id,stop_name,stop_lat,stop_lon',
      ...['CA', 'CB', 'G', 'P', 'T'].map(
        (id, at) => `${id},${nameOf(network, at)},${(40 + network + at / 100).toFixed(3)},${(7 + at / 50).toFixed(3)}`,
      ),
    ].join('\n'),
  }),
}))

const word = fc.constantFrom(...WORDS, 'gara', 'prt', 'saintparc', 'broad')
const typed = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 2 }), fc.integer({ min: 4, max: 20 }))
  .map(([words, length]) => words.join(' ').slice(0, length).trim())

test(`${RUNS} journeys between words are in the network that matches best (seed ${SEED})`, async () => {
  const { get } = await openApi({ networks: settings })
  const scoreIn = async (id: string, text: string): Promise<number> => {
    const { data } = (await get(`/v1/places?q=${encodeURIComponent(text)}&networks=${id}&limit=1`)).body
    const score = data[0]?.score ?? 0
    return score >= 0.3 ? score : Number.NEGATIVE_INFINITY
  }
  let taken = 0
  await fc.assert(
    fc.asyncProperty(typed, typed, async (from, to) => {
      const sums = new Map<string, number>()
      for (const { id } of settings) sums.set(id, (await scoreIn(id, from)) + (await scoreIn(id, to)))
      const best = Math.max(...sums.values())
      const path = `/v1/journeys?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}&when=2026-06-10T07:55:00%2B02:00`
      const { status, body } = await get(path)
      expect(status).toBe(best > 0 ? 200 : 400)
      if (status !== 200) return
      taken++
      expect(sums.get(body.meta.network) ?? 0).toBeGreaterThanOrEqual(best - ROUNDING)
    }),
    { numRuns: RUNS, seed: SEED },
  )
  expect(taken).toBeGreaterThan(RUNS / 4)
}, 120_000)
