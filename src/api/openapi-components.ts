// The named schemas of the OpenAPI document.
import { type TSchema, Type } from '@sinclair/typebox'
import { PROBLEMS } from '../problem.ts'
import { AlertSchema } from './alerts.schema.ts'
import { DepartureSchema, NearbyDeparturesSchema } from './departures.schema.ts'
import { LineDetailSchema, LineSchema } from './lines.schema.ts'
import { NetworkDetailSchema, NetworkSchema } from './networks.schema.ts'
import { HealthSchema, StatusEntrySchema } from './status.schema.ts'
import { DirectionStopsSchema, ListedStopSchema, NearbyStopSchema, StopDetailSchema } from './stops.schema.ts'
import { UsageSchema } from './usage.schema.ts'
import { NearbyVehicleSchema, VehicleSchema } from './vehicles.schema.ts'

/** Schemas that the document names, each with its name. */
export const COMPONENTS: ReadonlyMap<TSchema, string> = new Map<TSchema, string>([
  [HealthSchema, 'Health'],
  [StatusEntrySchema, 'StatusEntry'],
  [NetworkSchema, 'Network'],
  [NetworkDetailSchema, 'NetworkDetail'],
  [LineSchema, 'Line'],
  [LineDetailSchema, 'LineDetail'],
  [DirectionStopsSchema, 'DirectionStops'],
  [ListedStopSchema, 'Stop'],
  [StopDetailSchema, 'StopDetail'],
  [NearbyStopSchema, 'NearbyStop'],
  [DepartureSchema, 'Departure'],
  [NearbyDeparturesSchema, 'NearbyDepartures'],
  [VehicleSchema, 'Vehicle'],
  [NearbyVehicleSchema, 'NearbyVehicle'],
  [AlertSchema, 'Alert'],
  [UsageSchema, 'Usage'],
])

const REASON = Type.String({
  enum: Object.keys(PROBLEMS),
  description: 'What was refused, to be read by programs. More values may be added.',
})

/** Every refusal: RFC 9457, with members of our own. */
export const PROBLEM_SCHEMA = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'Where the reason is explained.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'What was wrong this time, to be read by people.' }),
    instance: Type.String({ description: 'The request, as in `request_id`.' }),
    reason: REASON,
    code: Type.String({ examples: ['TRNS3-1400'] }),
    request_id: Type.String(),
    param: Type.Optional(Type.String({ description: 'The first bad parameter.' })),
    errors: Type.Optional(
      Type.Array(Type.Object({ param: Type.String(), reason: REASON, message: Type.String() }), {
        description: 'Every bad parameter.',
      }),
    ),
  },
  { description: 'A refusal, as application/problem+json (RFC 9457).' },
)
