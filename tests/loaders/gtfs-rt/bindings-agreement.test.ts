// Tests that the decoder agrees with the official bindings on valid messages, and on the counts of dropped values.
// Fails if a field is confused with another, if an absent value is read as its default, or if a number loses digits.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { decodeMessage } from '../../../loaders/gtfs-rt/decode-message.ts'
import { seededRandom } from '../../../src/demo/seeded-random.ts'
import { bySize, SEED } from '../../size.ts'
import { readByBindings } from './bindings-message.ts'
import { listCaptures } from './captures.ts'
import { RandomMessages } from './random-message.ts'

const RUNS = bySize({ quick: 1_000, ci: 10_000, full: 300_000 })

test(`${RUNS} random messages are decoded as the bindings decode them, seed ${SEED}`, () => {
  for (let run = 0; run < RUNS; run++) {
    const bytes = new RandomMessages(seededRandom(SEED, `message ${run}`)).message()
    const ours = decodeMessage(bytes)
    const theirs = readByBindings(bytes)
    if (!Bun.deepEquals(ours, theirs)) console.log(`QUAI_SEED=${SEED} run ${run}`)
    expect(ours).toEqual(theirs)
  }
}, 600_000)

test('captures of real feeds are decoded as the bindings decode them', () => {
  for (const path of listCaptures()) {
    const bytes = new Uint8Array(readFileSync(path))
    expect(decodeMessage(bytes), path).toEqual(readByBindings(bytes))
  }
})
