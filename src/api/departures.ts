// GET the departures of a stop, or of all stops of an area. The hottest route: its rows are in departure-bytes.ts.
import { Elysia } from 'elysia'
import { type BoardRow, isLiveRow, listBoard, listLastingBoard } from '../../indexes/live/live-boards.ts'
import type { Overlay } from '../../indexes/live/overlay.ts'
import { stopsOfArea } from '../../indexes/timetable/areas.ts'
import type { BoardQuery } from '../../indexes/timetable/boards.ts'
import { emptyBoardReason } from '../../indexes/timetable/empty-board.ts'
import type { LineIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { documented } from '../contract/documented.ts'
import type { Moment } from '../contract/parameters.ts'
import { ROUTES } from '../contract/routes.ts'
import { Problem } from '../http/problem.ts'
import { LastingAnswer } from '../rendering/answer-cache.ts'
import { ENVELOPE_START, envelopeEnd, sourcesText } from '../rendering/envelope.ts'
import { fragment, JsonBytes } from '../rendering/json-bytes.ts'
import { resolveLineFilter, resolvePlace } from '../rendering/public-ids.ts'
import { overlayOf, type Place, type SnapshotView } from '../rendering/snapshot-view.ts'
import { endpoint, type Rendered } from '../requests/endpoint.ts'
import type { Service } from '../requests/service.ts'
import { isWithoutService } from './alert-list.ts'

const LIST_START = fragment(`${ENVELOPE_START}[`)
const COMMA = fragment(',')
/** The answer under construction. */
const answer = new JsonBytes()

/** The departure routes. */
export const departuresApi = (service: Service) =>
  new Elysia({ name: 'api.departures' }).get(
    ROUTES.stopDepartures.path,
    endpoint(service, ROUTES.stopDepartures, (call) =>
      answerBoard(service, { ...call, when: call.values.when, units: ROUTES.stopDepartures.cost }),
    ),
    documented(ROUTES.stopDepartures),
  )

/** The input of a board. */
export interface BoardQuestion {
  /** The id of a stop or an area. */
  readonly pathId: string
  readonly values: {
    readonly limit: number
    readonly line: string | undefined
    readonly direction: string | undefined
    readonly horizon: number
  }
  readonly when: Moment
  /** Service time. */
  readonly nowMillis: number
  /** The units that the answer reports. */
  readonly units: number
}

/** A stop's board as an envelope. */
export function answerBoard(service: Service, question: BoardQuestion): LastingAnswer | Rendered | Problem {
  const { pathId, values, when, nowMillis, units } = question
  const found = resolvePlace(service.views, pathId)
  if (found instanceof Problem) return found
  const { view, place } = found
  const line = resolveLineFilter(service.views, view, values.line)
  if (line instanceof Problem) return line
  const query: BoardQuery = {
    stops: stopsOf(view, place),
    ...departureWindow(when, values.horizon, nowMillis),
    lines: line === 'all' ? undefined : new Set<LineIndex>(line === 'nothing' ? [] : [line]),
    directionId: values.direction === undefined ? undefined : Number(values.direction),
    limit: values.limit,
  }
  // If the line belongs to another network, the answer depends on more than this view.
  if (when === 'now' && line !== 'nothing') return lastingBoard(view, query, { place, units, nowMillis })
  const overlay = overlayOf(view)
  const rows = listBoard(view.timetable, overlay, query)
  const out = writeRows(view, overlay, rows)
  out.pushText(boardEnd(view, query, { place, rows, overlay, units })(nowMillis))
  return { body: out.view() }
}

/** A board from now on, which can be reused until it changes. */
function lastingBoard(
  view: SnapshotView,
  query: BoardQuery,
  { place, units, nowMillis }: { readonly place: Place; readonly units: number; readonly nowMillis: number },
): LastingAnswer {
  const overlay = overlayOf(view)
  const { departures: rows, untilSeconds } = listLastingBoard(view.timetable, overlay, query)
  return new LastingAnswer({
    basis: view,
    live: { said: view.network.live },
    start: writeRows(view, overlay, rows).view(),
    end: boardEnd(view, query, { place, rows, overlay, units }),
    nowMillis,
    fromSeconds: query.fromSeconds,
    untilSeconds,
  })
}

/** The envelope up to and including the last row. */
function writeRows(view: SnapshotView, overlay: Overlay | undefined, rows: readonly BoardRow[]): JsonBytes {
  const out = answer.clear()
  out.push(LIST_START)
  for (let at = 0; at < rows.length; at++) {
    if (at > 0) out.push(COMMA)
    view.departures.write(out, rows[at], overlay)
  }
  return out
}

/** Writes everything after the rows. */
function boardEnd(
  view: SnapshotView,
  query: BoardQuery,
  of: {
    readonly place: Place
    readonly rows: readonly BoardRow[]
    readonly overlay: Overlay | undefined
    readonly units: number
  },
): (nowMillis: number) => string {
  const { limit, lines, fromSeconds } = query
  const { place, rows, overlay, units } = of
  const { live } = view.network
  const reasonAt = (nowMillis: number) => {
    const moments = { nowSeconds: Math.floor(nowMillis / 1000), seconds: fromSeconds }
    return emptyBoardReason(view.timetable, query, () => isWithoutService(view, { place, lines }, moments))
  }
  const freshness = rows.some((row) => isLiveRow(overlay, row)) ? 'realtime' : 'scheduled'
  return (nowMillis) =>
    `]${envelopeEnd({
      nowMillis,
      units,
      network: view.slug,
      freshness,
      count: rows.length,
      limit,
      attribution: view.attributionText,
      sources: sourcesText(view, live, nowMillis),
      reason: rows.length === 0 ? reasonAt(nowMillis) : undefined,
    })}`
}

/** The stops whose boards supply a place's departures. */
export function stopsOf(view: SnapshotView, place: Place): readonly StopIndex[] {
  return place.kind === 'stop' ? [place.stop] : stopsOfArea(view.timetable, place.area)
}

/**
 * The window [from, to) in whole seconds. Departures are on whole seconds, so a fractional time is rounded up; `now` is
 * the second that `generated_at` prints.
 */
export function departureWindow(
  when: Moment,
  horizonMinutes: number,
  nowMillis: number,
): { readonly fromSeconds: number; readonly toSeconds: number } {
  const fromSeconds = when === 'now' ? Math.floor(nowMillis / 1000) : Math.ceil(when / 1000)
  return { fromSeconds, toSeconds: fromSeconds + horizonMinutes * 60 }
}
