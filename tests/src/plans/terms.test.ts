// Tests what a month's units cost, and how many units an account may still use, if its terms change during the month.
// Fails if a unit is paid for twice or not at all, if a cent is lost to rounding, or if a cap is exceeded.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { planLimitsOf } from '../../../src/access/plan-limits.ts'
import { addAmounts, decimalText, parseDecimal, roundToCents, timesUnits, unitsFor } from '../../../src/plans/money.ts'
import { DEFAULT_PLANS, PLANS, type PlanTable, tableOfPlans } from '../../../src/plans/plans.ts'
import { type Term, termsOf, toBill } from '../../../src/plans/terms.ts'
import { type ClerkPlan, MonthlyBill, microCentsOf } from '../../oracles/monthly-bill.ts'
import { bySize, SEED } from '../../size.ts'

const RUNS = { numRuns: bySize({ quick: 500, ci: 5_000, full: 100_000 }), seed: SEED }
const MONTH = 24_320

/** Random plans with so few units that every limit is reached. */
const plans = fc
  .record({
    included: fc.array(fc.nat(30), { minLength: PLANS.length, maxLength: PLANS.length }),
    available: fc.array(fc.boolean(), { minLength: PLANS.length, maxLength: PLANS.length }),
    prices: fc.array(fc.constantFrom('0', '0.05', '1', '0.3', '12.125', '0.000001', '2.50'), {
      minLength: PLANS.length,
      maxLength: PLANS.length,
    }),
  })
  .map(({ included, available, prices }): PlanTable => {
    return tableOfPlans((plan) => {
      const at = PLANS.indexOf(plan)
      return {
        ...DEFAULT_PLANS[plan],
        includedUnits: included[at] ?? 0,
        overageAvailable: available[at] ?? false,
        overageUnitAmountDecimal: prices[at] ?? '0',
      }
    })
  })

const wish = fc.record({ plan: fc.constantFrom(...PLANS), isOverageEnabled: fc.boolean(), units: fc.nat(20) })
const wishes = fc.array(wish, { minLength: 1, maxLength: 6 })

function clerkPlan(table: PlanTable, plan: (typeof PLANS)[number]): ClerkPlan {
  const { includedUnits, overageAvailable, overageUnitAmountDecimal } = table[plan]
  return { includedUnits, overageMicroCents: overageAvailable ? microCentsOf(overageUnitAmountDecimal) : undefined }
}

/**
 * Simulates a month in which terms change and units are used under each of them. Returns the terms and an independent
 * bookkeeper's bill.
 */
function live(
  table: PlanTable,
  history: readonly { plan: (typeof PLANS)[number]; isOverageEnabled: boolean; units: number }[],
) {
  const [first, ...others] = history
  if (first === undefined) throw new Error('the history has no terms')
  const terms: [Term, ...Term[]] = [{ plan: first.plan, isOverageEnabled: first.isOverageEnabled, fromUnits: 0 }]
  const clerk = new MonthlyBill(clerkPlan(table, first.plan), first.isOverageEnabled)
  clerk.use(first.units)
  for (const { plan, isOverageEnabled, units } of others) {
    terms.push({ plan, isOverageEnabled, fromUnits: clerk.units })
    clerk.change(clerkPlan(table, plan), isOverageEnabled)
    clerk.use(units)
  }
  return { terms, clerk }
}

describe('a bill', () => {
  test('equals that of a bookkeeper who records every unit', () => {
    fc.assert(
      fc.property(plans, wishes, (table, history) => {
        const { terms, clerk } = live(table, history)
        const bill = toBill(clerk.units, terms, table)
        expect(bill.includedUnits).toBe(clerk.includedUnits)
        expect(bill.billableUnits).toBe(clerk.billableUnits)
        expect(microCentsOf(decimalText(bill.amount))).toBe(clerk.microCents)
        expect(roundToCents(bill.amount)).toBe(clerk.cents)
        expect(bill.charges.reduce((sum, { units }) => sum + units, 0)).toBe(bill.billableUnits)
        const sum = bill.charges.reduce((total, { amount }) => addAmounts(total, amount), parseDecimal('0'))
        expect(microCentsOf(decimalText(sum))).toBe(clerk.microCents)
      }),
      RUNS,
    )
  })

  test('never decreases as usage grows on the same terms', () => {
    fc.assert(
      fc.property(plans, wishes, fc.nat(30), (table, history, more) => {
        const { terms, clerk } = live(table, history)
        const [before, after] = [toBill(clerk.units, terms, table), toBill(clerk.units + more, terms, table)]
        expect(microCentsOf(decimalText(after.amount))).toBeGreaterThanOrEqual(microCentsOf(decimalText(before.amount)))
      }),
      RUNS,
    )
  })

  test('follows simple rules', () => {
    const free: Term = { plan: 'free', isOverageEnabled: false, fromUnits: 0 }
    const buying = { plan: 'pay_as_you_go', isOverageEnabled: true } as const
    const table: [string, number, readonly Term[], number, string][] = [
      ['included units cost nothing', 10_000, [{ ...buying, fromUnits: 0 }], 0, '0'],
      ['the first beyond costs its price', 10_001, [{ ...buying, fromUnits: 0 }], 1, '0.05'],
      ['nothing is sold on a plan without overage', 12_000, [{ ...free, isOverageEnabled: true }], 0, '0'],
      [
        'what was sold stays sold when it is switched off',
        12_000,
        [
          { ...buying, fromUnits: 0 },
          { ...free, fromUnits: 12_000 },
        ],
        2_000,
        '100',
      ],
      [
        'a larger plan includes them after all',
        12_000,
        [
          { ...buying, fromUnits: 0 },
          { plan: 'pro', isOverageEnabled: true, fromUnits: 12_000 },
        ],
        0,
        '0',
      ],
      [
        'a larger plan that was left includes them too',
        12_000,
        [
          { plan: 'pro', isOverageEnabled: false, fromUnits: 0 },
          { ...buying, fromUnits: 500 },
        ],
        0,
        '0',
      ],
      ['units used before anything was sold are not', 12_000, [free, { ...buying, fromUnits: 11_000 }], 1_000, '50'],
    ]
    for (const [what, units, terms, billable, amount] of table) {
      const bill = toBill(units, terms, DEFAULT_PLANS)
      expect([what, bill.billableUnits, decimalText(bill.amount)]).toEqual([what, billable, amount])
    }
  })
})

