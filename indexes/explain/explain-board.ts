// Explains, for each departure that could be on a board, why it is on the board or not. The reason is the first check
// that fails. The checks only explain: the board itself decides which departures it shows.
import type { BoardRow } from '../live/board-rows.ts'
import { listBoard } from '../live/live-boards.ts'
import { LiveRuns } from '../live/live-runs.ts'
import { CALL_BOARDABLE, effectiveDeparture, INSTANCE_DELETED, type Overlay, overSeconds } from '../live/overlay.ts'
import type { BoardQuery } from '../timetable/boards.ts'
import {
  type DirectionIndex,
  isActive,
  type LineIndex,
  type PatternStopIndex,
  type StopIndex,
  type Timetable,
  type TripIndex,
} from '../timetable/timetable.ts'
import { type BoardCandidate, listCandidates } from './board-candidates.ts'

/** The checks that a call must pass to be on a board, in order. The first check that fails gives the reason. */
export const BOARD_CHECKS = [
  'filter',
  'calendar',
  'service',
  'last_call',
  'boarding',
  'feed',
  'window',
  'runs',
  'limit',
] as const
export type BoardCheck = (typeof BOARD_CHECKS)[number]

/** The reasons why a call can be missing from a board, each with the check that fails. */
export const HIDDEN_REASONS = {
  other_line: 'filter',
  other_direction: 'filter',
  outside_calendar: 'calendar',
  service_not_running: 'service',
  trip_ends_here: 'last_call',
  no_boarding: 'boarding',
  deleted_by_feed: 'feed',
  moved_to_other_stop: 'feed',
  left_before_window: 'window',
  after_window: 'window',
  predicted_before_window: 'window',
  predicted_after_window: 'window',
  left_behind: 'window',
  replaced_by_live_run: 'runs',
  beyond_limit: 'limit',
} as const satisfies Record<string, BoardCheck>
export type HiddenReason = keyof typeof HIDDEN_REASONS

/**
 * Whether a call is on a board and, if not, why. `unexplained` means that the call is not on the board although no
 * check fails, which is a bug.
 */
export type BoardVerdict =
  | { readonly kind: 'shown'; readonly row: number }
  | { readonly kind: 'hidden'; readonly reason: HiddenReason }
  | { readonly kind: 'unexplained' }

/** A call with its verdict. */
export interface ExplainedCall extends BoardCandidate {
  readonly verdict: BoardVerdict
  /** Effective departure in seconds after 1970: the predicted one if known, otherwise the scheduled one. */
  readonly effectiveSeconds: number
}

/** The explanation of a board. */
export interface BoardExplanation {
  /** Sorted by effective departure. */
  readonly calls: readonly ExplainedCall[]
  /** Number of rows on the board. */
  readonly shownCount: number
  /** Number of rows that the board would have without its limit. */
  readonly fittingCount: number
}

/** How far to search before and after a board's window, in seconds. If `trip` is given, only this trip is searched. */
export interface LookAround {
  readonly beforeSeconds: number
  readonly afterSeconds: number
  readonly trip?: TripIndex
}

/**
 * Explains each call that could be on a board: in the board's window, and in the time that `look` adds before and after
 * the window.
 */
export function explainBoard(
  timetable: Timetable,
  overlay: Overlay | undefined,
  query: BoardQuery,
  look: LookAround,
): BoardExplanation {
  const fitting = listBoard(timetable, overlay, { ...query, limit: Number.MAX_SAFE_INTEGER })
  const rowOf = new Map(fitting.map((row, at) => [rowKey(row), at]))
  const judge = new BoardJudge(timetable, overlay, query)
  const candidates = listCandidates(timetable, overlay, {
    stops: judge.stops,
    fromSeconds: query.fromSeconds - look.beforeSeconds,
    toSeconds: query.toSeconds + look.afterSeconds,
    ...(look.trip === undefined ? {} : { trip: look.trip }),
  })
  const calls = candidates.map((candidate): ExplainedCall => {
    const row = rowOf.get(candidateKey(candidate))
    return { ...candidate, effectiveSeconds: judge.effectiveSeconds(candidate), verdict: judge.judge(candidate, row) }
  })
  calls.sort((a, b) => a.effectiveSeconds - b.effectiveSeconds || rowNumber(a) - rowNumber(b))
  return { calls, shownCount: Math.min(fitting.length, query.limit), fittingCount: fitting.length }
}

function rowNumber({ verdict }: ExplainedCall): number {
  return verdict.kind === 'shown' ? verdict.row : Number.MAX_SAFE_INTEGER
}

function rowKey(row: BoardRow): string {
  if (row.kind === 'live') return `live ${row.call}`
  return `${row.trip} ${row.day} ${row.runStartSeconds} ${row.position}`
}

function candidateKey({ call, trip, day, runStartSeconds, position }: BoardCandidate): string {
  return call === undefined ? `${trip} ${day} ${runStartSeconds} ${position}` : `live ${call}`
}

/** Decides, for one call at a time, whether it is on a board, and why. */
export class BoardJudge {
  readonly stops: ReadonlySet<StopIndex>
  private readonly timetable: Timetable
  private readonly overlay: Overlay | undefined
  private readonly query: BoardQuery
  private readonly runs: LiveRuns | undefined

