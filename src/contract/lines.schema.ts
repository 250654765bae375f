// Schemas of lines.
import { Type } from '@sinclair/typebox'
import { ModeWord } from './networks.schema.ts'

/** A color as `#RRGGBB`. */
export const Color = Type.String({ pattern: '^#[0-9A-F]{6}$', examples: ['#E10D19'] })

const DIRECTION = {
  id: Type.String({ description: '`0` or `1`.' }),
  name: Type.String(),
  headsign: Type.String(),
}

const LINE = {
  id: Type.String({ description: '`<network>:line:<local id>`' }),
  network: Type.String(),
  code: Type.String({ description: 'Short public name, such as A or 12.' }),
  name: Type.String(),
  mode: ModeWord,
  color: Color,
  text_color: Color,
  operator: Type.String(),
  sort_order: Type.Integer({
    description: "Position of the line in the feed's own order (`route_sort_order`); 2147483647 if the feed has none.",
  }),
  accessible: Type.Boolean({ description: 'Whether every trip is wheelchair-accessible.' }),
}

/** A direction of a line, in a list. */
export const DirectionSchema = Type.Object(DIRECTION)

/** A direction of a line, with its stops. */
export const DirectionDetailSchema = Type.Object({
  ...DIRECTION,
  stops: Type.Array(Type.String(), { description: 'Stop ids, in travel order.' }),
})

/** A position in degrees, longitude first. */
export const PositionSchema = Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: '`[lon, lat]`' })

/** A GeoJSON geometry. */
export const GeometrySchema = Type.Union([
  Type.Object({ type: Type.Literal('LineString'), coordinates: Type.Array(PositionSchema, { minItems: 2 }) }),
  Type.Object({
    type: Type.Literal('MultiLineString'),
    coordinates: Type.Array(Type.Array(PositionSchema, { minItems: 2 })),
  }),
])

/** The shape of one direction. */
export const ShapeSchema = Type.Object({
  line_id: Type.String(),
  direction_id: Type.String(),
  geometry: GeometrySchema,
})

const SHAPES = {
  shapes: Type.Optional(
    Type.Array(ShapeSchema, { description: 'One shape per direction. Only present with `include=geometry`.' }),
  ),
}

/** A line in a list. */
export const LineSchema = Type.Object({ ...LINE, directions: Type.Array(DirectionSchema), ...SHAPES })

/** One line, with the stops of each direction. */
export const LineDetailSchema = Type.Object({ ...LINE, directions: Type.Array(DirectionDetailSchema), ...SHAPES })

/** A line in the details of a stop. */
export const CompactLineSchema = Type.Object({
  id: Type.String(),
  code: Type.String(),
  name: Type.String(),
  mode: ModeWord,
  color: Color,
})
