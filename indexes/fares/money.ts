// Amounts of money as integers in a currency's minor unit (ISO 4217), so that sums are exact.

/** Currency → its number of decimals (ISO 4217, table A.1). Currencies that are not listed have two. */
const DECIMALS: Readonly<Record<string, number>> = {
  BHD: 3,
  BIF: 0,
  CLF: 4,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  IQD: 3,
  ISK: 0,
  JOD: 3,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  PYG: 0,
  RWF: 0,
  TND: 3,
  UGX: 0,
  UYI: 0,
  UYW: 4,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
}

const USUAL_DECIMALS = 2
const AMOUNT = /^(\d+)(?:\.(\d*))?$/
const CURRENCY = /^[A-Z]{3}$/

/** Number of decimals in amounts of a currency. */
export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? USUAL_DECIMALS
}

/**
 * Converts a decimal string to minor units and rounds half a unit up; undefined if the string is not an amount or
 * `currency` is not a currency code.
 */
export function toMinorUnits(text: string, currency: string): number | undefined {
  const match = AMOUNT.exec(text.trim())
  if (match === null || !CURRENCY.test(currency)) return undefined
  const decimals = decimalsOf(currency)
  const fraction = (match[2] ?? '').padEnd(decimals + 1, '0')
  const units = Number(`${match[1]}${fraction.slice(0, decimals)}`) + (fraction.charCodeAt(decimals) >= 53 ? 1 : 0)
  return Number.isSafeInteger(units) ? units : undefined
}

/** Like `toMinorUnits`, but accepts negative amounts (discounts). Half a unit is rounded away from 0. */
export function toSignedMinorUnits(text: string, currency: string): number | undefined {
  const trimmed = text.trim()
  if (!trimmed.startsWith('-')) return toMinorUnits(trimmed, currency)
  const units = toMinorUnits(trimmed.slice(1), currency)
  return units === undefined ? undefined : 0 - units
}
