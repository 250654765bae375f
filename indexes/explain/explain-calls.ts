// Explains the calls of one line or one trip at some stops: whether each call is on the board, and the reason if it is
// not. Only these calls are read, not those of the rest of the network.
import { NONE } from '../../loaders/columns.ts'
import type { InstanceIndex, Overlay } from '../live/overlay.ts'
import type { LineIndex, StopIndex, Timetable } from '../timetable/timetable.ts'
import type { TripInstance } from '../timetable/trips.ts'
import { type BoardCandidate, listCandidates } from './board-candidates.ts'
import { BoardJudge, type HiddenReason, wayOf } from './explain-board.ts'

/** The calls to explain. */
export interface NamedCalls {
  readonly stops: readonly StopIndex[]
  /** The board's window, in seconds after 1970, end exclusive. */
  readonly boardFrom: number
  readonly boardTo: number
  /** The window of the calls to explain, by scheduled or expected departure, in seconds after 1970. */
  readonly fromSeconds: number
  readonly toSeconds: number
  readonly line?: LineIndex | undefined
  /** A timetable trip on one day, or a trip that exists only in live feeds. */
  readonly trip?: TripInstance | InstanceIndex | undefined
  readonly directionId?: number | undefined
  readonly limit: number
}

/** A call, with the reason why it is not on the board; the reason is undefined if the call is on the board. */
export interface ExplainedNamedCall extends BoardCandidate {
  readonly hiddenBecause: HiddenReason | undefined
  /**
   * Effective departure in seconds after 1970: the predicted departure if there is one, otherwise the scheduled one.
   */
  readonly effectiveSeconds: number
}

/**
 * The calls, sorted by effective departure. If there are more calls than the limit, returns only the calls nearest to
 * the start of the board's window.
 */
export function explainCalls(
  timetable: Timetable,
  overlay: Overlay | undefined,
  named: NamedCalls,
): ExplainedNamedCall[] {
  const { stops, boardFrom, boardTo, line, trip, directionId, limit } = named
  const judge = new BoardJudge(timetable, overlay, {
    stops,
    fromSeconds: boardFrom,
    toSeconds: boardTo,
    lines: undefined,
    directionId: undefined,
    limit: Number.MAX_SAFE_INTEGER,
  })
  const candidates = listCandidates(timetable, overlay, {
    stops: judge.stops,
    fromSeconds: named.fromSeconds,
    toSeconds: named.toSeconds,
    ...(line === undefined ? {} : { line }),
    ...(trip === undefined ? { isRunningOnly: true } : typeof trip === 'number' ? { instance: trip } : { run: trip }),
  })
  const isWanted = (candidate: BoardCandidate) => {
    const way = wayOf(timetable, overlay, candidate)
    const isOfLine = line === undefined || way.line === line
    const isOfWay = directionId === undefined || (way.direction !== NONE && directionOf(way) === directionId)
    return isOfLine && isOfWay
  }
  const directionOf = ({ direction }: ReturnType<typeof wayOf>) => timetable.directions.directionId[direction]
  const calls = candidates.filter(isWanted).map((candidate): ExplainedNamedCall => {
    const effectiveSeconds = judge.effectiveSeconds(candidate)
    return { ...candidate, effectiveSeconds, hiddenBecause: judge.findReason(candidate) }
  })
  return nearest(calls, { boardFrom, limit }).sort(compareCalls)
}

function nearest(
  calls: ExplainedNamedCall[],
  { boardFrom, limit }: { readonly boardFrom: number; readonly limit: number },
): ExplainedNamedCall[] {
  if (calls.length <= limit) return calls
  const distanceOf = ({ effectiveSeconds }: ExplainedNamedCall) => Math.abs(effectiveSeconds - boardFrom)
  return calls.sort((a, b) => distanceOf(a) - distanceOf(b) || compareCalls(a, b)).slice(0, limit)
}

/**
 * Compares two calls. Different calls never compare as equal: even calls of one trip at the same instant differ in
 * `position` or `call`.
 */
function compareCalls(a: ExplainedNamedCall, b: ExplainedNamedCall): number {
  return (
    a.effectiveSeconds - b.effectiveSeconds ||
    a.scheduledSeconds - b.scheduledSeconds ||
    (a.trip ?? Number.MAX_SAFE_INTEGER) - (b.trip ?? Number.MAX_SAFE_INTEGER) ||
    a.day - b.day ||
    a.runStartSeconds - b.runStartSeconds ||
    a.position - b.position ||
    (a.call ?? -1) - (b.call ?? -1)
  )
}
