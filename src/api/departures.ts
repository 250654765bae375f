// GET the departures of a stop, or of all stops of an area. The hottest route: see departure-bytes.ts for its rows.
import { Elysia } from 'elysia'
import { stopsOfArea } from '../../indexes/timetable/areas.ts'
import { type BoardQuery, type Departure, listDepartures } from '../../indexes/timetable/boards.ts'
import { emptyBoardReason } from '../../indexes/timetable/empty-board.ts'
import type { LineIndex, StopIndex } from '../../indexes/timetable/timetable.ts'
import { Problem } from '../problem.ts'
import { LastingAnswer } from './answer-cache.ts'
import { endpoint } from './endpoint.ts'
import { ENVELOPE_START, envelopeEnd } from './envelope.ts'
import { fragment, JsonBytes } from './json-bytes.ts'
import { listLastingDepartures } from './lasting-board.ts'
import type { Moment } from './parameters.ts'
import { resolveLineFilter, resolvePlace } from './public-ids.ts'
import { ROUTES } from './routes.ts'
import type { Service } from './service.ts'
import type { Place, SnapshotView } from './snapshot-view.ts'

const LIST_START = fragment(`${ENVELOPE_START}[`)
const COMMA = fragment(',')
/** The answer under construction. */
const answer = new JsonBytes()

/** Departures. */
export const departuresApi = (service: Service) =>
  new Elysia({ name: 'api.departures' }).get(
    ROUTES.stopDepartures.path,
    endpoint(service, ROUTES.stopDepartures, ({ pathId, values, nowMillis }) => {
      const found = resolvePlace(service.views, pathId)
      if (found instanceof Problem) return found
      const { view, place } = found
      const line = resolveLineFilter(service.views, view, values.line)
      if (line instanceof Problem) return line
      const query: BoardQuery = {
        stops: stopsOf(view, place),
        ...departureWindow(values.when, values.horizon, nowMillis),
        lines: line === 'all' ? undefined : new Set<LineIndex>(line === 'nothing' ? [] : [line]),
        directionId: values.direction === undefined ? undefined : Number(values.direction),
        limit: values.limit,
      }
      // Where the line is another network's, the answer hangs on more than this view.
      if (values.when === 'now' && line !== 'nothing') return lastingBoard(view, query)
      const departures = listDepartures(view.timetable, query)
      const out = writeRows(view, departures)
      out.pushText(boardEnd(view, query, departures.length)(nowMillis))
      return { body: out.view() }
    }),
  )

/** A board from now on, which may be sent until it changes. */
function lastingBoard(view: SnapshotView, query: BoardQuery): LastingAnswer {
  const { departures, untilSeconds } = listLastingDepartures(view.timetable, query)
  return new LastingAnswer({
    basis: view,
    start: writeRows(view, departures).view(),
    end: boardEnd(view, query, departures.length),
    fromSeconds: query.fromSeconds,
    untilSeconds,
  })
}

/** The envelope up to the last row. */
function writeRows(view: SnapshotView, departures: readonly Departure[]): JsonBytes {
  const out = answer.clear()
  out.push(LIST_START)
  for (let row = 0; row < departures.length; row++) {
    if (row > 0) out.push(COMMA)
    view.departures.write(out, departures[row] as Departure)
  }
  return out
}

/** Writes what stands behind the rows. */
function boardEnd(view: SnapshotView, query: BoardQuery, count: number): (nowMillis: number) => string {
  const { limit } = query
  const reason = count === 0 ? emptyBoardReason(view.timetable, query) : undefined
  return (nowMillis) =>
    `]${envelopeEnd({
      nowMillis,
      units: ROUTES.stopDepartures.cost,
      network: view.slug,
      freshness: 'scheduled',
      count,
      limit,
      attribution: view.attributionText,
      sources: sourcesText(view, nowMillis),
      reason,
    })}`
}

/** The stops whose boards a place's departures come from. */
export function stopsOf(view: SnapshotView, place: Place): readonly StopIndex[] {
  return place.kind === 'stop' ? [place.stop] : stopsOfArea(view.timetable, place.area)
}

/**
 * The window [from, to) in whole seconds. Departures are on whole seconds, so that a fraction asked for rounds up;
 * `now` is the second that `generated_at` prints.
 */
export function departureWindow(
  when: Moment,
  horizonMinutes: number,
  nowMillis: number,
): { readonly fromSeconds: number; readonly toSeconds: number } {
  const fromSeconds = when === 'now' ? Math.floor(nowMillis / 1000) : Math.ceil(when / 1000)
  return { fromSeconds, toSeconds: fromSeconds + horizonMinutes * 60 }
}

/** What boards are made of: the timetable alone. Its age is what lies between the two times as they are printed. */
function sourcesText(view: SnapshotView, nowMillis: number): string {
  const { refreshedAtMillis } = view.snapshot
  const ageSeconds = Math.max(0, Math.floor(nowMillis / 1000) - Math.floor(refreshedAtMillis / 1000))
  return `[{"id":"gtfs","fetched_at":"${view.refreshedAtText}","age_seconds":${ageSeconds},"freshness":"scheduled"}]`
}
