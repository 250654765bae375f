// Runs all of real-live-journeys.ts, which tests journeys at the times of real captures, in process. Fails if an
// arrival or departure is not the best possible with the trips that ran then, or if a ride is not on its stop's board.
// Needs QUAI_FEEDS, which names a folder with captures.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { describeLive } from './live-journeys.ts'
import { checkLiveCapture } from './real-live-journeys.ts'
import { CAPTURES, capturePaths } from './real-realtime.ts'
import { bySize, REAL_FEEDS, SEED } from './size.ts'

const QUESTIONS = bySize({ quick: 0, ci: 20, full: 1000 })
/** At size `ci`, only small captures. */
const NAMES = bySize({
  quick: [],
  ci: ['caltrain-2023', 'nyc-ferry-2019', 'redding-raba-2024'],
  full: CAPTURES.map(({ name }) => name),
})
const CAPTURE_MILLIS = bySize({ quick: 10_000, ci: 120_000, full: 3_600_000 })

describe('journeys at the times of captures', () => {
  for (const capture of CAPTURES.filter(({ name }) => NAMES.includes(name))) {
    const isThere = REAL_FEEDS !== undefined && existsSync(capturePaths(REAL_FEEDS, capture).captures)
    test.skipIf(!isThere)(
      `${capture.name} (seed ${SEED})`,
      async () => {
        const verdict = await checkLiveCapture(REAL_FEEDS ?? '', capture, { questions: QUESTIONS, seed: SEED })
        console.log(describeLive(capture.name, verdict))
        expect(verdict.differences).toEqual([])
        expect(verdict.answered).toBeGreaterThan(verdict.questions / 4)
      },
      CAPTURE_MILLIS,
    )
  }

  test('seven captures have a feed', () => expect(CAPTURES).toHaveLength(7))
})
