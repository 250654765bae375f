// Rows of events, terms and statements, in the form in which both databases return them.
import type { Plan } from '../plans/plans.ts'
import { isPlan } from '../plans/plans.ts'
import { ACTORS, type AccountEvent, EVENT_KINDS, type EventDetail } from './account-event.ts'
import type { DailyUse, StatementHead, TermChange } from './billing-store.ts'

/** A row of `events`. */
export interface EventRow {
  readonly id: string
  readonly account_id: string
  readonly at: number
  readonly kind: string
  readonly key_id: string | null
  readonly actor: string
  readonly detail: string
}

/** A row of `term_changes`, the changes to accounts' terms. */
export interface TermChangeRow {
  readonly account_id: string
  readonly at: number
  readonly from_units: number
  readonly plan_before: string
  readonly overage_before: number | boolean
  readonly plan: string
  readonly overage_enabled: number | boolean
}

/** A row of `statements` without its document. */
export interface StatementRow {
  readonly account_id: string
  readonly month: string
  readonly closed_at: number
  readonly plan: string
  readonly units: number
  readonly included_units: number
  readonly overage_units: number
  readonly amount_cents: number
}

/** A key's units and calls on a day, summed over rows of `usage`. */
export interface DailyUseRow {
  readonly key_id: string
  readonly utc_day: number
  readonly units: number
  readonly calls: number
}

export function toEvent(row: EventRow): AccountEvent {
  const kind = EVENT_KINDS.find((one) => one === row.kind)
  const actor = ACTORS.find((one) => one === row.actor)
  if (kind === undefined || actor === undefined)
    throw new Error(`event ${row.id} has an unknown kind ("${row.kind}") or an unknown actor ("${row.actor}")`)
  const detail: EventDetail = JSON.parse(row.detail) // always a valid value, because this program stored it
  return { id: row.id, accountId: row.account_id, atMillis: row.at, kind, keyId: row.key_id, actor, detail }
}

export function toTermChange(row: TermChangeRow): TermChange {
  return {
    accountId: row.account_id,
    atMillis: row.at,
    fromUnits: row.from_units,
    before: { plan: requirePlan(row.plan_before), isOverageEnabled: Boolean(row.overage_before) },
    after: { plan: requirePlan(row.plan), isOverageEnabled: Boolean(row.overage_enabled) },
  }
}

export function toStatementHead(row: StatementRow): StatementHead {
  return {
    accountId: row.account_id,
    month: row.month,
    closedAtMillis: row.closed_at,
    plan: requirePlan(row.plan),
    units: row.units,
    includedUnits: row.included_units,
    overageUnits: row.overage_units,
    amountCents: row.amount_cents,
  }
}

export function toDailyUse(row: DailyUseRow): DailyUse {
  return { keyId: row.key_id, utcDay: row.utc_day, units: row.units, calls: row.calls }
}

function requirePlan(text: string): Plan {
  if (!isPlan(text)) throw new Error(`the database refers to the plan "${text}", which this version does not know`)
  return text
}
