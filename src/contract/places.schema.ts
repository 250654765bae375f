// Schemas of places: search results, and places near a point.
import { Type } from '@sinclair/typebox'
import { nullable } from './envelope.schema.ts'

const LAT = Type.Number({ minimum: -90, maximum: 90, description: 'Decimal degrees, WGS 84.' })
const LON = Type.Number({ minimum: -180, maximum: 180, description: 'Decimal degrees, WGS 84.' })

/** A stop, area or address that matches a search. */
export const PlaceSchema = Type.Object({
  id: Type.String({ description: 'Id of a stop or area, or `ban:<local id>` for an address.' }),
  kind: Type.String({ enum: ['stop', 'area', 'address'] }),
  name: Type.String(),
  label: Type.String({ description: 'Name with postcode and town.' }),
  lat: LAT,
  lon: LON,
  network: nullable(Type.String({ description: 'Id of the network; null for addresses.' })),
  stop_id: nullable(Type.String({ description: 'Id of the stop or area; null for addresses.' })),
  town: Type.String({ description: 'Name of the town; empty if unknown.' }),
  postcode: nullable(Type.String({ description: 'Postcode of an address; null for stops and areas.' })),
  source: Type.String({
    enum: ['store', 'ban'],
    description: '`ban` for addresses, from the Base Adresse Nationale; `store` for stops and areas.',
  }),
  score: Type.Number({ minimum: 0, maximum: 1, description: 'How well the place matches the search, from 0 to 1.' }),
})

const DISTANCE = Type.Integer({ minimum: 0, description: 'Great-circle distance from `near`, in meters.' })

/** The places near a point. */
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
  street: Type.Optional(
    nullable(
      Type.Object(
        { name: Type.String(), distance_meters: DISTANCE },
        {
          description:
            'The nearest named street, if there is no address nearby. Null if there is an address nearby, or no ' +
            'street nearby. Only present if there is a street map.',
        },
      ),
    ),
  ),
})
