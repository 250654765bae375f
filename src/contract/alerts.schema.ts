// Schemas of service alerts.
import { Type } from '@sinclair/typebox'
import { ALERT_SEVERITIES } from '../../indexes/live/alerts.ts'
import { localTimestamp, nullable } from './envelope.schema.ts'

/** A service alert. */
export const AlertSchema = Type.Object({
  id: Type.String({ description: '`<network>:alert:<local id>`' }),
  network: Type.String(),
  severity: Type.String({ enum: [...ALERT_SEVERITIES] }),
  title: Type.String(),
  message: Type.String(),
  cause: Type.String({ examples: ['construction'] }),
  effect: Type.String({ examples: ['reduced_service'] }),
  line_ids: Type.Array(Type.String()),
  stop_ids: Type.Array(Type.String()),
  starts_at: nullable(localTimestamp('Start of the alert; null if open-ended.')),
  ends_at: nullable(localTimestamp('End of the alert; null if open-ended.')),
  updated_at: localTimestamp('When the alert was last changed.'),
  url: nullable(Type.String()),
  source: Type.String({ description: 'Id of the feed that published the alert.' }),
})
