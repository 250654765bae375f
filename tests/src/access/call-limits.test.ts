// Tests units and rates in cells that threads share. Whatever clocks and threads do, no more units may be granted than
// there are, and no unit may be lost. The cells are compared with models that use plain numbers.
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { planLimitsOf } from '../../../src/access/plan-limits.ts'
import {
  allocateCells,
  CellNumbers,
  cellOfAddress,
  monthNumber,
  NO_LIMIT,
  periodOfCell,
  QuotaCells,
  RateCells,
  unitsOfCell,
} from '../../../src/metering/limit-cells.ts'
import type { Plan } from '../../../src/plans/plans.ts'
import { DEFAULT_PLANS } from '../../../src/plans/plans.ts'
import { bySize, SEED } from '../../size.ts'
import type { RaceOrder, RaceResult } from './limit-race.ts'

const MONTH = monthNumber(Date.UTC(2026, 5, 10))

describe('monthly units', () => {
  test('are granted as by a simple counter, across months, releases and other threads’ clocks', () => {
    const step = fc.record({
      kind: fc.constantFrom('reserve', 'release', 'next month'),
      units: fc.constantFrom(1, 5),
      limit: fc.integer({ min: 0, max: 40 }),
      isQuick: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const cells = new QuotaCells(allocateCells())
        let month = MONTH
        let used = 0
        /** The month whose units the cell counts: the month of the latest grant. */
        let cellMonth = 0n
        for (const { kind, units, limit, isQuick } of steps) {
          if (kind === 'next month') {
            month++
            used = 0
          } else if (kind === 'reserve' && isQuick && cellMonth !== month) {
            expect(cells.take(7, units, month, limit)).toBeUndefined()
          } else if (kind === 'reserve') {
            const isGranted = used + units <= limit
            if (isGranted) used += units
            if (isGranted) cellMonth = month
            if (isQuick) {
              expect(cells.take(7, units, month, limit)).toBe(isGranted ? used : undefined)
              continue
            }
            const reported = cells.reserve(7, BigInt(units), { period: month, limit: BigInt(limit) })
            expect(reported === undefined ? undefined : [unitsOfCell(reported), periodOfCell(reported)]).toEqual(
              isGranted ? [BigInt(used), month] : undefined,
            )
          } else {
            used -= Math.min(used, units)
            cells.release(7, BigInt(units), month)
          }
          expect(cells.used(7, month)).toBe(BigInt(used))
          expect(cells.used(8, month)).toBe(0n)
        }
      }),
      { numRuns: bySize({ quick: 300, ci: 2_000, full: 20_000 }), seed: SEED },
    )
  })

  test('count for a month that another thread has begun, even on a thread whose clock is behind', () => {
    const cells = new QuotaCells(allocateCells())
    cells.reserve(0, 5n, { period: MONTH + 1n, limit: 10n })
    expect(cells.take(0, 5, MONTH, 10)).toBeUndefined()
    const reported = cells.reserve(0, 5n, { period: MONTH, limit: 10n }) ?? 0n
    expect([unitsOfCell(reported), periodOfCell(reported)]).toEqual([10n, MONTH + 1n])
    expect(cells.reserve(0, 1n, { period: MONTH, limit: 10n })).toBeUndefined()
    expect(cells.used(0, MONTH)).toBe(10n)
    cells.release(0, 5n, MONTH) // releases units of the previous month, which is over
    expect(cells.used(0, MONTH + 1n)).toBe(10n)
  })

  test('start from the ledger', () => {
    const cells = new QuotaCells(allocateCells())
    cells.seed(3, 98, MONTH)
    expect(cells.reserve(3, 5n, { period: MONTH, limit: 100n })).toBeUndefined()
    expect(unitsOfCell(cells.reserve(3, 1n, { period: MONTH, limit: 100n }) ?? 0n)).toBe(99n)
  })
})

describe('two threads', () => {
  const racers: Worker[] = []
  afterAll(() => {
    for (const racer of racers) racer.terminate()
  })

  async function race(order: Omit<RaceOrder, 'costs'>, costs: readonly (readonly number[])[]): Promise<RaceResult[]> {
    while (racers.length < costs.length) {
      const racer = new Worker(new URL('./limit-race.ts', import.meta.url).href)
      await new Promise((awake) => racer.addEventListener('message', awake, { once: true }))
      racers.push(racer)
    }
    const results = costs.map(
      (_, at) =>
        new Promise<RaceResult>((done) => {
          racers[at]?.addEventListener('message', ({ data }) => done(data), { once: true })
        }),
    )
    for (const [at, own] of costs.entries()) racers[at]?.postMessage({ ...order, costs: own } satisfies RaceOrder)
    return await Promise.all(results)
  }

  test('with 37 units left grant exactly 37 of 1 000 simultaneous calls; with costs of 1 and 5, no rejected call would fit', async () => {
    const rounds = bySize({ quick: 10, ci: 30, full: 100 })
    for (let round = 0; round < rounds; round++) {
      const memory = allocateCells()
      const order = { memory, cell: round, period: MONTH, limit: 37n }
      const ones = await race(order, [new Array<number>(500).fill(1), new Array<number>(500).fill(1)])
      expect(ones.reduce((sum, { granted }) => sum + granted, 0)).toBe(37)
      const mixed = [0, 1].map((at) =>
        Array.from({ length: 500 }, (_, call) => ((call + at + round) % 3 === 0 ? 5 : 1)),
      )
      const results = await race({ ...order, cell: round + 1 }, mixed)
      const granted = results.reduce((sum, result) => sum + result.granted, 0)
      const cheapestRefused = Math.min(...results.flatMap(({ refusedCosts }) => refusedCosts))
      expect(granted).toBeLessThanOrEqual(37)
      expect(37 - granted).toBeLessThan(cheapestRefused)
    }
  }, 60_000)
})

