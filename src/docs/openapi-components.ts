// The named schemas of the OpenAPI document.
import { type TSchema, Type } from '@sinclair/typebox'
import { AlertSchema } from '../contract/alerts.schema.ts'
import {
  DepartureSchema,
  DeparturesAnswerSchema,
  NearbyDepartureSchema,
  NearbyDeparturesSchema,
} from '../contract/departures.schema.ts'
import { META, SourceSchema } from '../contract/envelope.schema.ts'
import { ExplanationSchema, ExplanationsAnswerSchema } from '../contract/explanations.schema.ts'
import {
  CallTimeSchema,
  JourneySchema,
  RideCallSchema,
  RideSchema,
  SectionPlaceSchema,
  WalkSchema,
  WalkStepSchema,
} from '../contract/journeys.schema.ts'
import {
  CompactLineSchema,
  DirectionDetailSchema,
  DirectionSchema,
  LineDetailSchema,
  LineSchema,
  ShapeSchema,
} from '../contract/lines.schema.ts'
import { CapabilitiesSchema, ModeWord, NetworkDetailSchema, NetworkSchema } from '../contract/networks.schema.ts'
import { PlaceSchema, ReverseSchema } from '../contract/places.schema.ts'
import { BudgetSchema, HealthSchema, StatusEntrySchema } from '../contract/status.schema.ts'
import {
  DirectionStopsSchema,
  ListedStopSchema,
  NearbyStopSchema,
  StopDetailSchema,
  StopSchema,
} from '../contract/stops.schema.ts'
import { TripAnswerSchema, TripSchema } from '../contract/trips.schema.ts'
import { UsageSchema } from '../contract/usage.schema.ts'
import { NearbyVehicleSchema, VehicleSchema, VehiclesAnswerSchema } from '../contract/vehicles.schema.ts'
import { PROBLEMS } from '../http/problem.ts'

/** The schema of an error's reason. */
export const REASON_SCHEMA = Type.String({
  enum: Object.keys(PROBLEMS),
  description: 'Machine-readable error reason. More values may be added.',
})

/** The schema of every error response: RFC 9457, with extension members. */
export const PROBLEM_SCHEMA = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'URL of the documentation for this reason.' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: 'Human-readable explanation of this error.' }),
    instance: Type.String({ description: 'Same as `request_id`.' }),
    reason: REASON_SCHEMA,
    code: Type.String({ examples: ['TRNS3-1400'] }),
    request_id: Type.String(),
    param: Type.Optional(Type.String({ description: 'The first invalid parameter.' })),
    errors: Type.Optional(
      Type.Array(Type.Object({ param: Type.String(), reason: REASON_SCHEMA, message: Type.String() }), {
        description: 'All invalid parameters.',
      }),
    ),
  },
  { description: 'An error as application/problem+json (RFC 9457).' },
)

/** The schema of the `data` of an `end` event, which is sent when the service ends a stream. */
export const STREAM_END_SCHEMA = Type.Object({
  reason: Type.String({
    examples: ['max_duration'],
    description:
      '`max_duration`, `shutdown`, `key_revoked`, `trip_ended`, or the reason for the error that a new request ' +
      'would get. More values may be added.',
  }),
})

/** The named schemas of the document, with their names. */
export const COMPONENTS: ReadonlyMap<TSchema, string> = new Map<TSchema, string>([
  [HealthSchema, 'Health'],
  [StatusEntrySchema, 'StatusEntry'],
  [BudgetSchema, 'Budget'],
  [ModeWord, 'Mode'],
  [CapabilitiesSchema, 'Capabilities'],
  [NetworkSchema, 'Network'],
  [NetworkDetailSchema, 'NetworkDetail'],
  [CompactLineSchema, 'CompactLine'],
  [DirectionSchema, 'Direction'],
  [DirectionDetailSchema, 'DirectionDetail'],
  [ShapeSchema, 'Shape'],
  [LineSchema, 'Line'],
  [LineDetailSchema, 'LineDetail'],
  [DirectionStopsSchema, 'DirectionStops'],
  [StopSchema, 'Stop'],
  [ListedStopSchema, 'ListedStop'],
  [StopDetailSchema, 'StopDetail'],
  [NearbyStopSchema, 'NearbyStop'],
  [DepartureSchema, 'Departure'],
  [DeparturesAnswerSchema, 'DeparturesAnswer'],
  [NearbyDepartureSchema, 'NearbyDeparture'],
  [NearbyDeparturesSchema, 'NearbyDepartures'],
  [ExplanationSchema, 'Explanation'],
  [ExplanationsAnswerSchema, 'ExplanationsAnswer'],
  [VehicleSchema, 'Vehicle'],
  [VehiclesAnswerSchema, 'VehiclesAnswer'],
  [NearbyVehicleSchema, 'NearbyVehicle'],
  [TripSchema, 'Trip'],
  [TripAnswerSchema, 'TripAnswer'],
  [AlertSchema, 'Alert'],
  [JourneySchema, 'Journey'],
  [WalkSchema, 'WalkSection'],
  [RideSchema, 'TransitSection'],
  [SectionPlaceSchema, 'SectionPlace'],
  [RideCallSchema, 'RideCall'],
  [CallTimeSchema, 'CallTime'],
  [PlaceSchema, 'Place'],
  [ReverseSchema, 'NearestPlaces'],
  [UsageSchema, 'Usage'],
  [SourceSchema, 'Source'],
  [META.bare, 'Meta'],
  [WalkStepSchema, 'WalkStep'],
  [META.networks, 'NetworksMeta'],
  [META.single, 'NetworkMeta'],
  [META.trip, 'TripMeta'],
  [META.list, 'ListMeta'],
  [META.page, 'PageMeta'],
  [META.departures, 'DeparturesMeta'],
  [META.alerts, 'AlertsMeta'],
  [META.explanations, 'ExplanationsMeta'],
  [META.alertPage, 'AlertPageMeta'],
  [META.journeys, 'JourneysMeta'],
  [META.nearby, 'NearbyMeta'],
  [META.reverse, 'NearestPlacesMeta'],
  [META.alertsOfNetworks, 'AlertsOfNetworksMeta'],
  [STREAM_END_SCHEMA, 'StreamEnd'],
  [REASON_SCHEMA, 'Reason'],
  [PROBLEM_SCHEMA, 'Problem'],
])
