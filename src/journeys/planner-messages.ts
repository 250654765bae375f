// Messages between a data thread and its planner: queries with resolved ends, and answers in their final form.

import type { LiveDigests } from '../networks/live-state.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import type { JourneyKey } from '../rendering/journey-id.ts'
import type { ClockStart } from '../system/clock.ts'
import type { PageLinks, PagePlace } from './journey-pages.ts'

/**
 * The origin or destination of a journey. It is given by id and coordinates, because row numbers may differ between the
 * threads' snapshots.
 */
export interface EndMessage {
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  /** The local id of a stop or area; undefined for other places. */
  readonly place: { readonly kind: 'stop' | 'area'; readonly id: string } | undefined
  readonly label: string | undefined
  /** The id of an address, without `ban:`. */
  readonly addressId?: string | undefined
}

/** Options for the content of answers. */
export interface ShownQuestion {
  /** A network slug. */
  readonly network: string
  /** Values of the `include` parameter. */
  readonly include: readonly string[] | undefined
  /** Service time in seconds after 1970. */
  readonly nowSeconds: number
}

/** A request for a journey by its id. */
export interface AgainQuestion extends ShownQuestion {
  readonly again: JourneyKey
  /** The local part of the journey's id. */
  readonly ref: string
  /** Names of the origin and the destination, if they are not stops or areas. */
  readonly fromLabel: string | undefined
  readonly toLabel: string | undefined
}

/** Any query to a planner. */
export type PlannerQuestion = JourneyQuestion | AgainQuestion

/** A query for journeys. */
export interface JourneyQuestion extends ShownQuestion {
  readonly from: EndMessage
  readonly to: EndMessage
  /** Seconds after 1970: the earliest departure or the latest arrival. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /** The allowed modes, such as `bus`; undefined if all are allowed. */
  readonly modes: readonly string[] | undefined
  readonly maxWalkMeters: number
  /** Whether longer walks are tried if no stop is within `maxWalkMeters` of an end. */
  readonly mayWalkFarther: boolean
  /** Maximum number of transfers. */
  readonly maxTransfers: number
  /** Seconds that a transfer takes in addition to its walk; the network's setting if absent. */
  readonly changeSeconds?: number | undefined
  /** Whether to exclude stops and trips that are known to be inaccessible with a wheelchair. */
  readonly isWheelchair?: boolean
  readonly limit: number
  /** The page of the list; the first if absent. */
  readonly page?: PagePlace | undefined
  /** The native planner's answer, which replaces Quai's own journeys if it fits the network. */
  readonly native?: NativeAnswer | undefined
}

/** The answer of a native planner, not parsed yet. */
export interface NativeAnswer {
  readonly body: Uint8Array
  /** Whether the request allows only the native planner. If so, Quai's own planner must not answer instead. */
  readonly isRequired: boolean
}

/** The result of a query. */
export type JourneyOutcome =
  | {
      readonly kind: 'journeys'
      /** The journeys as a JSON array. */
      readonly data: string
      readonly count: number
      readonly isRealtime: boolean
      /** Whether any walk in the journeys follows streets. */
      readonly isOnStreets?: boolean
      /** The reason why there are no journeys. */
      readonly reason: string | undefined
      /** The longest walk allowed. */
      readonly maxWalkMeters: number
      /** The adjacent pages; absent if there are none. */
      readonly pages?: PageLinks | undefined
      /** The stops nearest to the ends, as JSON; undefined unless `reason` is `no_stops_in_range`. */
      readonly nearestStops?: string | undefined
    }
  /** The time limit passed before the journeys were planned. */
  | { readonly kind: 'timeout' }
  /** Only the native planner was requested, and its answer does not fit the network. */
  | { readonly kind: 'native_unusable' }
  /** The journey that was requested by its id no longer exists. */
  | { readonly kind: 'gone' }
  /** The network has no data at present. */
  | { readonly kind: 'not_ready' }

/** The initial state of a planner. */
export interface PlannerStart {
  readonly networks: readonly NetworkMessage[]
}

/** Messages to the planner. */
export type ToPlanner =
  /**
   * The service clock, by which the planner lays out the days that queries will need next. `isAlone` means that there
   * is no other planner, so this planner does not wait for other planners' layouts.
   */
  | { readonly kind: 'clock'; readonly clock: ClockStart; readonly isAlone: boolean }
  | { readonly kind: 'start'; readonly start: PlannerStart }
  | { readonly kind: 'prepare'; readonly network: NetworkMessage; readonly number: number }
  | { readonly kind: 'commit'; readonly number: number }
  | { readonly kind: 'discard'; readonly number: number }
  /** From now on, plan for these networks only. */
  | { readonly kind: 'select'; readonly networks: readonly string[] }
  | { readonly kind: 'live'; readonly network: string; readonly live: PackedLive }
  /** Answered by `live_digested`. */
  | { readonly kind: 'digest_live' }
  /**
   * A query. The planner answers with `planned` before the deadline. It may first answer with `waits`, unless the query
   * has already waited.
   */
  | {
      readonly kind: 'plan'
      readonly number: number
      readonly question: PlannerQuestion
      readonly millis: number
      readonly hasWaited: boolean
    }

/** Messages from the planner. */
export type FromPlanner =
  | { readonly kind: 'awake' }
  /** The query must wait until its days are laid out. Other queries can be sent meanwhile. */
  | { readonly kind: 'waits'; readonly number: number }
  /** The days that the query needs are laid out, so the query can be sent again. */
  | { readonly kind: 'ready'; readonly number: number }
  | { readonly kind: 'planned'; readonly number: number; readonly outcome: JourneyOutcome }
  | { readonly kind: 'live_digested'; readonly digests: LiveDigests }
  | { readonly kind: 'failed'; readonly message: string }
  /** A warning for the log. */
  | { readonly kind: 'warned'; readonly message: string }
