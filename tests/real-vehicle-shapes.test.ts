// Runs all of real-vehicle-shapes.ts, which compares vehicles in real captures with the shapes of their trips. Fails if
// a vehicle is far from its trip's shape and its `offRouteMeters` is missing or wrong. Needs QUAI_FEEDS, which names a
// folder with captures.
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { CAPTURES, capturePaths } from './real-realtime.ts'
import { checkVehicleShapes, describeShapes } from './real-vehicle-shapes.ts'
import { bySize, REAL_FEEDS } from './size.ts'

/** At size `ci`, only small captures. */
const NAMES = bySize({
  quick: [],
  ci: ['bart-2019', 'caltrain-2023', 'nyc-ferry-2019', 'redding-raba-2024'],
  full: CAPTURES.map(({ name }) => name),
})
const CAPTURE_MILLIS = bySize({ quick: 10_000, ci: 60_000, full: 600_000 })

describe('vehicles of captures have their distance from the shape', () => {
  for (const capture of CAPTURES.filter(({ name }) => NAMES.includes(name))) {
    const isThere = REAL_FEEDS !== undefined && existsSync(capturePaths(REAL_FEEDS, capture).captures)
    test.skipIf(!isThere)(
      capture.name,
      async () => {
        const verdict = await checkVehicleShapes(REAL_FEEDS ?? '', capture)
        console.log(describeShapes(capture.name, verdict))
        expect(verdict.differences).toEqual([])
        expect(verdict.moments).toBe(capture.moments.length)
      },
      CAPTURE_MILLIS,
    )
  }

  test('seven captures have a feed', () => expect(CAPTURES).toHaveLength(7))
})
