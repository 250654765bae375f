// Schemas of stops and areas.
import { Type } from '@sinclair/typebox'
import { nullable } from './envelope.schema.ts'
import { CompactLineSchema } from './lines.schema.ts'
import { ModeWord } from './networks.schema.ts'

const STOP = {
  id: Type.String({ description: '`<network>:stop:<local id>` or `<network>:area:<local id>`' }),
  network: Type.String(),
  kind: Type.String({ enum: ['stop', 'area'] }),
  name: Type.String(),
  lat: Type.Number({ minimum: -90, maximum: 90, description: 'Decimal degrees, WGS 84.' }),
  lon: Type.Number({ minimum: -180, maximum: 180, description: 'Decimal degrees, WGS 84.' }),
  parent_id: nullable(Type.String({ description: 'Id of the area that contains the stop; null if there is none.' })),
  line_ids: Type.Array(Type.String()),
  modes: Type.Array(ModeWord),
  town: Type.String({ description: 'Empty if unknown.' }),
  accessible: Type.Boolean(),
  platform_code: nullable(Type.String()),
  children: Type.Array(Type.String(), { description: 'Ids of the stops in an area; empty for a stop.' }),
}

const DISTANCE = Type.Integer({ minimum: 0, description: 'Great-circle distance from `near`, in meters.' })

/** A stop or an area. */
export const StopSchema = Type.Object(STOP)

/** A stop or an area in a list that may be ordered by distance. */
export const ListedStopSchema = Type.Object({ ...STOP, distance_meters: Type.Optional(DISTANCE) })

/** A stop or an area near a point. */
export const NearbyStopSchema = Type.Object({ ...STOP, distance_meters: DISTANCE })

/** One stop or area, with its lines. */
export const StopDetailSchema = Type.Object({ ...STOP, lines: Type.Array(CompactLineSchema) })

/** The stops of one direction of a line. */
export const DirectionStopsSchema = Type.Object({
  direction_id: Type.String(),
  stops: Type.Array(StopSchema, { description: 'Stops, in travel order.' }),
})
