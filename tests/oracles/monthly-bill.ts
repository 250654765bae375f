// Computes the cost of a month unit by unit. Each unit is stored with the price at the time of its use. The first units
// of the month are free: as many as the most generous plan of the month includes.

/** The members of a plan that this bill needs. */
export interface ClerkPlan {
  readonly includedUnits: number
  /** Price of a unit in millionths of a cent; undefined if the plan sells no units beyond those that it includes. */
  readonly overageMicroCents: bigint | undefined
}

/** The bill of one account for one month. */
export class MonthlyBill {
  /** The price of each unit used; undefined for units that were used before any could be bought. */
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

  /**
   * Changes the plan from now on. If units can no longer be bought, the old price stays, because it still applies to
   * calls in flight.
   */
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

/** Converts a decimal string of cents to millionths of a cent, digit by digit. */
export function microCentsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}
