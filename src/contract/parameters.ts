// The one table of query parameters: kind, bounds, default, reason. The run-time parser (parameter-parser.ts) and the
// documented schema (parameter-schema.ts) are both made from it; routes.ts says which route takes which, with what bounds.
import { ALERT_SEVERITIES } from '../../indexes/live/alerts.ts'
import { MODES } from '../../indexes/timetable/modes.ts'

interface RuleBase {
  readonly description: string
  /** Why a value outside the rule is refused. */
  readonly reason: 'transit_query_invalid' | 'invalid_location'
  /** A missing value answers 400. */
  readonly isRequired?: boolean
}

/** A plain decimal integer, bounds inclusive. */
export interface IntegerRule extends RuleBase {
  readonly kind: 'integer'
  readonly min: number
  readonly max: number
  readonly default?: number
  /** What the document names as the default, if the value is chosen by the answer when none is given. */
  readonly usualValue?: number
}

/** One word of a list. */
export interface WordRule extends RuleBase {
  readonly kind: 'word'
  readonly words: readonly string[]
}

/** Words of a list, separated by commas. */
export interface WordsRule extends RuleBase {
  readonly kind: 'words'
  readonly words: readonly string[]
}

/** Network slugs, separated by commas; whether they exist is asked later. */
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

/** An RFC 3339 timestamp or `now`; undefined where it is not given. */
export interface MomentIfGivenRule extends RuleBase {
  readonly kind: 'moment_if_given'
}

/** An RFC 3339 timestamp to be there by, or whether another moment is one. */
export interface ArrivalRule extends RuleBase {
  readonly kind: 'arrival'
}

/** The id of a line; whether it exists is asked later. */
export interface LineRule extends RuleBase {
  readonly kind: 'line'
}

/** A cursor of an earlier answer; what it holds is checked by the route that gave it. */
export interface CursorRule extends RuleBase {
  readonly kind: 'cursor'
}

/** Accepted whatever it says. */
export interface IgnoredRule extends RuleBase {
  readonly kind: 'ignored'
}

/** Asked of other routes, and refused here: it would not mean there what it says. */
export interface RefusedRule extends RuleBase {
  readonly kind: 'refused'
}

/** What the table may hold. */
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

/** A moment in milliseconds after 1970, or the time of the request. */
export type Moment = number | 'now'

/** What a rule of each kind parses to. */
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
  /** Milliseconds after 1970, or true or false. */
  readonly arrival: number | boolean
  readonly line: string
  readonly cursor: string
  readonly ignored: undefined
  readonly refused: undefined
}

type ValueOf<R extends ParameterRule> = R extends { isRequired: true } | { default: number } | { kind: 'moment' }
  ? ValueOfKind[R['kind']]
  : ValueOfKind[R['kind']] | undefined

/** The parameters of a route, by name, in the order in which they are checked and documented. */
export type ParameterRules = Readonly<Record<string, ParameterRule>>

/** What the parameters of a route parse to. */
export type Values<Rules extends ParameterRules> = { readonly [Name in keyof Rules]: ValueOf<Rules[Name]> }

const QUERY = 'transit_query_invalid'
const LOCATION = 'invalid_location'

