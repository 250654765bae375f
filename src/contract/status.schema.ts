// Schemas of health and status.
import { Type } from '@sinclair/typebox'
import { localTimestamp, nullable } from './envelope.schema.ts'

/** The service is alive. */
export const HealthSchema = Type.Object({ status: Type.Literal('ok'), service: Type.Literal('service-api') })

/** Fetches from one upstream. */
export const BudgetSchema = Type.Object({
  used: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 0 }),
  resets_at: Type.String({ format: 'date-time' }),
})

/** Health of one network. */
export const StatusEntrySchema = Type.Object({
  network: Type.String(),
  static_refreshed_at: nullable(localTimestamp('Last import of the timetable; null before the first one.')),
  realtime: Type.String({ enum: ['ok', 'degraded', 'down'] }),
  budgets: Type.Object(
    {},
    { additionalProperties: BudgetSchema, description: 'Fetches and fetch limit of each upstream, by its name.' },
  ),
  last_error: nullable(
    Type.Object({
      at: Type.String({ format: 'date-time' }),
      source: Type.String(),
      reason: Type.String(),
      message: Type.String(),
    }),
  ),
})
