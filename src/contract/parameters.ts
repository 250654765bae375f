// The table of query parameters: kind, bounds, default, and the reason for errors. The parser (parameter-parser.ts) and
// the documented schema (parameter-schema.ts) are built from this table. routes.ts lists the parameters of each route
// and may change their bounds.
import { ALERT_SEVERITIES } from '../../indexes/live/alerts.ts'
import { MODES } from '../../indexes/timetable/modes.ts'

interface RuleBase {
  readonly description: string
  /** The reason in the error for an invalid value. */
  readonly reason: 'transit_query_invalid' | 'invalid_location'
  /** Whether a missing value is an error. */
  readonly isRequired?: boolean
}

/** A plain decimal integer, bounds inclusive. */
export interface IntegerRule extends RuleBase {
  readonly kind: 'integer'
  readonly min: number
  readonly max: number
  readonly default?: number
  /** The default to show in the API document if the handler chooses the value, so that there is no `default`. */
  readonly usualValue?: number
}

/** Exactly one of the allowed words. */
export interface WordRule extends RuleBase {
  readonly kind: 'word'
  readonly words: readonly string[]
}

/** One or more of the allowed words, separated by commas. */
export interface WordsRule extends RuleBase {
  readonly kind: 'words'
  readonly words: readonly string[]
  /** Words that only some networks support. For other networks, the route refuses them with `refusedWords`. */
  readonly someWords?: readonly string[]
}

/** Network ids, separated by commas; the route checks that they exist. */
export interface SlugsRule extends RuleBase {
  readonly kind: 'slugs'
}

/** Free text; its length is counted in code points, after trimming. */
export interface TextRule extends RuleBase {
  readonly kind: 'text'
  readonly minLength: number
  readonly maxLength: number
}

/** `lat,lon` in decimal degrees. */
export interface PointRule extends RuleBase {
  readonly kind: 'point'
}

/** `min_lon,min_lat,max_lon,max_lat` in decimal degrees. */
export interface BoxRule extends RuleBase {
  readonly kind: 'box'
  readonly maxSpanDegrees: number
}

/** An RFC 3339 timestamp or `now`, which is the default. */
export interface MomentRule extends RuleBase {
  readonly kind: 'moment'
}

/** An RFC 3339 timestamp or `now`; undefined if absent. */
export interface MomentIfGivenRule extends RuleBase {
  readonly kind: 'moment_if_given'
}

/** An RFC 3339 arrival time, or a boolean: whether `when` is the arrival time. */
export interface ArrivalRule extends RuleBase {
  readonly kind: 'arrival'
}

/** The id of a line; the route checks that it exists. */
export interface LineRule extends RuleBase {
  readonly kind: 'line'
}

/** The id of a trip; the route checks that it exists. */
export interface TripRule extends RuleBase {
  readonly kind: 'trip'
}

/** A cursor from an earlier response; the route checks its content. */
export interface CursorRule extends RuleBase {
  readonly kind: 'cursor'
}

/** A parameter that is accepted with any value, and ignored. */
export interface IgnoredRule extends RuleBase {
  readonly kind: 'ignored'
}

/** A parameter that similar routes have and this route rejects. The description explains why. */
export interface RefusedRule extends RuleBase {
  readonly kind: 'refused'
}

/** Any rule in the table of query parameters. */
export type ParameterRule =
  | IntegerRule
  | WordRule
  | WordsRule
  | SlugsRule
  | TextRule
  | PointRule
  | BoxRule
  | MomentRule
  | MomentIfGivenRule
  | ArrivalRule
  | LineRule
  | TripRule
  | CursorRule
  | IgnoredRule
  | RefusedRule

/** Decimal degrees, WGS 84. */
export interface Point {
  readonly lat: number
  readonly lon: number
}

/** Decimal degrees, WGS 84, edges included. */
export interface Box {
  readonly minLon: number
  readonly minLat: number
  readonly maxLon: number
  readonly maxLat: number
}

/** Milliseconds since 1970, or `now` for the time of the request. */
export type Moment = number | 'now'

/** The type of the parsed value, for each kind of rule. */
export interface ValueOfKind {
  readonly integer: number
  readonly word: string
  readonly words: readonly string[]
  readonly slugs: readonly string[]
  readonly text: string
  readonly point: Point
  readonly box: Box
  readonly moment: Moment
  readonly moment_if_given: Moment
  /** The arrival time in milliseconds since 1970, or a boolean: whether `when` is the arrival time. */
  readonly arrival: number | boolean
  readonly line: string
  readonly trip: string
  readonly cursor: string
  readonly ignored: undefined
  readonly refused: undefined
}

type ValueOf<R extends ParameterRule> = R extends { isRequired: true } | { default: number } | { kind: 'moment' }
  ? ValueOfKind[R['kind']]
  : ValueOfKind[R['kind']] | undefined

/** The parameters of a route, by name, in the order in which they are checked and documented. */
export type ParameterRules = Readonly<Record<string, ParameterRule>>

/** The parsed values of a route's parameters. */
export type Values<Rules extends ParameterRules> = { readonly [Name in keyof Rules]: ValueOf<Rules[Name]> }

const QUERY = 'transit_query_invalid'
const LOCATION = 'invalid_location'

