// Tests releasing units that were reserved by a thread that died. Fails if a unit stays reserved forever, or if a unit
// is released twice.
import { expect, test } from 'bun:test'
import { below, seededRandom } from '../../../src/demo/seeded-random.ts'
import { HeldUnits } from '../../../src/metering/held-units.ts'
import { allocateCells, QuotaCells } from '../../../src/metering/limit-cells.ts'
import { bySize, SEED } from '../../size.ts'

const MONTH = 24_318n
const ROUNDS = bySize({ quick: 200, ci: 2_000, full: 20_000 })
const LIMIT = 1_000n
const CELLS = 3

test('units reserved by a crashed thread are released; those it charged, and those of others, stay', () => {
  const random = seededRandom(SEED, 'held units')
  for (let round = 0; round < ROUNDS; round++) {
    const quota = new QuotaCells(allocateCells())
    const notes = new SharedArrayBuffer(CELLS * 8)
    const dying = new HeldUnits(notes)
    const cell = below(random, CELLS)
    let open = 0n
    let kept = 0n
    for (let call = below(random, 12); call > 0; call--) {
      const units = BigInt(1 + below(random, 5))
      quota.reserve(cell, units, { period: MONTH, limit: LIMIT })
      const fate = below(random, CELLS)
      if (fate > 0) dying.hold(cell, units, MONTH)
      if (fate === 1) dying.settle(cell, units, MONTH)
      if (fate === 2) open += units
      else kept += units
    }
    expect(quota.used(cell, MONTH)).toBe(open + kept)
    new HeldUnits(notes).giveBack(quota)
    expect(quota.used(cell, MONTH)).toBe(kept)
    // Releasing the units again changes nothing.
    new HeldUnits(notes).giveBack(quota)
    expect(quota.used(cell, MONTH)).toBe(kept)
  }
})

test('a reservation across the end of a month takes nothing from the next', () => {
  const quota = new QuotaCells(allocateCells())
  const held = new HeldUnits(new SharedArrayBuffer(CELLS * 8))
  quota.reserve(0, 5n, { period: MONTH, limit: LIMIT })
  held.hold(0, 5n, MONTH)
  quota.reserve(0, 7n, { period: MONTH + 1n, limit: LIMIT })
  held.giveBack(quota)
  expect(quota.used(0, MONTH + 1n)).toBe(7n)
  held.hold(0, 5n, MONTH)
  quota.reserve(0, 3n, { period: MONTH + 1n, limit: LIMIT })
  held.hold(0, 3n, MONTH + 1n)
  held.settle(0, 5n, MONTH)
  held.giveBack(quota)
  expect(quota.used(0, MONTH + 1n)).toBe(7n)
})
