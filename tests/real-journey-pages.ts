// Compares the API's journey pages for real feeds with one long search and with the list oracle. Run it with
// `QUAI_FEEDS=folder bun tests/real-journey-pages.ts`. Other settings: QUAI_QUESTIONS, QUAI_SEED, QUAI_ONLY.
import { join } from 'node:path'
import { openFeedSource } from '../src/sources/feed-source.ts'
import { diceOf } from './board-questions.ts'
import { checkPages } from './checked-pages.ts'
import { listJourneyQueries } from './journey-questions.ts'
import { readJourneyOracle } from './oracles/journey-oracle.ts'
import { openPages } from './paged-api.ts'
import { LIST_FEEDS } from './real-journey-lists.ts'
import { REAL_FEEDS, SEED } from './size.ts'

const MOST_PAGES = 20

/** The result of checking one feed. */
export interface FeedPages {
  readonly faults: readonly string[]
  readonly pages: number
  readonly journeys: number
}

/** Checks the pages for some queries to one feed, each in both directions of time. */
export async function checkFeedPages(path: string, questions: number, seed: number): Promise<FeedPages> {
  const source = await openFeedSource(path)
  try {
    const oracle = await readJourneyOracle(path)
    const ground = { ...(await openPages('net', source)), oracle }
    const dice = diceOf(seed)
    const found = { faults: [] as string[], pages: 0, journeys: 0 }
    for (const query of listJourneyQueries(oracle.feed, dice, questions)) {
      const limit = 1 + dice.below(6)
      for (const isArriveBy of [false, true]) {
        const verdict = await checkPages(ground, { ...query, isArriveBy }, { limit, most: MOST_PAGES })
        found.faults.push(...verdict.faults)
        found.pages += verdict.pages
        found.journeys += verdict.journeys
      }
    }
    return found
  } finally {
    await source.close()
  }
}

if (import.meta.main) {
  if (REAL_FEEDS === undefined) throw new Error('QUAI_FEEDS must name a folder of GTFS zips')
  const questions = Number(process.env['QUAI_QUESTIONS'] ?? 20)
  console.log(`seed ${SEED}, ${questions} queries per feed`)
  let failed = 0
  for (const feed of LIST_FEEDS.filter((name) => name.includes(process.env['QUAI_ONLY'] ?? ''))) {
    const started = performance.now()
    const { faults, pages, journeys } = await checkFeedPages(join(REAL_FEEDS, feed), questions, SEED)
    const seconds = Math.round((performance.now() - started) / 1000)
    console.log(`${feed}: ${pages} pages, ${journeys} journeys, ${faults.length} faults, ${seconds} s`)
    for (const fault of faults.slice(0, 10)) console.log(`  ${fault}`)
    if (faults.length > 0) failed++
  }
  process.exit(failed > 0 ? 1 : 0)
}
