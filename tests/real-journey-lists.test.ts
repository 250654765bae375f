// Compares the API's journey lists for real feeds with the list oracle. Fails if a good journey is missing although no
// rule excludes it, or if a list has a journey that a rule excludes. Needs QUAI_FEEDS, which names a folder of feeds.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeLists } from './checked-lists.ts'
import { checkFeedLists, LIST_FEEDS } from './real-journey-lists.ts'
import { bySize, REAL_FEEDS, SEED } from './size.ts'

const QUESTIONS = bySize({ quick: 0, ci: 10, full: 200 })
const FEEDS = bySize({ quick: [], ci: ['kuopio-2016.zip', 'caltrain-2023.zip'], full: LIST_FEEDS })
const FEED_MILLIS = bySize({ quick: 10_000, ci: 180_000, full: 3_600_000 })

describe('lists of real feeds', () => {
  for (const feed of FEEDS) {
    const path = join(REAL_FEEDS ?? '', feed)
    test.skipIf(REAL_FEEDS === undefined || !existsSync(path))(
      `${feed} (seed ${SEED})`,
      async () => {
        const verdict = await checkFeedLists(path, QUESTIONS, SEED)
        console.log(describeLists(feed, verdict))
        expect(verdict.faults).toEqual([])
      },
      FEED_MILLIS,
    )
  }

  test('ten feeds are checked', () => {
    expect(LIST_FEEDS).toHaveLength(10)
  })
})
