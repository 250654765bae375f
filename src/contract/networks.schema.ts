// Schemas of networks.
import { Type } from '@sinclair/typebox'
import { MODES } from '../../indexes/timetable/modes.ts'
import { localTimestamp } from './envelope.schema.ts'

/** A mode of transport; more values may be added. */
export const ModeWord = Type.String({ enum: [...MODES], description: 'Mode of transport. More values may be added.' })

/** The data and features that a network offers. */
export const CapabilitiesSchema = Type.Object({
  realtime_departures: Type.Boolean(),
  vehicles: Type.String({
    enum: ['gps', 'estimated', 'mixed', 'none'],
    description: 'Origin of vehicle positions; `none` if the network has no vehicle data.',
  }),
  alerts: Type.Boolean(),
  journeys: Type.String({
    enum: ['native', 'service', 'none'],
    description: "The journey planner: the operator's (`native`) or this service's (`service`).",
  }),
  shapes: Type.Boolean(),
  places: Type.Boolean(),
  streams: Type.Boolean({ description: 'Whether event streams are available.' }),
})

const NETWORK = {
  id: Type.String({ description: 'Id of the network, and the first part of every id in it.' }),
  name: Type.String(),
  city: Type.String(),
  timezone: Type.String({ description: 'IANA time zone.', examples: ['Europe/Paris'] }),
  modes: Type.Array(ModeWord),
  capabilities: CapabilitiesSchema,
  static_refreshed_at: localTimestamp('Time of the last timetable import.'),
}

/** A network in a list. */
export const NetworkSchema = Type.Object(NETWORK)

/** One network, with its statistics. */
export const NetworkDetailSchema = Type.Object({
  ...NETWORK,
  stats: Type.Object({
    lines: Type.Integer({ minimum: 0, description: 'Number of lines with trips.' }),
    stops: Type.Integer({ minimum: 0, description: 'Number of stops, including stops without service.' }),
    areas: Type.Integer({ minimum: 0 }),
    shapes: Type.Integer({ minimum: 0, description: 'Number of shapes.' }),
  }),
  walks: Type.Optional(
    Type.String({
      enum: ['streets', 'straight', 'mixed'],
      description:
        'How walks between stops are measured: along streets, in straight lines, or `mixed` if only some stops are ' +
        'connected to the street map. Only present if the network has a street map.',
    }),
  ),
})
