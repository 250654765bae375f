// Schema of the usage report.
import { Type } from '@sinclair/typebox'
import { PLANS } from '../plans/plans.ts'
import { nullable } from './envelope.schema.ts'

const UtcTimestamp = Type.String({ format: 'date-time', description: 'RFC 3339 with the offset +00:00.' })

/** An account's plan. */
export const PlanWord = Type.String({ enum: [...PLANS] })

/** The usage of the caller's account. */
export const UsageSchema = Type.Object({
  plan: PlanWord,
  period: Type.String({ pattern: '^\\d{4}-\\d{2}$' }),
  included_units: Type.Integer({ minimum: 0 }),
  units: Type.Integer({ minimum: 0, description: 'Units used in the period.' }),
  remaining: Type.Integer({ minimum: 0 }),
  overage_available: Type.Boolean(),
  overage_enabled: Type.Boolean(),
  overage_unit_amount_decimal: Type.String({
    description: 'Price of one overage unit, in cents, as a decimal string.',
  }),
  billable_units: Type.Integer({ minimum: 0 }),
  spent_cents: Type.Integer({ minimum: 0 }),
  spend_cap_cents: Type.Integer({ minimum: 0 }),
  resets_at: UtcTimestamp,
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      prefix: Type.String(),
      last_four: Type.String(),
      units_today: Type.Integer({ minimum: 0 }),
      units_period: Type.Integer({ minimum: 0 }),
      last_used_at: nullable(UtcTimestamp),
    }),
  ),
})
