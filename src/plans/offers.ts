// What the operator offers: the price of each plan in words, and the plans that owners can choose. Unlike the settings
// in plans.ts, the offers do not affect the amounts in statements.
import type { Plan } from './plans.ts'

/** The currency of all amounts, the price of each plan in words, and the plans that owners can choose. */
export interface Offers {
  /** ISO 4217 code of a currency that has cents. */
  readonly currency: string
  /** Price of each plan, in the operator's words; empty if none is set. */
  readonly priceTexts: Readonly<Record<Plan, string>>
  /** Whether owners can choose a plan; otherwise only the operator can set it. */
  readonly selfService: Readonly<Record<Plan, boolean>>
}

const CENTS_DECIMALS = 2

/** Whether a string is the code of a currency that has cents. */
export function isCurrencyWithCents(text: string): boolean {
  if (!Intl.supportedValuesOf('currency').includes(text)) return false
  const { maximumFractionDigits } = new Intl.NumberFormat('en', { style: 'currency', currency: text }).resolvedOptions()
  return maximumFractionDigits === CENTS_DECIMALS
}
