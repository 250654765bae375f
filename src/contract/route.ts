// The type of a row in the route table (routes.ts): its name, who may call it, its cost and its response.
import type { TSchema } from '@sinclair/typebox'
import type { Reason } from '../http/problem.ts'
import type { StreamEvent } from '../streams/frames.ts'
import type { ParameterRules } from './parameters.ts'

/** One row of the route table. */
export interface Route<Rules extends ParameterRules = ParameterRules> {
  /** The operation id in the API document. It also identifies the route in cursors. */
  readonly name: string
  /** The path. It has at most one `:name` segment, for an id, which clients percent-encode. */
  readonly path: string
  /** Title of the operation: an imperative of two to four words. */
  readonly summary: string
  /** One or two sentences about the response. The API document also states the cost, after these sentences. */
  readonly description: string
  readonly access: 'keyed' | 'public'
  /** Units charged for a 2xx or 304 response. */
  readonly cost: number
  /**
   * How responses are cached. `static`: with an ETag. `live`: never stored. `status`: anyone may cache them for 30 s.
   */
  readonly caching: 'static' | 'live' | 'status'
  readonly parameters: Rules
  /** The whole response: `data` and `meta`. */
  readonly answer: TSchema
  /** The name of the events, if the response is a stream of server-sent events. */
  readonly event?: StreamEvent
  /**
   * Reasons of errors that are specific to this route. `refusalsOf` adds the reasons that follow from the route's
   * parameters and access, and the reasons that all routes share.
   */
  readonly refusals: readonly Reason[]
}

/** A route whose response is a stream of server-sent events. */
export interface StreamRoute<Rules extends ParameterRules = ParameterRules> extends Route<Rules> {
  readonly event: StreamEvent
}

/** Members shared by all routes that need a key. By default, a call costs one unit. */
export const KEYED = { access: 'keyed', cost: 1 } as const
/** Reasons of errors that routes about one network may return. */
export const NETWORK_REFUSALS = ['not_found', 'not_ready'] as const
/** Reasons of errors that streams may return. */
export const STREAM_REFUSALS = ['too_many_streams', 'overloaded'] as const

/** Returns the row unchanged. Its type keeps the exact types of the row's parameters. */
export function row<const Rules extends ParameterRules>(route: Route<Rules>): Route<Rules> {
  return route
}

/** Like `row`, for a route whose response is a stream. */
export function streamRow<const Rules extends ParameterRules>(route: StreamRoute<Rules>): StreamRoute<Rules> {
  return route
}