/** Every parameter, with the bounds that hold where a route says nothing else. */
export const PARAMETERS = {
  limit: {
    kind: 'integer',
    min: 1,
    max: 100,
    default: 20,
    reason: QUERY,
    description: 'How many items the answer holds at most.',
  },
  cursor: {
    kind: 'cursor',
    reason: QUERY,
    description: 'Where the page starts: `meta.next_cursor` of the page before, asked with the same filters.',
  },
  networks: {
    kind: 'slugs',
    reason: QUERY,
    description: 'Networks to look in, separated by commas; all of them without it.',
  },
  near: {
    kind: 'point',
    reason: LOCATION,
    description: 'A place as `lat,lon` in decimal degrees, WGS 84.',
  },
  radius: {
    kind: 'integer',
    min: 50,
    max: 5000,
    default: 500,
    reason: QUERY,
    description: 'Distance from `near`, in metres.',
  },
  bbox: {
    kind: 'box',
    maxSpanDegrees: 0.5,
    reason: LOCATION,
    description: 'A box as `min_lon,min_lat,max_lon,max_lat` in decimal degrees, edges included.',
  },
  modes: {
    kind: 'words',
    words: MODES,
    reason: QUERY,
    description: 'Modes to keep, separated by commas.',
  },
  q: {
    kind: 'text',
    minLength: 1,
    maxLength: 120,
    reason: QUERY,
    description: 'Words to search for: each must begin a word of the name; accents and case do not count.',
  },
  when: {
    kind: 'moment',
    reason: QUERY,
    description: 'An RFC 3339 timestamp with an offset or Z, or `now`.',
  },
  horizon: {
    kind: 'integer',
    min: 5,
    max: 180,
    default: 60,
    reason: QUERY,
    description: 'Length of the window that starts at the moment asked for, in minutes.',
  },
  interval: {
    kind: 'integer',
    min: 5,
    max: 60,
    default: 15,
    reason: QUERY,
    description: 'Seconds from one frame to the next.',
  },
  noWhen: {
    kind: 'refused',
    reason: QUERY,
    description: 'a stream tells of now.',
  },
  include: {
    kind: 'words',
    words: [],
    reason: QUERY,
    description: 'Parts to add to the answer, separated by commas.',
  },
  line: {
    kind: 'line',
    reason: QUERY,
    description: 'The id of a line: only what concerns it is kept.',
  },
  direction: {
    kind: 'word',
    words: ['0', '1'],
    reason: QUERY,
    description: 'The id of a direction: only its departures are kept.',
  },
  kind: {
    kind: 'word',
    words: ['stop', 'area'],
    reason: QUERY,
    description: 'Only stops, or only areas.',
  },
  providers: {
    kind: 'words',
    words: ['stops', 'addresses'],
    reason: QUERY,
    description: 'Kinds of places to look for, separated by commas; both without it.',
  },
  end: {
    kind: 'text',
    minLength: 1,
    maxLength: 200,
    isRequired: true,
    reason: LOCATION,
    description: 'The id of a stop, area or address, a place as `lat,lon`, or words as one would search for.',
  },
  whenIfGiven: {
    kind: 'moment_if_given',
    reason: QUERY,
    description:
      'When one leaves at the earliest: an RFC 3339 timestamp with an offset or Z, or `now`, which is the default.',
  },
  arriveBy: {
    kind: 'arrival',
    reason: QUERY,
    description:
      'When one must be there: an RFC 3339 timestamp, without `when`; or `true`, which makes `when` that moment.',
  },
  planner: {
    kind: 'word',
    words: ['auto', 'native', 'service'],
    reason: QUERY,
    description: "Who plans: the operator's own planner, this service, or whichever is there, which is the default.",
  },
  maxWalk: {
    kind: 'integer',
    min: 0,
    max: 2500,
    usualValue: 1000,
    reason: QUERY,
    description:
      'Longest walk at the start, at the end, and in place of a ride, in metres walked. Without it 1000, and where an end ' +
      'reaches no stop within that, the first of 1250, 1500, 2000 and 2500 with which both do.',
  },
  maxTransfers: {
    kind: 'integer',
    min: 0,
    max: 6,
    default: 6,
    reason: QUERY,
    description: 'Most changes of vehicle; staying seated is none.',
  },
  network: {
    kind: 'text',
    minLength: 1,
    maxLength: 64,
    reason: QUERY,
    description: 'The network to travel in; the smallest that has both ends where it is not given.',
  },
  severity: {
    kind: 'words',
    words: ALERT_SEVERITIES,
    reason: QUERY,
    description: 'Severities to keep, separated by commas.',
  },
  lang: {
    kind: 'ignored',
    reason: QUERY,
    description: "Accepted and ignored: data is in the operator's language.",
  },
} as const satisfies ParameterRules
