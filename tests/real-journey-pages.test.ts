// Tests that journey pages for real feeds form one long list when they are read forward over a day, back to the first
// page, and then before the first page. Needs QUAI_FEEDS, which names a folder of feeds.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LIST_FEEDS } from './real-journey-lists.ts'
import { checkFeedPages } from './real-journey-pages.ts'
import { bySize, REAL_FEEDS, SEED } from './size.ts'

const QUESTIONS = bySize({ quick: 0, ci: 2, full: 20 })
const FEEDS = bySize({ quick: [], ci: ['caltrain-2023.zip'], full: LIST_FEEDS })
const FEED_MILLIS = bySize({ quick: 10_000, ci: 180_000, full: 3_600_000 })

describe('pages of real feeds', () => {
  for (const feed of FEEDS) {
    const path = join(REAL_FEEDS ?? '', feed)
    test.skipIf(REAL_FEEDS === undefined || !existsSync(path))(
      `${feed} (seed ${SEED})`,
      async () => {
        const { faults, pages } = await checkFeedPages(path, QUESTIONS, SEED)
        console.log(`${feed}: ${pages} pages, ${faults.length} faults`)
        expect(faults).toEqual([])
      },
      FEED_MILLIS,
    )
  }
})
