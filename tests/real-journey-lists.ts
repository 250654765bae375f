// Compares the API's journey lists for real feeds with the list oracle. Run it with `QUAI_FEEDS=folder bun
// tests/real-journey-lists.ts`. Other settings: QUAI_QUESTIONS, QUAI_SEED, QUAI_ONLY.
import { join } from 'node:path'
import { openFeedSource } from '../src/sources/feed-source.ts'
import { diceOf } from './board-questions.ts'
import { checkLists, describeLists, type ListsVerdict } from './checked-lists.ts'
import { readJourneyOracle } from './oracles/journey-oracle.ts'
import { openPages } from './paged-api.ts'
import { REAL_FEEDS, SEED } from './size.ts'

/** The feeds that are checked. */
export const LIST_FEEDS = [
  'strasbourg-cts-2026.zip',
  'mta-subway-2026.zip',
  'exo-laurentides-2025.zip',
  'saskatoon-2026.zip',
  'kuopio-2016.zip',
  'mexico-city-2018.zip',
  'wmata-rail-2026.zip',
  'vilnius-2015.zip',
  'caltrain-2023.zip',
  'castres-mazamet-libellus-2024.zip',
]

/** Checks the lists for some queries to one feed, each in both directions of time and with two limits. */
export async function checkFeedLists(path: string, questions: number, seed: number): Promise<ListsVerdict> {
  const source = await openFeedSource(path)
  try {
    const { ask } = await openPages('net', source)
    return await checkLists({ oracle: await readJourneyOracle(path), ask, slug: 'net' }, diceOf(seed), questions)
  } finally {
    await source.close()
  }
}

if (import.meta.main) {
  if (REAL_FEEDS === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips')
  const questions = Number(process.env['QUAI_QUESTIONS'] ?? 200)
  console.log(`seed ${SEED}, ${questions} queries per feed`)
  let failed = 0
  for (const feed of LIST_FEEDS.filter((name) => name.includes(process.env['QUAI_ONLY'] ?? ''))) {
    const started = performance.now()
    const verdict = await checkFeedLists(join(REAL_FEEDS, feed), questions, SEED)
    console.log(describeLists(feed, verdict), `${Math.round((performance.now() - started) / 1000)} s`)
    if (verdict.faults.length > 0) failed++
  }
  process.exit(failed > 0 ? 1 : 0)
}
