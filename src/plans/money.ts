// Exact decimal amounts, without floating-point numbers.

const DECIMAL = /^(\d+)(?:\.(\d+))?$/

/** The number `digits` / 10^`decimals`. */
export interface Decimal {
  readonly digits: bigint
  readonly decimals: number
}

/** Zero. */
export const ZERO: Decimal = { digits: 0n, decimals: 0 }

/** Parses a decimal number from the configuration. Throws if it is invalid. */
export function parseDecimal(text: string): Decimal {
  const match = DECIMAL.exec(text)
  if (match === null) throw new Error(`"${text}" is not a decimal amount`)
  const [, whole = '0', fraction = ''] = match
  return { digits: BigInt(whole + fraction), decimals: fraction.length }
}

/** Formats a number without trailing zeros. */
export function decimalText({ digits, decimals }: Decimal): string {
  const text = digits.toString().padStart(decimals + 1, '0')
  const whole = text.slice(0, text.length - decimals)
  let end = text.length
  while (end > whole.length && text[end - 1] === '0') end--
  return end === whole.length ? whole : `${whole}.${text.slice(whole.length, end)}`
}

/** The exact product of a number of units and a price. */
export function timesUnits(units: number, price: Decimal): Decimal {
  return { digits: BigInt(units) * price.digits, decimals: price.decimals }
}

/** The exact sum of two amounts. */
export function addAmounts(a: Decimal, b: Decimal): Decimal {
  const decimals = Math.max(a.decimals, b.decimals)
  return { digits: scaleTo(a, decimals) + scaleTo(b, decimals), decimals }
}

/** Rounds an amount in cents to whole cents; half a cent is rounded up. */
export function roundToCents({ digits, decimals }: Decimal): number {
  const scale = 10n ** BigInt(decimals)
  return Number((digits * 2n + scale) / (scale * 2n))
}

/**
 * The number of whole units that `cents` minus `spent` pays for, at `price` per unit; all three are in cents. Undefined
 * if the price is 0, because then there is no limit.
 */
export function unitsFor(cents: number, spent: Decimal, price: Decimal): bigint | undefined {
  if (price.digits === 0n) return undefined
  const decimals = Math.max(spent.decimals, price.decimals)
  const left = BigInt(cents) * 10n ** BigInt(decimals) - scaleTo(spent, decimals)
  return left <= 0n ? 0n : left / scaleTo(price, decimals)
}

function scaleTo({ digits, decimals }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - decimals)
}
