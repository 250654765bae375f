// Random histories of a cluster, run by the code that ships: kills, frozen processes, cut links, lost and copied disks, failovers
// to standbys that lag, restores, outages, changes of terms, the turn and the closing of a month. They would fail by a unit
// lost or counted twice, a cap that is passed, units that nobody can spend, or a confirmed change that a replica lacks. Each rule
// broken on purpose must be caught.
import { describe, expect, test } from 'bun:test'
import { bySize, SEED } from '../../size.ts'
import { runHistory } from './fleet-history.ts'
import { ALL_FLEET_RULES, FLEET_RULES, type FleetRule, type RulesOn } from './fleet-rules.ts'
import { FleetWorld } from './fleet-world.ts'

const HISTORIES = bySize({ quick: 40, ci: 300, full: 100_000 })
/** Rules that few histories need are broken at full size only. */
const MOST_TO_CATCH = bySize({ quick: 40, ci: 60, full: 30_000 })
const QUICK_TO_CATCH: readonly FleetRule[] = [
  'newWriters',
  'oldWriterIds',
  'rowsWithQuota',
  'usedIsAbsolute',
  'burnFirst',
]
/** So few histories need this one that a test of its own breaks it. */
const RARE: FleetRule = 'tickByMark'
const RULES = bySize({
  quick: QUICK_TO_CATCH,
  ci: QUICK_TO_CATCH,
  full: ALL_FLEET_RULES.filter((rule) => rule !== RARE),
})
const MILLIS = bySize({ quick: 60_000, ci: 120_000, full: 3_600_000 })
/** Of the histories that break rules: the same in each run, so that one that catches a rule goes on to do so. */
const FIRST_TO_CATCH = 1

test(
  `${HISTORIES} histories break no invariant (seed ${SEED})`,
  () => {
    const faults: Record<string, number> = {}
    for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
      const told = runHistory(seed, () => true)
      expect({ seed, broken: told.broken }).toEqual({ seed, broken: undefined })
      for (const [kind, count] of Object.entries(told.faults)) faults[kind] = (faults[kind] ?? 0) + count
    }
    expect(Object.keys(faults).length).toBeGreaterThan(10)
    console.log(`faults: ${JSON.stringify(faults)}`)
  },
  MILLIS,
)

test('a change is seen that took the version of one that a failover lost, while nobody heard the database', () => {
  const isSeen = (isOn: RulesOn) => {
    const world = quietWorld(isOn)
    const [node] = world.nodes
    world.start(node)
    world.loop.runUntil(2_000)
    const before = world.database.copy()
    const change = (cap: number) =>
      world.database.change('a0', { cap, isRevoked: false, mark: world.mark() }, world.mark())
    change(10)
    world.loop.runUntil(4_000)
    node.isCut = true
    world.setBack(before, false)
    change(20)
    world.loop.runUntil(5_000)
    node.isCut = false
    world.loop.runUntil(10_000)
    const seen = node.process?.ring.get('a0')?.cap
    world.release()
    return seen === 20
  }
  expect(isSeen(() => true)).toBe(true)
  expect(isSeen((rule) => rule !== RARE)).toBe(false)
})

/** A world of one month whose statements are quick, and where a failover cannot be seen. */
function quietWorld(isOn: RulesOn): FleetWorld {
  for (let seed = 1; ; seed++) {
    const world = new FleetWorld(seed, isOn)
    if (world.slowShare === 0 && !world.isLifeVisible && world.turnMillis === Number.POSITIVE_INFINITY) return world
  }
}

describe('a broken rule is caught', () => {
  test.each(RULES.map((rule) => [rule, FLEET_RULES[rule]] as const))(
    '%s: %s',
    (broken) => {
      const last = FIRST_TO_CATCH + MOST_TO_CATCH
      let caught: string | undefined
      for (let seed = FIRST_TO_CATCH; seed < last && caught === undefined; seed++) {
        caught = runHistory(seed, (rule) => rule !== broken).broken
      }
      expect(caught).toBeDefined()
    },
    MILLIS,
  )
})