describe('the remaining units', () => {
  test('end at the last unit that the cap pays for, whatever was sold before', () => {
    fc.assert(
      fc.property(plans, wishes, fc.nat(60), (table, history, spendCapCents) => {
        const { terms, clerk } = live(table, history)
        const { plan, isOverageEnabled } = terms[terms.length - 1]
        const account = { plan, isOverageEnabled, monthTerms: { month: MONTH, terms }, spendCapCents }
        const limit = planLimitsOf(table, account, MONTH).unitLimit
        const sells = isOverageEnabled && table[plan].overageAvailable
        const cap = BigInt(spendCapCents) * 1_000_000n
        // The oracle grants units one by one, as long as the next unit is included, or is sold and within the cap.
        let granted = 0
        while (granted < 200) {
          const next = clerk.copy()
          next.use(granted + 1)
          const isPaid = next.microCents <= cap || next.microCents === clerk.microCents // or the unit costs nothing
          const fits = next.units <= clerk.includedUnits || (sells && isPaid)
          if (!fits) break
          granted++
        }
        const expected = clerk.units + granted
        if (granted === 200) expect(limit >= BigInt(expected)).toBe(true)
        else if (granted > 0) expect(limit).toBe(BigInt(expected))
        else expect(limit <= BigInt(clerk.units)).toBe(true)
      }),
      RUNS,
    )
  })

  test('follow only the current terms in another month', () => {
    const terms = [
      { plan: 'pro', isOverageEnabled: false, fromUnits: 0 },
      { plan: 'free', isOverageEnabled: false, fromUnits: 40 },
    ] as const
    const account = {
      plan: 'free',
      isOverageEnabled: false,
      monthTerms: { month: MONTH, terms },
      spendCapCents: 0,
    } as const
    expect(planLimitsOf(DEFAULT_PLANS, account, MONTH).unitLimit).toBe(2_000_000n)
    expect(planLimitsOf(DEFAULT_PLANS, account, MONTH).policyField).toContain('"units";q=2000000;')
    expect(planLimitsOf(DEFAULT_PLANS, account, MONTH).rate).toEqual({ perSecond: 10, burst: 50 }) // the limits of the new plan
    expect(planLimitsOf(DEFAULT_PLANS, account, MONTH + 1).unitLimit).toBe(10_000n)
    expect(termsOf(account, MONTH + 1)).toEqual([{ plan: 'free', isOverageEnabled: false, fromUnits: 0 }])
  })
})

describe('amounts', () => {
  test('are written and read without loss', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 20n), fc.nat(12), (digits, decimals) => {
        const text = decimalText({ digits, decimals })
        const read = parseDecimal(text)
        expect(read.digits * 10n ** BigInt(decimals)).toBe(digits * 10n ** BigInt(read.decimals))
        expect(text).toMatch(/^(0|[1-9]\d*)(\.\d*[1-9])?$/)
      }),
      RUNS,
    )
    expect(decimalText(timesUnits(3, parseDecimal('0.50')))).toBe('1.5')
    expect(unitsFor(1, parseDecimal('0.95'), parseDecimal('0.05'))).toBe(1n)
    expect(unitsFor(1, parseDecimal('1.01'), parseDecimal('0.05'))).toBe(0n)
    expect(unitsFor(1, parseDecimal('0'), parseDecimal('0.00'))).toBeUndefined()
  })
})
