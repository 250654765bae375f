// Tests the walks in journeys on real extracts. Needs QUAI_FEEDS, which names a folder with extracts and feeds.
import { expect, test } from 'bun:test'
import { checkJourneyWalks } from './real-street-walks.ts'
import { bySize, REAL_EXTRACTS, SEED } from './size.ts'
import { STREET_GROUNDS } from './street-grounds.ts'

const WALKS = bySize({ quick: 0, ci: 20, full: 1_000 })
const GROUNDS = bySize({ quick: [], ci: STREET_GROUNDS.slice(1), full: STREET_GROUNDS })

for (const ground of GROUNDS) {
  test.skipIf(REAL_EXTRACTS === undefined)(
    `walks to and from stops in ${ground.extract} (seed ${SEED})`,
    async () => {
      const verdict = await checkJourneyWalks(ground, { walks: WALKS, seed: SEED })
      console.log(JSON.stringify(verdict))
      expect(verdict.wronglyDrawn).toBe(0)
      expect(verdict.tooShort).toBeLessThanOrEqual(verdict.walks * 0.005)
    },
    1_200_000,
  )
}
