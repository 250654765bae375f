// Runs a short storm; `bun run test:storm` runs longer ones. Fails if a unit is lost or counted twice, or if a response
// is wrong. At full size, also fails if boards are unavailable or memory grows.
import { expect } from 'bun:test'
import { bySize, SEED, SIZE } from '../size.ts'
import { slowTest } from '../slow-test.ts'
import { rageStorm } from './storm.ts'

const MINUTES = bySize({ quick: 0, ci: 0.3, full: 10 })

slowTest(
  `a storm of ${MINUTES} minutes (seed ${SEED}) loses no unit and changes no response`,
  async () => {
    expect(await rageStorm({ minutes: MINUTES, seed: SEED, isTimed: SIZE === 'full' })).toBe(true)
  },
  (MINUTES + 3) * 60_000,
)
