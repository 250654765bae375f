// Units by day for the chart: one number for each day in a span, including days without calls.
import type { KeyDay } from './contract.ts'

const MILLIS_PER_DAY = 86_400_000

/** A span of UTC days as YYYY-MM-DD, both ends included. */
export interface DaySpan {
  readonly from: string
  readonly to: string
}

/** Names of the spans of days that a user can choose, in the order in which the usage filter lists them. */
export const SPAN_NAMES = ['month', 'last-month', 'last-30', 'last-90', 'last-year'] as const

/** The name of a span of days that a user can choose. */
export type SpanName = (typeof SPAN_NAMES)[number]

/** Whether a string is the name of a span. */
export function isSpanName(text: string): text is SpanName {
  return SPAN_NAMES.some((name) => name === text)
}

/**
 * Returns the days of a span. `month` is the service's current month, YYYY-MM. The span named `month` includes days in
 * the future.
 */
export function toSpan(name: SpanName, month: string, nowMillis: number): DaySpan {
  const today = toDate(nowMillis)
  if (name === 'month') return monthSpan(month)
  if (name === 'last-month') return monthSpan(toDate(Date.parse(`${month}-01`) - MILLIS_PER_DAY).slice(0, 7))
  const days = { 'last-30': 30, 'last-90': 90, 'last-year': 365 }[name]
  return { from: toDate(nowMillis - (days - 1) * MILLIS_PER_DAY), to: today }
}

/** The totals for one day. */
export interface DayTotal {
  readonly date: string
  readonly units: number
  readonly calls: number
}

/** Returns the totals for each day in a span, for one key, or for all keys if `keyId` is empty. */
export function toDayTotals(span: DaySpan, days: readonly KeyDay[], keyId: string): readonly DayTotal[] {
  const totals = new Map<string, { units: number; calls: number }>()
  for (const day of days) {
    if (keyId !== '' && day.key_id !== keyId) continue
    const total = totals.get(day.date) ?? { units: 0, calls: 0 }
    totals.set(day.date, { units: total.units + day.units, calls: total.calls + day.calls })
  }
  const last = Date.parse(span.to)
  const series: DayTotal[] = []
  for (let millis = Date.parse(span.from); millis <= last; millis += MILLIS_PER_DAY) {
    const date = toDate(millis)
    series.push({ date, units: 0, calls: 0, ...totals.get(date) })
  }
  return series
}

function monthSpan(month: string): DaySpan {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { from: `${month}-01`, to: toDate(Date.UTC(year, number, 0)) }
}

function toDate(millis: number): string {
  return new Date(millis).toISOString().slice(0, 10)
}
