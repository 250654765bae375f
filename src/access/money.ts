// Decimal prices without binary fractions: amounts are whole numbers of the price's last decimal.

const DECIMAL = /^(\d+)(?:\.(\d+))?$/

/** `digits` / 10^`decimals`. */
export interface Decimal {
  readonly digits: bigint
  readonly decimals: number
}

/** A decimal number as configuration has it. Throws where it is none. */
export function parseDecimal(text: string): Decimal {
  const match = DECIMAL.exec(text)
  if (match === null) throw new Error(`"${text}" is no decimal amount`)
  const [, whole = '0', fraction = ''] = match
  return { digits: BigInt(whole + fraction), decimals: fraction.length }
}

/** Units times a price in cents, rounded half up to whole cents. */
export function toCents(units: number, unitAmountDecimal: string): number {
  const { digits, decimals } = parseDecimal(unitAmountDecimal)
  const scale = 10n ** BigInt(decimals)
  return Number((BigInt(units) * digits * 2n + scale) / (scale * 2n))
}