  constructor(timetable: Timetable, overlay: Overlay | undefined, query: BoardQuery) {
    this.timetable = timetable
    this.overlay = overlay
    this.query = query
    this.stops = new Set(query.stops)
    this.runs = overlay === undefined ? undefined : new LiveRuns(timetable, overlay)
  }

  /**
   * Decides whether a candidate is on the board, and why.
   * @param row the candidate's row, from 0, on the board without a limit; undefined if the candidate is not there
   */
  judge(candidate: BoardCandidate, row: number | undefined): BoardVerdict {
    if (row !== undefined && row < this.query.limit) return { kind: 'shown', row }
    const reason = row === undefined ? this.findReason(candidate) : 'beyond_limit'
    return reason === undefined ? { kind: 'unexplained' } : { kind: 'hidden', reason }
  }

  effectiveSeconds({ call, scheduledSeconds }: BoardCandidate): number {
    const { overlay } = this
    if (overlay === undefined || call === undefined) return scheduledSeconds
    return effectiveDeparture(overlay, call) + overlay.meta.baseSeconds
  }

  /** The reason why a call would be missing from the board even without a limit; undefined if no check fails. */
  findReason(candidate: BoardCandidate): HiddenReason | undefined {
    return (
      this.findFilter(candidate) ??
      this.findServiceReason(candidate) ??
      this.findBoardingReason(candidate) ??
      this.findFeedReason(candidate) ??
      this.findWindowReason(candidate) ??
      (this.isReplaced(candidate) ? 'replaced_by_live_run' : undefined)
    )
  }

  private findFilter(candidate: BoardCandidate): HiddenReason | undefined {
    const { lines, directionId } = this.query
    const { line, direction } = wayOf(this.timetable, this.overlay, candidate)
    if (lines !== undefined && !lines.has(line)) return 'other_line'
    const isOther = directionId !== undefined && this.timetable.directions.directionId[direction] !== directionId
    return isOther ? 'other_direction' : undefined
  }

  private findServiceReason({ trip, day, call }: BoardCandidate): HiddenReason | undefined {
    // If the call has live data, this data decides whether the call takes place or is canceled.
    if (trip === undefined || call !== undefined) return undefined
    if (day < 0 || day >= this.timetable.meta.dayCount) return 'outside_calendar'
    return isActive(this.timetable, this.timetable.trips.service[trip], day) ? undefined : 'service_not_running'
  }

  private findBoardingReason(candidate: BoardCandidate): HiddenReason | undefined {
    const { isLastCall, call } = candidate
    // A feed may add calls after the trip's last call in the timetable, so live data can make that call boardable.
    const canContinue = !isLastCall || call !== undefined
    if (canContinue && this.canBoard(candidate)) return undefined
    return isLastCall ? 'trip_ends_here' : 'no_boarding'
  }

  private canBoard({ trip, position, call }: BoardCandidate): boolean {
    if (this.overlay !== undefined && call !== undefined) return (this.overlay.calls.flags[call] & CALL_BOARDABLE) !== 0
    if (trip === undefined) return true
    const { patterns, trips } = this.timetable
    const place = (patterns.stopOffset[trips.pattern[trip]] + position) as PatternStopIndex
    return patterns.pickupType[place] !== NO_PICKUP
  }

  private findFeedReason({ call }: BoardCandidate): HiddenReason | undefined {
    const { overlay } = this
    if (overlay === undefined || call === undefined) return undefined
    const { calls, instances } = overlay
    if (instances.state[calls.instance[call]] === INSTANCE_DELETED) return 'deleted_by_feed'
    return this.stops.has(calls.stop[call]) ? undefined : 'moved_to_other_stop'
  }

  private findWindowReason(candidate: BoardCandidate): HiddenReason | undefined {
    const { fromSeconds, toSeconds } = this.query
    const { scheduledSeconds, call } = candidate
    const effective = this.effectiveSeconds(candidate)
    const wasInside = scheduledSeconds >= fromSeconds && scheduledSeconds < toSeconds
    if (effective < fromSeconds) return wasInside ? 'predicted_before_window' : 'left_before_window'
    if (effective >= toSeconds) return wasInside ? 'predicted_after_window' : 'after_window'
    if (this.overlay === undefined || call === undefined) return undefined
    return overSeconds(this.overlay, call) < fromSeconds ? 'left_behind' : undefined
  }

  private isReplaced({ trip, day, position, runStartSeconds, scheduledSeconds, call }: BoardCandidate): boolean {
    if (this.runs === undefined || trip === undefined || call !== undefined) return false
    return this.runs.isReplaced({ trip, day, position, runStartSeconds, seconds: scheduledSeconds })
  }
}

/** The `pickup_type` of a call at which riders cannot board. */
const NO_PICKUP = 1

/** The line and direction of a call. */
export function wayOf(
  { patterns, trips }: Timetable,
  overlay: Overlay | undefined,
  { trip, call }: Pick<BoardCandidate, 'trip' | 'call'>,
): { readonly line: LineIndex; readonly direction: DirectionIndex } {
  if (trip !== undefined) {
    const pattern = trips.pattern[trip]
    return { line: patterns.line[pattern], direction: patterns.direction[pattern] }
  }
  if (overlay === undefined || call === undefined)
    throw new Error('a call on the board is neither in the timetable nor in the live data')
  const instance = overlay.calls.instance[call]
  return { line: overlay.instances.line[instance], direction: overlay.instances.direction[instance] }
}
