// What answers about networks look like.
import { Type } from '@sinclair/typebox'
import { MODES } from '../../indexes/timetable/modes.ts'
import { localTimestamp } from './envelope.schema.ts'

/** A mode; more words may be added. */
export const ModeWord = Type.String({ enum: [...MODES], description: 'Mode of transport. More words may be added.' })

/** What a network can be asked for. */
export const CapabilitiesSchema = Type.Object({
  realtime_departures: Type.Boolean(),
  vehicles: Type.String({
    enum: ['gps', 'estimated', 'mixed', 'none'],
    description: 'Where vehicle positions come from; `none` where there are no vehicles.',
  }),
  alerts: Type.Boolean(),
  journeys: Type.String({ enum: ['native', 'service', 'none'], description: 'The planner of journeys.' }),
  shapes: Type.Boolean(),
  places: Type.Boolean(),
  streams: Type.Boolean(),
})

const NETWORK = {
  id: Type.String({ description: 'Slug: the first part of every id of the network.' }),
  name: Type.String(),
  city: Type.String(),
  timezone: Type.String({ description: 'IANA zone name.', examples: ['Europe/Paris'] }),
  modes: Type.Array(ModeWord),
  capabilities: CapabilitiesSchema,
  static_refreshed_at: localTimestamp('Last import of scheduled data.'),
}

/** A network in a list. */
export const NetworkSchema = Type.Object(NETWORK)

/** A network on its own, with its statistics. */
export const NetworkDetailSchema = Type.Object({
  ...NETWORK,
  stats: Type.Object({
    lines: Type.Integer({ minimum: 0, description: 'Lines that have trips.' }),
    stops: Type.Integer({ minimum: 0, description: 'Stops, served or not.' }),
    areas: Type.Integer({ minimum: 0 }),
    shapes: Type.Integer({ minimum: 0, description: 'Drawn courses of trips.' }),
  }),
})
