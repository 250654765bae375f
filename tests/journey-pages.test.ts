// Tests pages of journeys on small generated networks, in both directions. Pages are read forward over a day, back to
// the first page, and then before the first page. Together, they must have the journeys that one long search finds.
// Fails if a journey is repeated or missing.
import { expect, test } from 'bun:test'
import { diceOf } from './board-questions.ts'
import { checkPages } from './checked-pages.ts'
import { textFeed } from './feeds/text-feed.ts'
import { listJourneyQueries } from './journey-questions.ts'
import { madeLines } from './made-lines.ts'
import { readJourneyOracle } from './oracles/journey-oracle.ts'
import { openPages } from './paged-api.ts'
import { bySize, SEED } from './size.ts'
import { journeyFeed } from './src/api/journey-lines.ts'

const FEEDS = bySize({ quick: 2, ci: 6, full: 150 })
const QUESTIONS = 6
const MOST_PAGES = 20

test(
  `pages of generated networks join into one long list (seed ${SEED})`,
  async () => {
    const dice = diceOf(SEED)
    const faults: string[] = []
    let journeys = 0
    for (let feed = 0; feed < FEEDS; feed++) {
      const files = journeyFeed(madeLines(dice))
      const oracle = await readJourneyOracle(files)
      const ground = { ...(await openPages('ville', textFeed(files))), oracle }
      for (const query of listJourneyQueries(oracle.feed, dice, QUESTIONS)) {
        const limit = 1 + dice.below(6)
        for (const isArriveBy of [false, true]) {
          const verdict = await checkPages(ground, { ...query, isArriveBy }, { limit, most: MOST_PAGES })
          faults.push(...verdict.faults)
          journeys += verdict.journeys
        }
      }
    }
    expect(faults).toEqual([])
    expect(journeys).toBeGreaterThan(FEEDS * QUESTIONS)
  },
  bySize({ quick: 60_000, ci: 120_000, full: 900_000 }),
)
