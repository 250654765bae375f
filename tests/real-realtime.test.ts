// Runs all of real-realtime.ts, which replays captures of real live feeds from outside. Fails if a call is not on its
// stop's board at the captured time, if a status is missing, or if live data is served that no message contains.

import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { CAPTURES, type Capture, capturePaths, checkCapture, describeCapture } from './real-realtime.ts'
import { REAL_FEEDS, SIZE } from './size.ts'

const CAPTURE_MILLIS = 300_000
/** The captures that are checked at size `ci`. */
const QUICK_CAPTURES = ['caltrain-2023', 'bart-2019']

/** Chooses the captures for this run. Prints the reason if there are none. */
function chooseCaptures(folder: string | undefined): readonly Capture[] {
  const isThere = (capture: Capture) =>
    folder !== undefined && Object.values(capturePaths(folder, capture)).every((path) => existsSync(path))
  const found = SIZE === 'quick' ? [] : CAPTURES.filter(isThere)
  if (found.length === 0) {
    const why = SIZE === 'quick' ? 'size quick' : 'QUAI_FEEDS names no folder with captures'
    console.error(`${SIZE === 'full' ? 'left out' : 'not run'}: captures of realtime feeds (${why})`)
  }
  return SIZE === 'full' ? found : found.filter(({ name }) => QUICK_CAPTURES.includes(name))
}

for (const capture of chooseCaptures(REAL_FEEDS)) {
  test(
    `the boards of ${capture.name}, replayed, match its bytes`,
    async () => {
      const verdicts = await checkCapture(REAL_FEEDS ?? '', capture)
      for (const verdict of verdicts) {
        console.error(describeCapture(verdict))
        expect(verdict.differences).toEqual([])
        expect(verdict.timed.missing).toBe(0)
      }
      // At least one call of the capture must be on a board; otherwise, nothing was tested.
      expect(verdicts.some(({ timed }) => timed.exact > 0)).toBe(true)
    },
    CAPTURE_MILLIS,
  )
}
