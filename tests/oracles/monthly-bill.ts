// The cost of a month, unit by unit: records each unit with the price at its time, and at the end of the month removes
// the oldest ones, as many as the largest plan of the month includes.

/** A plan in the form that this bill uses. */
export interface ClerkPlan {
  readonly includedUnits: number
  /** In millionths of a cent; undefined if the plan sells no units. */
  readonly overageMicroCents: bigint | undefined
}

/** One account in one month. */
export class MonthlyBill {
  /** Each unit's price; undefined if units were not for sale yet. */
  private readonly prices: (bigint | undefined)[] = []
  private largestIncluded: number
  private price: bigint | undefined

  constructor(plan: ClerkPlan, isOverageEnabled: boolean) {
    this.largestIncluded = plan.includedUnits
    this.price = isOverageEnabled ? plan.overageMicroCents : undefined
  }

  copy(): MonthlyBill {
    const copy = new MonthlyBill({ includedUnits: this.largestIncluded, overageMicroCents: this.price }, true)
    copy.prices.push(...this.prices)
    return copy
  }

  /** Gives the account these terms from now on. Units still in flight keep the old price. */
  change(plan: ClerkPlan, isOverageEnabled: boolean): void {
    this.largestIncluded = Math.max(this.largestIncluded, plan.includedUnits)
    if (isOverageEnabled && plan.overageMicroCents !== undefined) this.price = plan.overageMicroCents
  }

  use(units: number): void {
    for (let unit = 0; unit < units; unit++) this.prices.push(this.price)
  }

  get units(): number {
    return this.prices.length
  }

  get includedUnits(): number {
    return this.largestIncluded
  }

  /** Units that have to be paid for. */
  get billableUnits(): number {
    return this.prices.slice(this.largestIncluded).filter((price) => price !== undefined).length
  }

  get microCents(): bigint {
    let sum = 0n
    for (const price of this.prices.slice(this.largestIncluded)) sum += price ?? 0n
    return sum
  }

  /** Whole cents, halves rounded up. */
  get cents(): number {
    const whole = this.microCents / 1_000_000n
    return Number(whole) + (this.microCents % 1_000_000n >= 500_000n ? 1 : 0)
  }
}

/** A decimal text of cents in millionths of a cent, by written arithmetic. */
export function microCentsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}
