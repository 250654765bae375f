// The schema of the envelope of every JSON response: `data`, and `meta` with the members for the response's route.
import { type TSchema, Type } from '@sinclair/typebox'

/** The schema of a value that may be null. */
export function nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()])
}

/** The schema of a timestamp in the network's local time. */
export function localTimestamp(description: string) {
  return Type.String({
    format: 'date-time',
    description: `${description} RFC 3339, in the network's local time with its numeric offset.`,
    examples: ['2026-11-21T08:15:00+01:00'],
  })
}

const GENERATED = {
  generated_at: Type.String({ format: 'date-time', description: 'When the response was generated, in UTC.' }),
  units: Type.Integer({ minimum: 0, description: 'Units charged for this call.' }),
}
const NETWORK = { network: Type.String({ description: 'Id of the network.' }) }
/** The member `network` in `meta`, for responses that can contain several networks. */
const ONE_NETWORK = {
  network: Type.Optional(Type.String({ description: 'Id of the network, if `networks` names exactly one.' })),
}
const FRESHNESS = {
  freshness: Type.String({
    enum: ['scheduled', 'realtime'],
    description: '`realtime` if the response uses live data, `scheduled` otherwise.',
  }),
}
const COUNT = { count: Type.Integer({ minimum: 0, description: 'Number of items returned.' }) }
const LIMIT = { limit: Type.Integer({ minimum: 1, description: 'Page size that was applied.' }) }
const NEXT_CURSOR = {
  next_cursor: nullable(Type.String({ description: 'Cursor for the next page; null on the last page.' })),
}
const BOTH_CURSORS = {
  previous_cursor: nullable(
    Type.String({
      description:
        'Cursor for the previous page: earlier journeys or, with `arrive_by`, later ones. Null if there are none.',
    }),
  ),
  next_cursor: nullable(
    Type.String({
      description:
        'Cursor for the next page: later journeys or, with `arrive_by`, earlier ones. Null if there are none.',
    }),
  ),
}
const ATTRIBUTION = {
  attribution: Type.Array(Type.String(), { description: 'Credit lines required by the data licenses.' }),
}
const MAX_WALK = {
  max_walk: Type.Integer({
    minimum: 0,
    description: 'The maximum walk length that was applied, in meters.',
  }),
}
const NEAREST_STOP = nullable(
  Type.Object({
    stop_id: Type.String(),
    name: Type.String(),
    distance_meters: Type.Integer({ minimum: 0, description: 'Straight-line distance.' }),
  }),
)
const NEAREST_STOPS = {
  nearest_stops: Type.Optional(
    Type.Object(
      { from: NEAREST_STOP, to: NEAREST_STOP },
      {
        description:
          'The stop nearest to each end; null if there is none within 10 km. Only present with the reason ' +
          '`no_stops_in_range`.',
      },
    ),
  ),
}
/** The status of the street map that walks follow. */
const StreetsStatusSchema = Type.Object(
  {
    built_at: nullable(
      Type.String({ format: 'date-time', description: 'When the map was built, in UTC; null before the first build.' }),
    ),
    extract_timestamp: nullable(
      Type.String({
        format: 'date-time',
        description: 'The map includes all changes up to this time, in UTC; null if unknown.',
      }),
    ),
    kilometers: Type.Integer({ minimum: 0, description: 'Total length of the streets near stops.' }),
    stops_linked: Type.Integer({ minimum: 0, description: 'Number of stops that are connected to the street map.' }),
    stops_unlinked: Type.Integer({
      minimum: 0,
      description:
        'Number of stops that are not connected to the street map. Walks to and from these stops are straight lines.',
    }),
    last_error: nullable(
      Type.Object({
        at: Type.String({ format: 'date-time' }),
        source: Type.String(),
        reason: Type.String(),
        message: Type.String(),
      }),
    ),
  },
  { description: 'The street map that walks follow. Only present in `/v1/status`, and only if there is a street map.' },
)

