// The rows of the route table for places.
import { Type } from '@sinclair/typebox'
import { envelope, META } from './envelope.schema.ts'
import { PARAMETERS } from './parameters.ts'
import { PlaceSchema, ReverseSchema } from './places.schema.ts'
import { KEYED, NETWORK_REFUSALS, row } from './route.ts'

const { limit, networks, near, q, providers, lang } = PARAMETERS

/** The routes that search places by name or return the places nearest to a point. */
export const PLACE_ROUTES = {
  places: row({
    ...KEYED,
    name: 'searchPlaces',
    path: '/v1/places',
    summary: 'Search places',
    description: 'Finds stops, areas, addresses and towns that match the text in `q`, best match first.',
    caching: 'static',
    parameters: {
      q: {
        ...q,
        isRequired: true,
        description: 'Text to search for: a name, house number, town, postcode or stop code, or a point as `lat,lon`.',
      },
      near: {
        ...near,
        description: `${near.description} Results near it come first. Results more than 100 km away come last, unless \`q\` names their town.`,
      },
      networks: {
        ...networks,
        description: `${networks.description} Addresses are limited to the area that these networks cover.`,
      },
      providers,
      limit: { ...limit, max: 20, default: 10 },
      lang,
    },
    answer: envelope(Type.Array(PlaceSchema), META.nearby),
    refusals: NETWORK_REFUSALS,
  }),
  placesReverse: row({
    ...KEYED,
    name: 'reversePlaces',
    path: '/v1/places/reverse',
    summary: 'Find nearest places',
    description: 'Finds the address and the stops nearest to a point.',
    caching: 'static',
    parameters: { near: { ...near, isRequired: true }, lang },
    answer: envelope(ReverseSchema, META.reverse),
    refusals: [],
  }),
} as const
