// An alert as JSON. Everything except the effective period depends only on the alert's row and is cached for the row.
import { type AlertIndex, type AlertRow, alertPeriod } from '../../indexes/live/alerts.ts'
import { areaId, lineId, stopId } from './public-ids.ts'
import type { SnapshotRows } from './snapshot-view.ts'

/** An alert's JSON, split at the effective period into the part before it and the part after it. */
interface AlertParts {
  readonly start: string
  readonly end: string
}

/**
 * Alert row → its JSON without the effective period. The row alone is enough as a key, because it belongs to only one
 * network and one snapshot.
 */
const partsOfRow = new WeakMap<AlertRow, AlertParts>()

/** The public id of an alert: `<network>:alert:<local id>`. */
export function alertId(view: SnapshotRows, row: AlertRow): string {
  return `${view.slug}:alert:${row.id}`
}

/** An alert as JSON, as shown at an instant. @param seconds Unix seconds */
export function alertText(view: SnapshotRows, index: AlertIndex, shown: { row: AlertRow; seconds: number }): string {
  const { row, seconds } = shown
  const parts = partsOfRow.getOrInsertComputed(row, () => renderParts(view, index, row))
  const { startSeconds, endSeconds } = alertPeriod(row, seconds)
  const period = `"starts_at":${timeText(view, startSeconds)},"ends_at":${timeText(view, endSeconds)}`
  return parts.start + period + parts.end
}

function renderParts(view: SnapshotRows, index: AlertIndex, row: AlertRow): AlertParts {
  const { severity, title, message, cause, effect, url, feed, reach } = row
  const start = JSON.stringify({
    id: alertId(view, row),
    network: view.slug,
    severity,
    title,
    message,
    cause,
    effect,
    line_ids: index.linesOf(row).map((line) => lineId(view, line)),
    stop_ids: [...reach.areas.map((area) => areaId(view, area)), ...reach.stops.map((stop) => stopId(view, stop))],
  })
  const end = JSON.stringify({ url, source: feed })
  return {
    start: `${start.slice(0, -1)},`,
    end: `,"updated_at":${timeText(view, row.updatedSeconds)},${end.slice(1)}`,
  }
}

function timeText(view: SnapshotRows, seconds: number | undefined): string {
  return seconds === undefined ? 'null' : `"${view.localTime.text(seconds)}"`
}
