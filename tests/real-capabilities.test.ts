// Runs all of real-capabilities.ts: makes networks from the captures, and checks their capabilities while their live
// feeds are empty, late or failing. Fails if a capability disappears, or if a status is not 200.
import { expect, test } from 'bun:test'
import { checkCapabilities, describeCapabilities } from './real-capabilities.ts'
import { REAL_FEEDS, SIZE } from './size.ts'

const SECONDS = 300
const MILLIS = 1_200_000

if (SIZE === 'full' && REAL_FEEDS === undefined)
  console.error('left out: capabilities of captures (QUAI_FEEDS names no folder)')
if (SIZE === 'full' && REAL_FEEDS !== undefined)
  test(
    `the capabilities of every capture's network hold for ${SECONDS} seconds without its feeds`,
    async () => {
      const verdict = await checkCapabilities(REAL_FEEDS ?? '', SECONDS)
      console.error(describeCapabilities(verdict))
      expect(verdict.differences).toEqual([])
      expect(verdict.networks).toBeGreaterThan(0)
    },
    MILLIS,
  )
