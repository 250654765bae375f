// Selects the alerts for a response. Only alerts from feeds that are not too old are listed, in the order that the API
// documents.
import { ALERT_SEVERITIES, type AlertIndex, type AlertRow, alertPeriod, isInForce } from '../../indexes/live/alerts.ts'
import type { LineIndex } from '../../indexes/timetable/timetable.ts'
import { alertId, alertText } from '../rendering/alert-text.ts'
import { currentAlerts } from '../rendering/current-alerts.ts'
import { linesOf } from '../rendering/place-lines.ts'
import type { LineFilter } from '../rendering/public-ids.ts'
import type { Place, SnapshotView } from '../rendering/snapshot-view.ts'
import { compareEnds, type PageEnd } from './cursor.ts'

/** Which alerts of a network to list. */
export type AlertSubject =
  | { readonly kind: 'line'; readonly line: LineFilter }
  /**
   * `also` adds alerts for the lines that serve the place (`lines`), alerts for the agencies of these lines (`agency`),
   * or both.
   */
  | { readonly kind: 'place'; readonly place: Place; readonly also?: readonly ('lines' | 'agency')[] }

/** The times of a query, in seconds after 1970. */
export interface AlertMoments {
  /** Current service time, from which the age of feeds is computed. */
  readonly nowSeconds: number
  /** The time to list alerts for. */
  readonly seconds: number
}

/** An alert in a list. */
export interface ListedAlert {
  readonly view: SnapshotView
  readonly index: AlertIndex
  readonly row: AlertRow
  /** The alert's position in the list. */
  readonly end: PageEnd
}

/** The type of each part of a list's sort key: severity, start. */
export const ALERT_KEYS = ['number', 'number'] as const

/** The alerts on a subject that are shown at the requested time: most severe first, then latest start, then by id. */
export function listAlerts(view: SnapshotView, subject: AlertSubject, moments: AlertMoments): ListedAlert[] {
  const alerts = currentAlerts(view, moments.nowSeconds)
  if (alerts === undefined) return []
  const { index } = alerts
  const listed: ListedAlert[] = []
  for (const row of rowsOf(view, index, { subject, seconds: moments.seconds })) {
    if (alerts.isCurrent(row)) listed.push({ view, index, row, end: endOf(view, row, moments.seconds) })
  }
  return listed.sort((a, b) => compareEnds(a.end, b.end))
}

/**
 * Whether alerts announce that a place has no service at the requested time. True if one such alert is for the place
 * itself, or if each line that serves the place has such an alert. If `lines` is given, only these lines count.
 */
export function isWithoutService(
  view: SnapshotView,
  { place, lines }: { readonly place: Place; readonly lines: ReadonlySet<LineIndex> | undefined },
  moments: AlertMoments,
): boolean {
  if (currentAlerts(view, moments.nowSeconds) === undefined) return false
  const isNone = ({ row }: ListedAlert) => row.effect === 'no_service' && isInForce(row, moments.seconds)
  if (listAlerts(view, { kind: 'place', place }, moments).some(isNone)) return true
  const serving = linesOf(view, place).filter((line) => lines === undefined || lines.has(line))
  return serving.length > 0 && serving.every((line) => listAlerts(view, { kind: 'line', line }, moments).some(isNone))
}

/** Renders a listed alert as JSON. */
export function listedAlertText({ view, index, row }: ListedAlert, seconds: number): string {
  return alertText(view, index, { row, seconds })
}

function rowsOf(
  view: SnapshotView,
  index: AlertIndex,
  { subject, seconds }: { readonly subject: AlertSubject; readonly seconds: number },
): Iterable<AlertRow> {
  if (subject.kind === 'place') {
    const { place, also = [] } = subject
    const own = place.kind === 'stop' ? index.listOfStop(place.stop, seconds) : index.listOfArea(place.area, seconds)
    const rows = new Set(own)
    for (const line of also.length === 0 ? [] : linesOf(view, place)) {
      const ofLine = also.includes('lines') ? index.listOfLineAlone(line, seconds) : []
      const ofAgency = also.includes('agency') ? index.listOfAgency(line, seconds) : []
      for (const row of [...ofLine, ...ofAgency]) rows.add(row)
    }
    return rows
  }
  const { line } = subject
  if (line === 'nothing') return []
  return line === 'all' ? index.listShown(seconds) : index.listOfLine(line, seconds)
}

/**
 * The position of an alert in the list. The worst severity comes first, then the latest start. Alerts without a start
 * come last among alerts of the same severity.
 */
function endOf(view: SnapshotView, row: AlertRow, seconds: number): PageEnd {
  const { startSeconds } = alertPeriod(row, seconds)
  const severity = ALERT_SEVERITIES.length - 1 - ALERT_SEVERITIES.indexOf(row.severity)
  return { key: [severity, startSeconds === undefined ? 0 : -startSeconds], id: alertId(view, row) }
}
