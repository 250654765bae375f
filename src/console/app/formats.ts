// Formats numbers, days, instants and money. Days are UTC, like the counted units; instants are in local time.

const UNITS = new Intl.NumberFormat('en')
const SHORT_UNITS = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const LONG_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const LOCAL_DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
const LOCAL_DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const LOCAL_TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const MILLIS_PER_DAY = 86_400_000
/** The largest cap that the service accepts. */
const MAX_CAP_CENTS = 100_000_000
const AMOUNT = /^(\d{1,7})(?:[.,](\d{1,2}))?$/

/** 12,345. */
export function toUnits(units: number): string {
  return UNITS.format(units)
}

/** 12.3K. */
export function toShortUnits(units: number): string {
  return SHORT_UNITS.format(units)
}

/** "1 unit", "2 units". */
export function countOf(count: number, word: string): string {
  return `${toUnits(count)} ${word}${count === 1 ? '' : 's'}`
}

/** A day YYYY-MM-DD as "9 Nov". */
export function toDay(date: string): string {
  return DAY.format(new Date(date))
}

/** The UTC day of an instant as "1 December". */
export function toLongDay(instant: string): string {
  return LONG_DAY.format(new Date(instant))
}

/** A month YYYY-MM as "November 2026". */
export function toMonth(month: string): string {
  return MONTH.format(new Date(`${month}-01`))
}

/** An instant as "9 Nov 2026" in local time. */
export function toDate(instant: string): string {
  return LOCAL_DATE.format(new Date(instant))
}

/** An instant in local time: "9 Nov, 14:02" if it is in this year, else "9 Nov 2025". */
export function toInstant(instant: string, nowMillis: number): string {
  const at = new Date(instant)
  if (at.getFullYear() !== new Date(nowMillis).getFullYear()) return LOCAL_DATE.format(at)
  return `${LOCAL_DAY.format(at)}, ${LOCAL_TIME.format(at)}`
}

/** An instant's time of day as "14:02" in local time. */
export function toTime(instant: string): string {
  return LOCAL_TIME.format(new Date(instant))
}

/** Time until an instant in days, rounded up: "now", "in 1 day", "in 9 days". */
export function untilDay(instant: string, nowMillis: number): string {
  const days = Math.ceil((new Date(instant).getTime() - nowMillis) / MILLIS_PER_DAY)
  return days <= 0 ? 'now' : `in ${countOf(days, 'day')}`
}

/** Cents as an amount: 123456 is "1,234.56". */
export function toAmount(cents: number): string {
  return `${UNITS.format(Math.trunc(cents / 100))}.${String(cents % 100).padStart(2, '0')}`
}

/** Parses a typed amount into cents; undefined if it is not an amount or exceeds the largest cap. */
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
