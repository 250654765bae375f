// Compares the planner's journeys on real feeds with journeys computed from the feeds' text, in process. The searches
// go forward and backward in time. Fails if an arrival or departure differs from the best one, even by a second, if the
// planner finds a journey too many or too few for a day, or if a journey can't be ridden. Needs QUAI_FEEDS, which names
// a folder of feeds.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkJourneys, describeJourneys, JOURNEY_FEEDS } from './real-journeys.ts'
import { bySize, REAL_FEEDS, SEED } from './size.ts'

const QUESTIONS = bySize({ quick: 0, ci: 25, full: 1000 })
const SETS = bySize({ quick: 0, ci: 1, full: 100 })
/**
 * At size `ci`, two feeds: a small one, and one with pathways. The rules for transfers are tested with generated feeds.
 */
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

  test('eight feeds are checked', () => {
    expect(JOURNEY_FEEDS).toHaveLength(8)
  })
})
