// Formats numbers, days, instants and money in the current language. Days are UTC days, because units are counted by UTC
// day; instants are in local time.

import { locale, toNumber } from '../../pages/app/language.ts'
import { Stored } from '../../pages/app/stored.ts'
import { texts } from './texts/texts.ts'

/** Maximum number of decimals in the price of a unit. The price is far below a cent. */
const PRICE_DECIMALS = 12
const MILLIS_PER_DAY = 86_400_000
/** The largest spend cap that the service accepts. */
const MAX_CAP_CENTS = 100_000_000
const AMOUNT = /^(\d{1,7})(?:[.,](\d{1,2}))?$/

/** A number of units in full, such as "12,345". */
export function toUnits(units: number): string {
  return toNumber(units)
}

/** A number of units in short form, such as "12.3K". */
export function toShortUnits(units: number): string {
  return new Intl.NumberFormat(locale(), { notation: 'compact', maximumFractionDigits: 1 }).format(units)
}

/** A day YYYY-MM-DD as "9 Nov". */
export function toDay(date: string): string {
  return dated(date, { day: 'numeric', month: 'short', timeZone: 'UTC' })
}

/** The UTC day of an instant as "1 December". */
export function toLongDay(instant: string): string {
  return dated(instant, { day: 'numeric', month: 'long', timeZone: 'UTC' })
}

/** A month YYYY-MM as "November 2026". */
export function toMonth(month: string): string {
  return dated(`${month}-01`, { month: 'long', year: 'numeric', timeZone: 'UTC' })
}

/** An instant as "9 Nov 2026" in local time. */
export function toDate(instant: string): string {
  return dated(instant, { day: 'numeric', month: 'short', year: 'numeric' })
}

/** An instant in local time: "9 Nov, 14:02" if it is in this year, otherwise "9 Nov 2025". */
export function toInstant(instant: string, nowMillis: number): string {
  if (new Date(instant).getFullYear() !== new Date(nowMillis).getFullYear()) return toDate(instant)
  return `${dated(instant, { day: 'numeric', month: 'short' })}, ${toTime(instant)}`
}

/** An instant's time of day as "14:02" in local time. */
export function toTime(instant: string): string {
  return dated(instant, { hour: '2-digit', minute: '2-digit' })
}

/** Number of days until an instant, rounded up: "now", "in 1 day", "in 9 days". */
export function untilDay(instant: string, nowMillis: number): string {
  const days = Math.ceil((new Date(instant).getTime() - nowMillis) / MILLIS_PER_DAY)
  return days <= 0 ? texts().now : texts().inDays(days)
}

/** Cents as an amount: 123456 is "€1,234.56". */
export function toAmount(cents: number): string {
  return new Intl.NumberFormat(locale(), moneyOptions(2)).format(cents / 100)
}

/** The currency of the service, which arrives with the session. Until then, amounts are shown without a currency. */
export const currency = new Stored<string | undefined>(undefined)

function moneyOptions(mostDecimals: number): Intl.NumberFormatOptions {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: mostDecimals }
  return currency.value === undefined ? digits : { ...digits, style: 'currency', currency: currency.value }
}

/** Cents as text for an input field. `parseAmount` can read this text: 123456 is "1234.56", or "1234,56" in French. */
export function toTypedAmount(cents: number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2, useGrouping: false }
  return new Intl.NumberFormat(locale(), digits).format(cents / 100)
}

/** Parses a typed amount into cents; undefined if it is not an amount or exceeds the largest spend cap. */
export function parseAmount(text: string): number | undefined {
  const match = AMOUNT.exec(text.trim())
  if (match === null) return undefined
  const [, whole = '0', fraction = ''] = match
  const cents = Number(whole) * 100 + Number(fraction.padEnd(2, '0'))
  return cents <= MAX_CAP_CENTS ? cents : undefined
}

/** The display name of a plan: pay_as_you_go is "Pay as you go". */
export function toPlanName(plan: string): string {
  const words = plan.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function dated(instant: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(locale(), options).format(new Date(instant))
}

/** The price of a unit, from cents as a decimal string: "0.02" is "€0.0002". */
export function toPrice(centsDecimal: string): string {
  return new Intl.NumberFormat(locale(), moneyOptions(PRICE_DECIMALS)).format(Number(centsDecimal) / 100)
}

/** Names in a sentence: "Starter or Pro". */
export function toList(names: readonly string[]): string {
  return new Intl.ListFormat(locale(), { type: 'disjunction' }).format(names)
}
