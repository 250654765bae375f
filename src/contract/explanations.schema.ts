// Schemas of explanations: why the calls on a line or a trip are or are not on a stop's board.
import { Type } from '@sinclair/typebox'
import { envelope, localTimestamp, META, nullable } from './envelope.schema.ts'

/** Reasons for a call that is on the board: the call's status, or why its status is unknown. */
export const SHOWN_REASONS = [
  'on_time',
  'delayed',
  'early',
  'canceled',
  'skipped',
  'added',
  'unscheduled',
  'no_live_data',
  'feed_stale',
] as const

/** Reasons why a call is not on the board. */
export const HIDDEN_REASON_WORDS = [
  'outside_calendar',
  'service_not_running',
  'trip_ends_here',
  'no_boarding',
  'deleted_by_feed',
  'moved_to_other_stop',
  'left_before_window',
  'after_window',
  'predicted_before_window',
  'predicted_after_window',
  'left_behind',
  'replaced_by_live_run',
] as const

/** Explains why one call is or is not on the board. */
export const ExplanationSchema = Type.Object({
  trip_id: Type.String(),
  line_id: Type.String(),
  stop_id: Type.String(),
  scheduled_at: localTimestamp('Scheduled departure.'),
  expected_at: nullable(localTimestamp('Predicted departure; null without a live prediction.')),
  delay_seconds: nullable(
    Type.Integer({ description: 'Delay in seconds, negative if early; null without a live prediction.' }),
  ),
  shown: Type.Boolean({
    description: "Whether the call is among the stop's departures in the hour that begins at `when`.",
  }),
  reason: Type.String({
    enum: [...SHOWN_REASONS, ...HIDDEN_REASON_WORDS],
    description:
      "If `shown` is true, the call's status: `on_time`, `delayed`, `early`, `canceled`, `skipped`, `added`, " +
      '`unscheduled`, `no_live_data`, or `feed_stale` if the feed that should report the call is out of date. If ' +
      '`shown` is false, the reason why the call is not on the board. More values may be added.',
  }),
  feed: nullable(
    Type.String({
      description: 'The feed that reports the trip; with `feed_stale`, the one that should. Null if there is none.',
    }),
  ),
  feed_age_seconds: nullable(Type.Integer({ minimum: 0, description: 'Age of the data from `feed`.' })),
  vehicle_id: nullable(Type.String()),
})

/** The response with explanations. */
export const ExplanationsAnswerSchema = envelope(Type.Array(ExplanationSchema, { maxItems: 20 }), META.explanations)
