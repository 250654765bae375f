// GET the departures from a stop, or from all stops in an area. This is the busiest route. departure-bytes.ts writes
// its rows.
import { Elysia } from 'elysia'
import { BoardRows } from '../../indexes/live/board-rows.ts'
import { fillBoard, fillLastingBoard } from '../../indexes/live/live-boards.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import type { BoardQuery } from '../../indexes/timetable/boards.ts'
import { emptyBoardReason } from '../../indexes/timetable/empty-board.ts'
import type { LineIndex } from '../../indexes/timetable/timetable.ts'
import { documented } from '../contract/documented.ts'
import type { Moment } from '../contract/parameters.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { boardFrame, ENVELOPE_START, writeBoardEnd } from '../rendering/envelope.ts'
import { fragment, JsonBytes } from '../rendering/json-bytes.ts'
import { resolveLineFilter, resolvePlace } from '../rendering/public-ids.ts'
import { overlayOf, type PlaceInView, type SnapshotView } from '../rendering/snapshot-view.ts'
import { endpoint, type Rendered } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { isWithoutService } from './alert-list.ts'

/** Size in bytes of the buffer that keeps rendered rows for later responses. */
const KEPT_BYTES = 1 << 23
const LIST_START = fragment(`${ENVELOPE_START}[`)
/** A buffer for the bytes of a response, reused for every response. */
const answer = new JsonBytes(KEPT_BYTES)
/** The rows of a response. This object is reused for every response. */
const rows = new BoardRows()

/** The departure routes. */
export const departuresApi = (service: Service) =>
  new Elysia({ name: 'api.departures' }).get(
    ROUTES.stopDepartures.path,
    endpoint(service, ROUTES.stopDepartures, (call) => answerBoard(service, call, ROUTES.stopDepartures.cost)),
    documented(ROUTES.stopDepartures),
  )

/** A request for a departure board. */
export interface BoardQuestion {
  /** The id of a stop or an area. */
  readonly pathId: string
  readonly values: {
    readonly limit: number
    readonly line: string | undefined
    readonly direction: string | undefined
    readonly horizon: number
    /** Now if undefined. */
    readonly when?: Moment | undefined
  }
  /** Current service time. */
  readonly nowMillis: number
  /** Whether the answer should be cached. */
  readonly isKept: boolean
}

/** Renders a departure board in an envelope. @param units the number of units that the response reports */
export function answerBoard(
  service: Service,
  question: BoardQuestion,
  units: number,
): LastingAnswer | Rendered | Problem {
  const { pathId, values, nowMillis } = question
  const { when = 'now' } = values
  const found = resolvePlace(service.views, pathId)
  if (found instanceof Problem) return found
  const { view } = found
  const line = resolveLineFilter(service.views, view, values.line)
  if (line instanceof Problem) return line
  const fromSeconds = windowStart(when, nowMillis)
  const query: BoardQuery = {
    stops: found.stops,
    fromSeconds,
    toSeconds: fromSeconds + values.horizon * 60,
    lines: line === 'all' ? undefined : new Set<LineIndex>(line === 'nothing' ? [] : [line]),
    directionId: values.direction === undefined ? undefined : Number(values.direction),
    limit: values.limit,
  }
  // A board filtered by a line of another network (`nothing`) is not cached, because it depends on more than this
  // network's view.
  if (question.isKept && when === 'now' && line !== 'nothing') return lastingBoard(found, query, { nowMillis, units })
  const overlay = overlayOf(view)
  fillBoard(view.timetable, overlay, { query, rows })
  const out = writeRows(view, overlay)
  const { hasLiveData: isLive, length: count } = rows
  const reason = count > 0 ? undefined : reasonAt(found, query, nowMillis)
  writeBoardEnd(out, boardFrame(view, nowMillis, units), { isLive, count, limit: query.limit, reason })
  return { body: out.view() }
}

/** A board that starts now and can be reused until its content changes. */
function lastingBoard(
  found: PlaceInView,
  query: BoardQuery,
  { nowMillis, units }: { readonly nowMillis: number; readonly units: number },
): LastingAnswer {
  const { view } = found
  const overlay = overlayOf(view)
  const untilSeconds = fillLastingBoard(view.timetable, overlay, { query, rows })
  const { hasLiveData: isLive, length: count } = rows
  return new LastingAnswer({
    basis: view,
    dependsOn: 'overlay',
    start: writeRows(view, overlay).view(),
    end: (out, atMillis) => {
      const reason = count > 0 ? undefined : reasonAt(found, query, atMillis)
      writeBoardEnd(out, boardFrame(view, atMillis, units), { isLive, count, limit: query.limit, reason })
    },
    nowMillis,
    fromSeconds: query.fromSeconds,
    untilSeconds,
  })
}

/** Writes the envelope up to and including the last row. */
function writeRows(view: SnapshotView, overlay: Overlay | undefined): JsonBytes {
  const out = answer.clear()
  out.push(LIST_START)
  view.departures.writeRows(out, rows, overlay)
  return out
}

/** Why a board is empty. */
function reasonAt({ view, place }: PlaceInView, query: BoardQuery, nowMillis: number): string {
  const moments = { nowSeconds: Math.floor(nowMillis / 1000), seconds: query.fromSeconds }
  const { lines } = query
  return emptyBoardReason(view.timetable, query, () => isWithoutService(view, { place, lines }, moments))
}

/**
 * The start of a time window, in whole seconds. Departures are at whole seconds, so a fractional time is rounded up.
 * For `now`, the start is the second that `generated_at` shows.
 */
export function windowStart(when: Moment, nowMillis: number): number {
  return when === 'now' ? Math.floor(nowMillis / 1000) : Math.ceil(when / 1000)
}