const STREETS = { streets: Type.Optional(StreetsStatusSchema) }
const REASON = {
  reason: Type.Optional(
    Type.String({ description: 'Why `data` is empty. Only present if `data` is empty. More values may be added.' }),
  ),
}

/** A feed used for a response. */
export const SourceSchema = Type.Object({
  id: Type.String({ description: 'Id of the feed; `gtfs` for scheduled data.' }),
  fetched_at: Type.String({ format: 'date-time', description: 'When the feed was last fetched, in UTC.' }),
  age_seconds: Type.Integer({ minimum: 0, description: 'Age of the data when the response was generated.' }),
  freshness: Type.String({
    enum: ['scheduled', 'realtime', 'stale'],
    description: '`scheduled` for the timetable, `realtime` for current live data, `stale` for older live data.',
  }),
})
const SOURCES = { sources: Type.Array(SourceSchema, { description: 'The feeds used for this response.' }) }

/** The members of `meta`, by kind of response. */
export const META = {
  bare: Type.Object({ ...GENERATED, ...STREETS }),
  networks: Type.Object({ ...GENERATED, ...FRESHNESS, ...COUNT, ...ATTRIBUTION, ...REASON }),
  single: Type.Object({ ...GENERATED, ...NETWORK, ...FRESHNESS, ...ATTRIBUTION }),
  trip: Type.Object({ ...GENERATED, ...NETWORK, ...FRESHNESS, ...ATTRIBUTION, ...SOURCES }),
  list: Type.Object({ ...GENERATED, ...NETWORK, ...FRESHNESS, ...COUNT, ...ATTRIBUTION, ...REASON }),
  page: Type.Object({
    ...GENERATED,
    ...NETWORK,
    ...FRESHNESS,
    ...COUNT,
    ...LIMIT,
    ...NEXT_CURSOR,
    ...ATTRIBUTION,
    ...REASON,
  }),
  departures: Type.Object({
    ...GENERATED,
    ...NETWORK,
    ...FRESHNESS,
    ...COUNT,
    ...LIMIT,
    ...ATTRIBUTION,
    ...SOURCES,
    ...REASON,
  }),
  alerts: Type.Object({ ...GENERATED, ...NETWORK, ...FRESHNESS, ...COUNT, ...ATTRIBUTION, ...SOURCES, ...REASON }),
  explanations: Type.Object({
    ...GENERATED,
    ...NETWORK,
    ...FRESHNESS,
    ...COUNT,
    ...ATTRIBUTION,
    ...SOURCES,
    ...REASON,
  }),
  alertPage: Type.Object({
    ...GENERATED,
    ...NETWORK,
    ...FRESHNESS,
    ...COUNT,
    ...LIMIT,
    ...NEXT_CURSOR,
    ...ATTRIBUTION,
    ...SOURCES,
    ...REASON,
  }),
  journeys: Type.Object({
    ...GENERATED,
    ...NETWORK,
    ...FRESHNESS,
    ...COUNT,
    ...LIMIT,
    ...MAX_WALK,
    ...BOTH_CURSORS,
    ...ATTRIBUTION,
    ...REASON,
    ...NEAREST_STOPS,
  }),
  /** Also the `meta` of text searches for places, which always have `sources`. */
  nearby: Type.Object({
    ...GENERATED,
    ...ONE_NETWORK,
    ...FRESHNESS,
    ...COUNT,
    ...LIMIT,
    ...ATTRIBUTION,
    sources: Type.Optional(SOURCES.sources),
    ...REASON,
  }),
  reverse: Type.Object({ ...GENERATED, ...FRESHNESS, ...ATTRIBUTION, ...SOURCES, ...REASON }),
  alertsOfNetworks: Type.Object({
    ...GENERATED,
    ...ONE_NETWORK,
    ...FRESHNESS,
    ...COUNT,
    ...LIMIT,
    ...NEXT_CURSOR,
    ...ATTRIBUTION,
    ...SOURCES,
    ...REASON,
  }),
} as const

/** The schema of a whole response. */
export function envelope(data: TSchema, meta: TSchema): TSchema {
  return Type.Object({ data, meta })
}
