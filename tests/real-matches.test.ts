// Runs all of real-matches.ts, which counts the updates in real captures that match a trip. Fails if too few updates
// match, or if an update matches a trip on another day. Needs QUAI_FEEDS, which names a folder with captures.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { describeMatches, matchCapture } from './real-matches.ts'
import { CAPTURES, capturePaths } from './real-realtime.ts'
import { bySize, REAL_FEEDS } from './size.ts'

/**
 * Captures whose updates must all match a trip, since their feed has every reported trip. At size `ci`, only the
 * smallest.
 */
const WHOLE = bySize({
  quick: [],
  ci: ['caltrain-2023'],
  full: ['caltrain-2023', 'nyc-ferry-2019', 'redding-raba-2024'],
})
/**
 * A subway message, the number of its trips that have a train, and the minimum share of these trips that must match.
 */
const [SUBWAY, ASSIGNED, LEAST_SHARE] = ['added_trips-subways.pb', 151, 0.95]
const NAMES = bySize({ quick: [], ci: WHOLE, full: CAPTURES.map(({ name }) => name) })
const CAPTURE_MILLIS = 600_000

for (const capture of CAPTURES.filter(({ name }) => NAMES.includes(name))) {
  const isThere = REAL_FEEDS !== undefined && existsSync(capturePaths(REAL_FEEDS, capture).captures)
  test.skipIf(!isThere)(
    `updates of ${capture.name} find their trips`,
    async () => {
      const moments = await matchCapture(REAL_FEEDS ?? '', capture)
      console.log(moments.map(describeMatches).join('\n'))
      expect(moments).toHaveLength(capture.moments.length)
      for (const { name, all, assigned, otherDays } of moments) {
        expect([name, otherDays]).toEqual([name, []])
        if (WHOLE.includes(capture.name)) expect([name, all.matched]).toEqual([name, all.total])
        if (!name.endsWith(SUBWAY)) continue
        expect(assigned.total).toBe(ASSIGNED)
        expect(assigned.matched).toBeGreaterThanOrEqual(ASSIGNED * LEAST_SHARE)
      }
    },
    CAPTURE_MILLIS,
  )
}

test('seven captures have a feed', () => expect(CAPTURES).toHaveLength(7))