/** Every parameter, with its default bounds. */
export const PARAMETERS = {
  limit: {
    kind: 'integer',
    min: 1,
    max: 100,
    default: 20,
    reason: QUERY,
    description: 'Maximum number of items to return.',
  },
  cursor: {
    kind: 'cursor',
    reason: QUERY,
    description: '`meta.next_cursor` from the previous page. Send the same filters with it.',
  },
  journeysCursor: {
    kind: 'cursor',
    reason: QUERY,
    description:
      '`meta.next_cursor` or `meta.previous_cursor` from an earlier response. Send the same filters with it. You can ' +
      'change `limit` and omit `when`.',
  },
  networks: {
    kind: 'slugs',
    reason: QUERY,
    description: 'Network ids, separated by commas. Default: all networks.',
  },
  near: {
    kind: 'point',
    reason: LOCATION,
    description: 'A point as `lat,lon` in decimal degrees, WGS 84.',
  },
  radius: {
    kind: 'integer',
    min: 50,
    max: 5000,
    default: 500,
    reason: QUERY,
    description: 'Maximum distance from `near`, in meters.',
  },
  bbox: {
    kind: 'box',
    maxSpanDegrees: 0.5,
    reason: LOCATION,
    description: 'A bounding box as `min_lon,min_lat,max_lon,max_lat` in decimal degrees, edges included.',
  },
  modes: {
    kind: 'words',
    words: MODES,
    reason: QUERY,
    description: 'Return only these modes, separated by commas.',
  },
  q: {
    kind: 'text',
    minLength: 1,
    maxLength: 120,
    reason: QUERY,
    description: 'Words to search for. Each must match the start of a word in the name. Accents and case are ignored.',
  },
  when: {
    kind: 'moment',
    reason: QUERY,
    description: 'The time to report on: an RFC 3339 timestamp with an offset or Z, or `now`.',
  },
  horizon: {
    kind: 'integer',
    min: 5,
    max: 180,
    default: 60,
    reason: QUERY,
    description: 'Length of the time window, in minutes.',
  },
  interval: {
    kind: 'integer',
    min: 5,
    max: 60,
    default: 15,
    reason: QUERY,
    description: 'Number of seconds between events.',
  },
  noWhen: {
    kind: 'refused',
    reason: QUERY,
    description: 'streams always report the current time.',
  },
  include: {
    kind: 'words',
    words: [],
    reason: QUERY,
    description: 'Optional parts to add to the response, separated by commas.',
  },
  line: {
    kind: 'line',
    reason: QUERY,
    description: 'A line id. Return only results for this line.',
  },
  trip: {
    kind: 'trip',
    reason: QUERY,
    description: 'A trip id. Return only calls of this trip.',
  },
  direction: {
    kind: 'word',
    words: ['0', '1'],
    reason: QUERY,
    description: 'A direction id. Return only results in this direction.',
  },
  kind: {
    kind: 'word',
    words: ['stop', 'area'],
    reason: QUERY,
    description: 'Return only stops, or only areas.',
  },
  providers: {
    kind: 'words',
    words: ['stops', 'addresses'],
    reason: QUERY,
    description: 'Kinds of places to search for, separated by commas. Default: both.',
  },
  end: {
    kind: 'text',
    minLength: 1,
    maxLength: 200,
    isRequired: true,
    reason: LOCATION,
    description: 'The id of a stop, area or address, a point as `lat,lon`, or text to search for.',
  },
  whenIfGiven: {
    kind: 'moment_if_given',
    reason: QUERY,
    description: 'Earliest departure: an RFC 3339 timestamp with an offset or Z, or `now`. Default: `now`.',
  },
  arriveBy: {
    kind: 'arrival',
    reason: QUERY,
    description:
      'Latest arrival: an RFC 3339 timestamp (then omit `when`), or `true` to use `when` as the latest arrival.',
  },
  planner: {
    kind: 'word',
    words: ['auto', 'native', 'service'],
    reason: QUERY,
    description:
      "The planner to use: the operator's own (`native`), this service's (`service`), or the first available (`auto`, the default).",
  },
  maxWalk: {
    kind: 'integer',
    min: 0,
    max: 2500,
    usualValue: 1000,
    reason: QUERY,
    description:
      'Maximum length, in meters, of the walk to the first stop, of the walk from the last stop, and of a journey ' +
      'entirely on foot. Default: 1000. If no stop is within that distance of the origin or the destination, 1250, ' +
      '1500, 2000 and 2500 are tried in turn.',
  },
  maxTransfers: {
    kind: 'integer',
    min: 0,
    max: 6,
    default: 6,
    reason: QUERY,
    description: 'Maximum number of transfers between vehicles. In-seat transfers do not count.',
  },
  transferSeconds: {
    kind: 'integer',
    min: 0,
    max: 1800,
    reason: QUERY,
    description:
      "Minimum time for a transfer between vehicles, in seconds, in addition to the walk. Default: the network's own " +
      'minimum, usually 60. Timed transfers and minimum transfer times that the operator publishes still apply.',
  },
  wheelchair: {
    kind: 'word',
    words: ['true', 'false'],
    reason: QUERY,
    description:
      'Whether to avoid trips, stops, stairs and escalators that wheelchair users cannot use. Default: `false`. ' +
      'Anything whose accessibility the operator does not describe counts as usable.',
  },
  network: {
    kind: 'text',
    minLength: 1,
    maxLength: 64,
    reason: QUERY,
    description: 'Id of the network to travel in. Default: the smallest network that covers both ends.',
  },
  severity: {
    kind: 'words',
    words: ALERT_SEVERITIES,
    reason: QUERY,
    description: 'Return only alerts of these severities, separated by commas.',
  },
  lang: {
    kind: 'ignored',
    reason: QUERY,
    description: "Accepted but ignored: all text is in the operator's language.",
  },
} as const satisfies ParameterRules
