// Schemas of the health and status responses.
import { Type } from '@sinclair/typebox'
import { localTimestamp, nullable } from './envelope.schema.ts'

/** The response of the health check. */
export const HealthSchema = Type.Object({ status: Type.Literal('ok'), service: Type.Literal('service-api') })

/** Use of a feed's fetch budget: how many fetches were made in the current period, and how many are allowed. */
export const BudgetSchema = Type.Object({
  used: Type.Integer({ minimum: 0 }),
  limit: Type.Integer({ minimum: 0 }),
  resets_at: Type.String({ format: 'date-time' }),
})

/** The health of one network. */
export const StatusEntrySchema = Type.Object({
  network: Type.String(),
  static_refreshed_at: nullable(localTimestamp('Time of the last timetable import; null before the first import.')),
  realtime: Type.String({
    enum: ['ok', 'degraded', 'down'],
    description:
      '`degraded` if a live feed is stale or fewer than half of its trips match the timetable; `down` if the ' +
      'data from every live feed has been dropped as too old, or the network is not loaded yet.',
  }),
  budgets: Type.Object(
    {},
    {
      additionalProperties: BudgetSchema,
      description: 'Fetches made and allowed for each live feed that has a fetch limit, by feed id.',
    },
  ),
  mismatched_feeds: Type.Array(
    Type.Object({
      id: Type.String(),
      trip_updates: Type.Integer({ minimum: 0 }),
      matched: Type.Integer({ minimum: 0 }),
      reasons: Type.Array(
        Type.Object({
          reason: Type.String(),
          count: Type.Integer({ minimum: 1 }),
          example: Type.String({
            description: 'Trip, route and date of one update that was not matched for this reason.',
          }),
          setting: nullable(
            Type.String({ description: 'The setting that may solve the problem; null if there is none.' }),
          ),
        }),
      ),
    }),
    {
      description:
        'Feeds for which fewer than a fifth of the trip updates match the timetable, with the most common reasons.',
    },
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
