// Journeys of real feeds against their text, in process. Under test: the planner, forwards and backwards, from the import of
// a feed to the rides it answers. Would fail by any arrival or departure that is not the best to the second, by a journey of
// the day too many or too few, or by one that can't be ridden. Feeds are there only where QUAI_FEEDS names a folder.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkJourneys, describeJourneys, JOURNEY_FEEDS } from './real-journeys.ts'
import { bySize, REAL_FEEDS, SEED } from './size.ts'

const QUESTIONS = bySize({ quick: 0, ci: 25, full: 1000 })
const SETS = bySize({ quick: 0, ci: 1, full: 100 })
/** Two feeds will do in ci: a small one, and one with pathways. Rules for changes are asked about in made feeds. */
const FEEDS = bySize({
  quick: [],
  ci: ['kuopio-2016.zip', 'wmata-rail-2026.zip'],
  full: JOURNEY_FEEDS,
})
const FEED_MILLIS = bySize({ quick: 10_000, ci: 120_000, full: 3_600_000 })

describe('journeys of real feeds', () => {
  for (const feed of FEEDS) {
    const path = join(REAL_FEEDS ?? '', feed)
    test.skipIf(REAL_FEEDS === undefined || !existsSync(path))(
      `${feed} (seed ${SEED})`,
      async () => {
        const verdict = await checkJourneys(path, { questions: QUESTIONS, sets: SETS, seed: SEED })
        console.log(describeJourneys(verdict))
        expect(verdict.differences).toEqual([])
        expect(verdict.answered).toBeGreaterThan(QUESTIONS / 4)
      },
      FEED_MILLIS,
    )
  }

  test('eight feeds are asked', () => {
    expect(JOURNEY_FEEDS).toHaveLength(8)
  })
})
