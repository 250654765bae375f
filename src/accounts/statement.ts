// The statement of a closed month: an account's usage by key and day, and the amount due. Built once from the ledger;
// later changes to keys, plans or prices don't affect it.

import { dayText, type Period, toUtcText, utcDayStartMillis } from '../metering/utc-day.ts'
import { decimalText, roundToCents } from '../plans/money.ts'
import type { Plan, PlanTable } from '../plans/plans.ts'
import { type Term, toBill } from '../plans/terms.ts'
import type { DailyUse, StoredStatement } from './billing-store.ts'

/** A statement as sent to clients. Amounts are in cents; members that end in `_decimal` are exact. */
export interface StatementDocument {
  readonly account_id: string
  /** ISO 4217; absent in statements that were closed before the currency was configurable. */
  readonly currency?: string
  /** `YYYY-MM`. */
  readonly month: string
  readonly period: { readonly from: string; readonly to: string }
  readonly closed_at: string
  /** The plan at the month's end. */
  readonly plan: Plan
  readonly units: number
  readonly calls: number
  /** The included units of the month's largest plan. */
  readonly included_units: number
  readonly overage_units: number
  /** Units beyond the included units, by price. */
  readonly charges: readonly StatementCharge[]
  readonly amount_decimal: string
  /** `amount_decimal` rounded to a whole cent; half a cent is rounded up. */
  readonly amount_cents: number
  /** One line per day and key. */
  readonly lines: readonly StatementLine[]
}

/** Units at one price. */
export interface StatementCharge {
  readonly plan: Plan
  readonly units: number
  readonly unit_amount_decimal: string
  readonly amount_decimal: string
}

/** Usage of one key on one UTC day. */
export interface StatementLine {
  readonly date: string
  readonly key_id: string
  /** The key's name when the month was closed. */
  readonly key_name: string
  readonly units: number
  readonly calls: number
}

/** The inputs of a statement. */
export interface StatementParts {
  readonly accountId: string
  /** ISO 4217. */
  readonly currency: string
  readonly period: Period
  readonly closedAtMillis: number
  /** The ledger's rows for the month, by day and key. */
  readonly uses: readonly DailyUse[]
  /** Key id → name. */
  readonly keyNames: ReadonlyMap<string, string>
  /** Oldest first. */
  readonly terms: readonly [Term, ...Term[]]
  /** The plans in force at the month's end. */
  readonly plans: PlanTable
}

/** Builds an account's statement for a month. */
export function makeStatement(parts: StatementParts): StoredStatement {
  const { accountId, currency, period, closedAtMillis, uses, terms, plans } = parts
  const units = uses.reduce((sum, use) => sum + use.units, 0)
  const bill = toBill(units, terms, plans)
  const { plan } = terms[terms.length - 1]
  const amountCents = roundToCents(bill.amount)
  const document: StatementDocument = {
    account_id: accountId,
    currency,
    month: period.name,
    period: {
      from: toUtcText(utcDayStartMillis(period.firstDay)),
      to: toUtcText(utcDayStartMillis(period.endDay)),
    },
    closed_at: toUtcText(closedAtMillis),
    plan,
    units,
    calls: uses.reduce((sum, use) => sum + use.calls, 0),
    included_units: bill.includedUnits,
    overage_units: bill.billableUnits,
    charges: bill.charges.map((charge) => ({
      plan: charge.plan,
      units: charge.units,
      unit_amount_decimal: charge.unitAmountDecimal,
      amount_decimal: decimalText(charge.amount),
    })),
    amount_decimal: decimalText(bill.amount),
    amount_cents: amountCents,
    lines: uses.map((use) => ({
      date: dayText(use.utcDay),
      key_id: use.keyId,
      key_name: parts.keyNames.get(use.keyId) ?? '',
      units: use.units,
      calls: use.calls,
    })),
  }
  return {
    accountId,
    month: period.name,
    closedAtMillis,
    plan,
    units,
    includedUnits: bill.includedUnits,
    overageUnits: bill.billableUnits,
    amountCents,
    document: JSON.stringify(document),
  }
}

const CSV_COLUMNS = 'record,date,key_id,key_name,units,calls,unit_amount_decimal,amount_decimal'
/**
 * Positions at which a spreadsheet would see the beginning of a formula: at the start, and after a semicolon, which can
 * separate cells.
 */
const FORMULA = /(^|;\s*)(?=[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g
const QUOTED = /[",\r\n]/

/**
 * A statement as CSV (RFC 4180). There is a `usage` row for each day and key, then an `included` row for the free
 * units, an `overage` row for each price, and a `total` row. The `usage` rows add up to `total`. The `included` and
 * `overage` rows together also add up to `total`.
 */
export function toStatementCsv(statement: StatementDocument): string {
  const rows = [CSV_COLUMNS.split(',')]
  for (const line of statement.lines) {
    rows.push(['usage', line.date, line.key_id, line.key_name, `${line.units}`, `${line.calls}`, '', ''])
  }
  const free = statement.units - statement.overage_units
  rows.push(['included', statement.month, '', '', `${free}`, '', '0', '0'])
  for (const charge of statement.charges) {
    rows.push([
      ...['overage', statement.month, '', charge.plan, `${charge.units}`, ''],
      ...[charge.unit_amount_decimal, charge.amount_decimal],
    ])
  }
  const { month, units, calls, amount_decimal: amount } = statement
  rows.push(['total', month, '', '', `${units}`, `${calls}`, '', amount])
  return rows.map((row) => `${row.map(toCsvCell).join(',')}\r\n`).join('')
}

function toCsvCell(text: string): string {
  const plain = text.replace(FORMULA, "$1'")
  return QUOTED.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** Parses a stored statement. */
export function parseStatement(document: string): StatementDocument {
  return JSON.parse(document) // always valid: `makeStatement` built it, and it never changes
}