describe('buckets', () => {
  const FREE = { perSecond: 10, burst: 50 }

  test('let a burst through at once, then the rate', () => {
    const rates = new RateCells(allocateCells())
    const now = 1_800_000_000_000_000
    for (let call = 0; call < 50; call++) {
      expect(rates.take(0, FREE, now)).toMatchObject({ isAllowed: true, left: 49 - call })
    }
    expect(rates.take(0, FREE, now)).toEqual({ isAllowed: false, left: 0, seconds: 1 })
    expect(rates.take(0, FREE, now + 99_000).isAllowed).toBe(false)
    expect(rates.take(0, FREE, now + 100_001).isAllowed).toBe(true)
    expect(rates.take(0, FREE, now + 100_001).isAllowed).toBe(false)
  })

  test('admit exactly what a continuously refilled bucket admits', () => {
    const ofRate = fc.record({ perSecond: fc.constantFrom(1, 2, 10, 50, 500), burst: fc.integer({ min: 1, max: 60 }) })
    fc.assert(
      fc.property(ofRate, fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 150 }), (rate, waits) => {
        const rates = new RateCells(allocateCells())
        let now = 1_800_000_000_000_000
        let tokens = rate.burst
        for (const millis of waits) {
          now += millis * 1000
          tokens = Math.min(rate.burst, tokens + (millis * rate.perSecond) / 1000)
          const isAllowed = tokens >= 1 - 1e-6
          if (isAllowed) tokens -= 1
          expect(rates.take(0, rate, now).isAllowed).toBe(isAllowed)
        }
      }),
      { numRuns: bySize({ quick: 200, ci: 1_000, full: 10_000 }), seed: SEED },
    )
  })

  test('lock nobody out if the clock is set back', () => {
    const rates = new RateCells(allocateCells())
    const now = 1_800_000_000_000_000
    for (let call = 0; call < 50; call++) rates.take(0, FREE, now)
    // It is unknown how full the bucket was at the earlier time, so the bucket counts as full, but only once.
    const before = now - 3_600_000_000
    for (let call = 0; call < FREE.burst; call++) expect(rates.take(0, FREE, before).isAllowed).toBe(true)
    expect(rates.take(0, FREE, before).isAllowed).toBe(false)
    expect(rates.take(0, FREE, before + 200_000).isAllowed).toBe(true)
  })

  test('for addresses are spread', () => {
    const cells = new Set(Array.from({ length: 1000 }, (_, at) => cellOfAddress(`192.0.2.${at}`, 99n)))
    expect(cells.size).toBeGreaterThan(990)
  })
})

describe('the units available to an account', () => {
  const account = { plan: 'free', isOverageEnabled: false, spendCapCents: 500 } as const
  const month = 24_314

  test('are the included units, and no more', () => {
    const free = planLimitsOf(DEFAULT_PLANS, account, month)
    expect(free).toMatchObject({ unitLimit: 10_000n, beyond: 'quota_exhausted' })
    // The account has turned on overage, but its plan sells no units.
    expect(planLimitsOf(DEFAULT_PLANS, { ...account, plan: 'pro', isOverageEnabled: true }, month).unitLimit).toBe(
      2_000_000n,
    )
  })

  test('with overage, are exactly as many as the cap pays for', () => {
    const buyer = { ...account, plan: 'pay_as_you_go', isOverageEnabled: true } as const
    const limitOf = (spendCapCents: number, overageUnitAmountDecimal: string) => {
      const plans = { ...DEFAULT_PLANS, pay_as_you_go: { ...DEFAULT_PLANS.pay_as_you_go, overageUnitAmountDecimal } }
      return planLimitsOf(plans, { ...buyer, spendCapCents }, month).unitLimit - 10_000n
    }
    expect(limitOf(500, '0.05')).toBe(10_000n)
    expect(limitOf(0, '0.05')).toBe(0n)
    expect(limitOf(1, '0.3')).toBe(3n)
    expect(limitOf(100, '0.07')).toBe(1_428n)
    expect(limitOf(100, '0')).toBe(NO_LIMIT - 10_000n)
    expect(planLimitsOf(DEFAULT_PLANS, { ...buyer, spendCapCents: 1 }, month).beyond).toBe('spend_cap_reached')
  })

  test('are reported in the policy fields', () => {
    const fieldOf = (plan: Plan) => planLimitsOf(DEFAULT_PLANS, { ...account, plan }, month).policyField
    expect(fieldOf('free')).toBe('"burst";q=10;w=1, "units";q=10000;w=2592000')
    expect(fieldOf('max')).toBe('"units";q=20000000;w=2592000')
  })
})

test('cells are numbered once for each account', () => {
  const numbers = new CellNumbers()
  expect(['a', 'b', 'a'].map((id) => numbers.of(id))).toEqual([0, 1, 0])
})
