// What answers about places look like: found by words, and near a point.
import { Type } from '@sinclair/typebox'
import { nullable } from './envelope.schema.ts'

const LAT = Type.Number({ minimum: -90, maximum: 90, description: 'Decimal degrees, WGS 84.' })
const LON = Type.Number({ minimum: -180, maximum: 180, description: 'Decimal degrees, WGS 84.' })

/** A stop, an area or an address found by words. */
export const PlaceSchema = Type.Object({
  id: Type.String({ description: 'The id of a stop or an area, or `ban:<local id>`.' }),
  kind: Type.String({ enum: ['stop', 'area', 'address'] }),
  name: Type.String(),
  label: Type.String({ description: 'The name with what tells it from others: postcode and town.' }),
  lat: LAT,
  lon: LON,
  network: nullable(Type.String({ description: 'Null for addresses.' })),
  stop_id: nullable(Type.String({ description: 'Null for addresses.' })),
  town: Type.String({ description: 'Empty where it is not known.' }),
  postcode: nullable(Type.String({ description: 'Null for stops and areas.' })),
  source: Type.String({ enum: ['store', 'ban'] }),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'How well it is what was asked for.' }),
})

const DISTANCE = Type.Integer({ minimum: 0, description: 'Great-circle metres from `near`.' })

/** What is near a point. */
export const ReverseSchema = Type.Object({
  address: nullable(
    Type.Object({
      id: Type.String({ description: '`ban:<local id>`' }),
      kind: Type.String({ enum: ['address'] }),
      label: Type.String(),
      lat: LAT,
      lon: LON,
      source: Type.String({ enum: ['ban'] }),
      distance_meters: DISTANCE,
    }),
  ),
  stops: Type.Array(
    Type.Object({
      id: Type.String(),
      kind: Type.String({ enum: ['stop', 'area'] }),
      name: Type.String(),
      lat: LAT,
      lon: LON,
      network: Type.String(),
      distance_meters: DISTANCE,
    }),
    { description: 'The nearest stops and areas, nearest first.' },
  ),
})
