// What answers about lines look like.
import { Type } from '@sinclair/typebox'
import { ModeWord } from './networks.schema.ts'

/** `#RRGGBB` */
export const Color = Type.String({ pattern: '^#[0-9A-F]{6}$', examples: ['#E10D19'] })

const DIRECTION = {
  id: Type.String({ description: '`0` or `1`.' }),
  name: Type.String(),
  headsign: Type.String(),
}

const LINE = {
  id: Type.String({ description: '`<network>:line:<local id>`' }),
  network: Type.String(),
  code: Type.String({ description: 'Short code.' }),
  name: Type.String(),
  mode: ModeWord,
  color: Color,
  text_color: Color,
  operator: Type.String(),
  sort_order: Type.Integer({ description: '2147483647 where the feed gives none.' }),
  accessible: Type.Boolean({ description: 'Whether every trip takes wheelchairs.' }),
}

/** A line one way, in a list. */
export const DirectionSchema = Type.Object(DIRECTION)

/** A line one way, with its stops. */
export const DirectionDetailSchema = Type.Object({
  ...DIRECTION,
  stops: Type.Array(Type.String(), { description: 'Stop ids, in order.' }),
})

/** A line in a list. */
export const LineSchema = Type.Object({ ...LINE, directions: Type.Array(DirectionSchema) })

/** Degrees. */
export const PositionSchema = Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '`[lon, lat]`' })

/** GeoJSON. */
export const GeometrySchema = Type.Union([
  Type.Object({ type: Type.Literal('LineString'), coordinates: Type.Array(PositionSchema, { minItems: 2 }) }),
  Type.Object({
    type: Type.Literal('MultiLineString'),
    coordinates: Type.Array(Type.Array(PositionSchema, { minItems: 2 })),
  }),
])

/** The drawing of one direction. */
export const ShapeSchema = Type.Object({
  line_id: Type.String(),
  direction_id: Type.String(),
  geometry: GeometrySchema,
})

/** A line on its own, with the stops of its directions. */
export const LineDetailSchema = Type.Object({
  ...LINE,
  directions: Type.Array(DirectionDetailSchema),
  shapes: Type.Optional(Type.Array(ShapeSchema, { description: 'Only with `include=geometry`; one per direction.' })),
})

/** A line inside a stop. */
export const CompactLineSchema = Type.Object({
  id: Type.String(),
  code: Type.String(),
  name: Type.String(),
  mode: ModeWord,
  color: Color,
})
