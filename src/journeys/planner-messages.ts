// What a data thread and its planner say to each other: questions with their ends found, answers as they are sent.

import type { LiveDigests } from '../networks/live-state.ts'
import type { NetworkMessage, PackedLive } from '../networks/network-messages.ts'
import type { JourneyKey } from '../rendering/journey-id.ts'
import type { ClockStart } from '../system/clock.ts'
import type { PageLinks, PagePlace } from './journey-pages.ts'

/** One end of a journey, so that it means the same on a thread that has another snapshot. */
export interface EndMessage {
  /** Degrees. */
  readonly lat: number
  readonly lon: number
  /** The local id of a stop or area; undefined for a place between them. */
  readonly place: { readonly kind: 'stop' | 'area'; readonly id: string } | undefined
  readonly label: string | undefined
  /** Of an address, without `ban:`. */
  readonly addressId?: string | undefined
}

/** What answers show beside what they always do. */
export interface ShownQuestion {
  /** A slug. */
  readonly network: string
  /** Words of the parameter `include`. */
  readonly include: readonly string[] | undefined
  /** Service time in seconds after 1970. */
  readonly nowSeconds: number
}

/** A journey that is asked for again. */
export interface AgainQuestion extends ShownQuestion {
  readonly again: JourneyKey
  /** The local part of its id. */
  readonly ref: string
  /** What its ends are called, if they are no stops or areas. */
  readonly fromLabel: string | undefined
  readonly toLabel: string | undefined
}

/** Whatever a planner is asked. */
export type PlannerQuestion = JourneyQuestion | AgainQuestion

/** A journey that is asked for. */
export interface JourneyQuestion extends ShownQuestion {
  readonly from: EndMessage
  readonly to: EndMessage
  /** Seconds after 1970: when one leaves at the earliest, or is there at the latest. */
  readonly seconds: number
  readonly isArriveBy: boolean
  /** Modes of vehicles that may be taken; undefined for all. */
  readonly modes: readonly string[] | undefined
  readonly maxWalkMeters: number
  /** Longer walks are tried where an end reaches no stop. */
  readonly mayWalkFarther: boolean
  /** Changes of vehicle, at most. */
  readonly maxTransfers: number
  /** Kept on top of the walk of a change; what the network keeps where absent. */
  readonly changeSeconds?: number | undefined
  /** Nothing that is known not to be accessible. */
  readonly isWheelchair?: boolean
  readonly limit: number
  /** Which page of the list; the first where absent. */
  readonly page?: PagePlace | undefined
  /** What the operator's planner says to it: taken instead of a plan of ours, where it fits the network. */
  readonly native?: NativeAnswer | undefined
}

/** The answer of an operator's planner, not read yet. */
export interface NativeAnswer {
  readonly body: Uint8Array
  /** Nothing else is wanted. */
  readonly isRequired: boolean
}

/** What came of a question. */
export type JourneyOutcome =
  | {
      readonly kind: 'journeys'
      /** JSON: the journeys. */
      readonly data: string
      readonly count: number
      readonly isRealtime: boolean
      /** Why there are none. */
      readonly reason: string | undefined
      /** The longest walk that was allowed. */
      readonly maxWalkMeters: number
      /** The pages beside this one; none where absent. */
      readonly pages?: PageLinks | undefined
      /** JSON: the stops nearest to the ends; undefined where both reach some. */
      readonly nearestStops?: string | undefined
    }
  /** The time was over first. */
  | { readonly kind: 'timeout' }
  /** The operator's planner was wanted alone, and its answer does not fit the network. */
  | { readonly kind: 'native_unusable' }
  /** A journey that was asked for again is no longer there. */
  | { readonly kind: 'gone' }
  /** The network has no data now. */
  | { readonly kind: 'not_ready' }

/** What a planner begins with. */
export interface PlannerStart {
  readonly networks: readonly NetworkMessage[]
}

/** To the planner. */
export type ToPlanner =
  /** The service clock, so that it makes ready what will be asked for next. */
  | { readonly kind: 'clock'; readonly clock: ClockStart }
  | { readonly kind: 'start'; readonly start: PlannerStart }
  | { readonly kind: 'prepare'; readonly network: NetworkMessage; readonly number: number }
  | { readonly kind: 'commit'; readonly number: number }
  | { readonly kind: 'discard'; readonly number: number }
  /** These networks alone are planned for. */
  | { readonly kind: 'select'; readonly networks: readonly string[] }
  | { readonly kind: 'live'; readonly network: string; readonly live: PackedLive }
  /** Answered by `live_digested`. */
  | { readonly kind: 'digest_live' }
  /** Answered by `planned`, at the latest when the time is over; by `waits` first, unless it has waited. */
  | {
      readonly kind: 'plan'
      readonly number: number
      readonly question: PlannerQuestion
      readonly millis: number
      readonly hasWaited: boolean
    }

/** From the planner. */
export type FromPlanner =
  | { readonly kind: 'awake' }
  /** The question waits for days to be laid out; others may be asked. It is answered later. */
  | { readonly kind: 'waits'; readonly number: number }
  /** What it waited for is there: it is to be asked again. */
  | { readonly kind: 'ready'; readonly number: number }
  | { readonly kind: 'planned'; readonly number: number; readonly outcome: JourneyOutcome }
  | { readonly kind: 'live_digested'; readonly digests: LiveDigests }
  | { readonly kind: 'failed'; readonly message: string }
