// Journeys at the moments of real captures, in process: the whole of real-live-journeys.ts, which see. Would fail by an
// arrival or departure that is not the best of what ran then, or by a ride that no board shows. Captures are there only
// where QUAI_FEEDS names a folder.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { describeLive } from './live-journeys.ts'
import { checkLiveCapture } from './real-live-journeys.ts'
import { CAPTURES, capturePaths } from './real-realtime.ts'
import { bySize, REAL_FEEDS, SEED } from './size.ts'

const QUESTIONS = bySize({ quick: 0, ci: 20, full: 1000 })
/** Small ones will do in ci. */
const NAMES = bySize({
  quick: [],
  ci: ['caltrain-2023', 'nyc-ferry-2019', 'redding-raba-2024'],
  full: CAPTURES.map(({ name }) => name),
})
const CAPTURE_MILLIS = bySize({ quick: 10_000, ci: 120_000, full: 3_600_000 })

describe('journeys at the moments of captures', () => {
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
